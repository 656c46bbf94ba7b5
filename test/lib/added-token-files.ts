// Hugging Face files with added tokens of any flags, compared with npm `tokenizers` through every call that encodes.

import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect } from 'vitest';
import { Tokenizer } from 'crayon-tokenizer';

import { Random } from '../fuzz/random.mjs';
import { cut, joined, pushed } from './chunks.js';
import { CHARACTERS } from './small-file.js';

interface Encoding {
  getIds(): number[];
  getOffsets(): [number, number][];
}
export interface Reference {
  encodeBatch(texts: string[], options: { addSpecialTokens: boolean }): Promise<Encoding[]>;
  decode(ids: number[], skipSpecialTokens: boolean): Promise<string>;
}
const { Tokenizer: HuggingFace } = createRequire(import.meta.url)('tokenizers') as {
  Tokenizer: { fromString(json: string): Reference };
};

export interface Token {
  id: number;
  content: string;
  single_word: boolean;
  lstrip: boolean;
  rstrip: boolean;
  normalized: boolean;
  special: boolean;
}

export const OPTIONS = { special: 'allow' } as const;
export const BYTE_LEVEL = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: true };

/** The bytes, and a token for each merge. Added tokens outside the vocabulary get the ids after these, in order. */
export function jsonOf(
  merges: readonly string[],
  tokens: readonly Token[],
  normalizer: object | null,
  pretokenizer: object = BYTE_LEVEL,
): string {
  const vocab: Record<string, number> = {};
  for (const text of [...CHARACTERS, ...merges.map((merge) => merge.replace(' ', ''))]) vocab[text] = Object.keys(vocab).length;
  const model = {
    type: 'BPE',
    dropout: null,
    unk_token: null,
    continuing_subword_prefix: null,
    end_of_word_suffix: null,
    fuse_unk: false,
    byte_fallback: false,
    ignore_merges: false,
    vocab,
    merges,
  };
  let next = Object.keys(vocab).length;
  const added = tokens.map((each) => ({ ...each, id: vocab[each.content] ?? next++ }));
  return JSON.stringify({
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: added,
    normalizer,
    pre_tokenizer: pretokenizer,
    post_processor: null,
    decoder: BYTE_LEVEL,
    model,
  });
}

export function referenceOf(file: string): Reference {
  return HuggingFace.fromString(file);
}

export async function idsOf(reference: Reference, texts: string[]): Promise<number[][]> {
  return (await reference.encodeBatch(texts, { addSpecialTokens: false })).map((encoding) => encoding.getIds());
}

/** Compares ids, counts and offsets of all texts, and for every fifth text also streams, jobs and partial calls. */
export async function compare(
  own: Tokenizer,
  reference: Reference,
  texts: readonly string[],
  random: Random,
  about: string,
): Promise<void> {
  const expected = await reference.encodeBatch([...texts], { addSpecialTokens: false });
  for (const [index, text] of texts.entries()) {
    const name = `${about} ${JSON.stringify(text)}`;
    const ids = expected[index]!.getIds();
    expect([...own.encode(text, OPTIONS)], name).toEqual(ids);
    expect(own.count(text, OPTIONS), name).toBe(ids.length);
    expect(own.isWithinLimit(text, ids.length, OPTIONS), name).toBe(ids.length);
    const units = [0];
    for (const character of text) units.push((units.at(-1) as number) + character.length);
    const { ids: same, offsets } = own.encodeWithOffsets(text, OPTIONS);
    expect([...same], name).toEqual(ids);
    expect([...offsets], name).toEqual(expected[index]!.getOffsets().flatMap((span) => span.map((at) => units[at] ?? at)));
    if (index % 5 > 0) continue;
    expect(pushed(cut(text, random, 4), own.streamEncoder(OPTIONS)), name).toEqual(ids);
    expect([...(await own.encodeAsync(text, OPTIONS))], name).toEqual(ids);
    const parts = own.split(text, { ...OPTIONS, maxTokens: 12 });
    expect(parts.join(''), name).toBe(text);
    for (const alone of await idsOf(reference, parts)) expect(alone.length, name).toBeLessThanOrEqual(12);
    for (const side of ['left', 'right'] as const) {
      const kept = own.truncate(text, 12, { ...OPTIONS, side });
      expect(side === 'left' ? text.endsWith(kept) : text.startsWith(kept), name).toBe(true);
      expect((await idsOf(reference, [kept]))[0]!.length, name).toBeLessThanOrEqual(12);
    }
  }
  for (let at = 0, [text = ''] = texts; at <= text.length; at++) {
    const chunks = [text.slice(0, at), text.slice(at)];
    expect(pushed(chunks, own.streamEncoder(OPTIONS)), about).toEqual(expected[0]!.getIds());
  }
}

