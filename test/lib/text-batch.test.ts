// Batches of documents of any size, beside copies of their documents.

import { expect, it } from 'vitest';

import { TextBatch } from '../../lib/datasets/text-batch.js';
import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';

const MiB = 2 ** 20;

it('batches that are used again keep their documents', () => {
  const random = new Random(11);
  const batches = Array.from({ length: 4 }, () => ({ batch: new TextBatch(), documents: [] as { size: number; letter: number }[] }));
  for (let step = 0; step < sample(400, 60); step++) {
    const one = batches[step % batches.length]!;
    one.batch.clear();
    one.documents = [];
    for (let count = 1 + (step % 3); count > 0; count--) {
      const size = random.pick([1, 1000, MiB, 3 * MiB, 5 * MiB, 9 * MiB]) + random.length(1000);
      const letter = 97 + random.length(25);
      const text = Buffer.alloc(size, letter);
      if (step % 2 === 0) one.batch.addBytes(text, 0);
      else {
        text.copy(one.batch.room(size));
        one.batch.addRows(Uint32Array.of(0, size), 0);
      }
      one.documents.push({ size, letter });
    }
    for (const { batch, documents } of batches) {
      const { bytes, offsets } = batch.rows;
      expect(batch.count).toBe(documents.length);
      for (const [row, { size, letter }] of documents.entries()) {
        const own = bytes.subarray(offsets[row], offsets[row + 1]);
        expect(Buffer.compare(own, Buffer.alloc(size, letter))).toBe(0);
      }
    }
  }
}, 60_000);
