// trainBpe: merges and ids against the definition and against Hugging Face; every output gives the same ids; sources;
// threads; early ends.

import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { BPE, byteLevelPreTokenizer, Tokenizer as HuggingFace } from 'tokenizers';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { Tokenizer, trainBpe, type TrainedVocabulary, type TrainOptions, type TrainProgress, type TrainSource } from 'crayon-tokenizer';

import { Random } from '../fuzz/random.mjs';
import { sample, SHARE } from '../share.js';
import { cut, streamOf } from './chunks.js';
import { byteCharacters, trainNaively } from './naive-trainer.js';

const SEED = 20261122;
const require = createRequire(import.meta.url);
/** As in js-tiktoken; no character in these texts is classified differently by JavaScript and tiktoken. */
const PATTERNS = Object.fromEntries(
  [
    ['gpt2', 'gpt2'],
    ['cl100k', 'cl100k_base'],
    ['o200k', 'o200k_base'],
  ].map(([name, encoding]) => [name, require(`js-tiktoken/ranks/${encoding}`).pat_str as string]),
);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crayon-test-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const latin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');
const facts = ({ tokens, merges }: TrainedVocabulary) => ({ tokens: tokens.map(latin1), merges });

const WORDS = [
  'the',
  ' the',
  ' low',
  'er',
  'est',
  ' ',
  '  ',
  '\n',
  "'s",
  '12',
  '345',
  '!',
  '…',
  'é',
  'ß',
  '日本',
  '語',
  '👍',
  'aaa',
  'aaaa',
  'ab',
  ' Ab',
];

/** A text of few words, with many equally frequent pairs. */
function randomText(random: Random, most: number): string {
  const words = Array.from({ length: 2 + random.integer(0, 7) }, () => random.pick(WORDS));
  return Array.from({ length: random.integer(0, most - 1) }, () => random.pick(words)).join('');
}

function randomTexts(random: Random): string[] {
  return Array.from({ length: 1 + random.integer(0, 3) }, () => `${randomText(random, 60)}x`);
}

