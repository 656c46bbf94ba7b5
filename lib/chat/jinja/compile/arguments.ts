// Compiles call arguments to closures.

import { raise } from '../errors.js';
import type { CallArguments } from '../nodes.js';
import type { Activation } from '../runtime/activation.js';
import { isIterable, itemsOf } from '../values/containers.js';
import { Dict } from '../values/dict.js';
import { type Keywords, type Value, typeName } from '../values/object.js';
import { ofTemplate, Str } from '../values/str.js';
import { Undefined } from '../values/undefined.js';
import type { Evaluate, Expressions } from './frame.js';

export interface CompiledArguments {
  isEmpty: boolean;
  values(activation: Activation): readonly Value[];
  /** Undefined if there are none. */
  keywords: ((activation: Activation) => Keywords) | undefined;
}

export function compileArguments(node: CallArguments, compiler: Expressions, caller?: Evaluate): CompiledArguments {
  const args = node.args.map((each) => compiler.compile(each));
  const keywords: [Str, Evaluate][] = node.keywords.map(({ name, value }) => [ofTemplate(name), compiler.compile(value)]);
  // Python's compiler, not Jinja, rejects these.
  const repeated = node.keywords.find(({ name }, index) => node.keywords.findIndex((each) => each.name === name) !== index);
  if (repeated && !compiler.isFolding) compiler.frame.fail(`keyword argument repeated: ${repeated.name}`, repeated.value.at, 'SyntaxError');
  const moreArgs = node.moreArgs && compiler.compile(node.moreArgs);
  const moreKeywords = node.moreKeywords && compiler.compile(node.moreKeywords);
  if (caller) keywords.push([ofTemplate('caller'), caller]);
  const hasKeywords = keywords.length > 0 || moreKeywords !== undefined;
  return {
    isEmpty: args.length === 0 && !moreArgs && !hasKeywords,
    values: valuesOf(args, moreArgs),
    keywords: hasKeywords ? (activation) => keywordsOf(activation, keywords, moreKeywords) : undefined,
  };
}

function valuesOf(args: readonly Evaluate[], more: Evaluate | undefined): (activation: Activation) => readonly Value[] {
  if (more) {
    return (activation) => {
      const values = args.map((arg) => arg(activation));
      const rest = more(activation);
      if (rest instanceof Undefined) return rest.fail();
      if (!isIterable(rest)) return raise('TypeError', `Value after * must be an iterable, not ${typeName(rest)}`);
      return [...values, ...itemsOf(rest)];
    };
  }
  const [first, second] = args as [Evaluate, Evaluate];
  if (args.length === 0) return () => [];
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
