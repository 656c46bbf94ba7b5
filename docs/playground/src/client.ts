// Calls of the worker's methods.

import type { Methods } from './worker.js';

type Answer<K extends keyof Methods> = Promise<Awaited<ReturnType<Methods[K]>>>;

declare global {
  interface Window {
    /** Started by the page before its script has come. */
    engine?: Worker;
  }
}

const worker = window.engine ?? new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
let ids = 0;

worker.addEventListener('message', ({ data }: MessageEvent<{ id: number; result?: unknown; failure?: string }>) => {
  const { resolve, reject } = waiting.get(data.id) as { resolve(value: unknown): void; reject(error: Error): void };
  waiting.delete(data.id);
  if (data.failure === undefined) resolve(data.result);
  else reject(new Error(data.failure));
});
worker.addEventListener('error', (event) => {
  const failure = new Error(event.message || 'The engine could not be loaded. Reload the page to try again.');
  for (const { reject } of waiting.values()) reject(failure);
  waiting.clear();
});

export function ask<K extends keyof Methods>(method: K, ...args: Parameters<Methods[K]>): Answer<K> {
  const id = ++ids;
  const answer = new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
  worker.postMessage({ id, method, args });
  return answer as Answer<K>;
}
