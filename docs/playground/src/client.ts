// Calls of the worker's methods, and how much of a vocabulary has come.

import type { Progress } from './messages.js';
import type { Methods } from './worker.js';

type Answer<K extends keyof Methods> = Promise<Awaited<ReturnType<Methods[K]>>>;
type Message = { id: number; result?: unknown; failure?: string } | { progress: Progress };

declare global {
  interface Window {
    /** Started by the page before its script has come. */
    engine?: Worker;
  }
}

const worker = window.engine ?? new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
const loading = new Map<string, Promise<void>>();
const loaded = new Set<string>();
const progressOf = new Map<string, Progress>();
const listeners: ((progress: Progress) => void)[] = [];
let ids = 0;

worker.addEventListener('message', ({ data }: MessageEvent<Message>) => {
  if ('progress' in data) {
    progressOf.set(data.progress.model, data.progress);
    for (const each of listeners) each(data.progress);
    return;
  }
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

/** Opens a vocabulary before anything is asked of it: a request that had to wait for its file would hold up the others. */
export function load(model: string): Promise<void> {
  let promise = loading.get(model);
  if (!promise) {
    promise = ask('load', model).then(() => void loaded.add(model));
    promise.catch(() => loading.delete(model));
    loading.set(model, promise);
  }
  return promise;
}

export const isLoaded = (model: string) => loaded.has(model);

export function onProgress(listener: (progress: Progress) => void): void {
  listeners.push(listener);
}

/** How much of a vocabulary and its engine is here, in words. */
export function progressInWords(model: string): string {
  const known = progressOf.get(model);
  if (!known || known.total === 0) return 'loading…';
  const kilobytes = (bytes: number) => Math.round(bytes / 1000);
  return `loading, ${kilobytes(known.loaded)} of ${kilobytes(known.total)} KB`;
}
