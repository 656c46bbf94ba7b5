// Splitting at separators: every part fits the limit by npm tiktoken's count, and ends where a naive reading of the rule
// puts it: at the last cut of the strongest separator in the last half of the text that fits.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileCartridge, type SplitOptions, type TextPart, Tokenizer } from 'crayon-tokenizer';

import { corpora, textOf } from '../corpora.mjs';
import { escaped, utf8Of } from '../fuzz/differential.mjs';
import { Random } from '../fuzz/random.mjs';
import { nastyString } from '../fuzz/strings.mjs';
import { loadTiktoken, type Reference } from '../golden/tiktoken.mjs';
import { sample } from '../share.js';
import { thrown } from './thrown.js';

const SEED = Number(process.env.CRAYON_FUZZ_SEED ?? 1);
const PRESETS = ['text', 'markdown', 'code'] as const;
const LISTS = [['\n\n', '\n', ' ', ''], ['\n## ', '\n\n', '. ', ' '], ['。', '、'], ['a', 'aa'], []];

let tokenizer: Tokenizer;
let reference: Reference;
beforeAll(async () => {
  tokenizer = await Tokenizer.load('o200k_base');
  reference = await loadTiktoken('o200k_base');
});
afterAll(() => {
  tokenizer.close();
  reference.free();
});

const count = (text: string) => reference.encode(text).length;
const project = fileURLToPath(new URL('../..', import.meta.url));

/** Properties of the parts of every text. */
function check(text: string, parts: TextPart[], { maxTokens, overlap = 0 }: SplitOptions, where: string): void {
  let end = 0;
  for (const [index, part] of parts.entries()) {
    expect(part.text, where).toBe(text.slice(part.start, part.end));
    expect(part.tokens, where).toBe(count(part.text));
    expect(part.tokens, where).toBeLessThanOrEqual(maxTokens);
    expect(part.end, where).toBeGreaterThan(end);
    expect(part.start, where).toBeLessThanOrEqual(end);
    if (overlap === 0) expect(part.start, where).toBe(end);
    if (index > 0) expect(part.start, where).toBeGreaterThan(parts[index - 1].start);
    expect(count(text.slice(part.start, end)), where).toBeLessThanOrEqual(overlap);
    end = part.end;
    expect(/^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(end - 1, end + 1)), where).toBe(false);
  }
  expect(end, where).toBe(text.length);
}

/** The text's bytes have the same parts as the string. */
function checkBytes(text: string, parts: TextPart[], options: SplitOptions, where: string): void {
  const bytes = utf8Of(text);
  const inBytes = tokenizer.split(bytes, { ...options, withOffsets: true });
  let units = 0;
  let byte = 0;
  const byteAt = (at: number) => {
    if (at < units) [units, byte] = [0, 0];
    byte += utf8Of(text.slice(units, at)).length;
    units = at;
    return byte;
  };
  expect(
    inBytes.map(({ start, end, tokens }) => [start, end, tokens]),
    where,
  ).toEqual(parts.map(({ start, end, tokens }) => [byteAt(start), byteAt(end), tokens]));
  for (const part of inBytes) expect(Buffer.compare(part.text, bytes.subarray(part.start, part.end)), where).toBe(0);
}

const PARTS: [name: string, text: string, maxTokens: number[]][] = [
  ['README.md', readFileSync(`${project}README.md`, 'utf8').slice(0, 30_000), [30, 200]],
  ['a program', readFileSync(`${project}lib/api/token-limits.ts`, 'utf8'), [50, 300]],
];

