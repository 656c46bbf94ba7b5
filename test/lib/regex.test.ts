// Patterns in the engine's backtracking matcher (native/src/general/regex.h), compiled by lib/vocabularies/patterns/regex.ts, beside npm tokenizers:
// every pattern splits every text like Hugging Face's Split, or neither accepts it, or it has a construct that is not supported.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

import { PatternError, UnsupportedPattern } from '../../lib/vocabularies/patterns/tree.js';
import { compileRegex } from '../../lib/vocabularies/patterns/regex.js';
import { buildNative } from '../../scripts/build.mjs';
import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';
import { type Constructs, PatternGenerator } from './pattern-generator.js';

const { Tokenizer } = createRequire(import.meta.url)('tokenizers') as typeof import('tokenizers');
const project = path.join(import.meta.dirname, '../..');

type Behavior = 'Isolated' | 'Removed' | 'MergedWithPrevious' | 'MergedWithNext' | 'Contiguous';
const BEHAVIORS: Behavior[] = ['Isolated', 'Removed', 'MergedWithPrevious', 'MergedWithNext', 'Contiguous'];

/** Begin and end, in characters. */
type Part = [begin: number, end: number];
interface Split {
  parts: Part[];
  isMatch: boolean[];
}

let isBuilt = false;

type Refusal = 'invalid' | 'not supported';

/** For each pattern and text: the matches in bytes; or why the pattern is refused. */
function matchesOf(cases: readonly { pattern: string; texts: readonly string[] }[], mode?: 'remember'): (string[] | Refusal)[] {
  const number = (value: number) => Buffer.from(Uint32Array.of(value).buffer);
  const input: Buffer[] = [];
  const refusals = cases.map(({ pattern, texts }): Refusal | undefined => {
    let words: Uint32Array;
    try {
      words = compileRegex(pattern);
    } catch (error) {
      if (error instanceof UnsupportedPattern) return 'not supported';
      if (error instanceof PatternError) return 'invalid';
      throw error;
    }
    input.push(number(words.length), Buffer.from(words.buffer), number(texts.length));
    for (const text of texts) {
      const bytes = Buffer.from(text);
      input.push(number(bytes.length), bytes);
    }
    return undefined;
  });
  if (!isBuilt) buildNative('release', ['regex_matches']);
  isBuilt = true;
  const program = path.join(project, 'build/release/regex_matches');
  const output = execFileSync(program, mode ? [mode] : [], { input: Buffer.concat(input), maxBuffer: 1 << 30 });
  const lines = output.toString().split('\n');
  return refusals.map((refusal) => refusal ?? lines.shift()!.split(';').slice(0, -1));
}

/** A text in matches and what is between them, in characters. */
function splitBy(matches: string, text: string): Split {
  const characters = new Map<number, number>();
  let bytes = 0;
  for (const [i, character] of Array.from(text).entries()) {
    characters.set(bytes, i);
    bytes += Buffer.byteLength(character);
  }
  characters.set(bytes, characters.size);
  const split: Split = { parts: [], isMatch: [] };
  let before = 0;
  const add = (begin: number, end: number, isMatch: boolean) => {
    split.parts.push([begin, end]);
    split.isMatch.push(isMatch);
  };
  if (text === '') return split;
  for (const match of matches.split(' ').slice(0, -1)) {
    const [begin, end] = match.split(',').map((byte) => characters.get(Number(byte))!) as Part;
    if (begin !== before) add(before, begin, false);
    add(begin, end, true);
    before = end;
  }
  if (before < characters.size - 1) add(before, characters.size - 1, false);
  return split;
}

/** The reference's behaviours, in words: what becomes of the parts. */
function behave({ parts, isMatch }: Split, behavior: Behavior, invert: boolean): Part[] {
  const flags = isMatch.map((flag) => flag !== invert);
  if (behavior === 'Isolated') return parts;
  if (behavior === 'Removed') return parts.filter((_, i) => !flags[i]);
  const joins = (i: number) => {
    if (behavior === 'Contiguous') return flags[i] === flags[i - 1];
    // A match joins what is before it, or what is behind it, unless that is a match.
    return behavior === 'MergedWithPrevious' ? flags[i] && !flags[i - 1] : flags[i - 1] && !flags[i];
  };
  const joined: Part[] = [];
  parts.forEach(([begin, end], i) => {
    if (i > 0 && joins(i)) joined.at(-1)![1] = end;
    else joined.push([begin, end]);
  });
  return joined;
}

