// The addon's reader of lines of JSON beside JSON.parse: it takes the texts that JSON.parse finds, leaves every line alone that
// JSON.parse refuses or that has no text, and takes ordinary lines.

import { describe, expect, it } from 'vitest';

import { JsonTexts } from '../../dist/node/internals.js';
import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';

const PATHS = [['text'], ['a', 'text'], [''], ['é'], ['text', 'text', 'text'], ['__proto__']];

/** The text that JSON.parse finds; undefined if there is none. */
function expected(line: string, path: readonly string[]): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return typeof value === 'string' ? value.replace(/\p{Surrogate}/gu, '\uFFFD') : undefined;
}

/** What the reader does with each line: its text, or undefined where it leaves the line. */
function taken(lines: readonly string[], path: readonly string[], most: () => number): (string | undefined)[] {
  const reader = JsonTexts.at(path)!;
  const input = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  const begins = [0];
  for (let at = input.indexOf('\n'); at >= 0; at = input.indexOf('\n', at + 1)) begins.push(at + 1);
  const found = new Array<string | undefined>(lines.length);
  for (let line = 0; line < lines.length; ) {
    const rest = input.subarray(begins[line]);
    // Exactly as much room as is asked for, and not more.
    const bytes = new Uint8Array(rest.length);
    const { consumed, produced, rows, empty, isStuck } = reader.read(rest, bytes, most());
    const end = begins.indexOf(begins[line]! + consumed, line);
    expect(end, 'whole lines are consumed').toBeGreaterThanOrEqual(line);
    let at = 0;
    for (let row = 0; row < rows.length; row += 2) {
      const of = begins.indexOf(begins[line]! + rows[row]!);
      found[of] = Buffer.from(bytes.subarray(at, at + rows[row + 1]!)).toString();
      at += rows[row + 1]!;
    }
    expect(at).toBe(produced);
    for (let each = line; each < end; each++) found[each] ??= '';
    expect(rows.length / 2 + empty).toBe(end - line);
    if (isStuck || end === line) line = end + 1;
    else line = end;
  }
  return found;
}

const CHARACTERS = [
  'a',
  ' ',
  'é',
  '😀',
  '\u2028',
  '\u007f',
  '\uFFFD',
  '"',
  '\\',
  '/',
  '\n',
  '\r',
  '\t',
  '\b',
  '\f',
  '\u0000',
  '\u001f',
  '\ud800',
  '\udc00',
];

/** A string, with some characters as escapes. */
function string(random: Random, text: string): string {
  const escaped = [...text].map((character) => {
    if (!random.chance(0.1)) return JSON.stringify(character).slice(1, -1);
    return [...Array(character.length).keys()]
      .map((unit) => {
        const digits = character.charCodeAt(unit).toString(16).padStart(4, '0');
        return `\\u${random.chance(0.5) ? digits.toUpperCase() : digits}`;
      })
      .join('');
  });
  return `"${escaped.join('').replace('/', () => (random.chance(0.5) ? '\\/' : '/'))}"`;
}

const text = (random: Random) =>
  Array.from({ length: random.pick([0, 1, 5, 60, 64, 200]) }, () => (random.chance(0.8) ? 'x' : random.pick(CHARACTERS))).join('');

function value(random: Random, path: readonly string[], depth: number): string {
  const blank = () => (random.chance(0.1) ? random.pick([' ', '\t', '\r', '  ']) : '');
  const kind = depth === 0 ? 8 : depth > 4 ? random.integer(0, 5) : random.integer(0, 9);
  if (kind < 3) return string(random, text(random));
  if (kind === 3) return random.pick(['0', '-0', '10', '-1.5', '2e9', '1E+2', '1.25e-7']);
  if (kind < 6) return random.pick(['true', 'false', 'null']);
  const count = random.integer(0, 3);
  const each = (make: () => string) => Array.from({ length: count }, () => `${blank()}${make()}${blank()}`).join(',');
  if (kind < 8) return `[${each(() => value(random, path, depth + 1))}${blank()}]`;
  // Half of the lines have a text at the path.
  const rest = path.slice(depth).reduceRight((inner, name) => `{${JSON.stringify(name)}:${inner}}`, string(random, text(random)));
  if (depth < path.length && random.chance(0.5))
    return rest.replace(/\}$/, `${random.pick(['', ' ', ',"id":[1]', `,${string(random, 'x')}:null`])}}`);
  const key = () => string(random, random.chance(0.6) ? random.pick([...path]) : random.pick(['id', 'text', 'a', 'x"y', 'é', '']));
  return `{${each(() => `${key()}${blank()}:${blank()}${value(random, path, depth + 1)}`)}${blank()}}`;
}

