// The script of a worker of wasm/worker-pool.ts: opens a tokenizer, then encodes one text after another. The page sends
// the module and the cartridge, so that no bundler includes every vocabulary here.

import { isDat, readDat } from './open/dat.js';
import type { EngineTokenizer } from './tokenizer/engine.js';
import { TokenizerError } from './tokenizer/errors.js';
import { openWasm } from './wasm/engine.js';
import type { WorkerAnswer, WorkerRequest } from './wasm/worker-pool.js';

interface WorkerScope {
  postMessage(message: WorkerAnswer, transfer?: ArrayBufferLike[]): void;
  onmessage: ((event: { data: WorkerRequest }) => void) | null;
}

const scope = globalThis as unknown as WorkerScope;
let engine: EngineTokenizer | undefined;

function answer(request: WorkerRequest): void {
  if ('recipe' in request) {
    const { module, bytes, options, unknownId } = request.recipe;
    const dat = isDat(bytes) ? readDat({ list: undefined, unknownId }) : undefined;
    engine = openWasm(module, bytes, { ...options, dat });
    scope.postMessage({ ready: true });
    return;
  }
  const { text, policy } = request;
  const opened = engine as EngineTokenizer;
  const ids = typeof text === 'string' ? opened.encode(text, policy) : opened.encodeBytes(text, policy);
  // A short result may share its buffer with others.
  const isAlone = ids.byteLength === ids.buffer.byteLength;
  scope.postMessage({ ids }, isAlone ? [ids.buffer] : []);
}

scope.onmessage = ({ data }) => {
  try {
    answer(data);
  } catch (error) {
    const { message } = error as Error;
    const place = error instanceof TokenizerError ? { code: error.code, position: error.position } : {};
    scope.postMessage({ failure: { message, ...place } });
  }
};
