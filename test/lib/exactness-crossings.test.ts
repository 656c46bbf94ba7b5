// Texts in which a merge may take the end or the beginning of a character across its boundary have the reference's ids.
// Each text comes from a token that such a merge makes (cartridges/FORMAT.md §5.3): its bytes, plus the characters that
// its first and last bytes may belong to.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { Tokenizer } from 'crayon-tokenizer';

import { escaped } from '../fuzz/differential.mjs';
import { loadTiktoken } from '../golden/references.mjs';
import { SAMPLED_DISTINCT_ENCODINGS } from './encodings.js';
import { openCartridge } from './cartridge-reader.mjs';

/** Characters tried for each partial character at an end of a token. */
const CHARACTERS = 12;

const latin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');
const utf8 = (bytes: string) => Buffer.from(bytes, 'latin1').toString();
const isUtf8 = (bytes: string) => !utf8(bytes).includes('\ufffd');

/** A sample, evenly spread. */
function sample(list: string[]): string[] {
  const step = Math.max(1, Math.floor(list.length / CHARACTERS));
  return list.filter((_, index) => index % step === 0).slice(0, CHARACTERS);
}

/** Texts of whole characters that contain the bytes, all as latin1 strings. */
function textsAround(token: string, characters: string[]): string[] {
  const head = /^[\x80-\xbf]*/.exec(token)![0];
  const [tail] = /(?:[\xc0-\xdf]|[\xe0-\xef][\x80-\xbf]?|[\xf0-\xff][\x80-\xbf]{0,2})?$/.exec(token)!;
  const middle = token.slice(head.length, token.length - tail.length);
  if (!isUtf8(middle)) return [];
  const befores = head === '' ? [''] : sample(characters.filter((character) => character.endsWith(head)));
  const behinds = tail === '' ? [''] : sample(characters.filter((character) => character.startsWith(tail)));
  return befores.flatMap((before) => behinds.map((behind) => utf8(before + middle + behind)));
}

describe.each(SAMPLED_DISTINCT_ENCODINGS)('%s', { timeout: 120_000 }, (encoding) => {
  it('tokens that take a part of a character', async () => {
    using tokenizer = await Tokenizer.load(encoding);
    const reference = await loadTiktoken(encoding);
    const file = fileURLToPath(new URL(`../../cartridges/${encoding}.cray`, import.meta.url));
    const crossings: number[] = openCartridge(readFileSync(file)).crossings;
    const vocabulary = reference.vocabulary().map((token) => latin1(token ?? []));
    const known = vocabulary.filter(isUtf8).flatMap((token) => [...utf8(token)]);
    const characters = [...new Set(known)].map((character) => latin1(Buffer.from(character))).filter((bytes) => bytes.length > 1);

    let tried = 0;
    let made = 0;
    for (const id of crossings) {
      for (const text of textsAround(vocabulary[id], characters)) {
        // Alone it may be a token, so that nothing is merged.
        for (const piece of [text, text + text, `${characters[0]}${text}`]) {
          const expected = [...reference.encode(piece)];
          expect([...tokenizer.encode(piece)], escaped(piece)).toEqual(expected);
          tried++;
          made += Number(expected.includes(id));
        }
      }
    }
    // Merges that take part of a character do happen.
    expect(tried).toBeGreaterThan(crossings.length);
    expect(made).toBeGreaterThan(10);
  });
});

// o200k: the last byte of 됩 merges with 니다, which is two characters, and 됩니다 is made from that.
it('a part of a character merges with several characters', async () => {
  using tokenizer = await Tokenizer.load('o200k_base');
  expect([...tokenizer.encode('표시됩니다.')]).toEqual([22700, 5637, 76493, 13]);
  using other = await Tokenizer.load('cl100k_base');
  expect([...other.encode('표시됩니다.')]).toEqual([169, 72543, 30426, 33943, 49558, 13]);
});
