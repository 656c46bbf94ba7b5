// Compiles expressions to closures.

import type { Activation } from '../activation.js';
import { raise } from '../template-errors.js';
import { FILTERS, TESTS } from '../filters/index.js';
import { lineAndColumn } from '../lexer.js';
import { isDictMethod, methodsOf, WITHHELD } from '../methods/index.js';
import type { CallArguments, CallNode, Expression, FilterNode, SliceNode, TestNode } from '../nodes.js';
import { call, getAttribute, getItem, getSlice } from '../values/attributes.js';
import { type Filter, NO_KEYWORDS } from '../values/callable.js';
import { truthy } from '../values/compare.js';
import { Dict } from '../values/dict.js';
import { itemsOf, List, Tuple } from '../values/list.js';
import { Float, intOf, isNegative } from '../values/numbers.js';
import { has, type Keywords, typeName, type Value } from '../values/object.js';
import { COMPARISONS, negative, OPERATIONS, positive, power } from '../values/operators.js';
import { concatenated, EMPTY, ofTemplate, quotedText, Str } from '../values/text.js';
import { Undefined, undefinedOf } from '../values/undefined.js';
import { toStr } from '../values/writer.js';
import type { Evaluate, Frame } from './frame.js';

/** Chains of operators lean to the left without brackets. */
const DEEPEST = 400;
const NO_VALUES: readonly Value[] = [];

interface CompiledArguments {
  values(activation: Activation): readonly Value[];
  /** Undefined if there are none. */
  keywords: ((activation: Activation) => Keywords) | undefined;
}

function constant(value: Value): Evaluate {
  const evaluate: Evaluate = () => value;
  evaluate.constant = { value };
  return evaluate;
}

/** Computes literals of constants, and numbers, at compile time; failing ones are left to fail at render time. */
function folded(operands: readonly Evaluate[], evaluate: Evaluate): Evaluate {
  if (!operands.every((each) => each.constant !== undefined)) return evaluate;
  try {
    return constant(evaluate(undefined as never));
  } catch {
    return evaluate;
  }
}

function isNumber({ constant }: Evaluate): boolean {
  return constant !== undefined && (constant.value instanceof Float || intOf(constant.value) !== undefined);
}

export class ExpressionCompiler {
  #depth = 0;

  constructor(private readonly frame: Frame) {}

  compile(node: Expression): Evaluate {
    if (++this.#depth > DEEPEST) this.frame.fail(`more than ${DEEPEST} expressions are inside each other`, node.at, 'RecursionError');
    const evaluate = this.#compile(node);
    this.#depth--;
    return evaluate;
  }

  #compile(node: Expression): Evaluate {
    switch (node.kind) {
      case 'constant':
        return constant(node.value);
      case 'name':
        return this.#name(node.name, node.at);
      case 'tuple':
      case 'list': {
        const items = node.items.map((item) => this.compile(item));
        const Type = node.kind === 'tuple' ? Tuple : List;
        return folded(items, (activation) => new Type(items.map((item) => item(activation))));
      }
      case 'dict':
        return this.#dict(node.entries, node.at);
      case 'condition':
        return this.#condition(node);
      case 'and':
      case 'or': {
        const [left, right] = [this.compile(node.left), this.compile(node.right)];
        const isAnd = node.kind === 'and';
        return (activation) => {
          const value = left(activation);
          return truthy(value) === isAnd ? right(activation) : value;
        };
      }
      case 'not': {
        const value = this.compile(node.value);
        return (activation) => !truthy(value(activation));
      }
      case 'negative':
      case 'positive': {
        const value = this.compile(node.value);
        const of = node.kind === 'negative' ? negative : positive;
        return folded([value], (activation) => of(value(activation)));
      }
      case 'binary': {
        const [left, right] = [this.compile(node.left), this.compile(node.right)];
        const operation = OPERATIONS[node.operator];
        const known = left.constant?.value ?? null;
        if (node.operator === '**' && !right.constant && isNegative(known instanceof Float ? known.value : (intOf(known) ?? 0))) {
          // Jinja writes the constant as a literal, and in Python the power binds tighter than the sign.
          const magnitude = negative(known);
          return (activation) => negative(power(magnitude, right(activation)));
        }
        const evaluate: Evaluate = (activation) => operation(left(activation), right(activation));
        return isNumber(left) && isNumber(right) ? folded([], evaluate) : evaluate;
      }
      case 'concat': {
        const items = node.items.map((item) => this.compile(item));
        return (activation) => {
          const values = items.map((item) => item(activation));
          return values.reduce<Str>((text, value) => concatenated(text, toStr(value)), EMPTY);
        };
      }
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
      const value = read(activation);
      return value === undefined ? new Undefined(() => `${quotedText(name)} is undefined`) : value;
    };
  }

