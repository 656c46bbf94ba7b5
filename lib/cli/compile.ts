// `crayon compile`: a rank file, or a cartridge in its other form, to a cartridge.

import { rename, rm, writeFile } from 'node:fs/promises';

import { type CompileOptions, compileCartridge } from '../compile-cartridge.js';
import { inThousands } from './fields.js';
import { InputError, write } from './streams.js';

/** Writes the cartridge. Readers map such files: the new one takes over the name only when it is whole. */
export async function compile(
  source: string,
  options: CompileOptions & { output: string; json: boolean },
): Promise<boolean> {
  const { output, json, ...rest } = options;
  const bytes = await compileCartridge(source, rest);
  const temporary = `${output}.${process.pid}.tmp`;
  try {
    await writeFile(temporary, bytes);
    await rename(temporary, output);
  } catch (error) {
    await rm(temporary, { force: true });
    throw new InputError(`cannot write ${output}: ${(error as Error).message}`);
  }
  const slim = options.slim ?? false;
  const facts = { file: output, bytes: bytes.length, slim };
  const inWords = `${output}: ${inThousands(bytes.length)} bytes${slim ? ', slim' : ''}`;
  await write(`${json ? JSON.stringify(facts) : inWords}\n`);
  return true;
}
