// pprint.pformat: on one line if it fits into 80 columns, with dicts sorted by key.

import { intText } from '../values/int.js';
import { reserve } from '../budget.js';
import { PythonError, BudgetError } from '../errors.js';
import { List, Sequence, Tuple } from '../values/containers.js';
import { compareValues } from '../values/compare.js';
import { Dict } from '../values/dict.js';
import { type Value, typeName } from '../values/object.js';
import { quotedText, Str } from '../values/str.js';
import { TextWriter } from '../values/writer.js';
import { wordsAndSpaces } from './wrap.js';

const WIDTH = 80;

export function prettyPrinted(value: Value): Str {
  const printer = new PrettyPrinter(value);
  printer.print(value, 0, 0);
  return printer.writer.finish();
}

class PrettyPrinter {
  readonly writer: TextWriter;

  constructor(root: Value) {
    this.writer = new TextWriter(root);
  }

  /** Prints the value from a column on, leaving `allowance` columns after it on its last line. */
  print(value: Value, indent: number, allowance: number): void {
    const line = this.#oneLine(value);
    const { writer } = this;
    if (line.length <= WIDTH - indent - allowance) return writer.write(line);
    if (value instanceof Dict && value.length() > 0) this.#dict(value, indent, allowance);
    else if (value instanceof List) this.#items('[', value, ']', indent, allowance);
    else if (value instanceof Tuple) this.#items('(', value, value.items.length === 1 ? ',)' : ')', indent, allowance);
    else if (value instanceof Str && !value.markup && value.text !== '') this.#text(value, indent, allowance);
    else writer.write(line);
  }

  /** Like repr, but dicts are sorted. */
  #oneLine(value: Value): string {
    const { writer } = this;
    if (value instanceof Str) {
      writer.touch(value.origin);
      return value.markup ? `Markup(${quotedText(value.text)})` : quotedText(value.text);
    }
    if (value instanceof Dict) {
      if (!writer.open(value, value.length())) return '{...}';
      const text = sorted(value)
        .map(([key, each]) => `${this.#oneLine(key)}: ${this.#oneLine(each)}`)
        .join(', ');
      writer.close();
      return this.#charged(`{${text}}`);
    }
    if (value instanceof Sequence) {
      if (!writer.open(value, value.items.length)) return value.kind === 'list' ? '[...]' : '(...)';
      const text = value.items.map((each) => this.#oneLine(each)).join(', ');
      writer.close();
      return this.#charged(value.kind === 'list' ? `[${text}]` : `(${text}${value.items.length === 1 ? ',' : ''})`);
    }
    if (typeof value === 'number' || typeof value === 'bigint') return intText(value);
    const other = new TextWriter(value);
    other.writeRepr(value);
    const shown = other.finish();
    writer.touch(shown.origin);
    return shown.text;
  }

  #charged(text: string): string {
    reserve(text.length);
    return text;
  }

  #dict(dict: Dict, indent: number, allowance: number): void {
    const { writer } = this;
    writer.write('{');
    const entries = sorted(dict);
    entries.forEach(([key, value], index) => {
      const isLast = index === entries.length - 1;
      const shown = this.#oneLine(key);
      writer.write(`${shown}: `);
      this.print(value, indent + shown.length + 3, isLast ? allowance + 1 : 1);
      if (!isLast) writer.write(`,\n${' '.repeat(indent + 1)}`);
    });
    writer.write('}');
  }

  #items(open: string, { items }: Sequence, close: string, indent: number, allowance: number): void {
    const { writer } = this;
    writer.write(open);
    items.forEach((item, index) => {
      const isLast = index === items.length - 1;
      if (index > 0) writer.write(`,\n${' '.repeat(indent + 1)}`);
      this.print(item, indent + 1, isLast ? allowance + close.length : 1);
    });
    writer.write(close);
  }

  /** In pieces below one another, split at white space. */
  #text({ text }: Str, indent: number, allowance: number): void {
    const pieces: string[] = [];
    const lines =
      text.match(
        /[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]*(?:\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029])|[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+$/g,
      ) ?? [];
    const isTop = indent === 0;
    const column = isTop ? 1 : indent;
    const behind = isTop ? allowance + 1 : allowance;
    lines.forEach((line, index) => {
      const isLast = index === lines.length - 1;
      const shown = quotedText(line);
      const most = WIDTH - column;
      if (shown.length <= (isLast ? most - behind : most)) {
        pieces.push(shown);
        return;
      }
      const words = wordsAndSpaces(line);
      let current = '';
      words.forEach((word, at) => {
        const candidate = current + word;
        const room = isLast && at === words.length - 1 ? most - behind : most;
        if (quotedText(candidate).length > room) {
          if (current !== '') pieces.push(quotedText(current));
          current = word;
        } else {
          current = candidate;
        }
      });
      if (current !== '') pieces.push(quotedText(current));
    });
    if (pieces.length === 1) return this.writer.write(pieces[0] as string);
    this.writer.write((isTop ? '(' : '') + pieces.join(`\n${' '.repeat(column)}`) + (isTop ? ')' : ''));
  }
}

/** Sorted by key; keys without an order are sorted by type name. */
function sorted(dict: Dict): [Value, Value][] {
  const entries = Array.from(dict.entries(), ({ key, value }): [Value, Value] => [key, value]);
  return entries.sort(([a], [b]) => (comesBefore(a, b) ? -1 : comesBefore(b, a) ? 1 : 0));
}

function comesBefore(a: Value, b: Value): boolean {
  try {
    return compareValues(a, b) < 0;
  } catch (error) {
    if (!(error instanceof PythonError) || error instanceof BudgetError) throw error;
    return typeName(a) < typeName(b);
  }
}
