// The first script of the worker: small, so that the engine, its vocabulary and what uses them are asked for at once, not one behind
// the other. Requests that come before they are there wait in a list.

import { arrive, sourceOf } from './arrivals.js';
import type { Progress, Request } from './messages.js';

export interface EarlyScope {
  early?: Request[];
  arrive: typeof arrive;
  sourceOf: typeof sourceOf;
  postMessage(message: unknown, transfer?: Transferable[]): void;
  onmessage: ((event: { data: Request }) => void) | null;
}

const scope = globalThis as unknown as EarlyScope;
const early: Request[] = [];
scope.early = early;
scope.arrive = arrive;
scope.sourceOf = sourceOf;
scope.onmessage = ({ data }) => early.push(data);

void arrive('o200k_base', (progress: Progress) => scope.postMessage({ progress }));
void import('./worker.js');
