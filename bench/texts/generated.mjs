/**
 * Texts made by rule, the same on every machine: long runs of one thing, letters without end, base64, and words that no
 * real text holds.
 */

/** A seeded generator of 32-bit numbers (mulberry32). */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}

/** `count` lower-case letters without a space. */
function letters(count, seed) {
  const next = random(seed);
  const bytes = Buffer.allocUnsafe(count);
  for (let index = 0; index < count; index++) bytes[index] = 0x61 + (next() % 26);
  return bytes.toString('latin1');
}

/** `count` characters of base64 on one line. */
function base64(count, seed) {
  const next = random(seed);
  const bytes = Buffer.allocUnsafe(Math.ceil((count * 3) / 4));
  for (let index = 0; index < bytes.length; index++) bytes[index] = next() & 0xff;
  return bytes.toString('base64').slice(0, count);
}

/** Writes `count` digits. */
function digits(count, seed) {
  const next = random(seed);
  const bytes = Buffer.allocUnsafe(count);
  for (let index = 0; index < count; index++) bytes[index] = 0x30 + (next() % 10);
  return bytes.toString('latin1');
}

/**
 * The adversarial texts. `full`: the characters of the text that goes by the bare name.
 * @type {{ name: string, title: (size: string) => string, full: number, make: (size: number) => string }[]}
 */
export const adversarial = [
  { name: 'run-letter', title: (n) => `'a' × ${n}`, full: 1_000_000, make: (size) => 'a'.repeat(size) },
  { name: 'run-space', title: (n) => `space × ${n}`, full: 1_000_000, make: (size) => ' '.repeat(size) },
  { name: 'run-newline', title: (n) => `newline × ${n}`, full: 1_000_000, make: (size) => '\n'.repeat(size) },
  { name: 'run-digits', title: (n) => `${n} digits`, full: 1_000_000, make: (size) => digits(size, 1) },
  { name: 'run-emoji', title: (n) => `'😀' × ${n}`, full: 100_000, make: (size) => '😀'.repeat(size) },
  { name: 'run-cjk', title: (n) => `'语' × ${n}`, full: 300_000, make: (size) => '语'.repeat(size) },
  { name: 'random-letters', title: (n) => `${n} random letters`, full: 1_000_000, make: (size) => letters(size, 2) },
  { name: 'base64', title: (n) => `base64, ${n} characters`, full: 1_000_000, make: (size) => base64(size, 3) },
];

/**
 * Words that no text holds: letters of several scripts at random, spaces, digits and punctuation. Encoding it gets a
 * contender's code compiled without showing its caches a piece of any other text here.
 */
export function unfamiliar(size = 100_000) {
  const next = random(4);
  const scripts = [
    [0x61, 26],
    [0x61, 26],
    [0x41, 26],
    [0x430, 32],
    [0x4e00, 20_000],
    [0x3041, 86],
    [0x905, 50],
    [0xac00, 11_000],
    [0x30, 10],
    [0x21, 15],
  ];
  let out = '';
  while (out.length < size) {
    const [first, count] = scripts[next() % scripts.length];
    const length = 4 + (next() % 8);
    for (let index = 0; index < length; index++) out += String.fromCharCode(first + (next() % count));
    out += next() % 12 === 0 ? '\n' : ' ';
  }
  return out;
}
