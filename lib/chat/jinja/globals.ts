// The functions available to every template: Jinja2's and transformers'.

import { raise, unsupported } from './errors.js';
import { formatTime } from './time.js';
import { asIndex, type Method, PyFunction, taking } from './values/callable.js';
import { Range } from './values/list.js';
import { dictOf, Namespace } from './values/namespace.js';
import { type Keywords, PyObject, typeName, type Value } from './values/object.js';
import { derived, EMPTY, literal, Str } from './values/text.js';
import { toStr } from './values/writer.js';

/** The sandbox's limit. */
const LONGEST_RANGE = 100_000;

function range(args: readonly Value[], keywords: Keywords): Range {
  if (args.length < 1 || args.length > 3 || keywords.length() > 0) raise('TypeError', 'range() takes 1 to 3 numbers');
  const [start, stop] = args.length === 1 ? [0, asIndex(args[0], 0)] : [asIndex(args[0], 0), asIndex(args[1], 0)];
  const step = asIndex(args[2], 1);
  if (step === 0) raise('ValueError', 'range() arg 3 must not be zero');
  const made = new Range(start, stop, step);
  if (made.length() > LONGEST_RANGE) raise('OverflowError', `Range too big. The sandbox blocks ranges larger than ${LONGEST_RANGE}.`);
  return made;
}

/** Another item with every call of `next`. */
class Cycler extends PyObject {
  readonly type = 'Cycler';
  #at = 0;

  constructor(private readonly items: readonly Value[]) {
    super();
    if (items.length === 0) raise('RuntimeError', 'at least one item has to be provided');
  }

  override attribute(name: string): Value | undefined {
    if (name === 'current') return this.items[this.#at];
    if (name === 'pos') return this.#at;
    if (name === 'reset') return new PyFunction(() => this.#moved(0, null));
    if (name === 'next') return new PyFunction(() => this.#moved((this.#at + 1) % this.items.length, this.items[this.#at] as Value));
    return undefined;
  }

  #moved(to: number, result: Value): Value {
    this.#at = to;
    return result;
  }
}

/** Empty at the first call, and the separator at all others. */
function joiner(separator: Value = literal(', ')): PyFunction {
  let text: Value = EMPTY;
  const next = () => {
    const now = text;
    text = separator;
    return now;
  };
  return new PyFunction(next, ['sep', 'used']);
}

/** `now`: the time that strftime_now writes. */
export function globalsAt(now: () => Date): Map<string, Value> {
  const time = (format: Value) =>
    format instanceof Str
      ? derived(formatTime(now(), format.text), format)
      : raise('TypeError', `strftime() argument 1 must be str, not ${typeName(format)}`);
  const all: [string, Method<null>][] = [
    ['range', (_, args, keywords) => range(args, keywords)],
    ['lipsum', () => unsupported("the function 'lipsum'")],
    ['cycler', (_, args) => new Cycler(args)],
    ['namespace', (_, args, keywords) => new Namespace(args, keywords)],
    ...taking<null>({
      'joiner(sep=)': (_, separator) => joiner(separator),
      'raise_exception(message)': (_, message) => raise('TemplateError', toStr(message as Value).text),
      'strftime_now(format)': (_, format) => time(format as Value),
    }),
  ];
  const globals = new Map<string, Value>(all.map(([name, body]) => [name, new PyFunction((args, keywords) => body(null, args, keywords))]));
  return globals.set('dict', new PyFunction(dictOf, ['fromkeys']));
}
