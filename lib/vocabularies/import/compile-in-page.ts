// Compiles on hosts without files: in a worker, or on this thread if no worker can start. Names no engine: the entry
// passes its compiler.

import { isDat } from '../open/dat.js';
import { isCompiledFile, refuseForeign } from '../open/foreign.js';
import { type CartridgeLoader, findOnWeb } from '../open/sources-in-page.js';
import { arrived, isLate, type LateSource, type Source } from '../open/source.js';
import { tagOf } from '../../base/views.js';
import { unexpected } from '../../base/errors.js';
import type { UnsharedUint8Array } from '../../base/typed-arrays.js';
import { compileOptions, type CompileOptions, isTokens } from './compile-cartridge.js';
import type { Compiler } from '../../engine/compiler.js';
import { type CompileAnswer, type CompileJob, isSmall } from './compile-job.js';
import { cartridgeJob, fileJob, kindOfFile, listKind, vocabularyJob } from './job-of-source.js';
import type { KnownTokens } from '../compile/packed-tokens.js';
import { onThisThread, onThread } from './thread.js';

/** The parts of Worker used here: TypeScript declares it only with the DOM's types. */
interface CompileWorker {
  postMessage(job: CompileJob): void;
  terminate(): void;
  onmessage: ((event: { data: CompileAnswer }) => void) | null;
  onerror: ((event: { message?: string; preventDefault?(): void }) => void) | null;
}

declare const Worker: new (script: URL, options: { type: 'module' }) => CompileWorker;

/** What a browser entry compiles with. */
export interface WebCompiler {
  /** Loads a built-in cartridge. */
  cartridge: CartridgeLoader;
  /** The compiler for this thread. */
  compiler: () => Promise<Compiler>;
}

/** Implements `compileCartridge`, without adjusting errors. */
export async function compileOnWeb(
  source: Source | LateSource | KnownTokens,
  options: CompileOptions,
  { cartridge, compiler }: WebCompiler,
): Promise<UnsharedUint8Array> {
  if (options.backend === 'native') throw unexpected("'wasm', which is what runs here,", 'backend', options.backend);
  const job = await jobOf(source, options, cartridge);
  options.signal?.throwIfAborted();
  return run(job, options, compiler);
}

/** Compiles the bytes of a JSON file, a rank file or a SentencePiece model, for `load`. `url`: where they come from, if known. */
export function compileFileOnWeb(
  bytes: Uint8Array,
  url: string | undefined,
  loadOptions: CompileOptions,
  compiler: WebCompiler['compiler'],
): Promise<UnsharedUint8Array> {
  const options = compileOptions(loadOptions);
  if (isCompiledFile(bytes) || listKind(url ?? '') === 'list') return run(fileJob(bytes, options, url), {}, compiler);
  const name = url as string;
  refuseForeign(bytes, name);
  return run(vocabularyJob({ file: bytes, name, as: 'ranks' }, options, name), {}, compiler);
}

/** Compiling a list of this many tokens takes a few milliseconds, for which a page may stand still. */
const TOKENS_HERE = 1 << 13;

/** Runs a job, in a worker unless it is small or no worker can start. */
export async function run(job: CompileJob, options: CompileOptions, compiler: WebCompiler['compiler']): Promise<UnsharedUint8Array> {
  const bytes = isSmall(job, TOKENS_HERE) ? undefined : await inWorker(job, options);
  return bytes ?? onThisThread(compiler, job, options);
}

async function jobOf(source: Source | LateSource | KnownTokens, options: CompileOptions, cartridge: CartridgeLoader): Promise<CompileJob> {
  if (isTokens(source)) return vocabularyJob(source, options);
  options.onProgress?.({ stage: 'read', fraction: 0 });
  const delivered = isLate(source) ? await arrived(source) : source;
  const url = delivered instanceof URL || tagOf(delivered) === 'URL' ? (delivered as URL).href : delivered;
  const as = typeof url === 'string' ? listKind(url) : undefined;
  let job: CompileJob;
  if (as && typeof url === 'string') {
    const bytes = await fetchedBytes(url);
    const kind = kindOfFile(as, bytes);
    if (kind !== 'pieces') refuseForeign(bytes, url, kind === 'lines');
    job = vocabularyJob({ file: bytes, name: url, as: kind }, options, url);
  } else {
    const found = findOnWeb(delivered, cartridge);
    const bytes = await found.bytes;
    if (isCompiledFile(bytes)) return fileJob(bytes, options);
    const dat = isDat(bytes) ? { list: await found.list, unknownId: options.unknownId, unknownUnit: options.unknownUnit } : undefined;
    job = cartridgeJob(bytes, dat, options);
  }
  options.onProgress?.({ stage: 'read', fraction: 1 });
  return job;
}

async function fetchedBytes(url: string): Promise<Uint8Array> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`cannot load ${url}: ${response.status} ${response.statusText}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** Undefined if no worker can start. */
async function inWorker(job: CompileJob, options: CompileOptions): Promise<UnsharedUint8Array | undefined> {
  if (typeof Worker === 'undefined') return undefined;
  let worker: CompileWorker;
  try {
    // Bundlers look for exactly this expression.
    worker = new Worker(new URL('./web-compile-worker.js', import.meta.url), { type: 'module' });
  } catch {
    return undefined;
  }
  let hasSpoken = false;
  try {
    return await onThread((listener) => {
      worker.onmessage = ({ data }) => {
        hasSpoken = true;
        listener.answer(data);
      };
      worker.onerror = (event) => {
        event.preventDefault?.();
        const why = event.message ?? 'no reason given';
        listener.lost(new Error(`cannot compile ${job.source}: its worker has stopped (${why})`));
      };
      worker.postMessage(job);
      return () => worker.terminate();
    }, options);
  } catch (error) {
    if (hasSpoken || options.signal?.aborted) throw error;
    return undefined;
  }
}