describe('the merges', () => {
  it("equal the definition's", async () => {
    const random = new Random(SEED);
    for (let round = 0; round < sample(120, 12); round++) {
      const texts = randomTexts(random);
      const pretokenizer = random.pick(['gpt2', 'cl100k', 'o200k', null]);
      const options = {
        vocabularySize: 262 + random.integer(0, 39),
        minFrequency: 1 + random.integer(0, 2),
        maxTokenLength: random.chance(0.3) ? 2 + random.integer(0, 5) : 65_535,
        tieBreak: random.pick(['huggingface', 'crayon'] as const),
        initialAlphabet: random.chance(0.3) ? ('observed' as const) : ('bytes' as const),
        specialTokens: random.chance(0.5) ? ['<|end|>', ...(random.chance(0.3) ? ['the', 'a'] : [])] : [],
      };
      // Only Hugging Face's cases learn a special token as well.
      const specialTokens = options.tieBreak === 'crayon' ? options.specialTokens.slice(0, 1) : [...options.specialTokens];
      const settings = { ...options, specialTokens };
      const pieces = texts.flatMap((text) => {
        const parts = pretokenizer === null ? [text] : text.match(new RegExp(PATTERNS[pretokenizer]!, 'gu'))!;
        return parts.map((part) => Buffer.from(part).toString('latin1'));
      });
      const trained = await trainBpe(texts, { ...settings, pretokenizer });
      expect(facts(trained), JSON.stringify({ texts, pretokenizer, settings })).toEqual(trainNaively(pieces, settings));
    }
  });

  it("equal Hugging Face's", async () => {
    const random = new Random(SEED + 1);
    for (let round = 0; round < sample(16, 2); round++) {
      const file = join(folder, `lines-${round}.txt`);
      const lines = Array.from({ length: 20 }, () => `${randomText(random, 30).replaceAll('\n', ' ')}x\n`);
      writeFileSync(file, lines.join(''));
      const theirs = new HuggingFace(BPE.empty());
      theirs.setPreTokenizer(byteLevelPreTokenizer(false, true));
      theirs.train([file]); // 30,000 tokens, pairs of any count, the bytes that occur
      theirs.save(join(folder, 'theirs.json'));
      const { model } = JSON.parse(readFileSync(join(folder, 'theirs.json'), 'utf8'));
      const ours = await trainBpe(lines, {
        vocabularySize: 30_000,
        minFrequency: 1,
        pretokenizer: 'gpt2',
        initialAlphabet: 'observed',
      });
      const json = ours.toTokenizerJson() as { model: { vocab: object; merges: unknown } };
      expect({ ...json.model.vocab }).toEqual(model.vocab);
      expect(json.model.merges).toEqual(model.merges);
    }
  });

  it('have the alphabet of Hugging Face', async () => {
    const { tokens } = await trainBpe('x', { vocabularySize: 256 });
    const characters = byteCharacters();
    const order = tokens.map(([byte]) => characters[byte!]!);
    expect(order).toEqual(order.toSorted());
    expect(new Set(order).size).toBe(256);
  });

  it.skipIf(inject('backend') === 'wasm')('do not depend on threads or block boundaries', async () => {
    const random = new Random(SEED + 2);
    const words = Array.from({ length: 400 }, () => randomText(random, 4) + random.pick(['a', 'b ', ' c', '日', '1']));
    const long = Array.from({ length: 300_000 }, () => random.pick(words)).join('');
    const without = Array.from({ length: 300_000 }, () => random.pick(['日', '本', '語', '。', '一二'])).join('');
    const small = Array.from({ length: 40_000 }, () => random.pick(words));
    // WebAssembly has one thread, and cuts no text.
    // The rules of six families; a sample takes two of them.
    const sources = [long, without, [...small, long.slice(0, 700_000), ...small], long, long, long + without].slice(0, SHARE < 1 ? 2 : 6);
    for (const [at, source] of sources.entries()) {
      const options = { vocabularySize: 700, pretokenizer: ['o200k', 'cl100k', 'gpt2', 'qwen2', 'tekken', 'deepseek3'][at]! };
      const expected = facts(await trainBpe(source, { ...options, backend: 'wasm' }));
      expect(expected.merges.length).toBe(444);
      for (const threads of [1, 2, 4]) expect(facts(await trainBpe(source, { ...options, threads }))).toEqual(expected);
    }
    const options = { vocabularySize: 300, pretokenizer: null } as const;
    expect((await trainBpe(['aaaa bbbb'], { ...options, pretokenizer: 'none' })).merges).toEqual(
      (await trainBpe(['aaaa bbbb'], options)).merges,
    );
    const expected = facts(await trainBpe(without, { ...options, backend: 'wasm' }));
    for (const threads of [1, 3]) expect(facts(await trainBpe(without, { ...options, threads }))).toEqual(expected);
  });

  it.each(SHARE < 1 ? ['o200k'] : ['gpt2', 'cl100k', 'o200k', 'qwen2', 'tekken', 'deepseek3'])(
    'make every word of a text of several blocks a token, with %s',
    async (pretokenizer) => {
      const random = new Random(SEED + 6);
      const words = new Set(
        Array.from({ length: 66_000 }, () => Array.from({ length: 8 }, () => random.pick([...'etaoinshrdlu'])).join('')),
      );
      const source = Array.from(words, (word) => ` ${word}`).join('');
      expect(source.length).toBeGreaterThan(2 ** 19);
      const { tokens } = await trainBpe(source, { vocabularySize: 2_000_000, minFrequency: 1, pretokenizer, threads: 2 });
      const known = new Set(tokens.map(latin1));
      expect([...words].filter((word) => !known.has(` ${word}`))).toEqual([]);
    },
  );
});

