// The script of a worker of lib/worker-pool.ts: opens a tokenizer, then encodes text after text.

import { Tokenizer } from './browser.js';
import { TokenizerError } from './errors.js';
import { engineOf } from './tokenizer.js';
import type { WorkerAnswer, WorkerRequest } from './worker-pool.js';

interface WorkerScope {
  postMessage(message: WorkerAnswer, transfer?: ArrayBufferLike[]): void;
  onmessage: ((event: { data: WorkerRequest }) => void) | null;
}

const scope = globalThis as unknown as WorkerScope;
let opened: Tokenizer | undefined;

async function answer(request: WorkerRequest): Promise<void> {
  if ('recipe' in request) {
    const { source, options } = request.recipe;
    opened = await Tokenizer.load(source, options);
    scope.postMessage({ ready: true });
    return;
  }
  const { text, policy } = request;
  const engine = engineOf(opened as Tokenizer);
  const ids = typeof text === 'string' ? engine.encode(text, policy) : engine.encodeBytes(text, policy);
  // A few ids may share their buffer with others.
  const isAlone = ids.byteLength === ids.buffer.byteLength;
  scope.postMessage({ ids }, isAlone ? [ids.buffer] : []);
}

scope.onmessage = ({ data }) => {
  answer(data).catch((error: unknown) => {
    const { message } = error as Error;
    const place = error instanceof TokenizerError ? { code: error.code, position: error.position } : {};
    scope.postMessage({ failure: { message, ...place } });
  });
};
