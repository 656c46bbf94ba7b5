// Decoders of tokenizer.json: the texts equal those of npm `tokenizers` with the same vocabulary and decoder, and those of
// a naive port of its source, for chains of all kinds of steps, random tokens and random ids; in streams, wherever chunks
// end.

import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileCartridge, Tokenizer } from 'crayon-tokenizer';

import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';
import { compileRegex, decoderOf, decoderSpecOf, decoderStepsOf, engineOf, JsonNode } from '../../dist/node/internals.js';
import { type Json, naiveDecode, Panic, PUBLISHED, randomDecoder, randomIds, randomTokens } from './naive-decoders.js';
import { streamOf } from './chunks.js';
import { PatternGenerator } from './pattern-generator.js';
import { crayon as run } from './command.js';
import { added, bytesOf, fileOf as smallFile } from './small-file.js';
import { thrown } from './thrown.js';

interface Reference {
  decodeBatch(ids: number[][], skipSpecialTokens: boolean): Promise<string[]>;
}
const { Tokenizer: HuggingFace } = createRequire(import.meta.url)('tokenizers') as { Tokenizer: { fromString(json: string): Reference } };

interface Token {
  text: string;
  isAdded?: boolean;
  isSpecial?: boolean;
}

/** A file whose model has any tokens. */
function fileOf(tokens: Token[], decoder: Json | null): Json {
  const vocab = Object.fromEntries(tokens.flatMap(({ text, isAdded }, id) => (isAdded ? [] : [[text, id]])));
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: tokens.flatMap(({ text, isAdded, isSpecial }, id) =>
      isAdded || isSpecial ? [added(text, id, { special: isSpecial === true })] : [],
    ),
    normalizer: null,
    pre_tokenizer: null,
    post_processor: null,
    decoder,
    model: { type: 'WordLevel', vocab, unk_token: '<unk>' },
  };
}

type Form = 'plain' | 'marked';
const UTF8 = new TextEncoder();
/** Finds the matches of patterns, as any engine does. */
const engine = engineOf(await Tokenizer.load(bytesOf(smallFile([]))));

/** The cartridge of the same file. */
async function oursOf(tokens: Token[], decoder: Json | null, form: Form) {
  const node = JsonNode.ofValue({ decoder }, 'file').at('decoder');
  const texts = new Map<number, string>();
  const bytes = tokens.map(({ text, isAdded }, id) => {
    if (form === 'plain' || isAdded) return UTF8.encode(text);
    if (text.includes(' ')) texts.set(id, text);
    return UTF8.encode(text.replaceAll('\u2581', ' '));
  });
  const spec = JSON.parse(
    JSON.stringify(
      decoderSpecOf(
        { decoder: decoderStepsOf(node), form, suffix: '', decodesBytes: false, decodedTexts: () => texts },
        () => compileRegex,
        node,
      ),
    ),
  );
  const addedTokens = tokens.flatMap(({ text, isAdded, isSpecial }, id) =>
    isAdded || isSpecial ? [{ text, id, special: isSpecial === true }] : [],
  );
  const describe = () => ({ addedTokens, vocabularySize: tokens.length });
  return decoderOf(spec, { describe, tokenBytes: (id: number) => bytes[id], matches: engine.matches.bind(engine) } as never);
}

/** A vocabulary that includes added tokens. */
function randomVocabulary(random: Random): Token[] {
  const texts = randomTokens(random);
  const firstAdded = random.integer(Math.max(1, texts.length - 6), texts.length);
  return texts.map((text, id) => ({
    text,
    isAdded: id >= firstAdded,
    isSpecial: id >= firstAdded ? random.chance(0.6) : random.chance(0.05),
  }));
}

function texts(tokens: Token[], ids: number[], skipSpecial: boolean): string[] {
  return ids.flatMap((id) => (skipSpecial && tokens[id]!.isSpecial ? [] : [tokens[id]!.text]));
}

