// The first script of the worker: small, so that the engine, its vocabulary and what uses them are asked for at once, not one behind
// the other. Requests that come before they are there wait in a list.

import type { Request } from './messages.js';

export interface EarlyScope {
  early?: Request[];
  onmessage: ((event: { data: Request }) => void) | null;
}

const scope = globalThis as unknown as EarlyScope;
const early: Request[] = [];
scope.early = early;
scope.onmessage = ({ data }) => early.push(data);

// @ts-expect-error: a script of the package, which its `load` imports later; here only so that it is under way.
void import('../../../dist/embedded/o200k_base.js');
// @ts-expect-error: the same
void import('../../../dist/embedded/core.js');
void import('./worker.js');
