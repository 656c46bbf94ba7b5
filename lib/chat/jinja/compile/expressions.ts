// Compiles expressions to closures.

import { MissingPart } from '../../parts.js';
import { folding } from '../budget.js';
import { PythonError, raise } from '../errors.js';
import { FILTERS, TESTS } from '../environment.js';
import { isDictMethod, methodsOf } from '../methods/index.js';
import { lineAndColumn } from '../lexer.js';
import type { CallNode, Comparison, Expression, FilterNode, SliceNode, TestNode } from '../nodes.js';
import { rarely } from '../rarely.js';
import { tracer } from '../runtime/tracer.js';
import { contains } from '../tests.js';
import { call, getAttribute, getItem, getSlice } from '../values/attributes.js';
import { NO_KEYWORDS } from '../values/callable.js';
import { compareValues, equal, truthy } from '../values/compare.js';
import { List, Tuple } from '../values/containers.js';
import { Dict, isHashable } from '../values/dict.js';
import { PyObject, typeName, type Value } from '../values/object.js';
import { floatOf, negative, OPERATIONS, positive } from '../values/operators.js';
import { concatenated, EMPTY, ofTemplate, Str } from '../values/str.js';
import { Undefined, undefinedName, undefinedOf } from '../values/undefined.js';
import { toStr } from '../values/writer.js';
import { childrenOf } from '../walk.js';
import { compileArguments } from './arguments.js';
import type { Evaluate, Expressions, Frame } from './frame.js';

/** Longer constants are created when needed. */
const LONGEST_CONSTANT = 1000;
/** Chains of operators lean to the left without brackets. */
const DEEPEST = 400;

function constant(value: Value): Evaluate {
  const evaluate: Evaluate = () => value;
  evaluate.constant = { value };
  return evaluate;
}

/** Computes constant expressions at compile time; failing ones are left to fail at render time. */
function folded(operands: readonly Evaluate[], evaluate: Evaluate): Evaluate {
  if (!operands.every((each) => each.constant !== undefined)) return evaluate;
  try {
    const value = folding(() => evaluate(undefined as never));
    const isLong = value instanceof PyObject && value.hasLength() && value.length() > LONGEST_CONSTANT;
    return isLong ? evaluate : constant(value);
  } catch {
    return evaluate;
  }
}

/** The nodes that Jinja's optimizer examines: all except container literals. */
const OPTIMIZED = new Set<Expression['kind']>([
  'and',
  'attribute',
  'binary',
  'call',
  'compare',
  'concat',
  'condition',
  'filter',
  'item',
  'negative',
  'not',
  'or',
  'positive',
  'test',
]);

/** Filters that Jinja never calls at compile time. */
const LAZY = new Set(['map', 'reject', 'rejectattr', 'select', 'selectattr']);

/** Whether an expression is the same every time. */
function isConstant(node: Expression): boolean {
  if (node.kind === 'name' || node.kind === 'call' || node.kind === 'namespace target') return false;
  if (node.kind === 'filter' && (node.value === undefined || LAZY.has(node.name))) return false;
  return childrenOf(node).every((child) => child === undefined || isConstant(child));
}

/** The output of a constant expression, computed now; undefined if that fails, or is better left to rendering. */
export function constantText(node: Expression, frame: Frame): string | undefined {
  if (!isConstant(node)) return undefined;
  try {
    const evaluate = new ExpressionCompiler(frame, true).compile(node);
    const str = folding(() => toStr(evaluate(undefined as never)));
    return str.units > LONGEST_CONSTANT ? undefined : str.text;
  } catch (error) {
    if (error instanceof MissingPart) throw error;
    return undefined;
  }
}

export class ExpressionCompiler implements Expressions {
  #depth = 0;
  /** The number of enclosing expressions that Jinja tries to compute at compile time. */
  protected optimizing = 0;

  /** `isFolding`: for a constant, whose slices and calls Jinja treats more leniently than Python does. */
  constructor(
    readonly frame: Frame,
    readonly isFolding = false,
  ) {}