function naive(decoder: Json | null, tokens: Token[], ids: number[], skip: boolean): string | undefined {
  try {
    return naiveDecode(decoder, texts(tokens, ids, skip));
  } catch (error) {
    if (error instanceof Panic) return undefined;
    throw error;
  }
}

describe('decoders', () => {
  it("of random files decode like Hugging Face's", async () => {
    for (let seed = 0; seed < sample(6000, 200); seed++) {
      const random = new Random(0xdec0de, seed);
      const tokens = randomVocabulary(random);
      const decoder = randomDecoder(random);
      const ours = await oursOf(tokens, decoder, random.pick(['plain', 'marked'] as const));
      const theirs = HuggingFace.fromString(JSON.stringify(fileOf(tokens, decoder)));
      for (const skip of [false, true]) {
        const rows = Array.from({ length: 12 }, () => randomIds(random, tokens.length)).filter(
          (ids) => naive(decoder, tokens, ids, skip) !== undefined,
        );
        const expected = await theirs.decodeBatch(rows, skip);
        rows.forEach((ids, row) => {
          const said = () => JSON.stringify({ seed, decoder, tokens: texts(tokens, ids, skip), ids, skip });
          expect(naive(decoder, tokens, ids, skip), `naive: ${said()}`).toBe(expected[row]);
          expect(ours.decode(Uint32Array.from(ids), skip), said()).toBe(expected[row]);
        });
      }
    }
  });

  it("with patterns of any kind decode like Hugging Face's", async () => {
    let refused = 0;
    const count = sample(8000, 200);
    for (let seed = 0; seed < count; seed++) {
      const random = new Random(0x9a77e25, seed);
      const generator = new PatternGenerator(random, {
        references: random.chance(0.3),
        begins: random.chance(0.2),
        damaged: random.chance(0.1),
      });
      const tokens = Array.from(new Set(Array.from({ length: 12 }, () => generator.text())), (text) => ({ text }));
      const replace = {
        type: 'Replace',
        pattern: random.chance(0.05) ? { String: '' } : { Regex: generator.pattern() },
        content: random.pick(['', '-', 'é\n']),
      };
      const decoder = {
        type: 'Sequence',
        decoders: random.chance(0.5)
          ? [replace]
          : [{ type: random.pick(['Fuse', 'ByteFallback']) }, replace, ...(random.chance(0.3) ? [replace] : [])],
      };
      const said = `${seed} ${JSON.stringify(decoder)}`;
      let theirs: Reference;
      try {
        theirs = HuggingFace.fromString(JSON.stringify(fileOf(tokens, decoder)));
      } catch {
        await expect(oursOf(tokens, decoder, 'plain'), said).rejects.toThrow(/a pattern of Oniguruma|, which is not supported/);
        ++refused;
        continue;
      }
      const ours = await oursOf(tokens, decoder, 'plain').catch((error: Error) => error);
      if (ours instanceof Error) {
        expect(ours.message, said).toMatch(/, which is not supported, at position/);
        ++refused;
        continue;
      }
      // Longer texts take the reference more steps than it goes.
      const rows = Array.from({ length: 8 }, () => randomIds(random, tokens.length).slice(0, 3));
      const expected = await theirs.decodeBatch(rows, false);
      rows.forEach((row, index) => {
        const ids = Uint32Array.from(row);
        const where = `${said} ${JSON.stringify(row.map((id) => tokens[id]!.text))}`;
        expect(ours.decode(ids, false), where).toBe(expected[index]);
        expect(Buffer.from(ours.decodeBytes(ids, false)).toString(), where).toBe(expected[index]);
        const run = ours.begin(false);
        expect(row.map((id) => run.push(Uint32Array.of(id))).join('') + run.end(), where).toBe(expected[index]);
      });
    }
    expect(refused).toBeLessThan(count * 0.6);
  });

  it('give the same text in streams, wherever they are cut', async () => {
    for (let seed = 0; seed < sample(3000, 200); seed++) {
      const random = new Random(0x57e4, seed);
      const tokens = randomVocabulary(random);
      const decoder = randomDecoder(random);
      const ours = await oursOf(tokens, decoder, random.pick(['plain', 'marked'] as const));
      for (const skip of [false, true]) {
        const ids = Uint32Array.from(randomIds(random, tokens.length));
        const whole = ours.decode(ids, skip);
        for (const cuts of [[...ids.keys()], ...Array.from(ids.keys(), (at) => [0, at]), [0]]) {
          const run = ours.begin(skip);
          const parts = cuts.map((from, index) => run.push(ids.subarray(from, cuts[index + 1] ?? ids.length)));
          expect([...parts, run.end()].join(''), JSON.stringify({ seed, decoder, tokens: texts(tokens, [...ids], skip), cuts })).toBe(
            whole,
          );
        }
      }
    }
  });
});

