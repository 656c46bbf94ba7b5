// SentencePiece models: the same ids and decoded texts as sentencepiece 0.2.3, recorded by models/make.py; other files
// are refused like in sentencepiece, or because a feature is not supported. The script makes the small models; published
// ones are read if ../shared exists.

import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { compileCartridge, Tokenizer, TokenizerError } from 'crayon-tokenizer';

import { sample } from '../share.js';
import { crayon } from './command.js';
import { message, modelProto, PIECE, type ProtoPiece } from './model-proto.js';

interface Golden {
  roles: Partial<Record<'bos' | 'eos' | 'pad' | 'unk', number>>;
  examples: [text: string, ids: number[], decoded: string][];
  decoded: [ids: number[], text: string][];
  /** A hash of the ids and decoded texts of a block. */
  hashes: string[];
}

const FIXTURES = fileURLToPath(new URL('../models', import.meta.url));
const SHARED = fileURLToPath(new URL('../../../shared/vocabularies', import.meta.url));
const { pool, ofBlock, models } = JSON.parse(readFileSync(join(FIXTURES, 'sentencepiece.json'), 'utf8')) as {
  pool: string[];
  ofBlock: number;
  models: Record<string, Golden>;
};
const folder = mkdtempSync(join(tmpdir(), 'crayon-sentencepiece-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function pathOf(name: string): string {
  const own = join(FIXTURES, name);
  return existsSync(own) ? own : join(SHARED, name);
}

/** The same texts as in models/make.py. */
function textsOf(block: number): string[] {
  let state = block + 1;
  const below = (limit: number) => {
    state = (state * 1664525 + 1013904223) % 2 ** 32;
    return Math.floor((state * limit) / 2 ** 32);
  };
  const text = () => {
    if (below(16) === 0) {
      const one = pool[below(pool.length)] as string;
      return one.repeat(below(400));
    }
    return Array.from({ length: below(24) }, () => pool[below(pool.length)]).join('');
  };
  return Array.from({ length: ofBlock }, text);
}

function hashOf(tokenizer: Tokenizer, block: number): string {
  const hash = createHash('sha256');
  for (const text of textsOf(block)) {
    const ids = tokenizer.encode(text);
    hash.update(Uint32Array.of(ids.length, ...ids));
    hash.update(tokenizer.decode(ids));
  }
  return hash.digest('hex');
}

const NAMES = Object.keys(models);
const HERE = NAMES.filter((name) => existsSync(pathOf(name)));

it('has a golden of each model here', () => {
  expect(NAMES.filter((name) => existsSync(join(FIXTURES, name)))).toHaveLength(6);
});

describe.each(NAMES)('%s', { timeout: 300_000 }, (name) => {
  const golden = models[name] as Golden;
  const isHere = HERE.includes(name);

  it.runIf(isHere)("has the reference's ids and texts", async () => {
    for (const backend of ['native', 'wasm'] as const) {
      using tokenizer = await Tokenizer.load(pathOf(name), { backend });
      for (const [text, ids, decoded] of golden.examples) {
        expect([...tokenizer.encode(text)], JSON.stringify(text)).toEqual(ids);
        expect(tokenizer.count(text)).toBe(ids.length);
        expect(tokenizer.decode(ids)).toBe(decoded);
      }
      for (const [ids, text] of golden.decoded) expect(tokenizer.decode(ids)).toBe(text);
      const blocks = backend === 'native' ? sample(golden.hashes.length, 1) : 1;
      for (let block = 0; block < blocks; block++) expect(hashOf(tokenizer, block), `block ${block}`).toBe(golden.hashes[block]);
      const { bosTokenId: bos, eosTokenId: eos, padTokenId: pad, unkTokenId: unk } = tokenizer;
      expect({ bos, eos, pad, unk }).toEqual({ bos: undefined, eos: undefined, pad: undefined, unk: undefined, ...golden.roles });
    }
  });

  it.runIf(isHere)('has the same ids through every call', async () => {
    using tokenizer = await Tokenizer.load(pathOf(name));
    using slim = await Tokenizer.load(await compileCartridge(pathOf(name), { slim: true }).catch(() => compileCartridge(pathOf(name))));
    using bytes = await Tokenizer.load(readFileSync(pathOf(name)));
    const texts = [...textsOf(50).slice(0, 60), textsOf(51).join('')];
    const expected = texts.map((text) => [...tokenizer.encode(text)]);
    const batch = await tokenizer.encodeBatchAsync(texts, { threads: 3 });
    for (const [index, text] of texts.entries()) {
      const ids = expected[index] as number[];
      expect([...batch.row(index)]).toEqual(ids);
      expect([...slim.encode(text)]).toEqual(ids);
      expect([...bytes.encode(new TextEncoder().encode(text))]).toEqual(ids);
      expect([...(await tokenizer.encodeAsync(text, { threads: 3 }))]).toEqual(ids);
      const located = tokenizer.encodeWithOffsets(text);
      expect([...located.ids]).toEqual(ids);
      let before = 0;
      for (let at = 0; at < located.offsets.length; at += 2) {
        const [begin, end] = [located.offsets[at] as number, located.offsets[at + 1] as number];
        expect(begin).toBeLessThanOrEqual(end);
        expect(begin).toBeGreaterThanOrEqual(before);
        expect(end).toBeLessThanOrEqual(text.length);
        before = begin;
      }
      const stream = tokenizer.streamEncoder();
      const streamed: number[] = [];
      for (let at = 0; at < text.length; at += 7) streamed.push(...stream.push(text.slice(at, at + 7)));
      streamed.push(...stream.end());
      expect(streamed).toEqual(ids);
    }
  });
});

interface RandomModel {
  model: number;
  pieces: [text: string, score: number, type: number][];
  texts: [text: string, ids: number[]][];
}

describe('pieces of equal scores, and unused ones', { timeout: 300_000 }, () => {
  const random = JSON.parse(readFileSync(join(FIXTURES, 'random-models.json'), 'utf8')) as RandomModel[];

  it.each(['native', 'wasm'] as const)('small models, %s', async (backend) => {
    for (const { model, pieces, texts } of random) {
      const proto = modelProto(
        pieces.map(([text, score, type]) => ({ text, score, type })),
        { model, dummyPrefix: false, removesSpaces: false },
      );
      using tokenizer = await Tokenizer.load(proto, { backend });
      for (const [text, ids] of texts) expect([...tokenizer.encode(text)], JSON.stringify(text)).toEqual(ids);
      const joined = texts
        .map(([text]) => text)
        .join('')
        .repeat(40);
      const whole = [...tokenizer.encode(joined)];
      expect([...(await tokenizer.encodeAsync(joined, { threads: 2 }))]).toEqual(whole);
    }
  });

  it('a long text without a cut point, in nearly linear time', async () => {
    const [a, ...runs] = [1, 2, 3, 5, 7].map((length) => normal('a'.repeat(length), 0));
    using tokenizer = await Tokenizer.load(modelProto([UNKNOWN, a!, ...runs], { model: 2, dummyPrefix: false }));
    const begun = performance.now();
    const ids = tokenizer.encode('a'.repeat(1 << 20));
    expect(performance.now() - begun).toBeLessThan(5000);
    expect(tokenizer.decode(ids)).toHaveLength(1 << 20);
  });
});

describe('control pieces', () => {
  it('are found only if allowed, and decode to nothing', async () => {
    using tokenizer = await Tokenizer.load(pathOf('bpe-bytes.model'));
    expect([...tokenizer.specialTokens.keys()].sort()).toEqual(['</s>', '<pad>', '<s>', '<unk>']);
    expect([...tokenizer.encode('<s>')]).not.toContain(1);
    // The text between two of them is encoded on its own.
    const [a, b] = ['the text', ' of it'].map((text) => [...tokenizer.encode(text)]) as [number[], number[]];
    expect([...tokenizer.encode('<s>the text</s> of it', { special: 'allow' })]).toEqual([1, ...a, 2, ...b]);
    expect(tokenizer.decode([1, ...a, 2])).toBe('the text');
    // They end a run of bytes, in which each byte that forms no character is U+FFFD.
    const [first, second] = [199, 173]; // <0xC3>, <0xA9>
    expect(tokenizer.decode([1, first, second])).toBe('é');
    expect(tokenizer.decode([first, 1, second])).toBe('\ufffd\ufffd');
    expect(tokenizer.decode([first, first, second])).toBe('\ufffdé');
    // The file does not record the ids around a text.
    expect([...tokenizer.encode('the text', { addSpecialTokens: true })]).toEqual(a);
  });
});

describe('a model is recognised by its content', () => {
  const bytes = readFileSync(pathOf('unigram.model'));
  const [text, ids] = (models['unigram.model'] as Golden).examples[0] as [string, number[], string];

  it('under the usual names', async () => {
    for (const name of ['a.model', 'tokenizer.model.v3', 'tokenizer.model.v7m1', 'a.tiktoken']) {
      const path = join(folder, name);
      writeFileSync(path, bytes);
      using tokenizer = await Tokenizer.load(path);
      expect([...tokenizer.encode(text)]).toEqual(ids);
    }
    using named = await Tokenizer.load(join(folder, 'tokenizer.model.v3'));
    expect(named.name).toBe('tokenizer');
  });

  it('without a name', async () => {
    for (const source of [bytes, new Blob([bytes]), new Response(bytes)]) {
      using tokenizer = await Tokenizer.load(source);
      expect([...tokenizer.encode(text)]).toEqual(ids);
    }
    expect(() => Tokenizer.loadSync(bytes)).toThrow(/await Tokenizer\.load\(\), or open the cartridge/);
    const path = join(folder, 'a.cray');
    writeFileSync(path, bytes);
    await expect(Tokenizer.load(path)).rejects.toThrow(/it is a SentencePiece model: its name must end in \.model/);
    await expect(Tokenizer.load(bytes, { pretokenizer: 'gpt2' })).rejects.toThrow(
      /cannot use the option pretokenizer: .* says it; leave it out/,
    );
  });

  it('by the command', async () => {
    const output = join(folder, 'compiled.cray');
    const { status, stderr } = crayon(['compile', pathOf('unigram.model'), '-o', output], folder);
    expect(status, stderr).toBe(0);
    using tokenizer = await Tokenizer.load(output);
    expect([...tokenizer.encode(text)]).toEqual(ids);
  });

  it('with the settings beside it', async () => {
    const path = join(folder, 'tokenizer.model');
    writeFileSync(path, bytes);
    writeFileSync(
      join(folder, 'tokenizer_config.json'),
      JSON.stringify({ name_or_path: 'someone/one', chat_template: '{{ messages[0].content }}' }),
    );
    using tokenizer = await Tokenizer.load(path);
    expect(tokenizer.name).toBe('one');
    expect(await tokenizer.renderChat([{ role: 'user', content: 'hello' }])).toBe('hello');
    rmSync(join(folder, 'tokenizer_config.json'));
  });
});

// Like sentencepiece's options add_bos and add_eos; pairs as LlamaTokenizer of transformers builds them.
describe('ids around a text, from tokenizer_config.json', () => {
  const name = 'unigram.model';
  const { examples, roles } = models[name] as Golden;
  const { bos, eos } = roles as { bos: number; eos: number };
  const withSpecial = { addSpecialTokens: true } as const;
  const CONFIGS: [config: Readonly<Record<string, unknown>>, before: number[], after: number[]][] = [
    [{ add_bos_token: true, add_eos_token: false }, [bos], []],
    [{ add_bos_token: true, add_eos_token: true }, [bos], [eos]],
    [{ add_eos_token: true }, [], [eos]],
    [{ add_bos_token: false }, [], []],
    [{ add_bos_token: 'yes' }, [], []],
    [{ add_bos_token: true, bos_token: 'not a piece' }, [], []],
  ];

  it.each(CONFIGS)('%j', async (config, before, after) => {
    const path = join(folder, 'tokenizer.model');
    writeFileSync(path, readFileSync(pathOf(name)));
    writeFileSync(join(folder, 'tokenizer_config.json'), JSON.stringify(config));
    using beside = await Tokenizer.load(path);
    using given = await Tokenizer.load(readFileSync(path), { tokenizerConfig: config });
    rmSync(join(folder, 'tokenizer_config.json'));
    for (const tokenizer of [beside, given]) {
      for (const [text, ids] of examples) {
        expect([...tokenizer.encode(text)]).toEqual(ids);
        expect([...tokenizer.encode(text, withSpecial)]).toEqual([...before, ...ids, ...after]);
      }
      const [first, second] = [examples.at(-1)!, examples.at(-2)!];
      const pair = tokenizer.encodePair(first[0], second[0]);
      expect([...pair.ids]).toEqual([...before, ...first[1], ...after, ...before, ...second[1], ...after]);
      const around = before.length + after.length;
      expect([...pair.typeIds]).toEqual([...Array(first[1].length + around).fill(0), ...Array(second[1].length + around).fill(1)]);
    }
  });
});

const UNKNOWN: ProtoPiece = { text: '<unk>', score: 0, type: PIECE.unknown };
const normal = (text: string, score: number): ProtoPiece => ({ text, score, type: PIECE.normal });

/** What is wrong with a file. Its position is in the file. */
async function refusal(bytes: Uint8Array): Promise<TokenizerError> {
  const error = await Tokenizer.load(bytes).then(
    () => expect.fail('it was opened'),
    (why: unknown) => why,
  );
  expect(error).toBeInstanceOf(TokenizerError);
  expect((error as TokenizerError).position).toBeLessThanOrEqual(bytes.length);
  return error as TokenizerError;
}

describe('a model', () => {
  const BPE = { model: 2 };
  const FILES: [what: string, bytes: Uint8Array, message: RegExp][] = [
    ['no unknown piece', modelProto([{ text: 'a', score: 0, type: PIECE.control }]), /expected an unknown piece/],
    ['two unknown pieces', modelProto([UNKNOWN, { ...UNKNOWN, text: '<u>' }]), /is a second unknown piece/],
    ['a piece that comes twice', modelProto([UNKNOWN, normal('a', -1), normal('a', -2)]), /"a", has the text of the piece 1/],
    ['an empty piece', modelProto([UNKNOWN, normal('', -1)]), /expected a text for the piece 1/],
    ['a piece with U+0000', modelProto([UNKNOWN, normal('a\0', -1)]), /has a character U\+0000/],
    ['a piece of 8000 bytes', modelProto([UNKNOWN, normal('a'.repeat(8000), -1)]), /is longer than 7999 bytes/],
    ['a score that is not a number', modelProto([UNKNOWN, normal('a', NaN)]), /has a score that is not a number/],
    [
      'a byte without fallback',
      modelProto([UNKNOWN, { text: '<0x41>', score: 0, type: PIECE.byte }]),
      /is a byte, which needs byte_fallback/,
    ],
    [
      'fallback without bytes',
      modelProto([UNKNOWN], { byteFallback: true }),
      /expected a piece for each byte, for byte_fallback, but found none for 0/,
    ],
    ['a model of words', modelProto([UNKNOWN], { model: 3 }), /a model of the type WORD is not supported, at byte \d+$/],
    [
      'a denormalizer',
      modelProto([UNKNOWN], { denormalizer: { charsmap: Uint8Array.of(1) } }),
      /a denormalizer is not supported, at byte \d+$/,
    ],
    ['a charsmap that is cut', modelProto([UNKNOWN], { charsmap: Uint8Array.of(0, 4, 0) }), /expected a double array of whole blocks/],
    [
      'a charsmap without an end',
      modelProto([UNKNOWN], { charsmap: charsmap((units) => units.fill(0), 'a') }),
      /expected texts that end with a zero/,
    ],
    [
      'a charsmap that leads nowhere',
      modelProto([UNKNOWN], { charsmap: charsmap((units) => units.fill(0x3ffffc41)) }),
      /the unit 0 of precompiled_charsmap leads nowhere/,
    ],
    [
      'pieces that are no UTF-8',
      Uint8Array.from(
        message([
          [
            1,
            message([
              [1, Uint8Array.of(0x3c, 0xff)],
              [3, 2],
            ]),
          ],
        ]),
      ),
      /expected UTF-8 for the piece 0/,
    ],
  ];

  it.each(FILES)('is refused: %s', async (_, bytes, message) => {
    const { message: said, code } = await refusal(bytes);
    expect(said).toMatch(message);
    expect(['CORRUPT_STRUCTURE', 'BUILD_FAILED']).toContain(code);
  });

  it('runs of one character with one score merge from the left', async () => {
    const runs = [2, 3, 4].map((length) => normal('a'.repeat(length), -1));
    using tokenizer = await Tokenizer.load(modelProto([UNKNOWN, normal('a', -9), ...runs], { ...BPE, dummyPrefix: false }));
    expect(tokenizer.decode(tokenizer.encode('a'.repeat(11)))).toBe('a'.repeat(11));
    expect([...tokenizer.encode('a'.repeat(11))]).toEqual([4, 4, 3]);
  });

  it('that is truncated or damaged opens or is refused at once', { timeout: 120_000 }, async () => {
    const whole = readFileSync(pathOf('char.model'));
    const step = Math.max(1, Math.round((1 / sample(1000, 20)) * whole.length));
    const files = Array.from({ length: Math.floor(whole.length / step) }, (_, index) => whole.subarray(0, index * step + 1));
    for (let index = 0; index < sample(400, 20); index++) {
      const damaged = Buffer.from(whole);
      damaged[20 + ((index * 7919) % (whole.length - 20))] = (index * 31) & 0xff;
      files.push(damaged);
    }
    for (const file of files.filter(({ length }) => length > 4)) {
      const outcome = await Tokenizer.load(file).catch((error: unknown) => error);
      if (outcome instanceof Tokenizer) outcome.close();
      else expect(outcome).toBeInstanceOf(TokenizerError);
    }
  });

  it('with a charsmap of random units never causes an endless walk', async () => {
    let state = 1;
    const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0);
    for (let index = 0; index < sample(200, 10); index++) {
      // Every unit points into the block, in cycles.
      const bytes = charsmap((units) =>
        units.forEach((_, at) => (units[at] = at === 0 ? 1 << 10 : (random() & 0xff) | ((random() & 0xff) << 10))),
      );
      const outcome = await Tokenizer.load(modelProto([UNKNOWN, normal('a', -1)], { charsmap: bytes })).catch((error: unknown) => error);
      if (!(outcome instanceof Tokenizer)) continue;
      for (const text of textsOf(index).slice(0, 20)) outcome.encode(text);
      outcome.close();
    }
  });

  it('with a million pieces opens in a few seconds', { timeout: 60_000 }, async () => {
    const pieces = Array.from({ length: sample(1_000_000, 100_000) }, (_, id) => normal(`${id}`, -id));
    const started = performance.now();
    using tokenizer = await Tokenizer.load(modelProto([UNKNOWN, ...pieces]));
    expect(tokenizer.vocabularySize).toBe(pieces.length + 1);
    expect([...tokenizer.encode('12')]).toEqual([0, 2, 3]);
    expect(performance.now() - started).toBeLessThan(40_000);
  });
});

/** One block of units, and texts. */
function charsmap(fill: (units: Uint32Array) => void, texts = 'a\0'): Uint8Array {
  const units = new Uint32Array(256);
  fill(units);
  return Buffer.concat([Buffer.from(Uint32Array.of(1024).buffer), Buffer.from(units.buffer), Buffer.from(texts)]);
}