/** Splits texts as the reference does; undefined if it refuses the pattern. */
function reference(pattern: string, behavior: Behavior, invert: boolean): ((text: string) => Part[]) | undefined {
  const settings = {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [],
    normalizer: null,
    post_processor: null,
    decoder: null,
  };
  const pre_tokenizer = { type: 'Split', pattern: { Regex: pattern }, behavior, invert };
  const model = { type: 'WordLevel', vocab: { a: 0 }, unk_token: 'a' };
  try {
    const pretokenizer = Tokenizer.fromString(JSON.stringify({ ...settings, pre_tokenizer, model })).getPreTokenizer()!;
    return (text) => pretokenizer.preTokenizeString(text).map(([, part]) => part);
  } catch (error) {
    if (/Oniguruma|onig/i.test((error as Error).message)) return undefined;
    throw error;
  }
}

const withText = (parts: readonly Part[]) => parts.filter(([begin, end]) => end > begin);

/** How many texts were compared. */
function compare(cases: readonly { pattern: string; texts: readonly string[] }[], behaviors: readonly [Behavior, boolean][]): number {
  const found = matchesOf(cases);
  // Whatever is remembered, the matches are the same.
  expect(matchesOf(cases, 'remember')).toEqual(found);
  let compared = 0;
  cases.forEach(({ pattern, texts }, i) => {
    const all = found[i]!;
    if (all === 'not supported') return;
    for (const [behavior, invert] of behaviors) {
      const split = reference(pattern, behavior, invert);
      const where = `${JSON.stringify(pattern)} ${behavior} ${invert}`;
      expect(all !== 'invalid', `${where}: accepted`).toBe(split !== undefined);
      if (!split || all === 'invalid') return;
      texts.forEach((text, at) => {
        const matches = all[at]!;
        if (matches.includes('!')) return;
        ++compared;
        const expected = withText(split(text));
        expect(withText(behave(splitBy(matches, text), behavior, invert)), `${where} ${JSON.stringify(text)}`).toEqual(expected);
      });
    }
  });
  return compared;
}

/** Each instruction is in one of them. */
const PROGRAMS: [pattern: string, text: string][] = [
  ['ab|c', 'abc cab'],
  ['[a-c]+d?', 'abcdd abé a'],
  ['(?:a|b)*c', 'ababc abab c'],
  ['(a*)*b', 'aaab aaaa b'],
  ['(?:a||b)*', 'aab bba'],
  [String.raw`[^\n]*?x|\n`, 'ab xx\ny x'],
  ['a{2,3}?b{2}c*+', 'aaabbcc aabbb'],
  ['(?>a|ab)c|ab', 'abc ac ab'],
  ['(?=[ab]+c)[abc]|(?!b)[bd]', 'abcabd bd'],
  [String.raw`(?<=a|bc)d|(?<!\s)e`, 'ad bcd cd e ae'],
  ['(?!ab|ac*d)[a-d]|(?<!bc)d', 'abacad bcd acd'],
  ['(?<=(?:a|b)c)d(?=(?:e|f)*g)', 'acdeg bcdg ccdg acdfe'],
  [String.raw`\A-|^a|b$|\Gc|\z|d\Z`, '-ab\nab\ncc d'],
  [String.raw`(a|b)\1+`, 'aab bbba ab'],
  ['(?:(a)|b)*\\1', 'abaab ba'],
  ['(?:(?:x|y|z){3}|w)*', 'xyzzw xy'],
  ['a{0,9999}b|a{1,9999}?c|a{9999}d', 'aab aac aa'],
  ['(?:a{0,9999}|c)*b', 'aacab ac'],
];

const ALL: [Behavior, boolean][] = BEHAVIORS.flatMap((behavior) => [false, true].map((invert): [Behavior, boolean] => [behavior, invert]));
const KINDS: Record<string, Constructs> = {
  'of any kind': {},
  'with references': { references: true },
  'that begin with .*': { references: true, begins: true },
  'with mistakes': { references: true, damaged: true },
};

