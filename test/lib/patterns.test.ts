// lib/vocabularies/patterns, which compiles pretokenizer patterns to automata, against npm tokenizers: with these patterns, and with
// generated ones, it splits every text like Hugging Face's Split.

import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';

import { has } from '../../lib/vocabularies/patterns/code-points.js';
import { compileSplit, type Split, type SplitBehavior } from '../../lib/vocabularies/patterns/compile-pattern.js';
import type { PatternError } from '../../lib/vocabularies/patterns/tree.js';
import { posixBracket, property } from '../../lib/vocabularies/patterns/properties.js';
import { patternSection } from '../../lib/vocabularies/patterns/pattern-section.js';
import { splitInTurn, splitText } from './split-text.js';
import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';
import { patternAutomata } from './pattern-automata.js';
import { REAL_PATTERNS } from './real-patterns.js';

const { Tokenizer } = createRequire(import.meta.url)('tokenizers') as typeof import('tokenizers');

/** The pieces that Hugging Face's tokenizers split a text into. */
function reference(...splits: Split[]): (text: string) => string[] {
  const pretokenizers = splits.map(({ pattern, behavior, invert }) => ({ type: 'Split', pattern: { Regex: pattern }, behavior, invert }));
  const model = { type: 'BPE', vocab: {}, merges: [], fuse_unk: false, byte_fallback: false, ignore_merges: false };
  const tokenizer = Tokenizer.fromString(
    JSON.stringify({
      version: '1.0',
      truncation: null,
      padding: null,
      added_tokens: [],
      normalizer: null,
      post_processor: null,
      decoder: null,
      pre_tokenizer: { type: 'Sequence', pretokenizers },
      model: { ...model, dropout: null, unk_token: null, continuing_subword_prefix: null, end_of_word_suffix: null },
    }),
  );
  const pretokenizer = tokenizer.getPreTokenizer()!;
  return (text) => pretokenizer.preTokenizeString(text).map(([piece]) => piece);
}

const isolated = (pattern: string): Split => ({ pattern, behavior: 'Isolated', invert: false });
const BEHAVIORS: SplitBehavior[] = ['Isolated', 'Removed', 'MergedWithPrevious', 'MergedWithNext', 'Contiguous'];

const CHARACTERS = Array.from(
  "aabbstrelvmdSTRELVMD 1234\u00b2\u0663\u00bd   \t\n\r'''.,!?/\\\"$_-ſßéÉǅʰ\u0301中文あアー한\u00a0\u3000\u0085\u180e\u200b\ufeff😀\u{1d7d8}\ufb01\u212a",
);

function randomText(random: Random, longest: number): string {
  return Array.from({ length: 1 + random.integer(0, longest - 1) }, () => random.pick(CHARACTERS)).join('');
}

describe('the patterns of published tokenizers', () => {
  it.each(Object.entries(REAL_PATTERNS))('%s', (_, pattern) => {
    const compiled = compileSplit(isolated(pattern));
    const split = reference(isolated(pattern));
    const random = new Random(1);
    for (let i = sample(2000, 100); i > 0; --i) {
      const text = randomText(random, 24);
      expect(splitText(compiled, text), JSON.stringify(text)).toEqual(split(text));
    }
  });
});

it('split in sequence like the three of DeepSeek V3', () => {
  const splits = Object.entries(REAL_PATTERNS).flatMap(([name, pattern]) => (name.startsWith('DeepSeek') ? [isolated(pattern)] : []));
  const compiled = splits.map(compileSplit);
  const split = reference(...splits);
  const random = new Random(2);
  for (let i = sample(2000, 100); i > 0; --i) {
    const text = randomText(random, 30);
    expect(splitInTurn(compiled, text), JSON.stringify(text)).toEqual(split(text));
  }
  expect(patternSection(compiled).length % 64).toBe(0);
});

it.each([
  [[String.raw`\p{N}{1,3}`, String.raw`\p{N}{2}`], 'a pattern whose matches are split by a later one'],
  [[REAL_PATTERNS.gpt2!, String.raw`\p{N}`], 'a pattern whose matches are split by a later one'],
  [Array<string>(5).fill('a'), '5 patterns'],
])('has no section for %j', (patterns, what) => {
  expect(() => patternSection(patterns.map((pattern) => compileSplit(isolated(pattern))))).toThrow(what);
});