describe('parts', { timeout: 300_000 }, () => {
  it('of generated texts fit the limit, and equal the parts of their bytes', () => {
    for (let index = 0; index < sample(300, 20); index++) {
      const random = new Random(SEED, index, 9);
      const text = nastyString(SEED, index);
      const maxTokens = random.integer(10, 60);
      const overlap = random.chance(0.5) ? 0 : random.integer(0, maxTokens - 1);
      const separators = random.chance(0.5) ? random.pick([...PRESETS]) : random.pick(LISTS);
      const options = { maxTokens, overlap, separators };
      const where = `seed ${SEED}, string ${index}: ${escaped(text)} ${JSON.stringify(options)}`;
      const parts = tokenizer.split(text, { ...options, withOffsets: true });
      check(text, parts, options, where);
      if (text.isWellFormed()) checkBytes(text, parts, options, where);
      expect(tokenizer.split(text, options), where).toEqual(parts.map((part) => part.text));
    }
  });

  it.each(PARTS)('of %s', (_, text, limits) => {
    for (const separators of [...PRESETS, ['\n\n', '\n', ' ']]) {
      for (const maxTokens of limits) {
        for (const overlap of [0, 8]) {
          const options = { maxTokens, overlap, separators };
          const parts = tokenizer.split(text, { ...options, withOffsets: true });
          const where = JSON.stringify(options);
          check(text, parts, options, where);
          checkBytes(text, parts, options, where);
        }
      }
    }
  });

  it('also return tokens without separators', () => {
    const text = PARTS[0][1];
    for (const overlap of [0, 8]) {
      const options = { maxTokens: 100, overlap };
      const parts = tokenizer.split(text, { ...options, withOffsets: true });
      check(text, parts, options, `${overlap}`);
      checkBytes(text, parts, options, `${overlap}`);
      expect(parts.map((part) => part.text)).toEqual(tokenizer.split(text, options));
    }
  });

  const found = corpora();
  it.skipIf(!found)('of the corpora fit the limit', () => {
    const texts = (found ?? []).filter(({ bytes }) => bytes < 300_000);
    const step = Math.max(1, Math.floor(texts.length / sample(24, 3)));
    for (let index = 0; index < texts.length; index += step) {
      const { path, name } = texts[index];
      const text = textOf(readFileSync(path)).slice(0, 40_000);
      for (const separators of PRESETS) {
        const options = { maxTokens: 128, separators };
        check(text, tokenizer.split(text, { ...options, withOffsets: true }), options, `${name}, ${separators}`);
      }
    }
  });
});

/** The cuts of a listed separator between `from` and `to`, found by searching for it. */
function cutsOf(text: string, separator: string, from: number, to: number): number[] {
  const [leading] = /^\s*/.exec(separator) as RegExpExecArray;
  const breaks = leading.lastIndexOf('\n') + 1;
  const offset = breaks > 0 ? breaks : leading !== '' ? 0 : separator.trimEnd().length;
  const cuts: number[] = [];
  for (
    let at = text.indexOf(separator, Math.max(from - separator.length, 0));
    at >= 0 && at + offset <= to;
    at = text.indexOf(separator, at + 1)
  ) {
    if (at + offset >= from) cuts.push(at + offset);
  }
  return cuts.reverse();
}

/** The first position with at most half of the bytes between it and `end`. */
function middleOf(text: string, begin: number, end: number): number {
  const most = Buffer.byteLength(text.slice(begin, end)) >> 1;
  let at = end;
  for (let bytes = 0; at > begin; ) {
    const from = at - (/[\udc00-\udfff]/.test(text.charAt(at - 1)) ? 2 : 1);
    bytes += Buffer.byteLength(text.slice(from, at));
    if (bytes > most) break;
    at = from;
  }
  return at;
}