/** Compares a file that takes the general path because of `why`: all that `compare` does, decoded texts, and edited documents. */
export async function compareGeneral(json: string, texts: readonly string[], why = ''): Promise<void> {
  const reference = referenceOf(json);
  using own = await Tokenizer.load(Buffer.from(json));
  expect(own.metadata.generalPath).toContain(why);
  await compare(own, reference, texts, new Random(1), json);
  for (const [index, ids] of (await idsOf(reference, [...texts])).entries()) {
    expect(own.decode(ids), texts[index]).toBe(await reference.decode(ids, false));
    using document = own.document(`x${texts[index]}`, OPTIONS);
    document.replace(0, 1, '');
    expect([...document.slice()], texts[index]).toEqual(ids);
  }
}

/** How random files are made. */
export interface Files {
  /** Where they are written. */
  folder: string;
  count: number;
  /** Sets them apart from other files with tokens made by the same function. */
  stream: number;
  tokensOf(random: Random): Token[];
  fileOf(tokens: readonly Token[], random: Random): string;
  textOf(random: Random, tokens: readonly Token[], length: number): string;
  /** The errors of those that are refused. */
  refusal: RegExp;
}

/** Compares texts with each of some random files. Returns how many files are refused. */
export async function compareFiles({ folder, count, stream, tokensOf, fileOf, textOf, refusal }: Files): Promise<number> {
  let refused = 0;
  for (let seed = 1; seed <= count; seed++) {
    const random = new Random(seed, stream);
    const tokens = tokensOf(random);
    const file = fileOf(tokens, random);
    const path = join(folder, `${seed}.json`);
    writeFileSync(path, file);
    const own = await Tokenizer.load(path).catch((error: Error) => error);
    if (own instanceof Error) {
      expect(own.message).toMatch(refusal);
      refused++;
      continue;
    }
    const texts = Array.from({ length: 30 }, () => textOf(random, tokens, random.integer(0, 25)));
    await compare(own, referenceOf(file), texts, random, `${seed} ${JSON.stringify(tokens)}`);
    own.close();
  }
  return refused;
}

/** Compares the ids of a long text: on threads, in streams, in batches, and in a file in that folder. */
export async function compareLong(own: Tokenizer, reference: Reference, text: string, random: Random, folder: string): Promise<void> {
  const [ids] = await idsOf(reference, [text]);
  expect([...own.encode(text, OPTIONS)]).toEqual(ids);
  expect([...(await own.encodeAsync(text, { ...OPTIONS, threads: 3 }))]).toEqual(ids);
  expect([...(await own.encodeAsync(text, { ...OPTIONS, threads: 3, strategy: 'overlap' }))]).toEqual(ids);
  expect(await own.countAsync(text, { ...OPTIONS, threads: 3 })).toBe(ids!.length);
  expect(pushed(cut(text, random), own.streamEncoder(OPTIONS))).toEqual(ids);
  const batch = own.encodeBatch(['', text, text], { ...OPTIONS, threads: 2 });
  expect([...batch.row(2)]).toEqual(ids);
  const source = join(folder, 'long.txt');
  writeFileSync(source, text);
  const parts: Uint32Array[] = [];
  for await (const part of own.encodeFile(source, OPTIONS)) parts.push(part.ids);
  expect([...joined(parts)]).toEqual(ids);
}
