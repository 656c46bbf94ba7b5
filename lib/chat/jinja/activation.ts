// The running render: the calls of the template, its macros and recursive loops, where in the source they are, and the output.

import type { Value } from './values/object.js';
import type { Str, TextBuilder } from './values/text.js';

/** What a whole render shares. */
export class Context {
  /** `generation`: the spans of `{% generation %}` in the output at the top level, `root`. */
  constructor(
    private readonly variables: ReadonlyMap<string, Value>,
    private readonly globals: ReadonlyMap<string, Value>,
    readonly root: TextBuilder,
    readonly generation: number[] = [],
  ) {}

  resolve(name: string): Value | undefined {
    const value = this.variables.get(name);
    return value === undefined ? this.globals.get(name) : value;
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