describe.each(PUBLISHED.map((decoder) => [JSON.stringify(decoder), decoder] as const))(
  'a byte-level file with the decoder %s',
  (_, decoder) => {
    const file = smallFile(
      [
        ['a', 'b'],
        ['Ġ', 'ab'],
        ['Ġ', 'Ġ'],
        ['<', '/'],
        ['</', 'w'],
        ['</w', '>'],
        ['#', '#'],
        ['Ġ', '.'],
        ['â', 'ĸ'],
        ['âĸ', 'ģ'],
      ],
      (json) => {
        const size = Object.keys(json.model.vocab).length;
        json.model.vocab['\u2581a'] = size;
        json.added_tokens = [
          added('<s>', size + 1),
          added('<0xC3>', size + 2, { special: false }),
          added('<0xA9>', size + 3, { special: false }),
          added(' <pad>\u2581', size + 4),
        ];
        json.decoder = decoder;
      },
    );
    const json = JSON.stringify(file);
    const size = Object.keys(file.model.vocab).length + 4;
    let tokenizer: Tokenizer;
    beforeAll(async () => {
      process.env.CRAYON_CACHE_DIR = '';
      tokenizer = await Tokenizer.load(Buffer.from(json));
    });
    afterAll(() => tokenizer?.close());

    it('decodes as in Hugging Face, in all calls', async () => {
      const theirs = HuggingFace.fromString(json);
      const random = new Random(0xb17e5, size);
      const rows = [[], [0], [size - 4], ...Array.from({ length: 300 }, () => randomIds(random, size))];
      using slim = await Tokenizer.load(await compileCartridge(Buffer.from(json), { slim: true }));
      for (const skipSpecialTokens of [false, true]) {
        const expected = await theirs.decodeBatch(rows, skipSpecialTokens);
        expect(tokenizer.decodeBatch(rows, { skipSpecialTokens })).toEqual(expected);
        expect(slim.decodeBatch(rows, { skipSpecialTokens })).toEqual(expected);
        for (const [row, ids] of rows.entries()) {
          expect(tokenizer.decode(ids, { skipSpecialTokens })).toBe(expected[row]);
          if (!expected[row]!.includes('\ufffd'))
            expect(Buffer.from(tokenizer.decodeBytes(ids, { skipSpecialTokens })).toString()).toBe(expected[row]);
          using stream = tokenizer.streamDecoder({ skipSpecialTokens });
          expect(ids.map((id) => stream.push(id)).join('') + stream.end()).toBe(expected[row]);
        }
        let text = '';
        const ids = rows.flat();
        for await (const part of streamOf([ids]).pipeThrough(tokenizer.decodeStream({ skipSpecialTokens }))) text += part;
        expect(text).toBe((await theirs.decodeBatch([ids], skipSpecialTokens))[0]);
      }
    });

    it('names the id that has no token', () => {
      for (const skipSpecialTokens of [false, true]) {
        for (const ids of [[size], [97, 97, 2 ** 32 - 1], [size - 4, 2 ** 31]]) {
          expect(thrown(() => tokenizer.decode(ids, { skipSpecialTokens }))).toMatchObject({
            code: 'INVALID_ID',
            position: ids.length - 1,
          });
          expect(thrown(() => tokenizer.decodeBytes(ids, { skipSpecialTokens }))).toMatchObject({
            code: 'INVALID_ID',
            position: ids.length - 1,
          });
          expect(thrown(() => tokenizer.decodeBatch([[97], ids], { skipSpecialTokens }))).toMatchObject({
            code: 'INVALID_ID',
            row: 1,
            position: ids.length - 1,
          });
          using stream = tokenizer.streamDecoder({ skipSpecialTokens });
          stream.push([97]);
          expect(thrown(() => stream.push(ids))).toMatchObject({ code: 'INVALID_ID', position: ids.length });
        }
      }
    });

    it('keeps the bytes of tokens', () => {
      expect([...tokenizer.tokenBytes(tokenizer.idOf('ab')!)]).toEqual([97, 98]);
      expect([...tokenizer.tokens()]).toHaveLength(size);
    });
  },
);