describe('the result', () => {
  const random = new Random(SEED + 3);
  const texts = Array.from({ length: 60 }, () => `${randomText(random, 80)}low lower lowest `);
  const samples = [...texts.slice(0, 10), 'Something else, 2026!\r\n\t naïve café 👍🏽 ', 'the lowest日本語 aaaaaaa'];

  it.each(['gpt2', 'cl100k', 'o200k', 'qwen2', 'tekken', 'deepseek3', null])(
    'encodes the same in every form, with the pretokenizer %s',
    async (pretokenizer) => {
      for (const tieBreak of ['huggingface', 'crayon'] as const) {
        const specialTokens = ['<|end|>', '<pad>'];
        const trained = await trainBpe(texts, { vocabularySize: 330, pretokenizer, tieBreak, specialTokens });
        const theirs = HuggingFace.fromString(JSON.stringify(trained.toTokenizerJson()));
        const ranks = join(folder, 'trained.tiktoken');
        writeFileSync(ranks, trained.toTiktoken());
        const { compileCartridge } = await import('crayon-tokenizer');
        const cartridges = [
          await trained.toCartridge(),
          await trained.toCartridge({ slim: true }),
          await compileCartridge(ranks, {
            pretokenizer: (pretokenizer ?? 'none') as 'gpt2',
            specialTokens: Object.fromEntries(trained.specialTokens),
          }),
        ];
        for (const cartridge of cartridges) {
          using tokenizer = await Tokenizer.load(cartridge);
          expect(new Map(tokenizer.specialTokens)).toEqual(new Map(trained.specialTokens));
          expect(tokenizer.vocabularySize).toBe(trained.tokens.length);
          for (const text of [...samples, `${samples[0]}<|end|>${samples[1]}<pad>`]) {
            const ids = [...tokenizer.encode(text, { special: 'allow' })];
            expect(ids).toEqual((await theirs.encode(text)).getIds());
            expect(Buffer.concat(ids.map((id) => trained.tokens[id]!)).toString()).toBe(text);
            expect(tokenizer.decode(ids)).toBe(text);
          }
        }
      }
    },
  );

  it('encodes texts as training merged them', async () => {
    const trained = await trainBpe(texts, { vocabularySize: 400, pretokenizer: 'gpt2' });
    using tokenizer = await Tokenizer.load(await trained.toCartridge({ name: 'mine' }));
    expect(tokenizer.name).toBe('mine');
    for (const [at, [left, right]] of trained.merges.entries()) {
      const id = 256 + at;
      expect(latin1(trained.tokens[id]!)).toBe(latin1(trained.tokens[left]!) + latin1(trained.tokens[right]!));
      expect(tokenizer.tokenBytes(id)).toEqual(trained.tokens[id]);
    }
  });

  it('also compiles for longest match and version 2', async () => {
    const trained = await trainBpe(texts, { vocabularySize: 330, pretokenizer: null, tieBreak: 'crayon' });
    const { dat, json } = await trained.toDat();
    expect(JSON.parse(json)[300]).toBe(Buffer.from(trained.tokens[300]!).toString());
    const byText = new Map(trained.tokens.map((token, id) => [latin1(token), id]));
    const longest = Math.max(...trained.tokens.map((token) => token.length));
    for (const cartridge of [await trained.toCartridge({ model: 'longest-match' }), dat]) {
      using tokenizer = await Tokenizer.load(cartridge);
      expect(tokenizer.modelKind).toBe('longest-match');
      for (const text of samples) {
        const bytes = latin1(Buffer.from(text));
        const expected: number[] = [];
        for (let at = 0; at < bytes.length; ) {
          let length = longest;
          while (!byText.has(bytes.slice(at, at + length))) length--;
          expected.push(byText.get(bytes.slice(at, at + length))!);
          at += Math.min(length, bytes.length - at);
        }
        expect([...tokenizer.encode(text)]).toEqual(expected);
      }
    }
    const theirs = HuggingFace.fromString(JSON.stringify(trained.toTokenizerJson()));
    for (const text of samples) {
      const ids = (await theirs.encode(text)).getIds();
      expect(Buffer.concat(ids.map((id) => trained.tokens[id]!)).toString()).toBe(text);
    }
  });

  it('is refused if the format cannot express it', async () => {
    const special = await trainBpe('the the the', { vocabularySize: 260, specialTokens: ['the'] });
    expect(special.merges.length).toBeGreaterThan(1);
    await expect(special.toCartridge()).rejects.toThrow(
      'cannot make a cartridge: the special token "the" is also the result of merging two tokens, which ranks cannot express; a tokenizer.json can, and load opens it: toTokenizerJson()',
    );
    expect(() => special.toTiktoken()).toThrow('the special token "the"');
    await expect(special.toDat()).rejects.toThrow('it cannot hold the special token "the"');
    const observed = await trainBpe('low lower', { vocabularySize: 20, initialAlphabet: 'observed' });
    await expect(observed.toCartridge()).rejects.toThrow('BPE needs one for each of the 256 bytes');
    const twice = await trainBpe('the the the', { vocabularySize: 260, specialTokens: ['the'], tieBreak: 'crayon' });
    expect(() => twice.toTokenizerJson()).toThrow('are both written "the"');
  });
});

