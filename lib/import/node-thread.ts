// Compiler threads in Node.
//
// Node leaves a file open if a thread is terminated while it loads its modules. So a thread whose job ends that early
// continues until they are loaded, and serves the next job if one arrives by then. At most one thread waits for a job.

import { ofThisContext } from '../base/views.js';
import { newThread } from '../open/package-files.js';
import type { CompileAnswer, CompileJob } from './job.js';
import type { CompileListener } from './thread.js';

/** The job, and what runs it: the addon, or the bytes of the WebAssembly module. */
export interface CompileThreadData {
  job: CompileJob;
  module: Uint8Array | undefined;
}

/** A thread's messages: first that its modules are loaded, then the answers. */
export type CompileThreadMessage = 'loaded' | CompileAnswer;

let spare: CompileThread | undefined;

/** Starts a job on another thread. Returns a function that ends it. */
export function startThread(data: CompileThreadData, listener: CompileListener): () => void {
  const thread = spare ?? new CompileThread();
  spare = undefined;
  thread.begin(data, listener);
  return () => thread.end();
}

class CompileThread {
  readonly #worker = newThread('compile');
  #state: 'loading' | 'loaded' | 'ended' = 'loading';
  #work: { data: CompileThreadData; listener: CompileListener } | undefined;

  constructor() {
    this.#worker.on('message', (message: CompileThreadMessage) => {
      if (message === 'loaded') this.#start();
      else this.#work?.listener.answer(ofThisContext(message));
    });
    this.#worker.once('error', (error) => this.#lose(error));
    this.#worker.once('exit', (code) => this.#lose(new Error(`its thread ended with code ${code}`)));
  }

  begin(data: CompileThreadData, listener: CompileListener): void {
    this.#work = { data, listener };
    this.#worker.ref();
  }

  end(): void {
    this.#work = undefined;
    if (this.#state === 'loaded') void this.#worker.terminate();
    if (this.#state !== 'loading') return;
    this.#worker.unref();
    spare ??= this;
  }

  #start(): void {
    this.#state = 'loaded';
    if (spare === this) spare = undefined;
    if (this.#work) this.#worker.postMessage(this.#work.data, given(this.#work.data));
    else void this.#worker.terminate();
  }

  #lose(reason: Error): void {
    this.#state = 'ended';
    if (spare === this) spare = undefined;
    const { data, listener } = this.#work ?? {};
    const message = `cannot compile ${data?.job.source}: ${reason.message}`;
    listener?.lost(new Error(message, { cause: reason }));
  }
}

/** Buffers transferred to a thread instead of copied: the bytes of a file, which belong to the job. */
function given({ job }: CompileThreadData): ArrayBuffer[] {
  return 'tokens' in job && 'file' in job.tokens && job.tokens.file.buffer instanceof ArrayBuffer ? [job.tokens.file.buffer] : [];
}
