/**
 * The seeded generator of difficult strings. String `index` of seed `seed` depends only on these two numbers (and on the
 * vocabulary, if given), so they reproduce a failure.
 *
 * Most strings mix a handful of ingredients, so that each meets the others often; some repeat one short text many times,
 * and some join tokens of the vocabulary, which gives merging the most choices.
 */
import { INGREDIENTS } from './ingredients.mjs';
import { Random } from './random.mjs';

const WRITERS = Object.values(INGREDIENTS);

/**
 * @param {number} seed
 * @param {number} index
 * @param {readonly string[]} [tokens] texts of vocabulary tokens
 * @returns {string} 0 to 300 UTF-16 units, occasionally up to 3,000; lone surrogates included
 */
export function nastyString(seed, index, tokens = []) {
  const random = new Random(seed, index);
  const length = targetLength(random);
  if (length === 0) return '';
  const style = random.next() % 16;
  if (style === 0) return run(random, length);
  const writers = style === 1 ? WRITERS : Array.from({ length: random.integer(1, 4) }, () => random.pick(WRITERS));
  const glue = tokens.length > 0 && style < 5;
  let text = '';
  // A filler shifts the following text relative to the 64-byte blocks of scanners.
  if (style === 15) text = random.pick(['x', 'x ', ' ', '1', 'é', '語', 'ab-']).repeat(random.integer(10, 66));
  while (text.length < length) {
    text += glue && random.chance(0.7) ? glued(random, tokens, style) : random.pick(writers)(random);
  }
  // Cut at the exact length, which may split a surrogate pair.
  return text.slice(0, Math.max(length, 1));
}

/** A token, or a token without its white space (so that pieces grow long) or without its end. */
function glued(random, tokens, style) {
  const token = random.pick(tokens);
  if (style === 2) return token;
  const bare = token.trim();
  return random.chance(0.8) ? bare : bare.slice(0, random.integer(1, bare.length));
}

function targetLength(random) {
  const kind = random.next() % 100;
  if (kind < 1) return 0;
  if (kind < 16) return random.integer(1, 4);
  if (kind < 60) return random.integer(5, 48);
  if (kind < 96) return random.integer(49, 300);
  return random.integer(301, 3000);
}

function run(random, length) {
  const unit = random.pick(WRITERS)(random).slice(0, random.integer(1, 3));
  const text = unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
  return random.pick(['', 'a', ' ', '\n', "'s"]) + text + random.pick(['', 'a', ' ', '1', '\n', "'s"]);
}

/**
 * The texts of the tokens that are valid UTF-8: material for gluing.
 * @param {Uint8Array[]} vocabulary
 */
export function textsOf(vocabulary) {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const texts = [];
  for (const bytes of vocabulary) {
    if (bytes === undefined) continue;
    try {
      texts.push(decoder.decode(bytes));
    } catch {
      // Part of a character: a string cannot contain it.
    }
  }
  return texts;
}

const RUN_UNITS = [
  'a',
  'A',
  'aA',
  'Aa',
  'ab',
  'é',
  '語',
  '的',
  'ก',
  '😀',
  ' ',
  '\n',
  '\t',
  '\r\n',
  ' \n',
  '\n ',
  '!',
  '/',
  '=',
  '-',
  '.',
  '1',
  '１',
  '\u0301',
  'a\u0301',
  '\u3000',
  '\xa0',
  '\x85',
  '\0',
  "'s",
  "'",
  '\ud800',
  '=\n',
  '\n/',
  'x ',
  ' x',
  '- ',
  '<|',
];
const RUN_LENGTHS = [2, 3, 15, 16, 17, 31, 32, 33, 63, 64, 65, 66, 127, 128, 129, 192, 255, 256, 257, 1000];

/** One short text repeated, to every length around the blocks of scanners and the longest tokens. */
export function runs() {
  const repeated = (unit, length) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
  const around = (run) => [run, `a${run}`, `${run}a`, ` ${run} `, `${run}\n`];
  return RUN_UNITS.flatMap((unit) => RUN_LENGTHS.flatMap((length) => around(repeated(unit, length))));
}
