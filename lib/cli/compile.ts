// `crayon compile`: a list of tokens, a rank file, or a cartridge in another form, to a file.

import { existsSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';

import { compileCartridge } from '../compile-cartridge.js';
import { type CompileOptions, listKind } from '../compile-options.js';
import { listPlace, namesDat } from '../dat.js';
import { listBeside } from '../dat-file.js';
import { Tokenizer } from '../index.js';
import { resolveSource } from '../sources.js';
import { writeTokenList } from '../token-list.js';
import { engineOf } from '../tokenizer.js';
import { inThousands } from './fields.js';
import { Steps } from './progress.js';
import { InputError, write } from './streams.js';

const STEPS = ['read', 'tokens', 'build'];

interface Given extends CompileOptions {
  output: string;
  json: boolean;
  progress: boolean;
}

/** Writes the file; of version 2 the list of its tokens too, before it. */
export async function compile(source: string, options: Given): Promise<boolean> {
  const { output, json, progress, ...rest } = options;
  const version = namesDat(output) ? 2 : 3;
  if (resolve(output) === resolve(source)) throw new InputError(`cannot write ${output}: it is what is compiled`);
  const bytes = await withSteps(progress, (onProgress) => compileCartridge(source, { ...rest, version, onProgress }));
  const list = version === 2 ? listPlace(output) : undefined;
  if (list !== undefined) await writeList(list, output, await listOf(source, bytes));
  await writeByRename(output, bytes);
  const slim = options.slim ?? false;
  const facts = { file: output, bytes: bytes.length, slim, list };
  const notes = [...(slim ? ['slim'] : []), ...(list === undefined ? [] : [`version 2; its tokens are in ${list}`])];
  const inWords = [`${output}: ${inThousands(bytes.length)} bytes`, ...notes].join(', ');
  await write(`${json ? JSON.stringify(facts) : inWords}\n`);
  return true;
}

async function withSteps<T>(
  wanted: boolean,
  work: (onProgress: CompileOptions['onProgress']) => Promise<T>,
): Promise<T> {
  const steps = new Steps(STEPS, wanted);
  try {
    return await work(({ stage }) => steps.at(stage));
  } finally {
    steps.end();
  }
}

/**
 * The list beside a version 2 file: as it was read, if the source has one, in whichever shape; else a list of strings.
 */
async function listOf(source: string, dat: Uint8Array): Promise<string> {
  if (listKind(source) === 'list') return readFile(source, 'utf8');
  if (listKind(source) === undefined) {
    const { source: file } = resolveSource(source);
    const beside = typeof file === 'string' && namesDat(file) ? listBeside(file) : undefined;
    if (beside) return beside.text;
  }
  using tokenizer = Tokenizer.loadSync(dat);
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const tokens = Array.from({ length: tokenizer.vocabularySize }, (_, id) => engineOf(tokenizer).tokenBytes(id));
  return writeTokenList(tokens.map((bytes) => (bytes ? decoder.decode(bytes) : '')));
}

/** A file that lies there already is replaced only where it is the list of the `.dat` that is replaced. */
async function writeList(list: string, dat: string, text: string): Promise<void> {
  if (existsSync(list)) {
    if ((await readFile(list, 'utf8')) === text) return;
    if (!existsSync(dat)) throw new InputError(`cannot write ${list}, the list beside ${dat}: another file has that name`);
  }
  await writeByRename(list, text);
}

/** Readers map such files: the new one takes over the name only when it is whole. */
async function writeByRename(file: string, content: Uint8Array | string): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    await writeFile(temporary, content);
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw new InputError(`cannot write ${file}: ${(error as Error).message}`);
  }
}
