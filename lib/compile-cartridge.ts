// A vocabulary to the bytes of a cartridge, on a thread of its own.

import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

import type { CompileJob, CompileOutcome } from './compile-worker.js';
import { fromCaller, outOfRange, TokenizerError, unexpected } from './errors.js';
import { native } from './native-loader.js';
import { explainBuiltIn, outOfArchive, resolveSource, type Source } from './sources.js';

const PRETOKENIZERS = ['gpt2', 'cl100k', 'o200k', 'qwen2'] as const;

/**
 * Options of {@link compileCartridge}.
 *
 * @example
 * ```ts
 * const options: CompileOptions = { slim: true };
 * const slim = await compileCartridge('r50k_base', options);
 * slim.length < 200_000; // true
 * ```
 */
export interface CompileOptions {
  /** Make a slim cartridge: a fifteenth of the size, made full in memory whenever it is opened. Default false. */
  slim?: boolean | undefined;
  /** Of a rank file: the name of the tokenizer. Default: the file's name without its ending. */
  name?: string | undefined;
  /** Of a rank file, which does not say it: how text is cut into pieces before merging. */
  pretokenizer?: (typeof PRETOKENIZERS)[number] | undefined;
  /** Of a rank file: special tokens and their ids. Default: none. */
  specialTokens?: Readonly<Record<string, number>> | undefined;
}

/**
 * Compiles a vocabulary to the bytes of a cartridge: a file to be written, or to be given to {@link Tokenizer.load}.
 *
 * `source`: the path or `file:` URL of a rank file (`.tiktoken`), or any cartridge that `load` takes by name, path, URL or
 * bytes: a full one and a slim one become each other. The same source gives the same bytes, always. Takes about a second
 * for 200,000 tokens, on another thread. Throws a {@link TokenizerError} for a vocabulary that no cartridge can hold.
 *
 * @example
 * ```ts
 * const slim = await compileCartridge('cl100k_base', { slim: true });
 * using small = await Tokenizer.load(slim);
 * small.encode('hello world'); // Uint32Array [15339, 1917]
 * ```
 */
export async function compileCartridge(source: Source, options: CompileOptions = {}): Promise<Uint8Array> {
  try {
    const path = rankFile(source);
    return path === undefined ? await compileAgain(source, options) : await compileRanks(path, options);
  } catch (error) {
    throw fromCaller(error, compileCartridge);
  }
}

/** The path of a rank file; undefined for another source. */
function rankFile(source: Source): string | undefined {
  const text = source instanceof URL ? source.href : source;
  if (typeof text !== 'string' || !/\.tiktoken$/i.test(text)) return undefined;
  return text.startsWith('file:') ? fileURLToPath(text) : text;
}

async function compileAgain(source: Source, options: CompileOptions): Promise<Uint8Array> {
  for (const option of ['name', 'pretokenizer', 'specialTokens'] as const) {
    if (options[option] !== undefined) throw unexpected('no value, since a cartridge says it,', option, options[option]);
  }
  const cartridge = resolveSource(source);
  try {
    const job = { cartridge: outOfArchive(cartridge.source), slim: options.slim === true };
    return await run(job, what(cartridge.source));
  } catch (error) {
    throw explainBuiltIn(error, cartridge);
  }
}

async function compileRanks(path: string, options: CompileOptions): Promise<Uint8Array> {
  const { name = basename(path).replace(/\.tiktoken$/i, ''), pretokenizer, specialTokens = {}, slim = false } = options;
  if (typeof name !== 'string' || name === '') throw unexpected('a name', 'name', name);
  if (!PRETOKENIZERS.includes(pretokenizer as never)) {
    throw unexpected(`one of ${PRETOKENIZERS.join(', ')}`, 'pretokenizer', pretokenizer);
  }
  const special = Object.entries(specialTokens);
  for (const [text, id] of special) {
    const isId = Number.isInteger(id) && id >= 0 && id < 2 ** 32 - 1;
    if (!isId) throw outOfRange('an id', `specialTokens[${JSON.stringify(text)}]`, id);
  }
  const said = { name, pretokenizer: pretokenizer as string, specialTokens: special };
  return run({ ranks: await readRanks(path), file: path, ...said, slim }, what(path));
}

async function readRanks(path: string): Promise<string> {
  try {
    return await readFile(path, 'latin1');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'FILE_NOT_FOUND' : 'FILE_UNREADABLE';
    throw new TokenizerError(`cannot read ${what(path)}: ${(error as Error).message}`, { code });
  }
}

function what(source: string | Uint8Array): string {
  return typeof source === 'string' ? source : `a cartridge of ${source.length} bytes`;
}

async function run(job: CompileJob, source: string): Promise<Uint8Array> {
  native(); // here, so that an addon that is missing is told as ever
  // Without the program's flags: some of them (--input-type) no file may be run with.
  const worker = new Worker(new URL('./compile-worker.js', import.meta.url), { workerData: job, execArgv: [] });
  const outcome = await new Promise<CompileOutcome>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`cannot compile ${source}: its thread ended with code ${code}`)));
  });
  if ('bytes' in outcome) return outcome.bytes;
  const { failure } = outcome;
  throw new TokenizerError(`cannot compile ${source}: ${failure.sentence} (position ${failure.position})`, failure);
}