describe('generated patterns', () => {
  it.each(Object.entries(KINDS))('%s split like Hugging Face tokenizers', (kind, constructs) => {
    const seed = Object.keys(KINDS).indexOf(kind);
    const cases = Array.from({ length: sample(6000, 60) }, (_, i) => {
      const generator = new PatternGenerator(new Random(57, seed, i), constructs);
      return { pattern: generator.pattern(), texts: Array.from({ length: 4 }, () => generator.text()) };
    });
    const compared = compare(cases, [
      ['Isolated', false],
      ['Removed', false],
    ]);
    expect(compared).toBeGreaterThan(cases.length / 4);
  });
});

it("writes programs for the engine's tests", async () => {
  const rows = PROGRAMS.map(([pattern, text]) => {
    const parts = reference(pattern, 'Isolated', false)!(text);
    const gaps = new Set(reference(pattern, 'Removed', false)!(text).map(String));
    const bytes = ([begin, end]: Part) => [begin, end].map((at) => Buffer.byteLength(Array.from(text).slice(0, at).join('')));
    const expected = withText(parts).map((part) => `${bytes(part).join('-')}${gaps.has(String(part)) ? '' : '!'}`);
    return `{R"(${pattern})", R"(${text})", "${expected.join(' ')}",\n{${Array.from(compileRegex(pattern)).join(', ')}}},\n`;
  });
  const notice =
    '// Generated by test/lib/regex.test.ts (vitest -u); do not edit.\n//\n// Patterns, texts, their parts (a match has "!"), programs.\n';
  await expect(`${notice}// clang-format off\n${rows.join('')}// clang-format on\n`).toMatchFileSnapshot('../native/regex_programs.inc');
});

it.each([
  ...[
    '(?<n>a)',
    "(?'n'a)",
    String.raw`(a)\k<1>`,
    String.raw`a\g<0>?`,
    '(a)?(?(1)b|c)',
    '(?~ab)',
    '(*FAIL)',
    '(?{x})',
    '(?x) a',
    '(?W)a',
    '(?#a)b',
  ],
  ...[
    String.raw`\X`,
    String.raw`\N+`,
    String.raw`\O`,
    String.raw`\Ka`,
    String.raw`a\y`,
    String.raw`\012`,
    String.raw`[\012]`,
    String.raw`\ca`,
    String.raw`[\M-a]`,
    String.raw`\xc3\xa9`,
    String.raw`[\x80-\xff]`,
  ],
  ...[
    String.raw`\x{61 62}`,
    String.raw`\p{InBasicLatin}`,
    '(?<=a*)b',
    String.raw`(?i:(a)\1)`,
    String.raw`(a\1)`,
    String.raw`\1(a)`,
    '(?:a?)+',
    '(?:a|){2}',
    String.raw`(?:(a)|b?)*\1`,
  ],
  ...[String.raw`\b.*`, '(?=a).*', '(?m:^.*)'],
])('refuses %s, which no published tokenizer has', (pattern) => {
  expect(reference(pattern, 'Isolated', false)).toBeDefined();
  expect(() => compileRegex(pattern)).toThrow(/, which is not supported, at position \d+ of the pattern$/);
});

it('refuses a pattern whose program would be too large', () => {
  expect(() => compileRegex('(?:(?:ab){1,300}c){1,300}')).toThrow('a pattern that is too large, which is not supported');
});

describe('patterns of published models', () => {
  // Texts and patterns that are not in this repository.
  const file = path.join(project, '../shared/vocabularies/hub-patterns.json');
  it.skipIf(!fs.existsSync(file))('split their texts like Hugging Face tokenizers, with every behaviour', () => {
    const { patterns, texts } = JSON.parse(fs.readFileSync(file, 'utf8')) as { patterns: string[]; texts: string[] };
    const random = new Random(57);
    const own = Array.from({ length: sample(200, 5) }, () => new PatternGenerator(random, {}).text());
    const cases = patterns.map((pattern) => ({ pattern, texts: [...texts, ...own] }));
    expect(compare(cases, ALL)).toBe(cases.length * ALL.length * (texts.length + own.length));
  });
});