describe('a part ends', { timeout: 300_000 }, () => {
  const words = ['alpha', 'be', 'Gamma,', 'delta.', 'Épsilon', '語', '12', 'zeta!'];
  const gaps = [' ', ' ', ' ', ' ', '\n', '\n\n', '  ', '. ', '\n## '];
  const texts = Array.from({ length: sample(60, 6) }, (_, index) => {
    const random = new Random(SEED, index, 11);
    let text = '';
    while (text.length < 1500) text += random.pick(words) + random.pick(gaps);
    return { text, where: `seed ${SEED}, text ${index}` };
  });

  it.each([[['\n\n', '\n', ' ']], [['\n## ', '. ']]])('at the last of the strongest separators in the last half: %j', (separators) => {
    for (const { text, where } of texts) {
      const maxTokens = 40;
      for (const { start, end } of tokenizer.split(text, { maxTokens, separators, withOffsets: true })) {
        const most = start + tokenizer.truncate(text.slice(start), maxTokens).length;
        if (most === text.length) {
          expect(end, where).toBe(most);
          continue;
        }
        const half = middleOf(text, start, most);
        const cuts = separators.flatMap((separator) => cutsOf(text, separator, half, most));
        const best = cuts.find((cut) => count(text.slice(start, cut)) <= maxTokens);
        if (best !== undefined) expect(end, `${where}, part at ${start}`).toBe(best);
        else expect(end, where).toBeGreaterThanOrEqual(half);
      }
    }
  });

  it('after a paragraph, if one ends there', () => {
    for (const { text, where } of texts) {
      for (const { start, end } of tokenizer.split(text, { maxTokens: 60, separators: 'text', withOffsets: true })) {
        const most = start + tokenizer.truncate(text.slice(start), 60).length;
        const half = middleOf(text, start, most);
        const paragraphs = Array.from(text.matchAll(/\n[ \t]*\n+/g), (match) => match.index + match[0].length);
        const [last] = paragraphs.filter((cut) => cut >= half && cut <= most && cut < text.length).reverse();
        if (most < text.length && last !== undefined) expect(end, `${where}, part at ${start}`).toBe(last);
      }
    }
  });

  it('between words, never inside one', () => {
    for (const { text, where } of texts) {
      const parts = tokenizer.split(text, { maxTokens: 30, separators: 'text' });
      for (let i = 1; i < parts.length; i++)
        expect(/[a-zÉ]$/.test(parts[i - 1]) && /^[a-zÉ]/i.test(parts[i]), `${where}: ${parts[i - 1]}|${parts[i]}`).toBe(false);
    }
  });

  it('at separators even if parts overlap', () => {
    for (const { text, where } of texts) {
      const parts = tokenizer.split(text, { maxTokens: 60, overlap: 20, separators: ['\n\n', '\n', ' '], withOffsets: true });
      let repeated = 0;
      for (let i = 1; i < parts.length; i++) {
        const before = parts[i - 1];
        const { start } = parts[i];
        repeated += before.end - start;
        expect(
          /\s/.test(text.slice(start - 1, start + 1)),
          `${where}: ${text.slice(start - 5, start)}|${text.slice(start, start + 5)}`,
        ).toBe(true);
        // The first line break of the repeated half, if it has one.
        const first = before.end - tokenizer.truncate(before.text, Math.min(20, before.tokens >> 1), { side: 'left' }).length;
        const half = middleOf(text, first, before.end);
        const paragraph = cutsOf(text, '\n\n', first, half).at(-1);
        if (paragraph !== undefined) expect(start, where).toBe(paragraph);
      }
      expect(repeated).toBeGreaterThan(parts.length * 20);
    }
  });
});

