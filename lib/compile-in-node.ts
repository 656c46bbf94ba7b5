// A vocabulary to the bytes of a cartridge, on a thread of its own, in Node.

import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

import { tagOf } from './arguments.js';
import { readCartridge } from './cartridge-bytes.js';
import { type CompileAnswer, type CompileJob, isSmall } from './compile-job.js';
import {
  cartridgeJob,
  checkCompileOptions,
  type CompileOptions,
  listKind,
  type TokenList,
  tokensOf,
  vocabularyJob,
} from './compile-options.js';
import { onThisThread, onThread } from './compile-thread.js';
import type { CompileThreadData } from './compile-worker.js';
import { datOf } from './dat-file.js';
import { TokenizerError } from './errors.js';
import { arrived, isLate, type LateSource } from './late-source.js';
import { nativeCompiler } from './native-compiler.js';
import { missing, native } from './native-loader.js';
import { explainBuiltIn, outOfArchive, resolveSource, type Source } from './sources.js';
import { isUnknownToken } from './token-list.js';
import { buildModulePath, hasWasm } from './wasm-files.js';

/** What `compileCartridge` promises, with errors as they come. */
export async function compileInNode(
  source: Source | LateSource | TokenList,
  options: CompileOptions,
): Promise<Uint8Array> {
  checkCompileOptions(options);
  options.signal?.throwIfAborted();
  if (Array.isArray(source)) return run(vocabularyJob(tokensOf(source), options), options);
  const given = source as Source | LateSource;
  const here = isLate(given) ? await arrived(given) : given;
  const file = listFile(here);
  if (file === undefined) return compileAgain(here, options);
  options.onProgress?.({ stage: 'read', fraction: 0 });
  const text = await readText(file.path, file.as === 'ranks' ? 'latin1' : 'utf8', options.signal);
  options.onProgress?.({ stage: 'read', fraction: 1 });
  return run(vocabularyJob({ text, name: file.path, as: file.as }, options, file.path), options);
}

/** The path of a list of tokens, and what it is; undefined for another source. */
function listFile(source: Source) {
  const text = source instanceof URL || tagOf(source) === 'URL' ? (source as URL).href : source;
  const as = typeof text === 'string' ? listKind(text) : undefined;
  return as && { path: (text as string).startsWith('file:') ? fileURLToPath(text as string) : (text as string), as };
}

async function compileAgain(source: Source, options: CompileOptions): Promise<Uint8Array> {
  const cartridge = resolveSource(source);
  try {
    const dat = datOf(cartridge.source, options.unknownId);
    if (options.version === 2 && !dat) await checkNothingLost(cartridge.source, options);
    const job = cartridgeJob(outOfArchive(cartridge.source), dat, options);
    return await run(job, options);
  } catch (error) {
    throw explainBuiltIn(error, cartridge);
  }
}

/** A file of version 2 has no place for special tokens, nor for an unknown id but the name of its token. */
async function checkNothingLost(source: string | Uint8Array, { backend }: CompileOptions): Promise<void> {
  const { Tokenizer } = await (backend === 'wasm' ? import('./wasm.js') : import('./index.js'));
  using tokenizer = await Tokenizer.load(source);
  const { unknownId, specialTokens, modelKind } = tokenizer;
  if (modelKind !== 'longest-match') return; // which is told when it is compiled
  const [special] = specialTokens.keys();
  const lost =
    special !== undefined
      ? `the special token ${JSON.stringify(special)}`
      : unknownId !== undefined && !isUnknownToken(tokenizer.decode([unknownId]))
        ? `the unknown id ${unknownId}, whose token is not <UNK>, <unk> or [UNK]`
        : undefined;
  if (lost === undefined) return;
  throw new TokenizerError(`cannot compile to version 2: it has no place for ${lost}`, { code: 'BUILD_FAILED' });
}

async function readText(path: string, encoding: BufferEncoding, signal: AbortSignal | undefined): Promise<string> {
  try {
    return await readFile(path, { encoding, signal });
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    const code = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'FILE_NOT_FOUND' : 'FILE_UNREADABLE';
    throw new TokenizerError(`cannot read ${path}: ${(error as Error).message}`, { code });
  }
}

function run(job: CompileJob, options: CompileOptions): Promise<Uint8Array> {
  const backend = options.backend ?? (missing && hasWasm() ? 'wasm' : 'native');
  if (backend === 'native') native(); // here, so that an addon that is missing is told as ever
  if (backend === 'native' && isSmall(job)) return onThisThread(nativeCompiler, job, options);
  const module = backend === 'wasm' ? buildModulePath() : undefined;
  const isFile = module !== undefined && 'cartridge' in job && typeof job.cartridge === 'string';
  const here = isFile ? { ...job, cartridge: readCartridge(job.cartridge as string) } : job;
  const data: CompileThreadData = { job: here, module };
  return onThread((listener) => {
    // Without the program's flags: some of them (--input-type) no file may be run with.
    const worker = new Worker(new URL('./compile-worker.js', import.meta.url), { workerData: data, execArgv: [] });
    worker.on('message', (answer: CompileAnswer) => listener.answer(answer));
    worker.once('error', (error) => listener.lost(error));
    worker.once('exit', (code) => {
      listener.lost(new Error(`cannot compile ${job.source}: its thread ended with code ${code}`));
    });
    return () => void worker.terminate();
  }, options);
}