it('has no section for patterns that remove text depending on others', () => {
  const removing =
    (pattern: string, invert = false) =>
    () =>
      patternSection([compileSplit({ pattern, behavior: 'Removed', invert })]);
  expect(removing('ab')).toThrow('matches are removed from the text that other characters say the ends of');
  expect(removing('ab|c', true)).toThrow('gaps are removed from the text that other characters say the ends of');
  // The classes of removed characters, and the cuts: removed text begins a piece.
  const heads = [removing(' ')(), removing(String.raw`\S+`, true)()].map((section) => new DataView(section.buffer));
  expect(heads.map((head) => [head.getUint32(16, true), head.getUint32(24, true) !== 0])).toEqual([
    [4, true],
    [3, true],
  ]);
  expect(patternSection([compileSplit({ pattern: String.raw`\s+|\S+`, behavior: 'Removed', invert: true })])).toBeInstanceOf(Uint8Array);
});

it("matches the automata in the engine's tests", async () => {
  const names = {
    gpt2: 'gpt2',
    cl100k: 'cl100k, Llama 3',
    o200k: 'o200k, gpt-oss',
    qwen2: 'Qwen 2, 2.5, 3',
    tekken: 'tekken (Mistral Nemo)',
    'deepseek3, numbers': 'DeepSeek V3, digits',
    'deepseek3, the rest': 'DeepSeek V3, the rest',
  };
  const patterns = Object.fromEntries(Object.entries(names).map(([family, name]) => [family, REAL_PATTERNS[name]!]));
  await expect(patternAutomata(patterns)).toMatchFileSnapshot('../native/pattern_automata.inc');
});

describe('generated patterns', () => {
  const sets = [
    'a',
    'b',
    'A',
    '1',
    ' ',
    's',
    'ß',
    "'",
    '.',
    String.raw`\s`,
    String.raw`\S`,
    String.raw`\d`,
    String.raw`\w`,
    String.raw`\W`,
    String.raw`\h`,
    String.raw`\n`,
    String.raw`\p{L}`,
    String.raw`\P{L}`,
    String.raw`\p{Lu}`,
    String.raw`\p{N}`,
    String.raw`\p{^M}`,
    '[ab]',
    '[^a]',
    '[a-c1]',
    String.raw`[\r\n]`,
    String.raw`[^\s\p{L}]`,
    String.raw`[^\r\n\p{L}\p{N}]`,
    String.raw`[\p{L}&&[^a]]`,
    '[[:alpha:]_]',
    '[[:^punct:]]',
    String.raw`\p{Han}`,
  ];
  const literals = ['a', 's', "'", 't', 'ß', 'é', 'k', 'f', 'i', '1'];
  const aheads = [String.raw`(?!\S)`, String.raw`(?=\s)`, '(?!a)', '$', String.raw`\z`, '(?=a|b)', '(?![ab]|$)', String.raw`(?=\p{L}+)`];

  const repeat = (random: Random, most: number, one: () => string) => Array.from({ length: 1 + random.integer(0, most - 1) }, one);
  const atom = (random: Random, depth: number): string => {
    const kind = depth > 0 ? random.integer(0, 11) : 0;
    if (kind < 8) return random.pick(sets);
    if (kind < 10) return `(?:${alternatives(random, depth - 1)})`;
    if (kind < 11) return `(?i:${repeat(random, 3, () => random.pick(literals)).join('')}${random.pick(['', '|s', '|ſ', '|ll'])})`;
    return `(?>${random.pick(sets)}${random.pick(['+', '*', '?'])})`;
  };
  const element = (random: Random, depth: number): string => {
    const one = atom(random, depth);
    if (random.integer(0, 4) < 2) return one;
    const times = random.pick(['?', '*', '+', '{1,3}', '{2}', '{,2}', '{2,}']);
    return one + times + (times.startsWith('{') ? '' : random.pick(['', '', '', '?', '+']));
  };
  const alternatives = (random: Random, depth: number): string =>
    repeat(
      random,
      3,
      () => repeat(random, 3, () => element(random, depth)).join('') + (random.integer(0, 5) === 0 ? random.pick(aheads) : ''),
    ).join('|');

  it('split like the reference, or are refused', () => {
    const patterns = sample(2000, 200);
    let compiledPatterns = 0;
    for (let seed = 1; seed <= patterns; ++seed) {
      const random = new Random(seed);
      const how: Split = { pattern: alternatives(random, 2), behavior: random.pick(BEHAVIORS), invert: random.integer(0, 1) === 0 };
      let compiled;
      try {
        compiled = compileSplit(how);
      } catch (error) {
        expect((error as PatternError).name, `${how.pattern}: ${(error as Error).stack}`).toBe('PatternError');
        continue;
      }
      ++compiledPatterns;
      const split = reference(how);
      for (let i = 0; i < 20; ++i) {
        const text = randomText(random, 12);
        expect(splitText(compiled, text), `${JSON.stringify(how)} ${JSON.stringify(text)}, seed ${seed}`).toEqual(split(text));
      }
    }
    expect(compiledPatterns).toBeGreaterThan(patterns / 5);
  });

  it('run in linear time', () => {
    // The steps of the automaton exceed the number of characters by those it rereads.
    for (let seed = 1; seed <= sample(400, 20); ++seed) {
      const random = new Random(seed);
      let compiled;
      try {
        compiled = compileSplit(isolated(alternatives(random, 2)));
      } catch {
        continue;
      }
      const unit = randomText(random, 3);
      let steps = 0;
      const counted = new Proxy(compiled.automaton.table, {
        get: (table, key) => {
          if (typeof key === 'string' && /^\d/.test(key)) ++steps;
          return Reflect.get(table, key, table);
        },
      });
      const text = unit.repeat(1500);
      splitText({ ...compiled, automaton: { ...compiled.automaton, table: counted } }, text);
      expect(steps, `seed ${seed}`).toBeLessThan(200 * text.length);
    }
  });
});

