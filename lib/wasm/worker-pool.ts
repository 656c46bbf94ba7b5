// Workers that encode for one tokenizer, each with its own instance. They are started when texts wait and none is idle,
// and terminated after some idle time, or with the tokenizer.
//
// When a worker dies, its current text is rejected and the next text gets another worker. Where no worker starts (a
// host without workers, a bundler that lost the script), the calling thread encodes in time slices instead.

import type { EngineTokenizer, Policy } from '../tokenizer/engine.js';
import { encodeInTurns } from '../tokenizer/encode-in-turns.js';
import { type StatusCode, TokenizerError } from '../tokenizer/errors.js';
import type { UnsharedUint32Array } from '../tokenizer/typed-arrays.js';
import type { WasmModule } from '../open/wasm-source.js';

/** How a worker opens the tokenizer that the page has open. */
export interface WorkerRecipe {
  module: WasmModule;
  /** The cartridge as it was passed, so a slim one stays slim. */
  bytes: Uint8Array;
  options: { view?: string | undefined; kernel?: string | undefined; verify?: boolean | undefined };
  /** For a version 2 file. */
  unknownId: number | undefined;
}

/** Messages to the worker: first what to open, then texts. */
export type WorkerRequest = { recipe: WorkerRecipe } | { text: string | Uint8Array; policy: Policy };

/** Messages from the worker, one per request. */
export type WorkerAnswer =
  | { ready: true }
  | { ids: UnsharedUint32Array }
  | { failure: { message: string; code?: StatusCode; position?: number } };

/** The used part of Worker: TypeScript declares it only with the DOM's types. */
export interface WorkerHandle {
  postMessage(message: WorkerRequest): void;
  terminate(): void;
  onmessage: ((event: { data: WorkerAnswer }) => void) | null;
  onerror: ((event: { message?: string; preventDefault?(): void }) => void) | null;
  onmessageerror: (() => void) | null;
}

/** Shorter texts, in UTF-16 units or bytes, take less time than a round trip to a worker. */
const AT_ONCE = 8 * 1024;
const MOST_WORKERS = 4;
/** Milliseconds. */
const IDLE = 10_000;

interface Job {
  text: string | Uint8Array;
  policy: Policy;
  resolve: (ids: UnsharedUint32Array | Promise<UnsharedUint32Array>) => void;
  reject: (error: unknown) => void;
}

interface Member {
  worker: WorkerHandle;
  /** Whether it has opened the tokenizer. */
  isReady: boolean;
  job: Job | undefined;
}

export class WorkerPool {
  readonly #engine: EngineTokenizer;
  readonly #recipe: WorkerRecipe;
  readonly #start: () => WorkerHandle;
  readonly #members = new Set<Member>();
  readonly #waiting: Job[] = [];
  #isBroken = false;
  #hasEnded = false;
  #idle: ReturnType<typeof setTimeout> | undefined;

  constructor(engine: EngineTokenizer, recipe: WorkerRecipe, start: () => WorkerHandle) {
    this.#engine = engine;
    this.#recipe = recipe;
    this.#start = start;
  }

  async encode(text: string | Uint8Array, policy: Policy): Promise<UnsharedUint32Array> {
    if (this.#isBroken || this.#hasEnded || text.length <= AT_ONCE) return encodeInTurns(this.#engine, text, policy);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ text, policy, resolve, reject });
      this.#assign();
    });
  }

  /** Terminates all workers; pending texts are rejected. */
  end(): void {
    this.#hasEnded = true;
    const closed = () => new TokenizerError('cannot encode: the tokenizer has been closed', { code: 'CLOSED' });
    for (const { reject } of this.#waiting.splice(0)) reject(closed());
    for (const member of this.#members) this.#dismiss(member, (job) => job.reject(closed()));
    clearTimeout(this.#idle);
  }

  #assign(): void {
    clearTimeout(this.#idle);
    while (this.#waiting.length > 0) {
      const free = [...this.#members].find(({ job }) => job === undefined);
      const member = free ?? (this.#members.size < mostWorkers() ? this.#hire() : undefined);
      if (!member) break;
      const job = this.#waiting.shift();
      if (!job) break; // the worker could not be started, and nothing waits any more
      member.job = job;
      if (member.isReady) this.#send(member, job);
    }
    if (this.#waiting.length > 0 || [...this.#members].some(({ job }) => job)) return;
    this.#idle = setTimeout(() => {
      for (const member of this.#members) this.#dismiss(member);
    }, IDLE);
    (this.#idle as { unref?(): void }).unref?.();
  }

  #hire(): Member | undefined {
    let worker: WorkerHandle;
    try {
      worker = this.#start();
    } catch {
      this.#giveUp();
      return undefined;
    }
    const member: Member = { worker, isReady: false, job: undefined };
    this.#members.add(member);
    worker.onmessage = ({ data }) => this.#take(member, data);
    worker.onmessageerror = () => this.#lose(member, 'its answer cannot be read');
    worker.onerror = (event) => {
      event.preventDefault?.();
      this.#lose(member, event.message ?? 'no reason given');
    };
    worker.postMessage({ recipe: this.#recipe });
    return member;
  }

  #send(member: Member, job: Job): void {
    try {
      member.worker.postMessage({ text: job.text, policy: job.policy });
    } catch (error) {
      member.job = undefined;
      job.reject(error);
    }
  }

  #take(member: Member, answer: WorkerAnswer): void {
    const { job } = member;
    if ('ready' in answer) {
      member.isReady = true;
      if (job) this.#send(member, job);
      return;
    }
    if (!member.isReady) return this.#lose(member, 'it cannot open the tokenizer');
    member.job = undefined;
    if ('ids' in answer) job?.resolve(answer.ids);
    else job?.reject(errorOf(answer.failure));
    this.#assign();
  }

  #lose(member: Member, reason: string): void {
    if (!member.isReady) {
      // Another worker would fail too.
      this.#giveUp();
      return;
    }
    const error = new Error(`cannot encode: the worker that had the text has stopped (${reason})`);
    this.#dismiss(member, (job) => job.reject(error));
    this.#assign();
  }

  /** Uses no workers from now on. */
  #giveUp(): void {
    this.#isBroken = true;
    const here = ({ text, policy, resolve }: Job) => resolve(encodeInTurns(this.#engine, text, policy));
    for (const member of this.#members) this.#dismiss(member, here);
    for (const job of this.#waiting.splice(0)) here(job);
  }

  #dismiss(member: Member, settle?: (job: Job) => void): void {
    this.#members.delete(member);
    member.worker.onmessage = null;
    member.worker.onerror = null;
    member.worker.terminate();
    if (member.job) settle?.(member.job);
  }
}

function mostWorkers(): number {
  const { navigator } = globalThis as { navigator?: { hardwareConcurrency?: number } };
  return Math.min(Math.max((navigator?.hardwareConcurrency ?? 2) - 1, 1), MOST_WORKERS);
}

function errorOf({ message, code, position }: { message: string; code?: StatusCode; position?: number }): Error {
  return code === undefined ? new Error(message) : new TokenizerError(message, { code, position: position ?? 0 });
}