describe('a source', () => {
  const random = new Random(SEED + 4);
  const text = Array.from({ length: 400 }, () => randomText(random, 40)).join('low 👍 é');
  const bytes = new TextEncoder().encode(text);
  const options: TrainOptions = { vocabularySize: 320 };
  let expected: ReturnType<typeof facts>;
  let file: string;
  beforeAll(async () => {
    expected = facts(await trainBpe(text, options));
    expect(expected.merges.length).toBe(64);
    file = join(folder, 'text.txt');
    writeFileSync(file, text);
  });

  async function* later<T>(items: T[]) {
    for (const item of items) yield await Promise.resolve(item);
  }

  it.each([
    ['bytes', () => bytes],
    ['a buffer', () => bytes.buffer],
    ['a list', () => [text]],
    ['an iterable', () => new Set([bytes])],
    ['an asynchronous iterable', () => later([text])],
    ['a stream of strings', () => streamOf(cut(text, new Random(5)))],
    ['a stream of bytes', () => streamOf(cut(bytes, new Random(6)))],
    [
      'a stream of both',
      () => streamOf<string | Uint8Array>(['', ...cut(text.slice(0, 500), new Random(7)), new TextEncoder().encode(text.slice(500))]),
    ],
    [
      'a stream of Node',
      () =>
        Readable.from(
          cut(bytes, new Random(8)).map((part) => Buffer.from(part)),
          { objectMode: false },
        ),
    ],
    ['a file', () => ({ files: file })],
    ['a URL', () => pathToFileURL(file)],
    ['files', () => ({ files: [pathToFileURL(file)] })],
    ['a pattern', () => ({ files: join(folder, 'te[x]t.*') })],
    [
      'parts of files',
      () => ({
        files: [
          { path: file, end: 0 },
          { path: pathToFileURL(file), start: 0, end: 1e9 },
        ],
      }),
    ],
  ] as [string, () => TrainSource][])('may be %s', async (_, source) => {
    expect(facts(await trainBpe(source(), options))).toEqual(expected);
  });

  it('has separate texts in each item', async () => {
    const none: TrainOptions = { vocabularySize: 300, pretokenizer: null, minFrequency: 1 };
    const joined = await trainBpe('ab', none);
    const apart = await trainBpe(['a', 'b', ''], none);
    expect([joined.merges.length, apart.merges.length]).toEqual([1, 0]);
    expect((await trainBpe(streamOf(['a', 'b']), none)).merges.length).toBe(1);
  });

  it('may contain many texts, and very long ones', async () => {
    const many = Array.from({ length: 70_000 }, (_, at) => `ab${at % 7} ${at % 3 === 0 ? 'low' : 'lower'}`);
    const trained = await trainBpe(many, options);
    async function* generator() {
      yield* many;
    }
    expect(facts(await trainBpe(generator(), options))).toEqual(facts(trained));
    const lines = await trainBpe(many.join('\n'), { ...options, pretokenizer: 'gpt2' });
    expect(facts(lines).tokens).toContain(' lower');
  });

  it('may contain invalid UTF-8 and lone surrogates', async () => {
    const bad = Uint8Array.of(0xff, 0xfe, 0xff, 0xfe, 0x61, 0xff, 0xfe);
    const { tokens } = await trainBpe(bad, { vocabularySize: 257 });
    expect(tokens[256]).toEqual(Uint8Array.of(0xff, 0xfe));
    const lone = { vocabularySize: 400, minFrequency: 1, pretokenizer: null };
    expect(facts(await trainBpe('a\ud800b\udc00', lone))).toEqual(facts(await trainBpe('a\ufffdb\ufffd', lone)));
    expect(facts(await trainBpe(streamOf(['a\ud83d', '\udc4d b\ud800']), lone))).toEqual(facts(await trainBpe('a👍 b\ufffd', lone)));
  });

  it.each([
    ['', '`source` must have text to train on; received none'],
    [[], '`source` must have text to train on; received none'],
    [['a', 5], 'expected a string or bytes for item 1 of source but received 5'],
    [5, 'for source but received 5'],
    [{}, 'for source but received an instance of Object'],
    [{ files: [] }, 'expected at least one file for files but received an array of 0'],
    [{ files: [5] }, 'expected a path or a file: URL for files[0] but received 5'],
    [{ files: '/nowhere/at/all' }, 'cannot read /nowhere/at/all: no file exists at the path'],
    [{ files: tmpdir() }, 'it is a directory'],
    [{ files: '/nowhere/*.txt' }, 'no file matches the pattern /nowhere/*.txt'],
    [{ files: { path: '/x', start: -1 } }, 'expected an integer of at least 0 for files.start but received -1'],
    [{ files: [{ path: '/x', start: 5, end: 4 }] }, 'expected an integer of at least 5 for files[0].end but received 4'],
    [{ files: [{ path: 5 }] }, 'expected a path or a file: URL for files[0].path but received 5'],
    [new URL('https://example.com/'), 'expected a path or a file: URL for source'],
  ] as [unknown, string][])('is refused: %j', async (source, message) => {
    await expect(trainBpe(source as TrainSource, options)).rejects.toThrow(message);
  });

  it('that fails passes on its error', async () => {
    async function* generator() {
      yield 'text';
      throw new Error('no more');
    }
    await expect(trainBpe(generator(), options)).rejects.toThrow('no more');
  });
});

