// Checks cartridges/FORMAT.md: a second reader written from it finds npm tiktoken's vocabularies in the built cartridges,
// and accepts and refuses the same files as the engine.

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

import { DnaTokenizer } from 'crayon-tokenizer/dna';
import { native, nativeCompiler, packTokens } from '../../dist/node/internals.js';
import { longestMatchOf, PROFILES, profileTokens } from '../golden/longest-match.mjs';
import { loadTiktoken } from '../golden/references.mjs';
import { CartridgeError, checksumOf, hashWord, openCartridge } from './cartridge-reader.mjs';
import { sample } from '../share.js';

const folder = fileURLToPath(new URL('../../cartridges/', import.meta.url));
const built = readdirSync(folder).filter((file) => file.endsWith('.cray') && !file.endsWith('.slim.cray'));
const isOfDna = (file: string) => JSON.parse(readFileSync(`${folder}recipes/${file.replace('.cray', '.json')}`, 'utf8')).model === 'dna';
const names = built.filter((file) => !PROFILES.includes(file.replace('.cray', '')) && !isOfDna(file));
const slimNames = names.map((name) => name.replace('.cray', '.slim.cray'));
const NOTHING = new Uint8Array(0);
const latin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');

it('the cartridges have been built', () => expect(names.length).toBeGreaterThan(0));

describe.each(names)('%s', (name) => {
  const cartridge = openCartridge(readFileSync(folder + name));

  it('has the tokens of npm tiktoken, in each view', async () => {
    for (const view of cartridge.views) {
      const reference = await loadTiktoken(view.name);
      const vocabulary = reference.vocabulary();
      expect(vocabulary.length, view.name).toBe(cartridge.tokenCount);
      const different = Array.from(vocabulary.keys()).filter((id) => Buffer.compare(vocabulary[id] ?? NOTHING, cartridge.token(id)) !== 0);
      expect(different.slice(0, 5), view.name).toEqual([]);

      const special = Object.fromEntries(
        view.addedTokens.map(({ bytes, id }: { bytes: Uint8Array; id: number }) => [Buffer.from(bytes).toString(), id]),
      );
      expect(special).toEqual(reference.specialTokens);
      expect(view.addedTokens.every((token: { special: boolean }) => token.special)).toBe(true);
      expect(view.vocabularySize).toBe(Math.max(cartridge.tokenCount, ...Object.values(reference.specialTokens).map((id) => id + 1)));
    }
  });

  it('finds every token by its bytes, and no others', () => {
    const wrong: number[] = [];
    let found = 0;
    for (let id = 0; id < cartridge.tokenCount; id++) {
      const token = cartridge.token(id);
      if (token.length === 0) continue;
      if (cartridge.idOf(token) !== id) wrong.push(id);
      found++;
    }
    expect(wrong).toEqual([]);
    expect(cartridge.pieces8.keyCount + cartridge.pieces24.keyCount + cartridge.piecesLong.keyCount).toBe(found);

    const tokens = new Set(Array.from({ length: cartridge.tokenCount }, (_, id) => latin1(cartridge.token(id))));
    let tried = 0;
    for (let id = 0; id < cartridge.tokenCount; id += 37) {
      const longer = Uint8Array.from([...cartridge.token(id), (id * 7) % 256]);
      if (tokens.has(latin1(longer))) continue;
      expect(cartridge.idOf(longer), `token ${id} and a byte`).toBeUndefined();
      tried++;
    }
    expect(tried).toBeGreaterThan(500);
  });

  it('has the splits, pairs and trie that merging by the ranks of npm tiktoken gives', async () => {
    const vocabulary = (await loadTiktoken(cartridge.views[0].name)).vocabulary();
    const ranks = new Map(Array.from(vocabulary, (token, id) => [token && latin1(token), id] as const));
    const merge = mergeBy(ranks);
    const wrong: string[] = [];
    const check = (what: string, got: unknown, expected: unknown) => {
      if (String(got) !== String(expected)) wrong.push(`${what}: ${got}, expected ${expected}`);
    };
    for (let id = 0; id < cartridge.tokenCount; id++) {
      const [left, right] = cartridge.split(id);
      if (left === id) continue;
      check(`merging the split of ${id}`, cartridge.merged(left, right), id);
      const joined = latin1(cartridge.token(left)) + latin1(cartridge.token(right));
      check(`joining the split of ${id}`, joined, latin1(cartridge.token(id)));
    }
    for (let id = 0; id < cartridge.tokenCount; id += 97) {
      const token = vocabulary[id];
      if (token === undefined || token.length < 2) continue;
      // If merging makes the token, its split is the state before the last merge; otherwise the token itself.
      const reached = merge(latin1(token), Infinity).length === 1;
      check(`split of ${id}`, cartridge.split(id), reached ? merge(latin1(token), id) : [id, id]);

      const bytes = Uint8Array.from([...token, ...token]);
      const prefixes = Array.from(bytes, (_, i) => i + 1).filter((length) => {
        const prefix = latin1(bytes.subarray(0, length));
        return ranks.has(prefix) && merge(prefix, Infinity).length === 1; // merging reaches it
      });
      check(`prefixes of ${id} twice`, cartridge.prefixes(bytes), prefixes);
      if (bytes.length <= 64) check(`${id} twice`, cartridge.mergeBytes(bytes), merge(latin1(bytes), Infinity));
    }
    expect(wrong).toEqual([]);
  });

  it('lists the tokens that may take part of a character', () => {
    expect(cartridge.crossings).toEqual(cartridge.deriveCrossings());
    expect(cartridge.crossings.length).toBeGreaterThan(5);
    for (const id of cartridge.crossings) {
      // Its boundary is not between two complete characters.
      const [left, right] = cartridge.split(id).map((half: number) => Buffer.from(cartridge.token(half)));
      const whole = left.toString().at(-1) !== '\ufffd' && right.toString()[0] !== '\ufffd';
      expect(whole, `token ${id}`).toBe(false);
    }
  });
});

