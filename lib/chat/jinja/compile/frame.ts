// The compiler's position in a template, and what it makes: closures.

import type { Activation } from '../activation.js';
import { raise } from '../template-errors.js';
import { syntaxError } from '../lexer.js';
import type { Expression, NamespaceTarget, Statement, Target } from '../nodes.js';
import type { Load, Scope, Variable } from '../scopes.js';
import { Namespace } from '../values/dict.js';
import { itemsOf, unpacked } from '../values/list.js';
import { has, typeName, type Value } from '../values/object.js';
import { ofTemplate } from '../values/text.js';

/** Computes the value of an expression. */
export interface Evaluate {
  (activation: Activation): Value;
  /** The value, if it is constant. */
  constant?: { value: Value };
}

/** How a statement ended: NEXT, or an instruction to the enclosing loop. */
export type Signal = typeof NEXT | typeof BREAK | typeof CONTINUE;
export const NEXT = 0;
export const BREAK = 1;
export const CONTINUE = 2;

export type Assign = (activation: Activation, value: Value) => void;

export type Execute = (activation: Activation) => Signal;

/**
 * Runs statements in steps: loops of the template itself, outside of macros and captured texts, yield between two iterations when a
 * pause is due (budget.ts).
 */
export type Stepwise = (activation: Activation) => Generator<undefined, Signal, undefined>;

/** Compiles statements. */
export interface Statements {
  expression(node: Expression, frame: Frame): Evaluate;
  statements(list: readonly Statement[], frame: Frame): Execute;
  stepwise(list: readonly Statement[], frame: Frame): Stepwise;
}

/** Whether statements have a loop of their own to pause in. */
export function hasLoop(list: readonly Statement[]): boolean {
  return list.some((node) => {
    if (node.kind === 'if') return hasLoop(node.otherwise) || node.branches.some(({ body }) => hasLoop(body));
    return node.kind === 'for' && !node.isRecursive;
  });
}

export interface FrameKind {
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
    return this.scope.find(name) ?? this.fail(`Jinja cannot tell what '${name}' is here`, at, 'AssertionError');
  }

  /** Reads a variable; undefined if it has no value. */
  reader({ scope: owner, slot }: Variable): (activation: Activation) => Value | undefined {
    // How many calls outward from the current one the variable lives.
    let distance = 0;
    for (let scope = this.scope.owner; scope !== owner; distance++) {
      if (!scope.outer) throw new Error('a variable of a function that is not around');
      scope = scope.outer;
    }
    if (distance === 0) return (activation) => activation.slots[slot];
    if (distance === 1) return (activation) => (activation.outer as Activation).slots[slot];
    return (activation) => {
      let call = activation;
      for (let i = 0; i < distance; i++) call = call.outer as Activation;
      return call.slots[slot];
    };
  }

  /** The namespace whose attribute is assigned. */
  namespace({ name, at }: NamespaceTarget): (activation: Activation) => Namespace {
    const read = this.reader(this.variable(name, at));
    return (activation) => {
      const object = read(activation);
      if (object instanceof Namespace) return object;
      return raise('TemplateRuntimeError', 'cannot assign attribute on non-namespace object');
    };
  }

  /** Assigns a value. */
  assigner(target: Target): Assign {
    switch (target.kind) {
      case 'name': {
        const { slot } = this.variable(target.name, target.at);
        return (activation, value) => {
          activation.slots[slot] = value;
        };
      }
      case 'namespace target': {
        const namespace = this.namespace(target);
        const attribute = ofTemplate(target.attribute);
        return (activation, value) => namespace(activation).set(attribute, value);
      }
      default: {
        const assigns = target.items.map((item) => this.assigner(item as Target));
        return (activation, value) => {
          if (!has(value, 'iterate')) return raise('TypeError', `cannot unpack non-iterable ${typeName(value)} object`);
          const values = unpacked(itemsOf(value), assigns.length);
          for (let i = 0; i < assigns.length; i++) (assigns[i] as Assign)(activation, values[i] as Value);
        };
      }
    }
  }

  /** Sets the variables of the scope on entry. */
  entering(): (activation: Activation) => void {
    const steps = [...this.scope.loads].flatMap(([variable, load]) => this.#loading(variable, load) ?? []);
    return (activation) => {
      for (let i = 0; i < steps.length; i++) (steps[i] as (activation: Activation) => void)(activation);
    };
  }

  #loading({ slot }: Variable, load: Load): ((activation: Activation) => void) | undefined {
    if (load.kind === 'param') return undefined;
    if (load.kind === 'resolve') {
      return (activation) => {
        activation.slots[slot] = activation.context.resolve(load.name);
      };
    }
    const read = load.kind === 'alias' ? this.reader(load.of) : () => undefined;
    return (activation) => {
      activation.slots[slot] = read(activation);
    };
  }

  /** Clears the variables of the scope on exit. */
  leaving(): (activation: Activation) => void {
    const slots = [...this.scope.loads.keys()].map(({ slot }) => slot);
    return ({ slots: all }) => {
      for (let i = 0; i < slots.length; i++) all[slots[i] as number] = undefined;
    };
  }
}

/** Statements with variables of their own: sets these, runs the statements, and clears them. */
export function scoped(frame: Frame, run: Execute): Execute {
  const [enter, leave] = [frame.entering(), frame.leaving()];
  return (activation) => {
    enter(activation);
    const signal = run(activation);
    leave(activation);
    return signal;
  };
}