describe('options', () => {
  it.each([
    [{}, 'the option vocabularySize, the number of tokens, is required'],
    [{ vocabularySize: 255 }, '`vocabularySize` must be at least 256 for the bytes; received 255'],
    [{ vocabularySize: 256, specialTokens: ['<s>'] }, '`vocabularySize` must be at least 257 for the bytes and the special tokens'],
    [{ vocabularySize: 2 ** 21 }, 'expected an integer from 1 to 2097151 for vocabularySize but received 2097152'],
    [{ vocabularySize: 300, minFrequency: -1 }, 'for minFrequency but received -1'],
    [{ vocabularySize: 300, maxTokenLength: 1.5 }, 'for maxTokenLength but received 1.5'],
    [{ vocabularySize: 300, pretokenizer: 'gpt3' }, 'for pretokenizer but received "gpt3"'],
    [{ vocabularySize: 300, specialTokens: ['a', 'a'] }, '`specialTokens` must have each token once; received "a" twice'],
    [{ vocabularySize: 300, specialTokens: [''] }, 'for specialTokens[0] but received ""'],
    [{ vocabularySize: 300, tieBreak: 'other' }, 'expected one of huggingface, crayon for tieBreak'],
    [{ vocabularySize: 300, threads: 0 }, 'for threads but received 0'],
    [{ vocabularySize: 300, vocabSize: 1 }, "unknown option 'vocabSize'"],
    [{ vocabularySize: 300, checkpoint: 'x' }, 'expected { files } with checkpoint for source'],
  ] as [TrainOptions, string][])('%j', async (options, message) => {
    await expect(trainBpe('text', options)).rejects.toThrow(message);
  });

  it('may name a pattern', async () => {
    const trained = await trainBpe('low lower', { vocabularySize: 258, pretokenizer: PATTERNS['gpt2']! });
    expect(trained.pretokenizer).toBe('gpt2');
  });
});