  compile(node: Expression): Evaluate {
    if (++this.#depth > DEEPEST) this.frame.fail(`more than ${DEEPEST} expressions are inside each other`, node.at, 'RecursionError');
    const isOptimized = OPTIMIZED.has(node.kind);
    if (isOptimized) this.optimizing++;
    const evaluate = this.#compile(node);
    if (isOptimized) this.optimizing--;
    this.#depth--;
    return evaluate;
  }

  #all(nodes: readonly Expression[]): Evaluate[] {
    return nodes.map((node) => this.compile(node));
  }

  #compile(node: Expression): Evaluate {
    switch (node.kind) {
      case 'constant':
        return constant(node.value);
      case 'name':
        return this.#name(node.name, node.at);
      case 'tuple': {
        const items = this.#all(node.items);
        return folded(items, (activation) => new Tuple(items.map((item) => item(activation))));
      }
      case 'list': {
        const items = this.#all(node.items);
        return folded(items, (activation) => new List(items.map((item) => item(activation))));
      }
      case 'dict':
        return this.#dict(node.entries, node.at);
      case 'condition':
        return this.#condition(node);
      case 'and': {
        const [left, right] = [this.compile(node.left), this.compile(node.right)];
        return (activation) => {
          const value = left(activation);
          return truthy(value) ? right(activation) : value;
        };
      }
      case 'or': {
        const [left, right] = [this.compile(node.left), this.compile(node.right)];
        return (activation) => {
          const value = left(activation);
          return truthy(value) ? value : right(activation);
        };
      }
      case 'not': {
        const value = this.compile(node.value);
        return folded([value], (activation) => !truthy(value(activation)));
      }
      case 'negative':
      case 'positive': {
        const value = this.compile(node.value);
        const of = node.kind === 'negative' ? negative : positive;
        return folded([value], (activation) => of(value(activation)));
      }
      case 'binary': {
        const [left, right] = [this.compile(node.left), this.compile(node.right)];
        const known = left.constant?.value;
        if (node.operator === '**' && known !== undefined && !right.constant && isNegative(known)) {
          // Jinja writes the constant as a literal, and in Python the power binds tighter than the sign.
          const magnitude = negative(known);
          return (activation) => negative(rarely().power(magnitude, right(activation)));
        }
        const operation = OPERATIONS[node.operator];
        return folded([left, right], (activation) => operation(left(activation), right(activation)));
      }
      case 'concat':
        return this.#concat(node.items);
      case 'compare':
        return this.#comparison(node);
      case 'attribute':
        return this.#attribute(node.value, node.name);
      case 'item':
        return this.#item(node.value, node.key);
      case 'call':
        return this.call(node);
      case 'filter':
        return this.filter(node);
      case 'test':
        return this.#test(node);
      default:
        return this.frame.fail('invalid syntax', node.at, 'SyntaxError');
    }
  }

  #name(name: string, at: number): Evaluate {
    const read = this.frame.reader(this.frame.variable(name, at));
    return (activation) => {
      tracer?.name(name);
      const value = read(activation);
      return value === undefined ? undefinedName(name) : value;
    };
  }

  #dict(entries: readonly { key: Expression; value: Expression }[], at: number): Evaluate {
    const all = entries.map(({ key, value }) => ({ key: this.compile(key), value: this.compile(value) }));
    const make: Evaluate = (activation) => {
      // Everything is evaluated before the first key is examined.
      const made = all.map(({ key, value }): [Value, Value] => [key(activation), value(activation)]);
      const dict = new Dict();
      for (const [key, value] of made) dict.set(key, value);
      return dict;
    };
    if (this.optimizing > 0) this.#checkKeys(all, at);
    return folded(
      all.flatMap(({ key, value }) => [key, value]),
      make,
    );
  }

  /** Where Jinja creates a dict of constants at compile time, an invalid key stops it. */
  #checkKeys(entries: readonly { key: Evaluate; value: Evaluate }[], at: number): void {
    for (const { key, value } of entries) {
      if (!key.constant || !value.constant) return;
      if (!isHashable(key.constant.value)) this.frame.fail(`unhashable type: '${typeName(key.constant.value)}'`, at, 'TypeError');
    }
  }

  #condition({ test, then, otherwise, at }: Extract<Expression, { kind: 'condition' }>): Evaluate {
    const inner = new ExpressionCompiler(this.frame.soft(), this.isFolding);
    inner.optimizing = this.optimizing;
    const [isThen, first] = [inner.compile(test), inner.compile(then)];
    const { source } = this.frame;
    const message = () =>
      `the inline if-expression on line ${lineAndColumn(source, at).line} evaluated to false and no else section was defined.`;
    const second = otherwise ? inner.compile(otherwise) : () => new Undefined(message);
    return (activation) => (truthy(isThen(activation)) ? first(activation) : second(activation));
  }

  #concat(nodes: readonly Expression[]): Evaluate {
    const items = this.#all(nodes);
    return folded(items, (activation) =>
      items.map((item) => item(activation)).reduce<Str>((text, value) => concatenated(text, toStr(value)), EMPTY),
    );
  }

  #comparison(node: Extract<Expression, { kind: 'compare' }>): Evaluate {
    const evaluate = this.#compared(node);
    if (evaluate.constant) return evaluate;
    return (activation) => (tracer ? tracer.comparison(node, activation, evaluate) : evaluate(activation));
  }

  #compared({ first, rest }: Extract<Expression, { kind: 'compare' }>): Evaluate {
    const left = this.compile(first);
    const steps = rest.map(({ operator, value }) => ({ holds: COMPARISONS[operator], value: this.compile(value) }));
    const [{ holds, value: right }, ...more] = steps as [(typeof steps)[0], ...typeof steps];
    const operands = [left, ...steps.map(({ value }) => value)];
    if (more.length === 0) {
      const known = right.constant?.value;
      if (known instanceof Str && (rest[0]?.operator === '==' || rest[0]?.operator === '!=')) {
        const isEqual = rest[0].operator === '==';
        return folded(operands, (activation) => equal(left(activation), known) === isEqual);
      }
      return folded(operands, (activation) => holds(left(activation), right(activation)));
    }
    return folded(operands, (activation) => {
      let value = left(activation);
      for (const step of steps) {
        const next = step.value(activation);
        if (!step.holds(value, next)) return false;
        value = next;
      }
      return true;
    });
  }

  #attribute(node: Expression, name: string): Evaluate {
    const value = this.compile(node);
    // Attributes take precedence over keys.
    if (name.startsWith('_') || isDictMethod(name)) return (activation) => getAttribute(value(activation), ofTemplate(name));
    const key = ofTemplate(name);
    return (activation) => {
      const object = value(activation);
      if (!(object instanceof Dict)) return getAttribute(object, key);
      const found = object.getText(name);
      return found === undefined ? undefinedOf(object, key) : found;
    };
  }

  #item(node: Expression, key: Expression): Evaluate {
    if (key.kind === 'slice') return this.#slice(node, key);
    if (this.isFolding && key.kind === 'tuple' && key.items.some((each) => each.kind === 'slice'))
      return () => new Undefined('a slice among keys');
    const [value, index] = [this.compile(node), this.compile(key)];
    const known = index.constant?.value;
    if (known instanceof Str) {
      const { text } = known;
      return (activation) => {
        const object = value(activation);
        const found = object instanceof Dict ? object.getText(text) : undefined;
        return found === undefined ? getItem(object, known) : found;
      };
    }
    return (activation) => getItem(value(activation), index(activation));
  }

  #slice(node: Expression, { start, stop, step }: SliceNode): Evaluate {
    const value = this.compile(node);
    const [from, to, by] = [start, stop, step].map((part) => (part ? this.compile(part) : constant(null))) as [
      Evaluate,
      Evaluate,
      Evaluate,
    ];
    const slice: Evaluate = (activation) => getSlice(value(activation), from(activation), to(activation), by(activation));
    if (!this.isFolding) return slice;
    return (activation) => {
      try {
        return slice(activation);
      } catch (error) {
        if (error instanceof PythonError && error.pythonType === 'TypeError') return new Undefined('a slice of what has none');
        throw error;
      }
    };
  }

  /** `caller`: the body of a call block. */
  call(node: CallNode, caller?: Evaluate): Evaluate {
    const args = compileArguments(node, this, caller);
    const { callee } = node;
    if (callee.kind === 'attribute' && !callee.name.startsWith('_')) return this.#methodCall(callee.value, callee.name, args);
    const value = this.compile(callee);
    return (activation) => {
      const called = value(activation);
      return call(called, args.values(activation), args.keywords?.(activation));
    };
  }

  #methodCall(object: Expression, name: string, args: ReturnType<typeof compileArguments>): Evaluate {
    const value = this.compile(object);
    return (activation) => {
      const self = value(activation);
      const method = self instanceof Str || isSafeOf(self, name) ? methodsOf(self)?.get(name) : undefined;
      if (method) return method(self as never, args.values(activation), args.keywords?.(activation) ?? NO_KEYWORDS);
      const called = getAttribute(self, ofTemplate(name));
      return call(called, args.values(activation), args.keywords?.(activation));
    };
  }

  filter(node: FilterNode): Evaluate {
    const { name, at } = node;
    const found = FILTERS.get(name);
    if (!found && !this.frame.kind.isSoft)
      this.frame.fail(`No filter named ${JSON.stringify(name).replaceAll('"', "'")}.`, at, 'TemplateAssertionError');
    const filter = found ?? (() => raise('TemplateRuntimeError', `No filter named '${name}' found.`));
    const value: Evaluate = node.value ? this.compile(node.value) : ({ content }) => content as Str;
    const args = compileArguments(node, this);
    if (args.isEmpty) return (activation) => filter(value(activation), NO_VALUES, NO_KEYWORDS);
    return (activation) => {
      const input = value(activation);
      return filter(input, args.values(activation), args.keywords?.(activation) ?? NO_KEYWORDS);
    };
  }

  #test(node: TestNode): Evaluate {
    const { name, at } = node;
    const found = TESTS.get(name);
    if (!found && !this.frame.kind.isSoft) this.frame.fail(`No test named '${name}'.`, at, 'TemplateAssertionError');
    const test = found ?? (() => raise('TemplateRuntimeError', `No test named '${name}' found.`));
    const value = this.compile(node.value);
    const args = compileArguments(node, this);
    if (args.isEmpty) {
      if (name === 'defined') return (activation) => !(value(activation) instanceof Undefined);
      return (activation) => test(value(activation), NO_VALUES, NO_KEYWORDS);
    }
    return (activation) => {
      const input = value(activation);
      return test(input, args.values(activation), args.keywords?.(activation) ?? NO_KEYWORDS);
    };
  }
}

function isNegative(value: Value): boolean {
  if (typeof value === 'bigint') return value < 0;
  const number = floatOf(value);
  return number !== undefined && (number < 0 || Object.is(number, -0));
}

const NO_VALUES: readonly Value[] = [];

/** Whether the sandbox allows a method: it withholds those that change lists, dicts and sets. */
function isSafeOf(self: Value, name: string): boolean {
  return !(self instanceof Dict) || SAFE_DICT_METHODS.has(name);
}

const SAFE_DICT_METHODS = new Set(['get', 'items', 'keys', 'values', 'copy', 'fromkeys']);

export const COMPARISONS: Record<Comparison, (a: Value, b: Value) => boolean> = {
  '==': equal,
  '!=': (a, b) => !equal(a, b),
  '<': (a, b) => compareValues(a, b, '<') < 0,
  '<=': (a, b) => compareValues(a, b, '<=') <= 0,
  '>': (a, b) => compareValues(a, b, '>') > 0,
  '>=': (a, b) => compareValues(a, b, '>=') >= 0,
  in: (a, b) => contains(b, a),
  'not in': (a, b) => !contains(b, a),
};
