// str.format: texts with fields in braces.

import { spend } from '../budget.js';
import { raise, unsupported } from '../errors.js';
import { getAttribute, getItem } from '../values/attributes.js';
import type { Value } from '../values/object.js';
import { derived, EMPTY, type Str, TextBuilder } from '../values/str.js';
import { repr, toStr } from '../values/writer.js';
import { formatValue } from './spec.js';

/** Where the values of fields come from. */
export interface FieldValues {
  byIndex(index: number): Value;
  byName(name: string): Value;
}

/** The numbering of fields without a name: undefined before the first field. */
interface Numbering {
  next: number;
  kind: 'automatic' | 'manual' | undefined;
}

export function formatFields(format: Str, values: FieldValues): Str {
  return formatted(format, values, { next: 0, kind: undefined }, 2);
}

function formatted(format: Str, values: FieldValues, numbering: Numbering, depth: number): Str {
  if (depth < 0) raise('ValueError', 'Max string recursion exceeded');
  const { text } = format;
  const out = new TextBuilder();
  let at = 0;
  while (at < text.length) {
    spend(1);
    const brace = /[{}]/g;
    brace.lastIndex = at;
    const found = brace.exec(text);
    if (!found) break;
    out.addPart(format, at, found.index);
    at = found.index + 1;
    if (text[at] === found[0]) {
      out.addPart(format, at, at + 1);
      at++;
    } else if (found[0] === '}') {
      raise('ValueError', "Single '}' encountered in format string");
    } else {
      if (at === text.length) raise('ValueError', "Single '{' encountered in format string");
      at = field(format, at, values, numbering, depth, out);
    }
  }
  out.addPart(format, at, text.length);
  return out.finish();
}

/** Writes the field whose name begins at `from`, and returns its end. */
function field(format: Str, from: number, values: FieldValues, numbering: Numbering, depth: number, out: TextBuilder): number {
  const { text } = format;
  let at = from;
  for (; at < text.length && !'}:!'.includes(text.charAt(at)); at++) {
    if (text[at] === '{') raise('ValueError', "unexpected '{' in field name");
    if (text[at] === '[') {
      at = text.indexOf(']', at);
      if (at < 0) raise('ValueError', "expected '}' before end of string");
    }
  }
  const name = text.slice(from, at);
  let conversion = '';
  if (text[at] === '!') {
    conversion = text.charAt(++at);
    if (conversion === '') raise('ValueError', 'end of string while looking for conversion specifier');
    at++;
    if (at === text.length) raise('ValueError', "unmatched '{' in format spec");
    if (text[at] !== ':' && text[at] !== '}') raise('ValueError', "expected ':' after conversion specifier");
  }
  let spec = EMPTY;
  if (text[at] === ':') {
    const begin = ++at;
    for (let open = 1; at < text.length; at++) {
      if (text[at] === '{') open++;
      else if (text[at] === '}' && --open === 0) break;
    }
    spec = format.part(begin, Math.min(at, text.length));
  }
  if (at >= text.length) raise('ValueError', "expected '}' before end of string");
  const value = converted(lookUp(name, format, values, numbering), conversion);
  out.add(formatValue(value, formatted(spec, values, numbering, depth - 1)));
  return at + 1;
}

function converted(value: Value, conversion: string): Value {
  if (conversion === '') return value;
  if (conversion === 's') return toStr(value);
  if (conversion === 'r') return repr(value);
  if (conversion === 'a') return unsupported("the conversion '!a'");
  return raise('ValueError', `Unknown conversion specifier '${conversion}'`);
}

function lookUp(name: string, format: Str, values: FieldValues, numbering: Numbering): Value {
  let [, first, rest] = /^([^.[]*)(.*)$/s.exec(name) as unknown as [string, string, string];
  if (name === '') {
    if (numbering.kind === 'manual') raise('ValueError', 'cannot switch from manual field specification to automatic field numbering');
    numbering.kind = 'automatic';
    first = String(numbering.next++);
  } else if (/^\d+$/.test(name)) {
    if (numbering.kind === 'automatic') raise('ValueError', 'cannot switch from manual field specification to automatic field numbering');
    numbering.kind = 'manual';
  }
  let value = /^\d+$/.test(first) ? values.byIndex(Number(first)) : values.byName(first);
  while (rest !== '') {
    const step = /^(?:\.([^.[]*)|\[([^\]]*)\])/s.exec(rest);
    if (!step)
      return raise(
        'ValueError',
        rest.startsWith('[') ? "Missing ']' in format string" : "Only '.' or '[' may follow ']' in format field specifier",
      );
    const [all, attribute, item] = step;
    if ((attribute ?? item) === '') raise('ValueError', 'Empty attribute in format string');
    if (attribute !== undefined) value = getAttribute(value, derived(attribute, format));
    else value = getItem(value, /^\d+$/.test(item as string) ? Number(item) : derived(item as string, format));
    rest = rest.slice(all.length);
  }
  return value;
}
