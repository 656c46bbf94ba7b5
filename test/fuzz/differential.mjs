/**
 * Compares a tokenizer with a reference on one text, shrinks a difference and prints a reproducer.
 */

/**
 * @typedef {object} Contender the tokenizer under test; only `encode` is required
 * @property {(text: string | Uint8Array) => Uint32Array} encode
 * @property {(text: string) => number} [count]
 * @property {(ids: Uint32Array) => Uint8Array} [decodeBytes]
 * @property {boolean} [takesBytes] whether `encode` takes UTF-8 bytes as well
 */
/** @typedef {{ what: string, index: number, expected: unknown, actual: unknown }} Difference */

const encoder = new TextEncoder();

/** The UTF-8 of a string, as every tokenizer here sees it: U+FFFD for a lone surrogate. */
export function utf8Of(text) {
  return encoder.encode(text);
}

/**
 * The first difference between contender and reference on a text, or `null`. Besides the ids it compares what follows from
 * them: the count, the ids of the UTF-8 bytes, and that decoding restores the bytes.
 * @param {string} text
 * @param {Contender} contender
 * @param {{ encode: (text: string) => Uint32Array }} reference
 * @returns {Difference | null}
 */
export function differenceOn(text, contender, reference) {
  let step = 'encode(text)';
  try {
    const expected = reference.encode(text);
    const actual = contender.encode(text);
    const wrong = firstDifference(actual, expected);
    if (wrong >= 0) return { what: step, index: wrong, expected: expected[wrong], actual: actual[wrong] };
    step = 'count(text)';
    if (contender.count !== undefined) {
      const count = contender.count(text);
      if (count !== expected.length) return { what: step, index: 0, expected: expected.length, actual: count };
    }
    const bytes = utf8Of(text);
    step = 'encode(bytes)';
    if (contender.takesBytes) {
      const fromBytes = contender.encode(bytes);
      const at = firstDifference(fromBytes, expected);
      if (at >= 0) return { what: step, index: at, expected: expected[at], actual: fromBytes[at] };
    }
    step = 'decodeBytes(ids)';
    if (contender.decodeBytes !== undefined) {
      const decoded = contender.decodeBytes(actual);
      const at = firstDifference(decoded, bytes);
      if (at >= 0) return { what: step, index: at, expected: bytes[at], actual: decoded[at] };
    }
    return null;
  } catch (error) {
    return { what: step, index: 0, expected: 'no error', actual: String(error?.stack ?? error) };
  }
}

/** Index of the first element in which two arrays differ; the shorter length if one is a prefix of the other; -1 if equal. */
export function firstDifference(a, b) {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) if (a[i] !== b[i]) return i;
  return a.length === b.length ? -1 : shared;
}

/**
 * Shrinks a text while `fails` holds: removes ever smaller parts, then replaces units by plain letters.
 * @param {string} text
 * @param {(text: string) => boolean} fails
 * @returns {string} a text for which `fails` still holds
 */
export function minimise(text, fails) {
  let left = 4000; // trials
  const still = (candidate) => left-- > 0 && fails(candidate);
  let current = text;
  for (let size = Math.ceil(current.length / 2); size >= 1; size = Math.floor(size / 2)) {
    let again = true;
    while (again) {
      again = false;
      for (let at = 0; at < current.length; ) {
        const candidate = current.slice(0, at) + current.slice(at + size);
        if (still(candidate)) {
          current = candidate;
          again = size === 1;
        } else {
          at += size;
        }
      }
    }
  }
  for (let at = 0; at < current.length; at++) {
    if (current[at] === 'a') continue;
    const candidate = `${current.slice(0, at)}a${current.slice(at + 1)}`;
    if (still(candidate)) current = candidate;
  }
  return current;
}

/** A string literal of printable ASCII. */
export function escaped(text) {
  return JSON.stringify(text).replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function shortened(literal) {
  return literal.length <= 1000 ? literal : `${literal.slice(0, 500)} … ${literal.slice(-500)}`;
}

/**
 * The report of a difference, shrunk: what to look at and how to reproduce it.
 * @param {{ encoding: string, text: string, contender: Contender, reference: object, origin: string }} found
 */
export function report({ encoding, text, contender, reference, origin }) {
  const first = differenceOn(text, contender, reference);
  const small = minimise(text, (candidate) => differenceOn(candidate, contender, reference)?.what === first.what);
  const difference = differenceOn(small, contender, reference);
  const lines = [
    `${encoding}: ${difference.what} differs from the reference`,
    `  text      ${shortened(escaped(small))}  (${small.length} units, shrunk from ${text.length})`,
    `  index     ${difference.index}`,
    `  expected  ${difference.expected}`,
    `  actual    ${difference.actual}`,
    `  all ids   ${reference.encode(small).slice(0, 64).join(' ')}`,
  ];
  if (difference.what.startsWith('encode') && typeof difference.expected !== 'string') {
    lines.push(
      `  got       ${contender
        .encode(difference.what === 'encode(bytes)' ? utf8Of(small) : small)
        .slice(0, 64)
        .join(' ')}`,
    );
  }
  lines.push(`  again     ${origin}`);
  return lines.join('\n');
}
