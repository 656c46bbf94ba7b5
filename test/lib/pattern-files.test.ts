// Patterns end to end: each is the Split of a whole tokenizer.json, with every behaviour, alone in front of a WordLevel and before
// ByteLevel in front of a BPE. Whichever path the file takes, ids and offsets are those of npm `tokenizers`.

import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Tokenizer as Package } from 'crayon-tokenizer';

import { Random } from '../fuzz/random.mjs';
import { sample, some } from '../share.js';
import { PatternGenerator } from './pattern-generator.js';
import { REAL_PATTERNS } from './real-patterns.js';
import { added, bytesOf, fileOf, type Json } from './small-file.js';
import { unitsOf } from './units.js';

interface Reference {
  encode(
    text: string,
    pair: null,
    options: { addSpecialTokens: boolean },
  ): Promise<{ getIds(): number[]; getOffsets(): [number, number][] }>;
}
const { Tokenizer } = createRequire(import.meta.url)('tokenizers') as { Tokenizer: { fromString(json: string): Reference } };

const raw = String.raw;
/** What published patterns have, and what they might. */
const OWN = [
  '',
  '^',
  '$',
  ' ',
  'b*',
  '(?<!\\n)^ ',
  '(?<=[\\u0980-\\u09ff]):',
  '(?<!a|bc)c|(?<=é)',
  raw`\G\p{N}{3}|\A\p{N}{3}`,
  raw`\A\p{Nd}{1,2}(?=\p{Nd}{3}+\z)`,
  raw`\d{1,3}(?=(?:\d{3})*\b)`,
  raw`\p{Nd}{1,4}(?=(?>\p{Nd}{4})*(?:\P{Nd}|$))|\G\p{Nd}{4}`,
  raw`\b|\B-`,
  raw`\b\w+'?\B`,
  raw`\s+\z|\s+\Z|a\Z`,
  raw`([!"#$%&'*+?-])\1*|[(){}\[\]]`,
  raw`(['"]).*?\1`,
  raw`(\w)(\w)?\2\1`,
  raw`(?>a+|ab)c|\w++(?!\w)|[.!?]{2,}+`,
  raw`(?i:straße|ﬁ|'ll)|ß`,
  raw`(?m:a.b)|.`,
  raw`[\p{L}&&[^\p{Lu}a-c]]+|[^[:alpha:]\s[:digit:]]`,
  raw`\p{Han}+|\p{Hiragana}+|\p{Katakana}+|\p{^Latin}`,
  raw`\h+|\H`,
  raw`\R|é`,
  raw`(?:a|b)*?c|(?:ab?){2,3}|[\s\S]{5,}?e`,
  raw`\p{Word}+|\p{Punct}|\p{S}+`,
  raw`.*\w`,
  raw`(?=http)\S+|(?=.*;).`,
  raw`(?:\r?\n)+(?!\r?\n)`,
];

const FILE = path.join(import.meta.dirname, '../../../shared/vocabularies/hub-patterns.json');
const hub = (fs.existsSync(FILE) ? JSON.parse(fs.readFileSync(FILE, 'utf8')) : { patterns: [], texts: [] }) as {
  patterns: string[];
  texts: string[];
};

const TEXTS = [
  ...[
    '',
    "Hello, world! 123 can't  stop.",
    ' leading\nline\n leading\tword  \r\n\r\n',
    '1234567 1,234,567.89 ४५६७८९० Ⅻ z²¼',
    '中文かなカナ 한국어 ไทย বাংলা: অ:আ',
  ],
  ...[
    '(a(b)c) "quo\'ted" ((test))---!!! <tag> <b;',
    'STRASSE straße ﬁne İstanbul ÉÈ',
    'abccba noon abab; acb éc bcc aacc',
    'a‿b \u2028x\u0085 e\u0301 👍🏽🇩🇪🇫',
    'https://example.com/p?x=1;',
  ],
  ...['control \u001f zero \u0000 \ufeff\u200b', 'the<|x|>theory <|x|> 12<|x|>345', '\n', ' '],
  ...hub.texts,
];

const BEHAVIORS = ['Isolated', 'Removed', 'MergedWithPrevious', 'MergedWithNext', 'Contiguous'];
const KINDS = ['WordLevel', 'BPE'] as const;
const FORMS = KINDS.flatMap((kind) => BEHAVIORS.flatMap((behavior) => [false, true].map((invert) => ({ kind, behavior, invert }))));

/** Any two of these characters of ByteLevel are a token, so that a split between them is seen. */
const JOINED = Array.from('Ġetaoinsrhldcubw.,:/(1234Ã©àĊ');
const MERGES = JOINED.flatMap((left) => JOINED.map((right): [string, string] => [left, right]));
const WORDS = ['[UNK]', 'a', 'b', 'c', 'the', ' ', '\n', '12', '123', 'Hello', ' world', '!', 'test', '中文', 'é'];

function file(pattern: string, { kind, behavior, invert }: (typeof FORMS)[number]): Json {
  return fileOf(MERGES, (json) => {
    const split = { type: 'Split', pattern: { Regex: pattern }, behavior, invert };
    json.added_tokens = [added('<|x|>', kind === 'BPE' ? Object.keys(json.model.vocab).length : WORDS.length)];
    if (kind === 'BPE') {
      json.pre_tokenizer = { type: 'Sequence', pretokenizers: [split, { ...json.pre_tokenizer, use_regex: false }] };
    } else {
      const vocab = Object.fromEntries(WORDS.map((word, id) => [word, id]));
      Object.assign(json, { pre_tokenizer: split, decoder: null, model: { type: 'WordLevel', vocab, unk_token: '[UNK]' } });
    }
  });
}

describe('files with the patterns', () => {
  const patterns = [...some(hub.patterns, (_, index) => index % 3 === 0), ...OWN, ...Object.values(REAL_PATTERNS)];
  // Each pattern once, then with the next form: a sample has all patterns and all forms.
  const every = patterns.length * FORMS.length;
  const cases = Array.from({ length: sample(every, patterns.length) }, (_, i) => {
    const round = Math.floor(i / patterns.length);
    return { seed: i, pattern: patterns[i % patterns.length]!, form: FORMS[(i + round) % FORMS.length]! };
  });

  it(`${cases.length} of ${every} are encoded like Hugging Face's`, async () => {
    const paths = { fast: 0, general: 0 };
    for (const { seed, pattern, form } of cases) {
      const generator = new PatternGenerator(new Random(57, seed), {});
      const texts = [...TEXTS, ...Array.from({ length: 20 }, () => generator.text())];
      const json = file(pattern, form);
      const reference = Tokenizer.fromString(JSON.stringify(json));
      using tokenizer = await Package.load(bytesOf(json));
      for (const text of texts) {
        const where = JSON.stringify({ seed, pattern, ...form, text });
        const wanted = await reference.encode(text, null, { addSpecialTokens: false });
        const units = unitsOf(text);
        const own = tokenizer.encodeWithOffsets(text, { special: 'allow' });
        expect([...own.ids], where).toEqual(wanted.getIds());
        expect([...own.offsets], where).toEqual(wanted.getOffsets().flatMap((span) => span.map((at) => units[at])));
      }
      ++paths[tokenizer.metadata.generalPath === undefined ? 'fast' : 'general'];
    }
    expect(Math.min(paths.fast, paths.general), JSON.stringify(paths)).toBeGreaterThan(cases.length / 5);
  });
});