describe('a tokenizer', () => {
  const withDecoder = (decoder: Json | null) => Buffer.from(JSON.stringify(smallFile([['a', 'b']], (json) => (json.decoder = decoder))));

  it('swaps decoder and vocabulary together, and running streams keep theirs', async () => {
    using tokenizer = await Tokenizer.load(withDecoder(null));
    const ids = tokenizer.encode('abab');
    expect(tokenizer.decode(ids)).toBe('ab ab');
    const before = tokenizer.streamDecoder();
    before.push(ids);
    await tokenizer.swap(withDecoder({ type: 'Fuse' }));
    expect(tokenizer.decode(ids)).toBe('abab');
    await tokenizer.swap(withDecoder({ type: 'ByteLevel', add_prefix_space: true, trim_offsets: true }));
    expect(tokenizer.decode(ids)).toBe('abab');
    expect(before.push(ids) + before.end()).toBe(' ab ab');
    tokenizer.close();
    expect(thrown(() => tokenizer.decode(ids))).toMatchObject({ code: 'CLOSED' });
  });

  it('finds patterns in WebAssembly, too, whose small module has no matcher', async () => {
    const file = withDecoder({
      type: 'Sequence',
      decoders: [{ type: 'Fuse' }, { type: 'Replace', pattern: { Regex: String.raw`(?<=(.)b)\1|\bé*` }, content: '-' }],
    });
    const ids = (tokenizer: Tokenizer) => tokenizer.encode('ababé éb');
    const expected = (await HuggingFace.fromString(file.toString()).decodeBatch([[...ids(await Tokenizer.load(file))]], false))[0];
    const cartridge = await compileCartridge(file);
    for (const load of [file, cartridge]) {
      using tokenizer = await Tokenizer.load(load, { backend: 'wasm' });
      expect(tokenizer.backend.kind).toBe('wasm');
      expect(tokenizer.decode(ids(tokenizer))).toBe(expected);
    }
    const core = new URL('../../dist/wasm/core.wasm', import.meta.url);
    await expect(Tokenizer.load(cartridge, { backend: 'wasm', wasm: core })).rejects.toThrow(
      expect.objectContaining({ code: 'FEATURE_MISSING' }),
    );
  });

  it('returns the bytes of byte tokens, even of runs that are not text', async () => {
    const steps = [
      { type: 'Replace', pattern: { String: '▁' }, content: ' ' },
      { type: 'ByteFallback' },
      { type: 'Fuse' },
      { type: 'Strip', content: ' ', start: 1, stop: 0 },
    ];
    for (const decoder of [{ type: 'ByteFallback' }, { type: 'Sequence', decoders: steps }]) {
      const ours = await oursOf(
        ['▁a', '<0xC3>', '<0xA9>', '<0x41>', '\u{1f600}'].map((text) => ({ text })),
        decoder,
        'marked',
      );
      const start = decoder.type === 'ByteFallback' ? [0xe2, 0x96, 0x81] : [];
      expect([...ours.decodeBytes(Uint32Array.of(0, 1, 3, 4, 1, 2), false)]).toEqual([
        ...start,
        97,
        0xc3,
        0x41,
        ...UTF8.encode('\u{1f600}\u00e9'),
      ]);
      expect(ours.decode(Uint32Array.of(4, 1, 3), false)).toBe('\u{1f600}\ufffd\ufffd');
    }
  });

  it.each([
    ['steps', { form: 'plain', steps: [{ type: 'Foo' }] }],
    ['a form', { form: 'else', steps: [] }],
    ['a text', { form: 'plain', texts: { 1: 5 }, steps: [] }],
    ['an id', { form: 'plain', texts: { x: 'a' }, steps: [] }],
    ['a character', { form: 'plain', steps: [{ type: 'Strip', content: 'ab', start: 0, stop: 0 }] }],
    ['a count', { form: 'plain', steps: [{ type: 'Strip', content: 'a', start: -1, stop: 0 }] }],
    ['a pattern', { form: 'plain', steps: [{ type: 'Replace', pattern: { Regex: '(' }, content: '' }] }],
    ['a program that is none', { form: 'plain', steps: [{ type: 'Replace', pattern: { Program: [16, 0, 'a'] }, content: '' }] }],
    ['an empty text to replace', { form: 'plain', steps: [{ type: 'Replace', pattern: { String: '' }, content: '' }] }],
    ['too many steps', { form: 'plain', steps: Array(65).fill({ type: 'Fuse' }) }],
    ['a list', []],
  ])('refuses metadata with %s that it does not know', (_, spec) => {
    expect(thrown(() => decoderOf(spec, engine))).toMatchObject({ code: 'CORRUPT_STRUCTURE' });
  });
});

