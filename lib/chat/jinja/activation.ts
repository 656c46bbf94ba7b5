// The running render: the calls of the template, its macros and recursive loops, where in the source they are, and the output.

import type { Value } from './values/object.js';
import type { Str, TextBuilder } from './values/text.js';

/** The variables given to a template, and those it assigns at its top level. */
export class Context {
  readonly assigned = new Map<string, Value>();

  /** `generation`: the spans of `{% generation %}` in the output at the top level, `root`. */
  constructor(
    private readonly given: readonly ReadonlyMap<string, Value>[],
    readonly root: TextBuilder,
    readonly generation: number[] = [],
  ) {}

  resolve(name: string): Value | undefined {
    let value = this.assigned.get(name);
    for (let i = 0; value === undefined && i < this.given.length; i++) value = (this.given[i] as ReadonlyMap<string, Value>).get(name);
    return value;
  }

  /** The same with more variables, for a block. */
  derived(locals: ReadonlyMap<string, Value>): Context {
    return new Context([locals, new Map(this.assigned), ...this.given], this.root, this.generation);
  }
}

export class Activation {
  readonly slots: (Value | undefined)[];
  /** The text inside a filter block or set block, for its filter. */
  content: Str | undefined;

  constructor(
    size: number,
    readonly outer: Activation | undefined,
    readonly context: Context,
    public out: TextBuilder,
  ) {
    this.slots = new Array<Value | undefined>(size).fill(undefined);
  }
}

/** The position in the source of the running statement, for errors. */
let position = 0;

export function setPosition(at: number): void {
  position = at;
}

export function currentPosition(): number {
  return position;
}
