// The functions available to every template: Jinja2's and transformers'.

import { reserve } from './budget.js';
import { raise, unsupported } from './template-errors.js';
import { asIndex, type Method, PyFunction, taking } from './values/callable.js';
import { dictOf, Namespace } from './values/dict.js';
import { Range } from './values/list.js';
import { type Keywords, typeName, type Value } from './values/object.js';
import { derived, Str } from './values/text.js';
import { toStr } from './values/writer.js';

/** The sandbox's limit. */
const LONGEST_RANGE = 100_000;

function range(args: readonly Value[], keywords: Keywords): Range {
  if (args.length < 1 || args.length > 3 || keywords.length() > 0) raise('TypeError', 'range() takes 1 to 3 numbers');
  const [start, stop] = args.length === 1 ? [0, asIndex(args[0], 0)] : [asIndex(args[0], 0), asIndex(args[1], 0)];
  const step = asIndex(args[2], 1);
  if (step === 0) raise('ValueError', 'range() arg 3 must not be zero');
  const numbers = new Range(start, stop, step);
  if (numbers.length() > LONGEST_RANGE) raise('OverflowError', `Range too big. The sandbox blocks ranges larger than ${LONGEST_RANGE}.`);
  return numbers;
}

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];

const padded = (value: number, width = 2) => String(value).padStart(width, '0');

const FIELDS: Record<string, (date: Date) => string> = {
  a: (date) => (DAYS[date.getDay()] as string).slice(0, 3),
  A: (date) => DAYS[date.getDay()] as string,
  b: (date) => (MONTHS[date.getMonth()] as string).slice(0, 3),
  B: (date) => MONTHS[date.getMonth()] as string,
  d: (date) => padded(date.getDate()),
  f: (date) => padded(date.getMilliseconds() * 1000, 6),
  F: (date) => formatTime(date, '%Y-%m-%d'),
  H: (date) => padded(date.getHours()),
  I: (date) => padded(date.getHours() % 12 || 12),
  m: (date) => padded(date.getMonth() + 1),
  M: (date) => padded(date.getMinutes()),
  p: (date) => (date.getHours() < 12 ? 'AM' : 'PM'),
  S: (date) => padded(date.getSeconds()),
  T: (date) => formatTime(date, '%H:%M:%S'),
  w: (date) => String(date.getDay()),
  y: (date) => padded(date.getFullYear() % 100),
  Y: (date) => String(date.getFullYear()),
  '%': () => '%',
};

/** Python's strftime, in English and in the host's local time, for what prompts have. `%-d` is without a zero in front. */
function formatTime(date: Date, format: string): string {
  const text = format.replace(/%(-?)(.?)/gs, (all, minus: string, letter: string) => {
    const field = FIELDS[letter]?.(date);
    if (field === undefined || (minus && !/^\d{2}$/.test(field))) return unsupported(`the date as ${all}`);
    return minus ? field.replace(/^0/, '') : field;
  });
  reserve(text.length);
  return text;
}

/** `now`: the time that strftime_now writes. */
export function globalsAt(now: () => Date): Map<string, Value> {
  const time = (format: Value) =>
    format instanceof Str
      ? derived(formatTime(now(), format.text), format)
      : raise('TypeError', `strftime() argument 1 must be str, not ${typeName(format)}`);
  const all: [string, Method<null>][] = [
    ['range', (_, args, keywords) => range(args, keywords)],
    ...['cycler', 'joiner', 'lipsum'].map((name): [string, Method<null>] => [name, () => unsupported(`the function '${name}'`)]),
    ['namespace', (_, args, keywords) => new Namespace(args, keywords)],
    ...taking<null>({
      'raise_exception(message)': (_, message) => raise('TemplateError', toStr(message).text),
      'strftime_now(format)': (_, format) => time(format),
    }),
  ];
  const globals = new Map<string, Value>(all.map(([name, body]) => [name, new PyFunction((args, keywords) => body(null, args, keywords))]));
  return globals.set('dict', new PyFunction(dictOf, ['fromkeys']));
}
