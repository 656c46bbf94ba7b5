// compileCartridge where there are no files: in a worker, or on the thread itself where no worker starts.

import { tagOf } from './arguments.js';
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
import { isDat } from './dat.js';
import { embeddedCompiler } from './embedded-compiler.js';
import { unexpected } from './errors.js';
import { arrived, isLate, type LateSource } from './late-source.js';
import type { Source } from './sources.js';
import { find } from './web-opening.js';

/** The little of a Worker that is used: TypeScript has it with the DOM's types alone. */
interface CompileWorker {
  postMessage(job: CompileJob): void;
  terminate(): void;
  onmessage: ((event: { data: CompileAnswer }) => void) | null;
  onerror: ((event: { message?: string; preventDefault?(): void }) => void) | null;
}

declare const Worker: new (script: URL, options: { type: 'module' }) => CompileWorker;

/** `cartridge` brings the built-in one of a name. */
export async function compileOnWeb(
  source: Source | LateSource | TokenList,
  options: CompileOptions,
  cartridge: (name: string) => Promise<Uint8Array>,
): Promise<Uint8Array> {
  checkCompileOptions(options);
  if (options.backend === 'native') throw unexpected("'wasm', which is what runs here,", 'backend', options.backend);
  options.signal?.throwIfAborted();
  const job = await jobOf(source, options, cartridge);
  options.signal?.throwIfAborted();
  const bytes = isSmall(job) ? undefined : await inWorker(job, options);
  return bytes ?? onThisThread(embeddedCompiler, job, options);
}

async function jobOf(
  source: Source | LateSource | TokenList,
  options: CompileOptions,
  cartridge: (name: string) => Promise<Uint8Array>,
): Promise<CompileJob> {
  if (Array.isArray(source)) return vocabularyJob(tokensOf(source), options);
  options.onProgress?.({ stage: 'read', fraction: 0 });
  const given = source as Source | LateSource;
  const brought = isLate(given) ? await arrived(given) : given;
  const place = brought instanceof URL || tagOf(brought) === 'URL' ? (brought as URL).href : brought;
  const as = typeof place === 'string' ? listKind(place) : undefined;
  let job: CompileJob;
  if (as && typeof place === 'string') {
    job = vocabularyJob({ text: await fetchedText(place), name: place, as }, options, place);
  } else {
    const found = find(brought, { cartridge });
    const bytes = await found.bytes;
    const dat = isDat(bytes) ? { list: await found.list, unknownId: options.unknownId } : undefined;
    job = cartridgeJob(bytes, dat, options);
  }
  options.onProgress?.({ stage: 'read', fraction: 1 });
  return job;
}

async function fetchedText(place: string): Promise<string> {
  const response = await fetch(place);
  if (!response.ok) throw new Error(`cannot load ${place}: ${response.status} ${response.statusText}`);
  return response.text();
}

/** Undefined where no worker starts. */
async function inWorker(job: CompileJob, options: CompileOptions): Promise<Uint8Array | undefined> {
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
