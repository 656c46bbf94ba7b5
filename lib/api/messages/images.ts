// The tokens of images and audio. Published are the rules of OpenAI's guide "Images and vision", as of gpt-5.6:
//
// * Tiles. An image is scaled to fit 2048 × 2048, then its shorter side to 768, and takes a base plus a fixed number
//   for each square of 512 it covers; with low detail only the base. Sides are rounded on the way, and nothing is
//   enlarged, which the guide leaves open: an image of 2049 × 513 took 8 tiles, one of 2050 × 513 4
//   (community.openai.com/t/1281361).
// * Patches. An image is scaled to fit a length and a number of patches of 32 × 32, and takes a fixed number for each.
//
// For gpt-5-mini and gpt-5-nano the guide gives 1.62 and 2.46 per patch, and the calculator beside OpenAI's prices 1.2
// and 1.5, which matches measurements (community.openai.com/t/1344040); for gpt-5.2 it gives nothing, and 1.2 was
// measured.

import { outOfRange } from '../../base/errors.js';
import { checkedChoice, checkedInteger } from '../../base/option-objects.js';
import { fieldsOf, isEmpty, knownFieldsOf, stringOf } from './request-checks.js';
import type { Ledger } from './ledger.js';

export interface ImageSize {
  width: number;
  height: number;
}

/** Most JPEG segments before the frame: cameras and programs write fewer. */
const MAX_SEGMENTS = 1000;

/** The bits of a dimension in a WebP without alpha. */
const MASK = 0x3fff;

/** The size of a PNG, JPEG, GIF or WebP in a base64 data URL; undefined for any other URL. */
function sizeInDataUrl(url: string): ImageSize | undefined {
  const start = url.indexOf(',') + 1;
  if (!/^data:[^,]*;base64,$/i.test(url.slice(0, Math.min(start, 200)))) return undefined;
  try {
    const size = sizeIn((index) => {
      const group = start + Math.floor(index / 3) * 4;
      return atob(url.slice(group, group + 4)).charCodeAt(index % 3);
    });
    return size && size.width > 0 && size.height > 0 ? size : undefined;
  } catch {
    return undefined; // not base64
  }
}

/** `byte` returns NaN past the end, which makes the size fail the test for being greater than 0. */
function sizeIn(byte: (index: number) => number): ImageSize | undefined {
  const big = (index: number, length: number): number =>
    Array.from({ length }).reduce<number>((value, _, at) => value * 256 + byte(index + at), 0);
  const little = (index: number, length: number): number =>
    Array.from({ length }).reduceRight<number>((value, _, at) => value * 256 + byte(index + at), 0);
  switch (big(0, 2)) {
    case 0x8950: // \x89PNG
      return { width: big(16, 4), height: big(20, 4) };
    case 0x4749: // GIF
      return { width: little(6, 2), height: little(8, 2) };
    case 0x5249: // RIFF …WEBP, whose first chunk is VP8X, VP8L or VP8
      if (byte(15) === 0x58) return { width: little(24, 3) + 1, height: little(27, 3) + 1 };
      if (byte(15) === 0x4c) return { width: (little(21, 2) & MASK) + 1, height: ((little(21, 4) >>> 14) & MASK) + 1 };
      return { width: little(26, 2) & MASK, height: little(28, 2) & MASK };
    case 0xffd8: // JPEG
      for (let index = 2, segments = 0; segments < MAX_SEGMENTS && byte(index) === 0xff; segments++) {
        const marker = byte(index + 1);
        const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
        if (isFrame) return { width: big(index + 7, 2), height: big(index + 5, 2) };
        // A marker may follow fill bytes, which equal its first byte.
        index += marker === 0xff ? 1 : 2 + big(index + 2, 2);
      }
  }
  return undefined;
}

interface Tiles {
  base: number;
  tile: number;
}

interface Patches {
  /** Tokens per hundred patches. */
  hundred: number;
  /** The most patches with high detail, and with original detail. */
  high: number;
  original?: number;
  /** Whether unspecified detail means original. */
  isOriginal?: boolean;
}

const SMALL = 1536;
const LARGE = 2500;

/** The first entry that matches a model's name applies. */
const RULES: readonly [RegExp, Tiles | Patches][] = [
  [/^gpt-(?:4\.1|5\.4)-mini/, { hundred: 162, high: SMALL }],
  [/^gpt-(?:4\.1|5\.4)-nano/, { hundred: 246, high: SMALL }],
  [/^o4-mini/, { hundred: 172, high: SMALL }],
  [/^gpt-5-mini|^gpt-5\.2/, { hundred: 120, high: SMALL }],
  [/^gpt-5-nano/, { hundred: 150, high: SMALL }],
  [/^gpt-5(?:\.1)?-codex-mini|^gpt-5\.3/, { hundred: 100, high: SMALL }],
  [/^gpt-5\.4/, { hundred: 100, high: LARGE, original: 10_000 }],
  [/^gpt-5\.5/, { hundred: 100, high: LARGE, original: 10_000, isOriginal: true }],
  [/^gpt-5(?:\.1)?(?:-|$)/, { base: 70, tile: 140 }],
  [/^gpt-5/, { hundred: 100, high: LARGE, original: Infinity, isOriginal: true }],
  [/^gpt-4o-mini/, { base: 2833, tile: 5667 }],
  [/^(?:chat)?gpt-4(?:o|\.1|\.5|-turbo|-.*vision)/, { base: 85, tile: 170 }],
  [/^o[13](?:-pro|-20|$)/, { base: 75, tile: 150 }],
];