describe('while it runs', () => {
  const random = new Random(SEED + 5);
  const words = Array.from({ length: 30_000 }, () =>
    Array.from({ length: 1 + random.integer(0, 8) }, () => random.pick([...'etaoinshr'])).join(''),
  );
  const text = Array.from({ length: 400_000 }, () => random.pick(words)).join(' ');

  it('the thread is free, and gets progress reports', async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const seen: TrainProgress[] = [];
    const source = new TextEncoder().encode(text);
    await trainBpe(source, { vocabularySize: 3000, onProgress: (progress) => seen.push(progress) });
    clearInterval(timer);
    expect(turns).toBeGreaterThan(5);
    expect(seen.at(-1)).toEqual({ stage: 'merge', done: 2744, total: 2744 });
    const counted = seen.filter(({ stage }) => stage === 'count');
    expect(counted.at(-1)).toEqual({ stage: 'count', done: source.length, total: source.length });
    expect(seen.findIndex(({ stage }) => stage === 'merge')).toBe(counted.length);
  });

  it('stops when its signal is aborted, at any time', async () => {
    const reason = new Error('enough');
    await expect(trainBpe(text, { vocabularySize: 300, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    for (const stage of ['count', 'merge']) {
      const controller = new AbortController();
      const onProgress = (progress: TrainProgress) => progress.stage === stage && controller.abort(reason);
      await expect(trainBpe(text, { vocabularySize: 60_000, signal: controller.signal, onProgress })).rejects.toBe(reason);
    }
    const controller = new AbortController();
    let cancelled: unknown;
    const stream = new ReadableStream<string>({
      start: (streamed) => streamed.enqueue('text'),
      cancel: () => void (cancelled = true),
    });
    const promise = trainBpe(stream, { vocabularySize: 300, signal: controller.signal });
    setTimeout(() => controller.abort(reason), 20);
    await expect(promise).rejects.toBe(reason);
    expect(cancelled).toBe(true);
  });

  it('stops when onProgress throws', async () => {
    const onProgress = () => {
      throw new Error('mine');
    };
    await expect(trainBpe(text, { vocabularySize: 300, onProgress })).rejects.toThrow('mine');
  });

  it('others may run too', async () => {
    const results = await Promise.all([300, 400, 500].map((vocabularySize) => trainBpe(text, { vocabularySize, threads: 2 })));
    expect(results[1]!.merges).toEqual(results[2]!.merges.slice(0, 144));
    expect(results[0]!.merges).toEqual(results[2]!.merges.slice(0, 44));
  });
});

describe('a checkpoint', () => {
  it('resumes the next training', async () => {
    const file = join(folder, 'corpus.txt');
    const checkpoint = join(folder, 'state');
    writeFileSync(file, 'low lower lowest '.repeat(50));
    const changed = new Date(1_700_000_000_000);
    utimesSync(file, changed, changed);
    const source = { files: file };
    const trained = await trainBpe(source, { vocabularySize: 262, checkpoint });
    const seen: TrainProgress[] = [];
    const again = await trainBpe(source, { vocabularySize: 262, checkpoint, onProgress: (progress) => seen.push(progress) });
    expect(facts(again)).toEqual(facts(trained));
    expect(seen.every(({ stage }) => stage === 'merge')).toBe(true); // nothing was counted
    await expect(trainBpe(source, { vocabularySize: 263, checkpoint })).rejects.toThrow('with other options or other files');
    writeFileSync(file, 'other');
    await expect(trainBpe(source, { vocabularySize: 262, checkpoint })).rejects.toThrow('with other options or other files');
    const state = readFileSync(checkpoint);
    writeFileSync(file, 'low lower lowest '.repeat(50));
    utimesSync(file, changed, changed);
    expect(facts(await trainBpe(source, { vocabularySize: 262, checkpoint }))).toEqual(facts(trained));
    for (const at of [state.length - 1, state.length - 40, state.indexOf('\n', 30) + 9]) {
      const damaged = Buffer.from(state);
      damaged[at]! ^= 4;
      writeFileSync(checkpoint, damaged);
      await expect(trainBpe(source, { vocabularySize: 262, checkpoint })).rejects.toThrow('cannot go on from the checkpoint');
    }
    writeFileSync(checkpoint, state.subarray(0, state.length - 3));
    await expect(trainBpe(source, { vocabularySize: 262, checkpoint })).rejects.toThrow('cannot go on from the checkpoint');
    writeFileSync(checkpoint, 'something else');
    await expect(trainBpe(source, { vocabularySize: 262, checkpoint })).rejects.toThrow('it is not a training checkpoint');
    const nowhere = join(folder, 'nowhere', 'state');
    await expect(trainBpe(source, { vocabularySize: 257, checkpoint: nowhere })).rejects.toThrow('cannot write the checkpoint');
  });
});

describe('the backend', () => {
  it("is the entry's, or the named one", async () => {
    const options = { vocabularySize: 262 };
    const expected = facts(await trainBpe('low lower lowest', options));
    expect(facts(await trainBpe('low lower lowest', { ...options, backend: 'wasm' }))).toEqual(expected);
    if (inject('backend') === 'native') return;
    await expect(trainBpe('low', { ...options, backend: 'native' })).rejects.toThrow("expected 'wasm' for backend");
  });
});
