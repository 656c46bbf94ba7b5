// Hashes on another thread, while the calling one reads, hashes something else, or orders work.

import { createHash } from 'node:crypto';
import type { Worker } from 'node:worker_threads';

import { newThread } from '../vocabularies/open/threads.js';
import { isThreadScript } from '../vocabularies/open/package-files.js';

/** A sha256 of bytes that come in parts. */
export interface Sha256 {
  /** Adds bytes, which must not change until the promise settles. */
  update(bytes: Uint8Array): Promise<void>;
  /** In hexadecimal, once, when all bytes have been added. */
  digest(): Promise<string>;
}

/** Begins a hash on the calling thread. */
export function sha256Here(): Sha256 {
  const hash = createHash('sha256');
  return {
    async update(bytes) {
      hash.update(bytes);
    },
    digest: async () => hash.digest('hex'),
  };
}

/** Bytes to add to a hash, by its number; without bytes, the hash is asked for. `null` ends the thread. */
export type HashRequest = { hash: number; bytes: Uint8Array | undefined } | null;

/** Answers come in the order of requests: `null` for bytes that have been added, or the hash. */
type HashAnswer = string | null;

/** Undefined if its script cannot be found. */
export function newHashThread(): HashThread | undefined {
  return isThreadScript('hash') ? new HashThread() : undefined;
}

export class HashThread implements AsyncDisposable {
  readonly #worker: Worker = newThread('hash');
  readonly #waiting: { resolve: (answer: HashAnswer) => void; reject: (reason: Error) => void }[] = [];
  readonly #ended: Promise<void>;
  #hashes = 0;
  #lost: Error | undefined;

  constructor() {
    this.#worker.unref(); // it has nothing to do
    this.#worker.on('message', (answer: HashAnswer) => {
      this.#waiting.shift()?.resolve(answer);
      if (this.#waiting.length === 0) this.#worker.unref();
    });
    this.#ended = endOf(this.#worker, (reason) => this.#lose(reason));
  }

  /** Begins a hash there. Memory that is not shared (`SharedArrayBuffer`) is copied. */
  begin(): Sha256 {
    const hash = this.#hashes++;
    return {
      update: async (bytes) => void (await this.#ask({ hash, bytes: bytes.buffer instanceof SharedArrayBuffer ? bytes : bytes.slice() })),
      digest: async () => (await this.#ask({ hash, bytes: undefined })) as string,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#worker.ref();
    this.#worker.postMessage(null);
    await this.#ended;
  }

  #ask(request: HashRequest): Promise<HashAnswer> {
    return new Promise((resolve, reject) => {
      if (this.#lost) return reject(this.#lost);
      if (this.#waiting.length === 0) this.#worker.ref();
      this.#waiting.push({ resolve, reject });
      this.#worker.postMessage(request);
    });
  }

  #lose(reason: Error): void {
    this.#lost ??= reason;
    for (const { reject } of this.#waiting.splice(0)) reject(this.#lost);
  }
}

/** Settles when a thread has ended. `lose`: gets the reasons why it answers no more. */
export function endOf(worker: Worker, lose: (reason: Error) => void): Promise<void> {
  worker.on('error', lose);
  return new Promise((resolve) => {
    worker.once('exit', (code: number) => {
      lose(new Error(`a thread ended with code ${code}`));
      resolve();
    });
  });
}
