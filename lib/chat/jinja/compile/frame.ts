// The compiler's position in a template.

import { syntaxError } from '../lexer.js';
import type { Expression } from '../nodes.js';
import type { Activation } from '../runtime/activation.js';
import type { Load, Scope, Variable } from '../scopes.js';
import type { Value } from '../values/object.js';

/** Computes the value of an expression. */
export interface Evaluate {
  (activation: Activation): Value;
  /** The value, if it is constant. */
  constant?: { value: Value };
}

/** Compiles expressions. */
export interface Expressions {
  readonly frame: Frame;
  /** For a constant, which Jinja computes more leniently than Python does. */
  readonly isFolding: boolean;
  compile(node: Expression): Evaluate;
}

export interface FrameKind {
  /** At the top of the template, where blocks and macros see assignments. */
  isTop?: boolean;
  /** In a conditional branch, where unknown filters are errors only when called. */
  isSoft?: boolean;
  /** In a loop of the same function. */
  isInLoop?: boolean;
}

export class Frame {
  #soft: Frame | undefined;

  constructor(
    readonly scope: Scope,
    readonly source: string,
    readonly kind: FrameKind = {},
  ) {}

  /** A frame for an inner scope. Stays in the same loop, if any. */
  inner(scope: Scope, kind: FrameKind = { isInLoop: this.kind.isInLoop === true }): Frame {
    return new Frame(scope, this.source, kind);
  }

  soft(): Frame {
    if (this.kind.isSoft) return this;
    return (this.#soft ??= new Frame(this.scope, this.source, { ...this.kind, isSoft: true }));
  }

  fail(message: string, at: number, pythonType?: string): never {
    throw syntaxError(this.source, message, at, pythonType);
  }

  variable(name: string, at: number): Variable {
    // In some places Jinja does not collect names, and cannot compile names that occur nowhere else.
    return (
      this.scope.find(name) ??
      this.fail(`Tried to resolve a name to a reference that was unknown to the frame ('${name}')`, at, 'AssertionError')
    );
  }

  /** How many calls outward from the current one a variable lives. */
  distance(variable: Variable): number {
    let distance = 0;
    for (let scope = this.scope.owner; scope !== variable.scope; distance++) {
      if (!scope.outer) throw new Error('a variable of a function that is not around');
      scope = scope.outer;
    }
    return distance;
  }

  /** Reads a variable; undefined if it has no value. */
  reader(variable: Variable): (activation: Activation) => Value | undefined {
    const { slot } = variable;
    const distance = this.distance(variable);
    if (distance === 0) return (activation) => activation.slots[slot];
    if (distance === 1) return (activation) => (activation.outer as Activation).slots[slot];
    return (activation) => {
      let owner = activation;
      for (let i = 0; i < distance; i++) owner = owner.outer as Activation;
      return owner.slots[slot];
    };
  }

  /** Sets the variables of the scope on entry. */
  entering(): (activation: Activation) => void {
    const steps = [...this.scope.loads].flatMap(([variable, load]) => this.#loading(variable, load) ?? []);
    if (steps.length === 0) return () => {};
    if (steps.length === 1) return steps[0] as (activation: Activation) => void;
    return (activation) => {
      for (let i = 0; i < steps.length; i++) (steps[i] as (activation: Activation) => void)(activation);
    };
  }

  #loading({ slot }: Variable, load: Load): ((activation: Activation) => void) | undefined {
    switch (load.kind) {
      case 'param':
        return undefined;
      case 'resolve':
        return (activation) => {
          activation.slots[slot] = activation.context.resolve(load.name);
        };
      case 'alias': {
        const read = this.reader(load.of);
        return (activation) => {
          activation.slots[slot] = read(activation);
        };
      }
      default:
        return (activation) => {
          activation.slots[slot] = undefined;
        };
    }
  }

  /** Clears the variables of the scope on exit. */
  leaving(): (activation: Activation) => void {
    const slots = [...this.scope.loads.keys()].map(({ slot }) => slot);
    return ({ slots: all }) => {
      for (let i = 0; i < slots.length; i++) all[slots[i] as number] = undefined;
    };
  }
}
