// How much text a trained vocabulary packs into a token, measured on held-out texts: whole files, or the ends of the
// training files.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

import { Tokenizer, type TrainedVocabulary } from '../index.js';
import { policyOf } from '../tokenizer/arguments.js';
import { engineOf, vocabularyOf } from '../tokenizer/tokenizer.js';
import { isGzipFile } from '../gzip/gzip-in-node.js';
import { InputError, nameOf, textChunksOf } from './output/streams.js';
import { reasonFor } from './system-reasons.js';

/** A file from byte `start` to its end. */
export interface HeldOut {
  file: string;
  start: number;
}

export interface Compression {
  bytes: number;
  tokens: number;
  bytesPerToken: number;
}

/** The compression of several vocabularies that are prefixes of one. */
export type Curve = { tokens: number; bytesPerToken: number }[];

/** The number of vocabularies on a curve, between the smallest and the whole one. */
const STEPS = 8;
/** How far after a cut to look for a line end. */
const LINE = 64 * 1024;
const LINE_FEED = 0x0a;

/** Bytes of text per token. */
export async function compressionOf(
  trained: TrainedVocabulary,
  model: 'bpe' | 'longest-match',
  heldOut: readonly HeldOut[],
): Promise<Compression> {
  using tokenizer = Tokenizer.loadSync(await trained.toCartridge({ model }));
  const policy = policyOf({}, vocabularyOf(tokenizer));
  let bytes = 0;
  let tokens = 0;
  for (const { file, start } of heldOut) {
    const session = engineOf(tokenizer).begin(policy, true);
    try {
      for await (const chunk of textChunksOf(file, start)) {
        session.feed(chunk, false);
        bytes += chunk.length;
      }
      tokens += session.feed(new Uint8Array(0), true);
    } catch (error) {
      throw error instanceof InputError ? new InputError(`${nameOf(file)}: ${error.message}`) : error;
    } finally {
      session.end();
    }
  }
  return { bytes, tokens, bytesPerToken: Number((bytes / Math.max(tokens, 1)).toFixed(3)) };
}

/** The same with smaller vocabularies, each larger than the previous by a fixed factor. */
export async function curveOf(trained: TrainedVocabulary, model: 'bpe' | 'longest-match', heldOut: readonly HeldOut[]): Promise<Curve> {
  const most = trained.tokens.length;
  const least = most - trained.merges.length;
  const sizes = Array.from({ length: STEPS + 1 }, (_, step) => Math.round(least * (most / least) ** (step / STEPS)));
  const curve: Curve = [];
  for (const size of new Set(sizes)) {
    const { bytesPerToken } = await compressionOf(trained.upTo(size), model, heldOut);
    curve.push({ tokens: size, bytesPerToken });
  }
  return curve;
}

/** Where the last `share` of a file begins: at a line, or at least at a character. */
export function lastShareOf(file: string, share: number): HeldOut {
  if (isGzipFile(file)) throw new InputError(`${file}: is compressed with gzip, so that no share of it can be held out; inflate it first`);
  try {
    const descriptor = openSync(file, 'r');
    try {
      const { size } = fstatSync(descriptor);
      const cut = Math.floor(size * (1 - share));
      const buffer = Buffer.alloc(LINE);
      const behind = buffer.subarray(0, readSync(descriptor, buffer, 0, LINE, cut));
      const line = behind.indexOf(LINE_FEED) + 1;
      if (line > 0 && cut + line < size) return { file, start: cut + line };
      const character = behind.findIndex((byte) => (byte & 0xc0) !== 0x80);
      return { file, start: cut + Math.max(character, 0) };
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    throw new InputError(`${file}: ${reasonFor(error)}`);
  }
}