/** Damages some lines. */
function damaged(random: Random, line: string): string {
  if (!random.chance(0.3)) return line;
  const at = random.integer(0, line.length);
  const bits = [
    '',
    '"',
    '\\',
    ',',
    ':',
    '{',
    '}',
    '[',
    ']',
    '0',
    '.',
    'e',
    '-',
    '+',
    'u',
    '\u0001',
    '\u00a0',
    'true',
    '\\u12',
    '\\x',
    '//',
  ];
  // Not between the halves of a pair, which would not be UTF-8.
  return `${line.slice(0, at)}${random.pick(bits)}${line.slice(at + random.integer(0, 2))}`.toWellFormed();
}

describe('the reader of lines of JSON', () => {
  it('takes the texts that JSON.parse finds, and leaves the other lines', () => {
    let takes = 0;
    let leaves = 0;
    for (let seed = 0; seed < sample(40_000, 800); seed++) {
      const random = new Random(seed, 41);
      const path = random.pick(PATHS);
      const lines = Array.from({ length: random.integer(1, 12) }, () =>
        damaged(random, `${random.pick(['', ' '])}${value(random, path, 0)}${random.pick(['', '\r', ' '])}`),
      );
      const found = taken(lines, path, () => random.pick([1, 100, 1_000_000]));
      for (const [index, line] of lines.entries()) {
        if (found[index] === undefined) leaves++;
        else {
          takes++;
          expect(found[index], `seed ${seed}: ${JSON.stringify({ line, path })}`).toBe(expected(line, path));
        }
      }
    }
    expect(takes).toBeGreaterThan(sample(40_000, 800));
    expect(leaves).toBeGreaterThan(sample(40_000, 800));
  });

  it('takes every line that JSON.stringify writes of an object with the text', () => {
    for (let seed = 0; seed < sample(4000, 200); seed++) {
      const random = new Random(seed, 43);
      const lines = Array.from({ length: 20 }, () =>
        JSON.stringify(
          random.pick([
            { text: text(random) },
            { id: 1, meta: { text: [1, {}, { text: 'no' }] }, text: text(random), ok: true, n: -1.5e-9 },
          ]),
        ),
      );
      const found = taken(lines, ['text'], () => 1_000_000);
      expect(found, `seed ${seed}`).toEqual(lines.map((line) => expected(line, ['text'])));
    }
  });

  it.each([
    ['{"text":"a","text":"b"}', ['text'], 'b'],
    ['{"a":{"text":"a"},"a":{"text":"b","text":"c"}}', ['a', 'text'], 'c'],
    ['{"text":"\\ud83d\\ude00\\ud83d"}', ['text'], '😀\uFFFD'],
    ['{"text":""}', ['text'], ''],
    [`{"x":${'['.repeat(20)}${']'.repeat(20)},"text":"deep"}`, ['text'], 'deep'],
  ])('takes %s', (line, path, wanted) => expect(taken([line], path, () => 100)).toEqual([wanted]));

  it.each([
    ['{"text":"a","text":1}', ['text']],
    ['{"a":{"text":"a"},"a":{}}', ['a', 'text']],
    ['{"text":"a"}x', ['text']],
    ['{"text":"a",}', ['text']],
    ['{"text":"a","n":01}', ['text']],
    ['{"te\\u0078t":"a"}', ['text']],
    ['["text"]', ['0']],
    ['{"text":"a\u0001"}', ['text']],
    ['', ['text']],
  ])('leaves %s', (line, path) => expect(taken([line], path, () => 100)).toEqual([undefined]));

  it('leaves a line that is nested deeply', () => {
    const nested = (depth: number) => `{"x":${'['.repeat(depth)}${']'.repeat(depth)},"text":"a"}`;
    expect(taken([nested(60), nested(1_000_000), '{"text":"b"}'], ['text'], () => 100)).toEqual(['a', undefined, 'b']);
  });

  it('takes no path with half of a surrogate pair, and none of more than 16 keys', () => {
    expect(JsonTexts.at(['\ud800'])).toBeUndefined();
    expect(JsonTexts.at(Array.from({ length: 17 }, () => 'a'))).toBeUndefined();
  });
});