describe.each(slimNames)('%s', (name) => {
  const slim = openCartridge(readFileSync(folder + name));

  it('has the tokens of npm tiktoken', async () => {
    const vocabulary = (await loadTiktoken(slim.views[0].name)).vocabulary();
    expect(vocabulary.length).toBe(slim.tokenCount);
    const different = Array.from(vocabulary.keys()).filter((id) => Buffer.compare(vocabulary[id] ?? NOTHING, slim.token(id)) !== 0);
    expect(different.slice(0, 5)).toEqual([]);
  });

  it('agrees with the full one in everything else', () => {
    const full = openCartridge(readFileSync(folder + name.replace('.slim', '')));
    const different = Array.from({ length: full.tokenCount }, (_, id) => id).filter(
      (id) => String(full.split(id)) !== String(slim.split(id)),
    );
    expect(different.slice(0, 5)).toEqual([]);
    const views = (cartridge: typeof full) =>
      cartridge.views.map((view: any) => ({ ...view, addedTokens: view.addedTokens.map(({ row, ...token }: any) => token) }));
    expect(views(slim)).toEqual(views(full));
    expect(slim.metadata).toEqual(full.metadata);
    expect(slim.deriveCrossings()).toEqual(full.crossings);
  });
});

describe.each(PROFILES.flatMap((name) => [`${name}.cray`, `${name}.slim.cray`]))('%s', (file) => {
  const cartridge = openCartridge(readFileSync(folder + file));
  const tokens = profileTokens(file.replace(/\..*/, ''));

  it('has the tokens of its recipe, all of which match', () => {
    expect(cartridge.tokenCount).toBe(tokens.length);
    const different = Array.from(tokens.keys()).filter((id) => Buffer.compare(tokens[id]!, cartridge.token(id)) !== 0);
    expect(different.slice(0, 5)).toEqual([]);
    expect(cartridge.matchedTokens().length).toBe(tokens.length);
    expect(cartridge.views).toMatchObject([{ name: file.replace(/\..*/, ''), scanner: 'none', addedTokens: [] }]);
  });
});

