// Megatron-LM's indexed dataset (megatron/core/datasets/indexed_dataset.py): NAME.bin has the ids, NAME.idx where documents are.
// Each document is one sequence.

import { bytesOf, widthOf } from '../formats.js';
import { sumOf } from '../receipts.js';
import { type NewLayout, setWord64, sumsOf, totalOf } from './layout.js';

const HEADER = 34;
/** Numbers of types there. */
const TYPES = { int32: 4, uint16: 8, uint32: 0 };

export const megatron: NewLayout = async ({ name, dtype }, output, receipts) => {
  const bin = await output.create(`${name}.bin`);
  const idx = await output.create(`${name}.idx`);
  const count = sumOf(receipts, 'documents');
  const lengthsAt = HEADER;
  const pointersAt = lengthsAt + 4 * count;
  const documentsAt = pointersAt + 8 * count;
  const header = Buffer.alloc(HEADER);
  header.write('MMIDIDX\0\0', 'latin1');
  header.writeBigUInt64LE(1n, 9);
  header.writeUInt8(TYPES[dtype], 17);
  header.writeBigUInt64LE(BigInt(count), 18);
  header.writeBigUInt64LE(BigInt(count + 1), 26);
  await idx.writeAt(header, 0);
  await idx.writeAt(new Uint8Array(8), documentsAt);
  let done = 0;
  let bytes = 0;
  return {
    async documents(lengths) {
      await idx.writeAt(bytesOf(lengths), lengthsAt + 4 * done);
      await idx.writeAt(sumsOf(lengths, bytes, { scale: widthOf(dtype), inclusive: false }), pointersAt + 8 * done);
      const ends = new Uint32Array(2 * lengths.length);
      for (let row = 0; row < lengths.length; row++) setWord64(ends, row, done + row + 1);
      await idx.writeAt(bytesOf(ends), documentsAt + 8 * (done + 1));
      done += lengths.length;
      bytes += totalOf(lengths) * widthOf(dtype);
    },
    ids: (part) => bin.append(part),
    finish: async () => undefined,
  };
};