describe('separators', () => {
  const split = (text: string, maxTokens: number, separators: SplitOptions['separators']) =>
    tokenizer.split(text, { maxTokens, separators });

  // Text that is split in two if it does not fit as a whole.
  it.each([
    ['paragraphs', 'One two three. Four.\n\n', 'Five six. Seven'],
    ['sentences', 'One two three four five.', ' Six seven and, eight nine'],
    ['questions in quotes', '“Is it really so?”', ' He said'],
    ['sentences before lines', 'One two three four five.', ' Six\nseven eight'],
    ['sentences at the end of a line', 'One two three four five.\n', 'Six\nseven eight'],
    ['lines', 'one two three four five\n', 'six seven eight'],
    ['words', 'one two three', ' incomprehensible'],
    ['the spaces between words', 'one two three', '   four'],
    ['Chinese sentences', '今天天气很好，我们出门。', '我们去公园'],
    ['Japanese sentences in brackets', '彼は「元気ですか。」', 'はい'],
    ['Japanese words', '東京タワーで', '食べる'],
    ['Hindi sentences', 'यह एक वाक्य है।', ' यह दूसरा'],
    ['Arabic questions', 'هل هذا سؤال؟', ' نعم هو'],
    ['line ends of Windows', 'one two three\r\n\r\n', 'four five'],
  ])('of text: %s', (_, first, second) => {
    const maxTokens = count(first + second) - 1;
    expect(split(first + second, maxTokens, 'text')).toEqual([first, second]);
  });

  it.each([
    'They met Mr. Smith yesterday',
    'Fruit, e.g. apples and pears',
    'Written by J. Smith alone',
    '1. First of all things',
    'Yahoo! is a company too',
    'It costs 3.50 in all shops',
    'Say “really?” to them all',
  ])('of text: no sentence ends in %j', (text) => {
    for (let maxTokens = 1; maxTokens < count(text); maxTokens++) {
      expect(split(text, maxTokens, 'text')).toEqual(split(text, maxTokens, []));
    }
  });

  it('of text keep clusters of characters whole, if they fit in a part', () => {
    const clusters = ['👩‍👩‍👧‍👦', '🇩🇪', 'e\u0301\u0302', 'क्षि', '👍🏽', 'ก็', '각'.normalize('NFD')];
    const text = Array.from({ length: 200 }, (_, index) => clusters[(index * 5 + (index >> 3)) % clusters.length]).join('');
    const ends = new Set<number>();
    for (const { index } of new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text)) ends.add(index);
    for (const separators of ['text', 'code', []] as const) {
      const parts = tokenizer.split(text, { maxTokens: 40, separators, withOffsets: true });
      expect(parts.length).toBeGreaterThan(10);
      for (const { end } of parts.slice(0, -1)) expect(ends.has(end), escaped(text.slice(end - 4, end + 4))).toBe(true);
    }
  });

  it('of text do not cut identifiers and numbers of URLs, if another cut is possible', () => {
    const url = `https://example.org/${'section/item_identifier-1234567/'.repeat(20)}`;
    for (const part of split(url, 20, 'text').slice(0, -1)) expect(part).toMatch(/[^\w]$|(?:section|item_identifier|1234567|org)$/);
  });

  const MARKDOWN = `# Title

Intro text here. More of it.

## First

Some words of the first section.

- item one
- item two
  more of two

\`\`\`js
# no heading

const a = 1;
\`\`\`

## Second

| a | b |
|---|---|
| 1 | 2 |

Setext
------

The end. It is here.
`;

  it('of Markdown are headings first', () => {
    expect(split(MARKDOWN, 70, 'markdown').map((part) => part.split('\n', 1)[0])).toEqual(['# Title', 'Setext']);
    const parts = split(MARKDOWN, 30, 'markdown');
    expect(parts.map((part) => part.split('\n', 1)[0])).toEqual(['# Title', '- item two', '## Second', 'Setext']);
    expect(parts.join('')).toBe(MARKDOWN);
  });

  it('of Markdown do not separate a heading from its text', () => {
    const text = 'A paragraph of a few words.\n\n# Heading\n\nThe text of the section follows here.\n';
    for (let maxTokens = 9; maxTokens < 20; maxTokens++) {
      for (const part of split(text, maxTokens, 'markdown').slice(0, -1)) expect(part.trimEnd()).not.toMatch(/# Heading$/);
    }
  });

  it.each([
    ['a fence', '```py\nx = 1\n\n\ny = 2\n# comment\nz = 3\n```\n'],
    ['a fence of tildes in an item', '- item\n\n  ~~~\n  one\n\n  ```\n  two\n  ~~~\n'],
    ['a table', '| name | value |\n|---|---|\n| one | 1. Two |\n| three | 3 |\n'],
  ])('of Markdown keep %s whole if it fits', (_, block) => {
    const text = `${'Some words. '.repeat(12)}\n\n${block}\n${'Other words. '.repeat(12)}\n`;
    const fenced = block.slice(block.search(/[`~|]/));
    const tokens = count(fenced);
    for (let maxTokens = tokens + 6; maxTokens < tokens + 50; maxTokens++) {
      const parts = split(text, maxTokens, 'markdown');
      expect(parts.filter((part) => part.includes(fenced.trimEnd())).length, `${maxTokens}: ${JSON.stringify(parts)}`).toBe(1);
      const overlapping = tokenizer.split(text, { maxTokens, overlap: 9, separators: 'markdown' });
      expect(
        overlapping.some((part) => part.includes(fenced.trimEnd())),
        `${maxTokens}`,
      ).toBe(true);
    }
    const cut = split(text, Math.floor(tokens / 2), 'markdown');
    expect(cut.join('')).toBe(text);
  });

  it('of Markdown cut long fences at lines, and long tables at rows', () => {
    const fence = `\`\`\`\n${'const word = "Sentence. Another one";\n'.repeat(30)}\`\`\`\n`;
    for (const part of split(fence, 50, 'markdown')) expect(part).toMatch(/\n$/);
    const table = `| a | b |\n|---|---|\n${'| A sentence. | Another one. |\n'.repeat(30)}`;
    for (const part of split(table, 50, 'markdown')) expect(part).toMatch(/\|\n$/);
  });

  const CODE = `import os


class Stack:
    def __init__(self):
        self.items = []

    def push(self, item):
        if item is None:
            return
        else:
            self.items.append(item)

    def pop(self):
        return self.items.pop()


def main():
    print(Stack())
`;

  it('of code are blocks, the outer ones first', () => {
    const tokens = count(CODE);
    const starts = (maxTokens: number) => split(CODE, maxTokens, 'code').map((part) => part.split('\n', 1)[0].trim());
    expect(starts(tokens - 1)).toEqual(['import os', 'def main():']);
    expect(starts(Math.ceil(tokens / 2))).toEqual(['import os', 'def push(self, item):', 'def pop(self):']);
    for (const part of split(CODE, 20, 'code')) expect(part).toMatch(/\n$/);
  });

  it('of code leave a closing brace with its block', () => {
    const text = 'function a() {\n  one();\n}\nfunction b() {\n  two();\n}\nfunction c() {\n  three();\n}\n';
    for (let maxTokens = 14; maxTokens < 30; maxTokens++) {
      for (const part of split(text, maxTokens, 'code')) expect(part).toMatch(/^function[^]*\}\n$/);
    }
  });

  it.each([
    [['\n## '], 'one two three four\n', '## five six'],
    [['\n\n\n', '\n'], 'one two three four\n\n\n', 'five six'],
    [['. '], 'one two three four.', ' five six seven'],
    [[' - '], 'one two three four', ' - five six'],
    [['---'], 'one two three---', 'four five'],
    [['<br>', ''], 'one two three<br>', 'four five'],
    [['é', '€', '😀'], 'one two three😀', ' four five six'],
  ])('listed: %j', (separators, first, second) => {
    const text = first + second;
    const maxTokens = count(text) - 1;
    expect(split(text, maxTokens, separators)).toEqual([first, second]);
    const bytes = tokenizer.split(utf8Of(text), { maxTokens, separators });
    expect(bytes.map((part) => Buffer.from(part).toString())).toEqual([first, second]);
  });

  it('do not cut special tokens that are allowed', () => {
    const text = 'word<|endoftext|>'.repeat(40);
    for (const separators of ['text', ['of', '|'], []] as const) {
      for (let maxTokens = 1; maxTokens < 12; maxTokens++) {
        const parts = tokenizer.split(text, { maxTokens, separators, special: 'allow', overlap: maxTokens >> 2 });
        for (const part of parts) {
          expect(part.replaceAll('<|endoftext|>', '')).not.toMatch(/[<|>]/);
          expect(reference.encodeAllowingSpecial(part).length).toBeLessThanOrEqual(maxTokens);
        }
      }
    }
  });

  it('and special tokens that are forbidden: an error with its position', () => {
    const text = `${'Some é words. '.repeat(500)}<|endoftext|>`;
    const position = text.length - 13;
    expect(thrown(() => tokenizer.split(text, { maxTokens: 50, separators: 'text', special: 'forbid' }))).toMatchObject({
      code: 'SPECIAL_FORBIDDEN',
      position,
    });
    const bytes = utf8Of(text);
    expect(thrown(() => tokenizer.split(bytes, { maxTokens: 50, separators: 'markdown', special: 'forbid' }))).toMatchObject({
      position: bytes.length - 13,
    });
  });

  it('leave room for the ids around each part', async () => {
    const tokens = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte));
    const vocab = Object.fromEntries(tokens.map((_, byte) => [byteSymbol(byte), byte]));
    const json = {
      model: { type: 'BPE', vocab, merges: [] },
      pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
      decoder: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
      added_tokens: [{ id: 256, content: '<s>', single_word: false, lstrip: false, rstrip: false, normalized: false, special: true }],
      post_processor: {
        type: 'TemplateProcessing',
        single: [{ SpecialToken: { id: '<s>', type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }],
        pair: [],
        special_tokens: { '<s>': { id: '<s>', ids: [256], tokens: ['<s>'] } },
      },
    };
    const own = await Tokenizer.load(await compileCartridge(utf8Of(JSON.stringify(json))));
    const options = { maxTokens: 9, separators: 'text', addSpecialTokens: true, withOffsets: true } as const;
    expect(own.split('one two three', options).map(({ text, tokens }) => [text, tokens])).toEqual([
      ['one two', 8],
      [' three', 7],
    ]);
    expect(own.split('one two', { maxTokens: 4, addSpecialTokens: true, withOffsets: true }).map(({ tokens }) => tokens)).toEqual([
      4, 4, 2,
    ]);
    const error = thrown(() => own.split('😀', { maxTokens: 4, separators: 'text', addSpecialTokens: true }), RangeError);
    expect(error.message).toBe('`maxTokens` must be at least 5, for the character at position 0 of the text; received 4');
    expect(thrown(() => own.split('😀', { maxTokens: 4, addSpecialTokens: true }), RangeError).message).toBe(error.message);
    own.close();
  });

  it('return views of bytes, even of invalid UTF-8', () => {
    const bytes = Uint8Array.of(0x61, 0xff, 0x20, 0xe2, 0x82, 0x2e, 0x20, 0x41, 0xf0, 0x9f, 0x98, 0x0a, 0x0a, 0x62, 0xc3);
    for (const separators of PRESETS) {
      for (let maxTokens = 3; maxTokens < 12; maxTokens++) {
        const parts = tokenizer.split(bytes, { maxTokens, separators });
        expect(Buffer.concat(parts)).toEqual(Buffer.from(bytes));
        expect(parts.every((part) => part.buffer === bytes.buffer)).toBe(true);
        for (const part of parts) expect(tokenizer.encode(part).length).toBeLessThanOrEqual(maxTokens);
      }
    }
    const shared = new Uint8Array(new SharedArrayBuffer(13));
    shared.set(utf8Of('one two.\n\nTre'));
    expect(tokenizer.split(shared, { maxTokens: 3, separators: 'text', withOffsets: true }).map(({ start, end }) => [start, end])).toEqual([
      [0, 10],
      [10, 13],
    ]);
  });

  it('are validated', () => {
    const refused = (separators: unknown) =>
      thrown(() => tokenizer.split('a', { maxTokens: 1, separators: separators as 'text' }), Error).message;
    expect(refused('words')).toBe(`expected 'text', 'markdown', 'code' or a list of strings for separators but received "words"`);
    expect(refused(['a', 1])).toBe('expected a string for separators[1] but received 1');
    expect(refused(['', ' '])).toBe('expected a string that is not empty for separators[0] but received ""');
    const flag = thrown(() => tokenizer.split('a', { maxTokens: 1, withOffsets: 1 as never }), TypeError);
    expect(flag.message).toBe('expected a boolean for withOffsets but received 1');
    const tooLittle = thrown(() => tokenizer.split('b\ua001', { maxTokens: 2, separators: 'text' }), RangeError);
    expect(tooLittle.message).toBe('`maxTokens` must be at least 3, for the character at position 1 of the text; received 2');
  });

  it('of empty texts give no parts', () => {
    for (const separators of PRESETS) expect(tokenizer.split('', { maxTokens: 1, separators })).toEqual([]);
  });

  // Unbounded lookbehind or lookahead took minutes.
  it.each(['a', ' ', '\n', ' \n', '\n ', '`', '```\n', '| a |\n', '#\n', '=\n', '。', '. ', '"', '語', '\u0301', '🇩', '}\n', '- '])(
    'of 400 KB of %j, in time',
    (unit) => {
      const text = unit.repeat(sample(400_000, 40_000) / unit.length);
      const start = performance.now();
      for (const separators of [...PRESETS, ['\n\n', '\n', ' ']]) {
        expect(tokenizer.split(text, { maxTokens: 100, separators }).join('') === text, `${separators}`).toBe(true);
      }
      expect(performance.now() - start).toBeLessThan(30_000);
    },
  );
});

/** The letter that a tokenizer.json writes for a byte. */
function byteSymbol(byte: number): string {
  const printed = (code: number) => (code >= 33 && code <= 126) || (code >= 161 && code <= 172) || code >= 174;
  if (printed(byte)) return String.fromCodePoint(byte);
  let hidden = 0;
  for (let code = 0; code < byte; code++) if (!printed(code)) hidden++;
  return String.fromCodePoint(256 + hidden);
}