  #dict(entries: readonly { key: Expression; value: Expression }[], at: number): Evaluate {
    const all = entries.map(({ key, value }) => ({ key: this.compile(key), value: this.compile(value) }));
    // Whether a list or dict as a key stops Jinja before anything runs depends on what is around the dict.
    for (const { key } of entries) {
      const isUnhashable = key.kind === 'list' || key.kind === 'dict';
      if (isUnhashable) this.frame.fail(`not supported in chat templates: a ${key.kind} as the key of a dict`, at, 'NotImplementedError');
    }
    return folded(
      all.flatMap(({ key, value }) => [key, value]),
      (activation) => {
        // Everything is evaluated before the first key is examined.
        const evaluated = all.map(({ key, value }): [Value, Value] => [key(activation), value(activation)]);
        const dict = new Dict();
        for (const [key, value] of evaluated) dict.set(key, value);
        return dict;
      },
    );
  }

  #condition({ test, then, otherwise, at }: Extract<Expression, { kind: 'condition' }>): Evaluate {
    const inner = new ExpressionCompiler(this.frame.soft());
    const [isThen, first] = [inner.compile(test), inner.compile(then)];
    const { source } = this.frame;
    const message = () => `the if-expression on line ${lineAndColumn(source, at).line} is false, and has no else`;
    const second = otherwise ? inner.compile(otherwise) : () => new Undefined(message);
    return (activation) => (truthy(isThen(activation)) ? first(activation) : second(activation));
  }

  #comparison({ first, rest }: Extract<Expression, { kind: 'compare' }>): Evaluate {
    const left = this.compile(first);
    const steps = rest.map(({ operator, value }) => ({ holds: COMPARISONS[operator], value: this.compile(value) }));
    const [{ holds, value: right }, ...more] = steps as [(typeof steps)[0], ...typeof steps];
    if (more.length === 0) return (activation) => holds(left(activation), right(activation));
    return (activation) => {
      let value = left(activation);
      for (const step of steps) {
        const next = step.value(activation);
        if (!step.holds(value, next)) return false;
        value = next;
      }
      return true;
    };
  }

  #attribute(node: Expression, name: string): Evaluate {
    const value = this.compile(node);
    const key = ofTemplate(name);
    // Attributes take precedence over keys.
    if (name.startsWith('_') || isDictMethod(name)) return (activation) => getAttribute(value(activation), key);
    return (activation) => {
      const object = value(activation);
      if (!(object instanceof Dict)) return getAttribute(object, key);
      const found = object.getText(name);
      return found === undefined ? undefinedOf(object, key) : found;
    };
  }

  #item(node: Expression, key: Expression): Evaluate {
    if (key.kind === 'slice') return this.#slice(node, key);
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
    const part = (each: Expression | undefined) => (each ? this.compile(each) : constant(null));
    const [from, to, by] = [part(start), part(stop), part(step)];
    return (activation) => getSlice(value(activation), from(activation), to(activation), by(activation));
  }

  /** `caller`: the body of a call block. */
  call(node: CallNode, caller?: Evaluate): Evaluate {
    const args = this.#arguments(node, caller);
    const { callee } = node;
    if (callee.kind === 'attribute' && !callee.name.startsWith('_')) return this.#methodCall(callee.value, callee.name, args);
    const value = this.compile(callee);
    return (activation) => {
      const called = value(activation);
      return call(called, args.values(activation), args.keywords?.(activation));
    };
  }

  #methodCall(object: Expression, name: string, args: CompiledArguments): Evaluate {
    const value = this.compile(object);
    const key = ofTemplate(name);
    return (activation) => {
      const self = value(activation);
      const method = methodsOf(self)?.get(name);
      if (method && method !== WITHHELD) return method(self as never, args.values(activation), args.keywords?.(activation) ?? NO_KEYWORDS);
      const called = getAttribute(self, key);
      return call(called, args.values(activation), args.keywords?.(activation));
    };
  }

  filter(node: FilterNode): Evaluate {
    const filter = this.#named(node, FILTERS);
    const value: Evaluate = node.value ? this.compile(node.value) : ({ content }) => content as Str;
    return this.#applied(filter, value, node);
  }

  #test(node: TestNode): Evaluate {
    const test = this.#named(node, TESTS);
    const value = this.compile(node.value);
    if (node.name === 'defined' && node.args.length === 0) return (activation) => !(value(activation) instanceof Undefined);
    return this.#applied(test, value, node);
  }

  /** A filter or test, whose absence is an error only where it runs if that depends on a condition. */
  #named({ kind, name, at }: FilterNode | TestNode, all: ReadonlyMap<string, Filter>): Filter {
    const found = all.get(name);
    if (!found && !this.frame.kind.isSoft) this.frame.fail(`No ${kind} named '${name}'.`, at, 'TemplateAssertionError');
    return found ?? (() => raise('TemplateRuntimeError', `No ${kind} named '${name}' found.`));
  }

  #applied(filter: Filter, value: Evaluate, node: FilterNode | TestNode): Evaluate {
    const args = this.#arguments(node);
    if (node.args.length === 0 && !node.moreArgs && !args.keywords)
      return (activation) => filter(value(activation), NO_VALUES, NO_KEYWORDS);
    return (activation) => {
      const input = value(activation);
      return filter(input, args.values(activation), args.keywords?.(activation) ?? NO_KEYWORDS);
    };
  }

  #arguments(node: CallArguments, caller?: Evaluate): CompiledArguments {
    const args = node.args.map((each) => this.compile(each));
    const keywords: [Str, Evaluate][] = node.keywords.map(({ name, value }) => [ofTemplate(name), this.compile(value)]);
    // Python's compiler, not Jinja, rejects these.
    const repeated = node.keywords.find(({ name }, index) => node.keywords.findIndex((each) => each.name === name) !== index);
    if (repeated) this.frame.fail(`keyword argument repeated: ${repeated.name}`, repeated.value.at, 'SyntaxError');
    const moreArgs = node.moreArgs && this.compile(node.moreArgs);
    const moreKeywords = node.moreKeywords && this.compile(node.moreKeywords);
    if (caller) keywords.push([ofTemplate('caller'), caller]);
    const hasKeywords = keywords.length > 0 || moreKeywords !== undefined;
    return {
      values: valuesOf(args, moreArgs),
      keywords: hasKeywords ? (activation) => keywordsOf(activation, keywords, moreKeywords) : undefined,
    };
  }
}

