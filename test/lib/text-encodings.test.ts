// UTF-8 in parts. Expectations come from the host's TextDecoder.

import { describe, expect, it } from 'vitest';
import { TokenizerError } from '../../lib/base/errors.js';
import { characterLength, utf8Text, Utf8Run } from '../../lib/base/text-encodings.js';
import { Random } from '../fuzz/random.mjs';

/** First bytes of all kinds, and second bytes at the ends of what may follow them. */
const BYTES = [
  0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xed, 0xef, 0xf0, 0xf1, 0xf4, 0xf5, 0xff,
];
const CHARACTERS = ['a', '\u00e9', '\ufeff', '\u8a9e', '\ufffd', '\u{1f600}', '\u{10ffff}'].map((text) => new TextEncoder().encode(text));

function bytesFrom(random: Random, length: number): Uint8Array {
  const bytes: number[] = [];
  while (bytes.length < length) {
    if (random.below(3) === 0) bytes.push(BYTES[random.below(BYTES.length)]!);
    else bytes.push(...CHARACTERS[random.below(CHARACTERS.length)]!);
  }
  return Uint8Array.from(bytes.slice(0, length));
}

describe('UTF-8 in parts', () => {
  it.each([
    ['short', 12, 40],
    ['long', 400, 200],
  ])('is what TextDecoder makes of it: %s parts', (_, length, most) => {
    const random = new Random(1);
    for (let turn = 0; turn < 3000; turn++) {
      const bytes = bytesFrom(random, random.below(length));
      const run = new Utf8Run();
      const whole = new TextDecoder('utf-8', { ignoreBOM: true });
      for (let at = 0; at < bytes.length; ) {
        const end = Math.min(bytes.length, at + random.below(most));
        const part = bytes.subarray(at, end);
        expect(run.push(part)).toBe(whole.decode(part, { stream: true }));
        at = end;
      }
      expect(run.end()).toBe(whole.decode());
      expect(run.isPartial).toBe(false);
    }
  });

  it('knows whether a character has begun', () => {
    const run = new Utf8Run();
    expect([...new TextEncoder().encode('a\u{1f600}\u00e9b')].map((byte) => (run.push(Uint8Array.of(byte)), run.isPartial))).toEqual([
      false,
      true,
      true,
      true,
      false,
      true,
      false,
      false,
    ]);
  });

  it('measures the character at a place', () => {
    const random = new Random(2);
    const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    const isCharacter = (bytes: Uint8Array) => {
      try {
        return [...strict.decode(bytes)].length === 1;
      } catch {
        return false;
      }
    };
    for (let turn = 0; turn < 5000; turn++) {
      const bytes = bytesFrom(random, 1 + random.below(8));
      const expected = [1, 2, 3, 4].find((length) => length <= bytes.length && isCharacter(bytes.subarray(0, length))) ?? 0;
      expect(characterLength(bytes, 0)).toBe(expected);
    }
  });
});

describe('the text of a file', () => {
  const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const isText = (bytes: Uint8Array) => {
    try {
      strict.decode(bytes);
      return true;
    } catch {
      return false;
    }
  };

  it('is an error at the first character that is not UTF-8', () => {
    const random = new Random(3);
    for (let turn = 0; turn < 2000; turn++) {
      const bytes = bytesFrom(random, random.below(12));
      if (isText(bytes)) {
        expect(utf8Text(bytes, 'a file')).toBe(strict.decode(bytes));
        continue;
      }
      let position = bytes.length;
      while (!isText(bytes.subarray(0, position))) position--;
      const message = `cannot read the tokens of a file: it is not UTF-8 from byte ${position} on`;
      expect(() => utf8Text(bytes, 'a file')).toThrow(new TokenizerError(message, { code: 'CORRUPT_STRUCTURE', position }));
    }
  });
});