describe('sets of characters', () => {
  const everything = Array.from({ length: 0x110000 }, (_, codePoint) => codePoint).filter(
    (codePoint) => codePoint < 0xd800 || codePoint > 0xdfff,
  );
  const text =
    String.fromCodePoint(...everything.slice(0, 0x8000)) +
    everything
      .slice(0x8000)
      .map((each) => String.fromCodePoint(each))
      .join('');

  it.each(
    [
      ...['L', 'N', 'M', 'P', 'S', 'Lu', 'Lo', 'Cn', 'Han', 'Alphabetic'].map(
        (name) => [String.raw`\p{${name}}`, property(name)!] as const,
      ),
      ...['punct', 'graph', 'alnum', 'space'].map((name) => [`[[:${name}:]]`, posixBracket(name)!] as const),
    ].filter((_, index) => sample(14, 4) > index),
  )('%s matches the reference for every code point', (pattern, set) => {
    const found = new Set(
      reference({ pattern, behavior: 'Removed', invert: true })(text).flatMap((piece) => Array.from(piece, (each) => each.codePointAt(0)!)),
    );
    expect(everything.filter((codePoint) => found.has(codePoint) !== has(set, codePoint))).toEqual([]);
  });
});

describe('a pattern without tables', () => {
  it.each([
    [String.raw`a(b)\1`, 'a backreference', 4],
    ['ab|(?<=a)b', 'a lookbehind', 3],
    ['a(?=bc)', 'a lookahead of more than one character', 1],
    [String.raw`a\b`, 'an anchor (word boundary)', 1],
    [String.raw`\Aa`, 'an anchor (text start)', 0],
    ['^a', 'an anchor (line start)', 0],
    ['(?:ab)++c', 'a possessive repetition of more than one character', 6],
    ['x(?>ab|a)c', 'an atomic group of more than one repeated character', 1],
    ['(?:a*|b)*c', 'a repetition of what may be empty', 8],
    [String.raw`\s*`, 'a pattern that matches the empty text', undefined],
    ['a*b|a', 'a pattern that may read the same text again and again', undefined],
    [String.raw`(?i)[|]\||(?:c|d)|a*b|x`, 'a pattern that may read the same text again and again', undefined],
    ['a|b*|c', 'a pattern that matches the empty text', undefined],
    ['a|(?:b{2,300}c)|d', 'a pattern with too many states', undefined],
    ['(?:a|b*)', 'a pattern that matches the empty text', undefined],
    ['a*b', 'a pattern that may read the same text again and again', undefined],
    ['(?:a|b){900}', 'a pattern with too many states', undefined],
    [String.raw`a|\Kb`, String.raw`\K, which is not supported`, 2],
    [String.raw`[\x80-\xff]`, String.raw`\x without the code of a character, which is not supported`, 1],
    [String.raw`\Rb`, 'an atomic group of more than one repeated character', 0],
    ['a(', 'a group without an end', 1],
  ])('is refused: %s, %s', (pattern, what, position) => {
    let thrown: unknown;
    try {
      compileSplit(isolated(pattern));
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ name: 'PatternError', position });
    expect((thrown as PatternError).what).toContain(what);
  });
});
