// What the commands do. Each takes its input as a stream, in memory that does not grow with it, and returns whether all
// inputs went well.

import { readdirSync, statSync } from 'node:fs';

import { policyOf } from '../arguments.js';
import type { TextSession } from '../backend.js';
import { TokenizerError } from '../errors.js';
import { Tokenizer } from '../index.js';
import { native } from '../native-backend.js';
import { cartridgeFolder } from '../sources.js';
import { engineOf } from '../tokenizer.js';
import { readIds } from './read-ids.js';
import { chunksOf, InputError, write } from './streams.js';

/** Options that the commands on text share. */
export interface TextOptions {
  source: string;
  special: 'text' | 'allow' | 'forbid' | string[];
  json: boolean;
}

const NOTHING = new Uint8Array(0);

/** Reports why an input failed, and returns the reason; anything but a failure of the input is thrown. */
function complain(file: string, error: unknown): string {
  if (!(error instanceof InputError || error instanceof TokenizerError)) throw error;
  const forbidden = error instanceof TokenizerError && error.code === 'SPECIAL_FORBIDDEN';
  const message = forbidden
    ? `holds a special token at byte ${error.position}, and --special forbid was given`
    : error.message;
  process.stderr.write(`crayon: ${file === '-' ? 'standard input' : file}: ${message}\n`);
  return message;
}

function begin(tokenizer: Tokenizer, options: TextOptions, counting: boolean): TextSession {
  return engineOf(tokenizer).begin(policyOf({ special: options.special }, tokenizer), counting);
}

/** `crayon count`: the tokens of each input, and their sum. */
export async function count(files: string[], options: TextOptions): Promise<boolean> {
  using tokenizer = Tokenizer.loadSync(options.source);
  const rows: ({ file: string; tokens: number; bytes: number } | { file: string; error: string })[] = [];
  let total = 0;
  let failed = false;
  for (const file of files) {
    const session = begin(tokenizer, options, true);
    try {
      let bytes = 0;
      for await (const chunk of chunksOf(file)) {
        session.feed(chunk, false);
        bytes += chunk.length;
      }
      const tokens = session.feed(NOTHING, true);
      total += tokens;
      rows.push({ file, tokens, bytes });
      if (!options.json) await write(file === '-' ? `${tokens}\n` : `${tokens}\t${file}\n`);
    } catch (error) {
      failed = true;
      rows.push({ file, error: complain(file, error) });
    } finally {
      session.end();
    }
  }
  if (options.json) await write(`${JSON.stringify({ encoding: tokenizer.name, files: rows, total })}\n`);
  else if (files.length > 1) await write(`${total}\ttotal\n`);
  return !failed;
}

/** `crayon encode`: the ids of each input, a line each. */
export async function encode(files: string[], options: TextOptions): Promise<boolean> {
  using tokenizer = Tokenizer.loadSync(options.source);
  let failed = false;
  if (options.json) await write(`{"encoding":${JSON.stringify(tokenizer.name)},"files":[`);
  for (const [index, file] of files.entries()) {
    const session = begin(tokenizer, options, false);
    const separator = options.json ? ',' : ' ';
    let before = '';
    const writeReady = async () => {
      const ids = session.take();
      if (ids.length > 0) await write(before + ids.join(separator));
      if (ids.length > 0) before = separator;
    };
    let error: string | undefined;
    if (options.json) await write(`${index > 0 ? ',' : ''}{"file":${JSON.stringify(file)},"ids":[`);
    try {
      for await (const chunk of chunksOf(file)) {
        session.feed(chunk, false);
        await writeReady();
      }
      session.feed(NOTHING, true);
      await writeReady();
    } catch (thrown) {
      failed = true;
      error = complain(file, thrown);
    } finally {
      session.end();
    }
    if (options.json) await write(error === undefined ? ']}' : `],"error":${JSON.stringify(error)}}`);
    else if (error === undefined || before !== '') await write('\n');
  }
  if (options.json) await write(']}\n');
  return !failed;
}

/** `crayon decode`: the bytes of the ids in each input. */
export async function decode(files: string[], options: { source: string; skipSpecial: boolean }): Promise<boolean> {
  using tokenizer = Tokenizer.loadSync(options.source);
  let failed = false;
  for (const file of files) {
    let before = 0;
    try {
      for await (const ids of readIds(chunksOf(file))) {
        try {
          await write(tokenizer.decodeBytes(ids, { skipSpecialTokens: options.skipSpecial }));
        } catch (error) {
          if (!(error instanceof TokenizerError && error.code === 'INVALID_ID')) throw error;
          const { position } = error;
          const place = `${ids[position]} (number ${before + position + 1})`;
          throw new InputError(`the id ${place} is not in the vocabulary of ${tokenizer.name}`);
        }
        before += ids.length;
      }
    } catch (error) {
      failed = true;
      complain(file, error);
    }
  }
  return !failed;
}

/** `crayon info`: what is installed, or one tokenizer. */
export async function info(source: string | undefined, options: { json: boolean }, version: string): Promise<boolean> {
  const facts = source === undefined ? installation(version) : tokenizerFacts(source);
  await write(options.json ? `${JSON.stringify(facts)}\n` : inLines(facts));
  return true;
}

function installation(version: string) {
  const { addon, path } = native();
  return {
    version,
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
    backends: ['native'],
    addon: path,
    kernels: addon.kernels(),
    devices: ['cpu'],
    cartridges: cartridges(),
  };
}

function cartridges() {
  let names: string[] = [];
  try {
    names = readdirSync(cartridgeFolder).filter((name) => name.endsWith('.cray'));
  } catch {
    // No folder, no cartridges.
  }
  return names.sort().map((name) => {
    const file = `${cartridgeFolder}${name}`;
    const { size } = statSync(file);
    try {
      using tokenizer = Tokenizer.loadSync(file);
      return { file, bytes: size, encodings: engineOf(tokenizer).describe().views };
    } catch (error) {
      return { file, bytes: size, error: (error as Error).message };
    }
  });
}

function tokenizerFacts(source: string) {
  using tokenizer = Tokenizer.loadSync(source);
  const { scanner } = engineOf(tokenizer).describe();
  return {
    name: tokenizer.name,
    model: tokenizer.modelKind,
    pretokenizer: scanner,
    vocabularySize: tokenizer.vocabularySize,
    specialTokens: Object.fromEntries(tokenizer.specialTokens),
    kernel: tokenizer.backend.kernel,
    metadata: tokenizer.metadata,
  };
}

/** A value for people: a line for each field, objects and lists indented under theirs. */
function inLines(value: object, indent = ''): string {
  let lines = '';
  for (const [key, field] of Object.entries(value)) {
    const label = Array.isArray(value) ? '-' : `${key}:`;
    const list = Array.isArray(field) && field.every((item) => typeof item !== 'object') ? field.join(', ') : field;
    lines += typeof list === 'object' && list !== null
      ? `${indent}${label}\n${inLines(list as object, `${indent}  `)}`
      : `${indent}${label} ${String(list)}\n`;
  }
  return lines;
}
