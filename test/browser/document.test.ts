// Texts that are edited, in a page: the ids are those of the whole text after every edit.

import { describe, expect, inject, it } from 'vitest';
import { Tokenizer } from 'crayon-tokenizer';

import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';

const WORDS = ['hello', ' world', '\n\n', '  ', 'naïve', '漢字', ' 12345', '🙂', "'s", '<|endoftext|>'];

describe('a document', () => {
  it('has the ids of the whole text after every edit', async () => {
    expect(inject('backend')).toBe('wasm');
    using tokenizer = await Tokenizer.load('cl100k_base', { documents: true });
    const random = new Random(3, 0, 5);
    const piece = () => Array.from({ length: random.length(6) }, () => random.pick(WORDS)).join('');
    let text = Array.from({ length: 300 }, piece).join('');
    using document = tokenizer.document(text);
    for (let edit = 0; edit < sample(2000, 100); edit++) {
      const at = random.integer(0, text.length);
      const deleted = random.integer(0, Math.min(20, text.length - at));
      const inserted = piece();
      document.replace(at, at + deleted, inserted);
      text = text.slice(0, at) + inserted + text.slice(at + deleted);
      expect([...document.ids], `edit ${edit}`).toEqual([...tokenizer.encode(text)]);
    }
  });
});
