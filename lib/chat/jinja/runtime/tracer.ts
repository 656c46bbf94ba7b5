// Records what an iteration of a loop depends on, for renders that repeat earlier ones (lib/chat/jinja/repeat).
//
// All other renders have no tracer: what could be recorded costs them a comparison with undefined.

import type { PyObject, Value } from '../values/object.js';

export interface Tracer {
  /** A variable is read. */
  name(name: string): void;
  /** Evaluates a comparison. `node`: of the tree. */
  comparison<Activation extends object>(node: object, activation: Activation, evaluate: (activation: Activation) => Value): Value;
  /** Evaluates the value of an assignment. */
  assigned<Activation extends object>(node: object, activation: Activation, evaluate: (activation: Activation) => Value): Value;
  /** Something of a list that can change between renders is read: an element, its length, or everything. */
  element(list: PyObject, index: number, value: Value | undefined): void;
  length(list: PyObject, length: number): void;
  all(list: PyObject): void;
  /** An attribute of `loop` is read. */
  loop(name: string, value: Value | undefined): void;
  /** An attribute of a namespace is read. */
  attribute(namespace: PyObject, name: string, value: Value | undefined): void;
  /** An attribute is about to be assigned. */
  assign(namespace: PyObject, name: string, value: Value): void;
  /** Something that cannot be recorded happens. */
  giveUp(): void;
}

export let tracer: Tracer | undefined;

export function setTracer(now: Tracer | undefined): void {
  tracer = now;
}

/** Something happens that depends on more than what is recorded. */
export function untraceable(): void {
  tracer?.giveUp();
}
