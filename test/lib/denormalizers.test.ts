// Denormalizers of SentencePiece models: decoded texts are those of sentencepiece 0.2.3, which models/make.py has asked, however
// the ids arrive.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { compileCartridge, Tokenizer } from 'crayon-tokenizer';

import { Random } from '../fuzz/random.mjs';
import { decoderOf } from '../../dist/node/internals.js';
import { cut } from './chunks.js';
import { modelProto, PIECE, type ProtoPiece } from './model-proto.js';

interface Golden {
  /** In base64. */
  charsmap: string;
  spaces: [putsSpace: boolean, removesSpaces: boolean, marksSpaces: boolean];
  normalizer: [dummyPrefix: boolean, removesSpaces: boolean];
  bytes: boolean;
  /** Without byte pieces. */
  pieces: [text: string, type: number][];
  decoded: [ids: number[], text: string][];
}

const goldens = JSON.parse(readFileSync(fileURLToPath(new URL('../models/denormalizers.json', import.meta.url)), 'utf8')) as Golden[];

const BYTES: ProtoPiece[] = Array.from({ length: 256 }, (_, byte) => {
  return { text: `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`, score: 0, type: PIECE.byte };
});

function modelOf({ charsmap, spaces, normalizer, bytes, pieces }: Golden): Uint8Array {
  const [putsSpace, removesSpaces, marksSpaces] = spaces;
  const all = pieces.map(([text, type]) => ({ text, score: 0, type }));
  // After the unknown piece and two of control.
  if (bytes) all.splice(3, 0, ...BYTES);
  return modelProto(all, {
    byteFallback: bytes,
    dummyPrefix: normalizer[0],
    removesSpaces: normalizer[1],
    denormalizer: { charsmap: Buffer.from(charsmap, 'base64'), putsSpace, removesSpaces, marksSpaces },
  });
}

describe('a denormalizer', { timeout: 120_000 }, () => {
  it('changes decoded texts as sentencepiece does, however the ids arrive', async () => {
    const random = new Random(0xde40, 1);
    expect(goldens).toHaveLength(80);
    for (const golden of goldens) {
      using tokenizer = await Tokenizer.load(modelOf(golden));
      for (const [ids, text] of golden.decoded) {
        const what = JSON.stringify({ ...golden, charsmap: '', decoded: ids });
        expect(tokenizer.decode(ids), what).toBe(text);
        // Bytes that are no text are themselves there, whatever becomes of U+FFFD.
        const isText = ids.every((id) => !golden.bytes || id < 3 || id >= 3 + BYTES.length);
        if (isText) expect(Buffer.from(tokenizer.decodeBytes(ids)).toString(), what).toBe(text);
        using one = tokenizer.streamDecoder();
        expect(ids.map((id) => one.push(id)).join('') + one.end(), what).toBe(text);
        using some = tokenizer.streamDecoder();
        expect(cut(ids, random, 4).map((part) => some.push(part)).join('') + some.end(), what).toBe(text);
      }
      expect(tokenizer.decodeBatch(golden.decoded.map(([ids]) => ids))).toEqual(golden.decoded.map(([, text]) => text));
    }
  });

  it('is part of the cartridge', async () => {
    for (const golden of goldens.slice(0, 8)) {
      for (const slim of [false, true]) {
        const options = golden.bytes ? {} : { slim };
        using tokenizer = await Tokenizer.load(await compileCartridge(modelOf(golden), options).catch(() => compileCartridge(modelOf(golden))), { backend: 'wasm' });
        for (const [ids, text] of golden.decoded) expect(tokenizer.decode(ids)).toBe(text);
      }
    }
  });

  it('holds back of a stream only what may still change', () => {
    // The charsmap replaces texts of several characters; "z" is in none of them.
    const { charsmap } = goldens.find(({ decoded }) => decoded.some(([ids]) => ids.length > 1)) as Golden;
    const step = { type: 'Denormalize', charsmap, putsSpace: false, collapsesSpaces: false, marksSpaces: false };
    const tokens = ['z', 'zz'].map((text) => Buffer.from(text));
    const engine = { describe: () => ({ addedTokens: [], vocabularySize: 2 }), tokenBytes: (id: number) => tokens[id] };
    const run = decoderOf({ form: 'plain', steps: [{ type: 'Fuse' }, step] }, engine as never).begin(false);
    expect(run.push(Uint32Array.of(0))).toBe('z');
    expect(run.push(Uint32Array.of(1, 0))).toBe('zzz');
    expect(run.end()).toBe('');
  });

  it.each([
    ['is no base64', '?'],
    ['is empty', ''],
    ['ends within its length', 'AAA='],
    ['leads out of its units', Buffer.from(Uint32Array.of(8, 0x7fffff00, 0x7fffffff, 0)).toString('base64')],
  ])('with a charsmap that %s changes no character', (_, charsmap) => {
    const step = { type: 'Denormalize', charsmap, putsSpace: false, collapsesSpaces: false, marksSpaces: false };
    const engine = { describe: () => ({ addedTokens: [], vocabularySize: 1 }), tokenBytes: () => Buffer.from('é a') };
    const decoding = decoderOf({ form: 'plain', steps: [{ type: 'Fuse' }, step] }, engine as never);
    expect(decoding.decode(Uint32Array.of(0, 0), false)).toBe('é aé a');
  });
});
