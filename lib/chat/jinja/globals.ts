// The functions available to every template: Jinja2's and transformers'.

import { raise, unsupported } from './errors.js';
import { clock, rarely } from './rarely.js';
import { tracer, untraceable } from './runtime/tracer.js';
import { asIndex } from './values/arguments.js';
import { bind, PyFunction, signature } from './values/callable.js';
import { itemsOf, Range } from './values/containers.js';
import { Dict } from './values/dict.js';
import { fromKeys } from './methods/collections.js';
import { type Keywords, PyObject, type Value, type Writer, typeName } from './values/object.js';
import { derived, quotedText, Str } from './values/str.js';
import { Undefined } from './values/undefined.js';
import { toStr } from './values/writer.js';

/** The sandbox's limit. */
const LONGEST_RANGE = 100_000;

function range(args: readonly Value[], keywords: Keywords): Range {
  if (keywords.length() > 0) raise('TypeError', 'safe_range() got an unexpected keyword argument');
  if (args.length === 0) raise('TypeError', 'range expected at least 1 argument, got 0');
  if (args.length > 3) raise('TypeError', `range expected at most 3 arguments, got ${args.length}`);
  const [start, stop] = args.length === 1 ? [0, asIndex(args[0], 0)] : [asIndex(args[0], 0), asIndex(args[1], 0)];
  const step = asIndex(args[2], 1);
  if (step === 0) raise('ValueError', 'range() arg 3 must not be zero');
  const made = new Range(start, stop, step);
  if (made.length() > LONGEST_RANGE)
    raise('OverflowError', `Range too big. The sandbox blocks ranges larger than MAX_RANGE (${LONGEST_RANGE}).`);
  return made;
}

/** dict(mapping or pairs, name=value, …) */
function dictOf(args: readonly Value[], keywords: Keywords): Dict {
  if (args.length > 1) raise('TypeError', `dict expected at most 1 argument, got ${args.length}`);
  const [from] = args;
  if (from instanceof Undefined) from.fail();
  const dict = from instanceof Dict ? from.copy() : new Dict();
  if (from !== undefined && !(from instanceof Dict)) {
    itemsOf(from).forEach((pair, index) => {
      if (!(pair instanceof PyObject && pair.isIterable()))
        raise('TypeError', `cannot convert dictionary update sequence element #${index} to a sequence`);
      const items = itemsOf(pair);
      if (items.length !== 2) raise('ValueError', `dictionary update sequence element #${index} has length ${items.length}; 2 is required`);
      dict.set(items[0] as Value, items[1] as Value);
    });
  }
  for (const { key, value } of keywords.entries()) dict.set(key, value);
  return dict;
}

/** transformers' `dict`, which is not the type itself. */
class DictFactory extends PyObject {
  readonly type = 'TemplateDict';

  override get module(): string {
    return 'transformers.utils.chat_template_utils';
  }

  override isCallable(): boolean {
    return true;
  }

  override call(args: readonly Value[], keywords: Keywords): Value {
    return dictOf(args, keywords);
  }

  override writeRepr(writer: Writer): void {
    writer.write('<TemplateDict object at 0x7f0000000000>');
  }

  override attribute(name: string): Value | undefined {
    return name === 'fromkeys' ? new PyFunction(fromKeys) : undefined;
  }
}

/** The object whose attributes a template can assign. */
export class Namespace extends PyObject {
  readonly type = 'TemplateNamespace';
  constructor(readonly attributes: Dict) {
    super();
  }

  override get module(): string {
    return 'transformers.utils.chat_template_utils';
  }

  override attribute(name: string): Value | undefined {
    const value = this.attributes.getText(name);
    tracer?.attribute(this, name, value);
    return value;
  }

  set(name: Str, value: Value): void {
    checkAttributeName(name.text);
    tracer?.assign(this, name.text, value);
    this.attributes.set(name, value);
  }

  children(): Iterable<Value> {
    untraceable();
    return this.attributes.children();
  }

  override writeRepr(writer: Writer): void {
    writer.write('<Namespace ');
    untraceable();
    this.attributes.writeRepr(writer);
    writer.write('>');
  }
}

function checkAttributeName(name: string): void {
  if (!name.startsWith('_')) return;
  raise(
    'SecurityError',
    `Chat templates cannot store underscore-prefixed attributes on a namespace, but got ${quotedText(name)}. Please rename the attribute.`,
  );
}

function namespace(args: readonly Value[], keywords: Keywords): Namespace {
  const attributes = dictOf(args, keywords).copy();
  for (const { key } of attributes.entries()) if (key instanceof Str) checkAttributeName(key.text);
  return new Namespace(attributes);
}

const EXCEPTION = signature('raise_exception(message)');
const TIME = signature('strftime_now(format)');

/** `now`: the time that strftime_now writes. */
export function globalsAt(now: () => Date): Map<string, Value> {
  const all: [string, (args: readonly Value[], keywords: Keywords) => Value][] = [
    ['range', range],
    ['lipsum', () => unsupported("the function 'lipsum'")],
    ['cycler', (args) => rarely().cycler(args)],
    ['joiner', (args, keywords) => rarely().joiner(args, keywords)],
    ['namespace', namespace],
    ['raise_exception', (args, keywords) => raise('TemplateError', toStr(bind(EXCEPTION, args, keywords)[0] as Value).text)],
    [
      'strftime_now',
      (args, keywords) => {
        const [format] = bind(TIME, args, keywords);
        if (!(format instanceof Str)) return raise('TypeError', `strftime() argument 1 must be str, not ${typeName(format ?? null)}`);
        untraceable();
        return derived(clock.contents.formatTime(now(), format.text), format);
      },
    ],
  ];
  const globals = new Map<string, Value>(all.map(([name, body]) => [name, new PyFunction(body)]));
  return globals.set('dict', new DictFactory());
}