describe.each(PROFILES)('%s.cray', (name) => {
  const cartridge = openCartridge(readFileSync(`${folder}${name}.cray`));
  const tokens = profileTokens(name);

  it('finds the longest of its tokens by its trie', () => {
    const naive = longestMatchOf(tokens);
    for (let id = 0; id < tokens.length; id += 41) {
      const bytes = Uint8Array.from([...tokens[id]!, ...tokens[(id * 7) % tokens.length]!]);
      const ids = naive(bytes);
      expect(cartridge.longestMatch(bytes)).toEqual({ id: ids[0], length: tokens[ids[0]!]!.length });
    }
  });

  it('has the joints of its tokens, and gives all of them', () => {
    const joined = new Set(tokens.flatMap((token) => Array.from(token.subarray(1), (byte, i) => token[i]! * 256 + byte)));
    const different = Array.from({ length: 65536 }, (_, pair) => pair).filter(
      (pair) => cartridge.isJoint(pair >> 8, pair & 255) !== joined.has(pair),
    );
    expect(different.slice(0, 5)).toEqual([]);
    expect(cartridge.unmatched).toEqual([]);
  });
});

/** BPE by its definition: ids of the bytes after all merges with a rank below `bound`. */
function mergeBy(ranks: Map<string | undefined, number>) {
  return (piece: string, bound: number): number[] => {
    const parts = Array.from(piece);
    for (;;) {
      let best = bound;
      let bestIndex = -1;
      for (let i = 0; i + 1 < parts.length; i++) {
        const rank = ranks.get(parts[i] + parts[i + 1]);
        if (rank !== undefined && rank < best) [best, bestIndex] = [rank, i];
      }
      if (bestIndex < 0) return parts.map((part) => ranks.get(part)!);
      parts.splice(bestIndex, 2, parts[bestIndex] + parts[bestIndex + 1]);
    }
  };
}

describe('the document', () => {
  const text = readFileSync(`${folder}FORMAT.md`, 'utf8');
  const hex = (x: bigint) => `0x${x.toString(16)}`;

  it('has a correct example', () => {
    const h = hashWord(0x65n, 1n, 1n);
    expect(text).toContain(`h      = x ^ (x >> 32)                    = ${hex(h)}`);
    expect(((h >> 32n) * 128n) >> 32n).toBe(97n);
    const multiplier = BigInt.asUintN(32, 1n * 0x9e3779b2n + 1n);
    expect(text).toContain(`the multiplier is ${hex(multiplier)}`);
    const spread = BigInt.asUintN(32, BigInt.asUintN(32, h) * multiplier);
    expect(text).toContain(`(${hex(spread)} * 512) >> 32 = ${(spread * 512n) >> 32n}`);
    expect(text).toContain(hex(hashWord(97n + (98n << 32n), 0n, 4n)));
  });
});