/** The longest sides with high and with original detail. */
const HIGH_SIDE = 2048;
const ORIGINAL_SIDE = 6000;
const SHORT_SIDE = 768;
const TILE = 512;
const PATCH = 32;
/** The assumed size of an image that only a server has. */
const UNKNOWN: ImageSize = { width: 1024, height: 1024 };

/** The tokens of an image. `sizes`: the sizes of images by URL. */
export function countImage(image: unknown, model: string, sizes: unknown, ledger: Ledger, where: string): number {
  const { url: named, detail: said } = knownFieldsOf(image, where, ['url', 'detail']);
  const detail = isEmpty(said) ? 'auto' : said;
  const url = stringOf(named, `${where}.url`);
  const rule = RULES.find(([names]) => names.test(model.replace(/^ft:/, '')))?.[1];
  if (!rule) throw outOfRange('a model that takes images', 'model', model);
  const isTiled = 'tile' in rule;
  const details = ['low', 'high', ...(isTiled || !rule.original ? [] : ['original']), 'auto'];
  checkedChoice(detail, `${where}.detail`, details);
  if (isTiled && detail === 'low') return rule.base;
  if (isTiled && detail === 'auto') {
    ledger.assume('Images of automatic detail are counted in high detail.', `${where}.detail`, said, "'low' or 'high'");
  }
  const size = imageSizeOf(url, sizes);
  if (!size) {
    const expected = 'an image of known size (in imageSizes)';
    ledger.assume('Images of unknown size are counted as 1024 × 1024 pixels.', `${where}.url`, url, expected);
  }
  if (isTiled) return tileTokens(size ?? UNKNOWN, rule);
  const { hundred, high, original = high, isOriginal } = rule;
  if (detail === 'low') return patchTokens(size ?? UNKNOWN, TILE, high, hundred);
  const isWhole = detail === 'original' || (detail === 'auto' && isOriginal);
  const longest = !isWhole ? HIGH_SIDE : original === Infinity ? Infinity : ORIGINAL_SIDE;
  return patchTokens(size ?? UNKNOWN, longest, isWhole ? original : high, hundred);
}

/** The size of an image that the user passed for its URL, or that is in it. */
export function imageSizeOf(url: string, sizes: unknown): ImageSize | undefined {
  return sizeOf(url, sizes) ?? sizeInDataUrl(url);
}

/** The size that the user passed for a URL. */
function sizeOf(url: string, sizes: unknown): ImageSize | undefined {
  if (sizes === undefined || !Object.hasOwn(fieldsOf(sizes, 'imageSizes'), url)) return undefined;
  const { width, height } = fieldsOf(fieldsOf(sizes, 'imageSizes')[url], 'imageSizes[url]');
  return { width: sideOf(width, 'width'), height: sideOf(height, 'height') };
}

function sideOf(value: unknown, name: string): number {
  return checkedInteger(value, `imageSizes[url].${name}`, 1);
}

function tileTokens(size: ImageSize, { base, tile }: Tiles): number {
  const inside = scaled(size, HIGH_SIDE / Math.max(size.width, size.height));
  const { width, height } = scaled(inside, SHORT_SIDE / Math.min(inside.width, inside.height));
  return base + tile * Math.ceil(width / TILE) * Math.ceil(height / TILE);
}

/** Scales down by a factor, to whole pixels; a factor over 1 changes nothing. */
function scaled({ width, height }: ImageSize, factor: number): ImageSize {
  if (factor >= 1) return { width, height };
  return { width: Math.max(1, Math.round(width * factor)), height: Math.max(1, Math.round(height * factor)) };
}

function patchTokens(size: ImageSize, longest: number, limit: number, hundred: number): number {
  const { width, height } = scaled(size, longest / Math.max(size.width, size.height));
  let patches = patchesOf(width, height);
  if (patches > limit) {
    const shrink = Math.sqrt((PATCH * PATCH * limit) / (width * height));
    const fits = (side: number) => Math.max(1, Math.floor((side * shrink) / PATCH)) / ((side * shrink) / PATCH);
    const factor = shrink * Math.min(fits(width), fits(height));
    patches = Math.min(limit, patchesOf(Math.floor(width * factor), Math.floor(height * factor)));
  }
  return Math.ceil((patches * hundred) / 100);
}

function patchesOf(width: number, height: number): number {
  return Math.max(1, Math.ceil(width / PATCH)) * Math.max(1, Math.ceil(height / PATCH));
}

/** Tokens per second of audio, from the guide to the Realtime API, and bytes per second of an MP3. */
const PER_SECOND = 10;
const MP3_BYTES = 16_000;

/** The tokens of audio, by its length. */
export function countAudio(audio: unknown, ledger: Ledger, where: string): number {
  const { data, format } = knownFieldsOf(audio, where, ['data', 'format']);
  const base64 = stringOf(data, `${where}.data`);
  ledger.assume('Audio takes 10 tokens per second, and an MP3 has 128 kbit/s.', where, audio);
  const perSecond = (format === 'wav' && bytesOfSecond(base64)) || MP3_BYTES;
  return Math.ceil(((base64.length * 3) / 4 / perSecond) * PER_SECOND);
}

/** The bytes per second according to a WAV header; 0 if it does not say. */
function bytesOfSecond(base64: string): number {
  try {
    const header = atob(base64.slice(0, 44));
    return [31, 30, 29, 28].reduce((value, at) => value * 256 + (header.charCodeAt(at) || 0), 0);
  } catch {
    return 0;
  }
}
