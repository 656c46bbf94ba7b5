// The tables of character properties, compared with Python's str (goldens/characters.json), since they are packed and
// derived from each other.

import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';

import * as characters from '../../lib/chat/jinja/unicode/characters.js';
import { readGolden } from './goldens.mjs';

const CODES = Array.from({ length: 0x110000 }, (_, code) => code).filter((code) => code < 0xd800 || code >= 0xe000);

const hashOf = (text: string) => createHash('sha256').update(text, 'utf8').digest('hex').slice(0, 16);
const mapped = (map: (character: string) => string) => hashOf(CODES.map((code) => map(String.fromCodePoint(code))).join('|'));
const told = (flag: number) => hashOf(CODES.map((code) => (characters.flagsOf(code) & flag ? '1' : '0')).join(''));

const OURS: Record<string, () => string> = {
  lower: () => mapped(characters.lowerOf),
  upper: () => mapped(characters.upperOf),
  title: () => mapped(characters.titleOf),
  isalpha: () => told(characters.ALPHA),
  isdecimal: () => told(characters.DECIMAL),
  isdigit: () => told(characters.DIGIT),
  isnumeric: () => told(characters.NUMERIC),
  isspace: () => told(characters.SPACE),
  isprintable: () => told(characters.PRINTABLE),
  islower: () => told(characters.LOWERCASE),
  isupper: () => told(characters.UPPERCASE),
};

const { results } = readGolden('characters') as unknown as { results: [string, string][] };

it.each(results)('%s', { timeout: 60_000 }, (name, hash) => {
  expect(OURS[name]?.()).toBe(hash);
});

it('and no other method has a table', () => {
  expect(results.map(([name]) => name).sort()).toEqual(Object.keys(OURS).sort());
});