describe('the engine and the second reader', () => {
  const { addon } = native();

  // The 256 bytes and a few merges; short, medium and long tokens; a hole; tokens across the boundaries of é (C3 A9).
  const tokens = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte));
  for (const text of ['ab', 'abab', 'abababab', 'abababababababab', '', 'ab'.repeat(16), 'he', ' he']) tokens.push(Buffer.from(text));
  tokens.push(Buffer.from('a9'.concat('6865'), 'hex'), Buffer.from('é'), Buffer.from('20c3', 'hex'), Buffer.from('éé'));
  const offsets = Uint32Array.from([
    0,
    ...tokens.map(
      (
        (end) => (token: Uint8Array) =>
          (end += token.length)
      )(0),
    ),
  ]);
  const added = [
    { text: '<|end|>', id: 300, special: true },
    { text: '<|x|>', id: 301, special: false },
  ];
  const views = [
    { name: 'first', scanner: 'gpt2', tokens: packTokens(added) },
    { name: 'second', scanner: 'o200k', tokens: packTokens(added.slice(0, 1)) },
  ];
  const compile = (slim: boolean): Uint8Array =>
    nativeCompiler().compile(
      { bytes: Buffer.concat(tokens), offsets, model: 'bpe', metadata: '{}', views },
      slim ? 'slim' : 'full',
    ) as Uint8Array;
  const valid = compile(false);
  // A few bytes, none of which others need, and a token for unknown text.
  const matched = ['a', 'ab', '', 'abc', '?', 'é', '\0', 'b'.repeat(30)].map((text) => Buffer.from(text));
  const compileMatched = (slim: boolean): Uint8Array => {
    const ends = Uint32Array.from([
      0,
      ...matched.map(
        (
          (end) => (token: Uint8Array) =>
            (end += token.length)
        )(0),
      ),
    ]);
    const input = { bytes: Buffer.concat(matched), offsets: ends, model: 'longest-match' as const, unknown: 4 + 2 ** 30, metadata: '{}' };
    return nativeCompiler().compile({ ...input, views: [{ ...views[0]!, scanner: 'none' }] }, slim ? 'slim' : 'full') as Uint8Array;
  };

  /** The engine's answer: OK or the code of the failure. */
  function byEngine(bytes: Uint8Array, flags = 0): { code: string; handle?: number } {
    const cartridge = addon.cartridgeOpenBytes(bytes, flags);
    const handle = cartridge < 0 ? -1 : addon.tokenizerCreate(cartridge, 0, '');
    const { code } = addon.failure();
    addon.cartridgeRelease(cartridge);
    return handle < 0 ? { code } : { code: 'OK', handle };
  }
  function byReader(bytes: Uint8Array) {
    try {
      return { code: 'OK', cartridge: openCartridge(bytes) };
    } catch (error) {
      if (error instanceof CartridgeError) return { code: (error as unknown as { code: string }).code };
      throw error;
    }
  }
  function seal(bytes: Uint8Array) {
    if (bytes.length >= 64) new DataView(bytes.buffer, bytes.byteOffset).setBigUint64(24, checksumOf(bytes), true);
    return bytes;
  }

  function compileDna(form: 'DNA' | 'k-mers'): Uint8Array {
    const special = { unknownId: 0, padId: 1, specialTokens: { '[UNK]': 0, '[PAD]': 1, '[SEP]': 2 }, suffix: [2] };
    const baseIds = { A: 3, C: 4, G: 5, T: 6, N: 7 };
    const kmers = { k: 2, alphabet: 'ATCG', kmerIds: Array.from({ length: 16 }, (_, index) => 8 + ((7 * index) % 16)) };
    const own = form === 'DNA' ? ({ unit: 'byte', startIds: { A: 8, C: 9 } } as const) : ({ unit: 'kmer', ...kmers } as const);
    using dna = DnaTokenizer.loadSync({ ...special, baseIds, ...own }, { backend: 'native' });
    return Uint8Array.from(dna.toCartridge());
  }

  it('agree on the tables of a small vocabulary', () => {
    const { code, cartridge } = byReader(valid);
    expect(code).toBe('OK');
    expect(cartridge!.crossings).toEqual([264, 266]);
    expect(cartridge!.deriveCrossings()).toEqual([264, 266]);
    tokens.forEach((token, id) => {
      expect(latin1(cartridge!.token(id))).toBe(latin1(token));
      if (token.length > 0) expect(cartridge!.idOf(token)).toBe(id);
    });
    expect(cartridge!.mergeBytes(Buffer.from('abababhe'))).toEqual([257, 256, 262]);
    expect(cartridge!.mergeBytes(Buffer.from(' éhe'))).toEqual([266, 264]);
    expect(cartridge!.views.map((view: { name: string }) => view.name)).toEqual(['first', 'second']);
  });

  it('agree on BPE without a pretokenizer', () => {
    for (const slim of [false, true]) {
      const input = { bytes: Buffer.concat(tokens), offsets, model: 'bpe' as const, metadata: '{}' };
      const file = nativeCompiler().compile({ ...input, views: [{ ...views[0]!, scanner: 'none' }] }, slim ? 'slim' : 'full') as Uint8Array;
      const { code, cartridge } = byReader(file);
      expect([code, byEngine(file).code]).toEqual(['OK', 'OK']);
      expect(cartridge!.views[0].scanner).toBe('none');
    }
  });

  it('refuse the same cuts', () => {
    for (const length of [...Array(400).keys(), valid.length - 1, valid.length]) {
      const cut = valid.slice(0, length);
      expect(byEngine(cut).code, `${length} bytes`).toBe(byReader(cut).code);
    }
  });

  it('agree on a slim file', () => {
    const { code, cartridge } = byReader(compile(true));
    expect(code).toBe('OK');
    tokens.forEach((token, id) => expect(latin1(cartridge!.token(id))).toBe(latin1(token)));
    expect(cartridge!.deriveCrossings()).toEqual([264, 266]);
    expect(cartridge!.split(259)).toEqual([258, 258]);
  });

  it('agree on longest match', () => {
    const { code, cartridge } = byReader(compileMatched(false));
    expect(code).toBe('OK');
    expect([cartridge!.unknownId, cartridge!.unknownUnit, cartridge!.views[0].scanner]).toEqual([4, 'byte', 'none']);
    matched.forEach((token, id) => {
      expect(latin1(cartridge!.token(id))).toBe(latin1(token));
      if (token.length > 0) expect(cartridge!.longestMatch(token)).toEqual({ id, length: token.length });
    });
    expect(cartridge!.longestMatch(Buffer.from('abx'))).toEqual({ id: 1, length: 2 });
    expect(cartridge!.longestMatch(Buffer.from('x'))).toBeUndefined();
    expect(cartridge!.isJoint(0x61, 0x62)).toBe(true);
    expect(cartridge!.isJoint(0x62, 0x61)).toBe(false);
    expect(byReader(compileMatched(true)).code).toBe('OK');
  });

  it.each(['full', 'slim', 'longest match', 'slim longest match', 'DNA', 'k-mers'])(
    'refuse the same damaged files, and read the same tokens in the others: %s',
    (form) => {
      const isSlim = form.startsWith('slim');
      const valid = form.endsWith('match')
        ? compileMatched(isSlim)
        : form === 'DNA' || form === 'k-mers'
          ? compileDna(form)
          : compile(isSlim);
      const random = randomFrom(Number(process.env.CRAYON_FUZZ_SEED ?? 20261121));
      const sections = openCartridge(valid).sections;
      const ranges = [...sections.values()].map(({ offset, length }) => ({ offset, length }));
      ranges.push({ offset: 0, length: 64 + 16 * sections.size });
      const codes = new Map<string, number>();
      for (let round = 0; round < sample(1500, 500); round++) {
        const bytes = valid.slice();
        const view = new DataView(bytes.buffer);
        const { offset, length } = ranges[random(ranges.length)];
        const within = random(3) === 0 ? Math.min(length, 96) : length;
        const at = offset + random(within);
        const word = Math.min(offset + 4 * random(Math.ceil(within / 4)), bytes.length - 4);
        const values = [
          0,
          1,
          2,
          5,
          9,
          24,
          255,
          256,
          263,
          264,
          tokens.length - 1,
          tokens.length,
          2 ** 21 - 1,
          2 ** 31,
          2 ** 32 - 2,
          2 ** 32 - 1,
        ];
        const kind = random(4);
        if (kind === 0) bytes[at] ^= 1 << random(8);
        else if (kind === 1) view.setUint32(word, values[random(values.length)], true);
        else if (kind === 2) view.setUint32(word, view.getUint32(word, true) + random(5) - 2, true);
        else view.setUint32(word, view.getUint32(Math.min(offset + 4 * random(Math.ceil(within / 4)), bytes.length - 4), true), true);
        if (random(20) !== 0) seal(bytes);

        const engine = byEngine(bytes);
        const reader = byReader(bytes);
        const label = `round ${round}: section at ${offset}, kind ${kind}, byte ${at}, word ${word}`;
        expect(engine.code, label).toBe(reader.code);
        codes.set(engine.code, (codes.get(engine.code) ?? 0) + 1);
        const { handle } = engine;
        if (handle === undefined) continue;
        const ids = Array.from({ length: reader.cartridge!.tokenCount }, (_, id) => id);
        const full = ids.filter((id) => reader.cartridge!.token(id).length > 0);
        expect(full.map((id) => latin1(addon.tokenizerTokenBytes(handle, id)!)).join(), label).toBe(
          full.map((id) => latin1(reader.cartridge!.token(id))).join(),
        );
        addon.tokenizerRelease(handle);
      }
      expect([...codes.keys()].sort()).toEqual(
        expect.arrayContaining(['CHECKSUM_MISMATCH', 'CORRUPT_STRUCTURE', 'OK', 'UNSUPPORTED_VERSION']),
      );
      expect(codes.get('OK')).toBeGreaterThan(sample(isSlim || /DNA|k-mers/.test(form) ? 50 : 200) / 2);
    },
    120_000,
  );
});

/** From lib/vocabularies/open/open-failed.ts: a cartridge for DNA. */

/** Marsaglia's xorshift: the same numbers for the same seed. */
function randomFrom(seed: number) {
  let state = seed >>> 0 || 1;
  return (bound: number) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % bound;
  };
}