function valuesOf(args: readonly Evaluate[], more: Evaluate | undefined): (activation: Activation) => readonly Value[] {
  if (more) {
    return (activation) => {
      const values = args.map((arg) => arg(activation));
      const rest = more(activation);
      if (rest instanceof Undefined) return rest.fail();
      if (!has(rest, 'iterate')) return raise('TypeError', `Value after * must be an iterable, not ${typeName(rest)}`);
      return [...values, ...itemsOf(rest)];
    };
  }
  const [first, second] = args as [Evaluate, Evaluate];
  if (args.length === 0) return () => NO_VALUES;
  if (args.length === 1) return (activation) => [first(activation)];
  if (args.length === 2) return (activation) => [first(activation), second(activation)];
  return (activation) => args.map((arg) => arg(activation));
}

function keywordsOf(activation: Activation, keywords: readonly [Str, Evaluate][], more: Evaluate | undefined): Keywords {
  const all = new Dict();
  for (const [name, value] of keywords) all.set(name, value(activation));
  if (!more) return all;
  const rest = more(activation);
  if (rest instanceof Undefined) return rest.fail();
  if (!(rest instanceof Dict)) return raise('TypeError', `argument after ** must be a mapping, not ${typeName(rest)}`);
  for (const { key, value } of rest.entries()) {
    if (!(key instanceof Str)) return raise('TypeError', 'keywords must be strings');
    if (all.getText(key.text) !== undefined) return raise('TypeError', `got multiple values for keyword argument '${key.text}'`);
    all.set(key, value);
  }
  return all;
}