describe('vocabularies with a decoder', () => {
  const decoder = { type: 'WordPiece', prefix: '##', cleanup: false };
  const file = smallFile(
    [
      ['a', 'b'],
      ['#', '#'],
      ['##', 'c'],
    ],
    (json) => (json.decoder = decoder),
  );
  const IDS = [256, 258, 256];

  it.skipIf(!existsSync(fileURLToPath(new URL('../../dist/embedded/core.js', import.meta.url))))(
    'load their decoding code in pages, where loadSync then finds it',
    async () => {
      const web: typeof import('crayon-tokenizer') = await import('../../dist/web/index.js' as string);
      const cartridge = await compileCartridge(bytesOf(file));
      const plain = await compileCartridge(bytesOf(smallFile([['a', 'b']])));
      using other = await web.Tokenizer.load(plain);
      expect(other.decode([256, 97])).toBe('aba');
      expect(() => web.Tokenizer.loadSync(cartridge)).toThrow(/has a decoder, which is a separate script: await Tokenizer\.load\(\)/);
      using tokenizer = await web.Tokenizer.load(cartridge);
      expect(tokenizer.decode(IDS)).toBe('abc ab');
      using again = web.Tokenizer.loadSync(cartridge);
      expect(again.decode(IDS)).toBe('abc ab');
      await other.swap(cartridge);
      expect(other.decode(IDS)).toBe('abc ab');
    },
  );

  it('are decoded by the command, however the ids arrive', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'crayon-decoders-'));
    try {
      writeFileSync(join(folder, 'model.cray'), await compileCartridge(bytesOf(file)));
      const ids = Array.from({ length: 60_000 }, (_, index) => IDS[index % 3]!);
      writeFileSync(join(folder, 'ids'), ids.join(' '));
      const { stdout } = run(['decode', '-e', 'model.cray', 'ids', 'ids'], folder);
      using tokenizer = Tokenizer.loadSync(join(folder, 'model.cray'));
      expect(stdout).toBe(tokenizer.decode(ids).repeat(2));
      expect(stdout.slice(0, 10)).toBe('abc ab abc');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
