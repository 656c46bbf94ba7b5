/**
 * Texts that a search can change step by step. A recipe makes a text: strings, each repeated up to a given number of times
 * in a row, are drawn at random into a unit, and the unit is repeated.
 *
 * @typedef {object} Recipe
 * @property {[string, number][]} parts each with its maximum number of repetitions
 * @property {number} unit bytes, about; the whole text if it is longer
 * @property {number} seed of the draws
 */
import { random } from '../texts/generated.mjs';

const MOST_PARTS = 12;
const UNITS = [1, 30, 100, 300, 1000, 4000, 1 << 30];
const TIMES = [1, 1, 1, 2, 5, 20, 80, 300];
const CHARACTERS = [
  ...' \t\n\r\v\f\u00a0\u0085\u2028\u3000',
  ...'aesztAEZé́ßſǅאぁ语한ก्ா',
  ...'0159٠½',
  ...'.,;:!?\'"’`-_=+*/\\|<>()[]{}#@%&^~$€。«…',
  ...'😀👍🏽\u200d\ufe0f\ufeff\u0000\u007f\ufffd\u{20000}',
];
// Some of them change in NFC, or are special tokens.
const STRINGS = [
  '\u2126',
  '\u212b',
  'e\u0301',
  '\u0323\u0307',
  '\u1100\u1161',
  '<|im_end|>',
  '<|endoftext|>',
  "'s",
  "'LL",
  ' the',
  'ing',
  '\r\n',
  ' \n',
  '//',
  '==',
  'http://',
  '<|',
  '中A',
  'aB',
  '한국',
  'ของ',
  ' и',
];

/** @returns {string} of about `bytes` bytes of UTF-8 */
export function textOf({ parts, unit, seed }, bytes) {
  const next = random(seed);
  const pieces = [];
  for (let size = 0; size < Math.min(unit, bytes); ) {
    const [string, most] = parts[next() % parts.length];
    pieces.push(string.repeat(1 + (next() % most)));
    size += Buffer.byteLength(pieces.at(-1));
  }
  const text = pieces.join('');
  return text.repeat(Math.ceil(bytes / Buffer.byteLength(text)));
}

/** @param {() => number} next @returns {Recipe} */
export function randomRecipe(next) {
  const parts = Array.from({ length: 1 + (next() % 4) }, () => randomPart(next));
  return { parts, unit: pick(UNITS, next), seed: next() % 1000 };
}

/** @param {Recipe} recipe @param {() => number} next @returns {Recipe} a similar one */
export function changed({ parts, unit, seed }, next) {
  const recipe = { parts: parts.map(([string, most]) => [string, most]), unit, seed };
  const at = next() % parts.length;
  const part = recipe.parts[at];
  switch (next() % 8) {
    case 0:
      recipe.parts[at] = randomPart(next);
      break;
    case 1:
      if (parts.length < MOST_PARTS) recipe.parts.push(randomPart(next));
      break;
    case 2:
      if (parts.length > 1) recipe.parts.splice(at, 1);
      break;
    case 3:
      part[1] = pick(TIMES, next);
      break;
    case 4:
      part[0] = (part[0] + randomString(next)).slice(-60).toWellFormed();
      break;
    case 5:
      part[0] = [...part[0]].slice(1).join('') || randomString(next);
      break;
    case 6:
      recipe.unit = pick(UNITS, next);
      break;
    default:
      recipe.seed = next() % 1000;
  }
  return recipe;
}

function randomPart(next) {
  return [randomString(next), pick(TIMES, next)];
}

function randomString(next) {
  const kind = next() % 8;
  if (kind === 0) return pick(STRINGS, next);
  if (kind === 1) return String.fromCodePoint(32 + (next() % 0x3000));
  if (kind === 2) return Array.from({ length: 2 + (next() % 12) }, () => pick(CHARACTERS, next)).join('');
  return pick(CHARACTERS, next);
}

function pick(list, next) {
  return list[next() % list.length];
}
