// How much text a trained vocabulary packs into a token, measured on held-out texts: whole files, or the ends of the
// training files.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

import { Tokenizer, type TrainedVocabulary } from '../index.js';
import { policyOf } from '../api/arguments.js';
import { engineOf, vocabularyOf } from '../api/tokenizer.js';
import { isGzipFile } from '../io/gzip-in-node.js';
import { InputError, reasonFor } from './command-errors.js';
import { nameOf, textChunksOf } from './input/file-arguments.js';
import { inThousands } from './output/fields.js';

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
type Curve = { tokens: number; bytesPerToken: number }[];

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

/** The compression of smaller vocabularies, each larger than the one before by a fixed factor. */
export async function curveOf(trained: TrainedVocabulary, model: 'bpe' | 'longest-match', heldOut: readonly HeldOut[]): Promise<Curve> {
  const greatest = trained.tokens.length;
  const least = greatest - trained.merges.length;
  const sizes = Array.from({ length: STEPS + 1 }, (_, step) => Math.round(least * (greatest / least) ** (step / STEPS)));
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

const WIDTH = 640;
const HEIGHT = 400;
const LEFT = 56;
const RIGHT = 24;
const TOP = 48;
const BOTTOM = 56;
const COLOUR = '#d1495b';

/**
 * An SVG: bytes per token by the size of the vocabulary, which is on a logarithmic scale. Packages that draw
 * charts are many times the size of this one, for a line and two axes.
 */
export function curveAsSvg(curve: Curve): string {
  const sizes = curve.map(({ tokens }) => Math.log(tokens));
  const [least, greatest] = [Math.min(...sizes), Math.max(...sizes)];
  const top = Math.ceil(Math.max(...curve.map(({ bytesPerToken }) => bytesPerToken)) + 0.2);
  const x = (tokens: number) => round(LEFT + ((Math.log(tokens) - least) / (greatest - least || 1)) * (WIDTH - LEFT - RIGHT));
  const y = (value: number) => round(HEIGHT - BOTTOM - (value / top) * (HEIGHT - TOP - BOTTOM));
  const points = curve.map(({ tokens, bytesPerToken }) => ({ tokens, bytesPerToken, x: x(tokens), y: y(bytesPerToken) }));
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="white"/>`,
    `<text x="${LEFT}" y="26" font-size="15" font-weight="bold">Bytes of held-out text for each token (more is better)</text>`,
  ];
  for (let value = 0; value <= top; value += Math.ceil(top / 8)) {
    lines.push(`<path d="M${LEFT} ${y(value)}H${WIDTH - RIGHT}" stroke="#ddd"/>`);
    lines.push(`<text x="${LEFT - 8}" y="${y(value) + 4}" text-anchor="end">${value}</text>`);
  }
  for (const { tokens, x } of points) {
    lines.push(`<text x="${x}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${inThousands(tokens)}</text>`);
  }
  lines.push(`<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 14}" text-anchor="middle">tokens of the vocabulary</text>`);
  lines.push(`<polyline points="${points.map(({ x, y }) => `${x},${y}`).join(' ')}" fill="none" stroke="${COLOUR}" stroke-width="2"/>`);
  for (const { tokens, bytesPerToken, x, y } of points) {
    const title = `<title>${inThousands(tokens)} tokens: ${bytesPerToken} bytes per token</title>`;
    lines.push(`<circle cx="${x}" cy="${y}" r="3.5" fill="${COLOUR}">${title}</circle>`);
  }
  return `${lines.join('\n')}\n</svg>\n`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
