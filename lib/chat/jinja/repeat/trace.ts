// Records one iteration: everything outside that it reads, and the attributes of namespaces that it assigns.
//
// What an iteration does depends only on its element, on the variables around the loop (memory.ts compares them) and on the
// reads here. An element's own contents never change, so that reading them is no read.

import type { Expression, Statement } from '../nodes.js';
import type { Activation } from '../runtime/activation.js';
import { setTracer, tracer, type Tracer } from '../runtime/tracer.js';
import { truthy } from '../values/compare.js';
import { Sequence } from '../values/containers.js';
import type { PyObject, Value } from '../values/object.js';
import { isCount, isSteady, type LoopFacts } from './analysis.js';
import type { Write } from './entry.js';
import type { Read } from './reads.js';
import { isPlain } from './same.js';

/** What traces of one loop share. */
export interface Traced {
  readonly facts: LoopFacts;
  readonly activation: Activation;
  /** The number of a namespace from outside of iterations. */
  numberOf(namespace: PyObject): number | undefined;
  /** Whether a name around the loop is of a list. */
  isList(name: string): boolean;
}

export class Trace implements Tracer {
  readonly reads: Read[] = [];
  /** Something happened that cannot be repeated from a record. */
  isLost = false;
  /** Reads of what the iteration itself had assigned. */
  #readsOwn = false;
  /** Assigned variables whose values nothing has used yet, with the reads behind them. */
  #unused: Map<string, readonly Read[]> | undefined;

  constructor(
    private readonly traced: Traced,
    readonly writes: Write[] = [],
  ) {}

  giveUp(): void {
    this.isLost = true;
  }

  loop(name: string, value: Value | undefined): void {
    if (!this.reads.some((each) => each.kind === 'loop' && each.name === name)) this.reads.push({ kind: 'loop', name, value });
  }

  name(name: string): void {
    const reads = this.#unused?.get(name);
    if (!reads) return;
    this.reads.push(...reads);
    this.#unused?.delete(name);
  }

  comparison<Own extends object>(node: object, activation: Own, evaluate: (activation: Own) => Value): Value {
    if ((activation as object) !== this.traced.activation || !steady(node as Expression, this.traced.facts.assigned))
      return evaluate(activation);
    const [part, value] = this.#apart(activation, evaluate);
    if (part.#readsOwn) this.reads.push(...part.reads);
    else if (part.reads.length > 0)
      this.reads.push({
        kind: 'comparison',
        node: node as Expression,
        evaluate: evaluate as unknown as (activation: Activation) => Value,
        value: truthy(value),
        parts: part.reads,
      });
    return value;
  }

  assigned<Own extends object>(node: object, activation: Own, evaluate: (activation: Own) => Value): Value {
    const { target, value } = node as Extract<Statement, { kind: 'set' }>;
    if (target.kind !== 'name') return evaluate(activation);
    this.#unused?.delete(target.name);
    const { isList, facts } = this.traced;
    const isAround = (name: string) => !facts.assigned.has(name) && isList(name);
    if ((activation as object) !== this.traced.activation || value.kind === 'constant' || !isCount(value, isAround))
      return evaluate(activation);
    const [part, made] = this.#apart(activation, evaluate);
    (this.#unused ??= new Map()).set(target.name, part.reads);
    return made;
  }

  /** Evaluates something with a record of its own. */
  #apart<Own>(activation: Own, evaluate: (activation: Own) => Value): [Trace, Value] {
    const part = new Trace(this.traced, this.writes);
    const outer = tracer;
    setTracer(part);
    try {
      return [part, evaluate(activation)];
    } finally {
      setTracer(outer);
      if (part.isLost) this.isLost = true;
    }
  }

  /** What a comparison reads at the start of an iteration; undefined if that cannot be recorded. */
  partsOf({ evaluate }: Extract<Read, { kind: 'comparison' }>): readonly Read[] | undefined {
    const [{ isLost, reads }] = this.#apart(this.traced.activation, evaluate);
    return isLost ? undefined : reads;
  }

  element(list: PyObject, index: number, value: Value | undefined): void {
    if (!isPlain(value)) this.isLost = true;
    this.reads.push({ kind: 'element', list: nameOf(list), index, value });
  }

  length(list: PyObject, value: number): void {
    this.reads.push({ kind: 'length', list: nameOf(list), value });
  }

  all(list: PyObject): void {
    const { elements } = list as Sequence;
    if (!elements.every(isPlain)) this.isLost = true;
    this.reads.push({ kind: 'all', list: nameOf(list), value: elements });
  }

  attribute(namespace: PyObject, name: string, value: Value | undefined): void {
    const number = this.traced.numberOf(namespace);
    if (number === undefined) return;
    if (this.writes.some((each) => each.namespace === number && each.name === name)) {
      this.#readsOwn = true;
      return;
    }
    if (!(value instanceof Sequence && value.source !== undefined) && !isPlain(value)) this.isLost = true;
    if (!this.reads.some((each) => each.kind === 'attribute' && each.namespace === number && each.name === name))
      this.reads.push({ kind: 'attribute', namespace: number, name, value });
  }

  assign(namespace: PyObject, name: string, value: Value): void {
    const number = this.traced.numberOf(namespace);
    if (number === undefined) return;
    if (!isPlain(value)) this.isLost = true;
    this.writes.push({ namespace: number, name, value });
  }
}

function nameOf(list: PyObject): string {
  return (list as Sequence).source as string;
}

const known = new WeakMap<Expression, boolean>();

function steady(node: Expression, assigned: ReadonlySet<string>): boolean {
  let is = known.get(node);
  if (is === undefined) known.set(node, (is = isSteady(node, assigned)));
  return is;
}
