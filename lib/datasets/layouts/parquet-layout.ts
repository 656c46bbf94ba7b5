// Parquet: NAME.parquet with a column input_ids of lists of int32.

import { type NewLayout, wholeDocuments } from './layout.js';
import { wordsOf } from '../formats.js';

const COLUMN = 'input_ids';
/** Bytes of ids in a row group, about. */
const ROW_GROUP = 8 * 1024 * 1024;

export const parquet: NewLayout = async ({ name }, output) => {
  const { ByteWriter, ParquetWriter } = await import('../columns.js');
  const file = await output.create(`${name}.parquet`);
  const bytes = new ByteWriter(ROW_GROUP);
  const writer = new ParquetWriter({
    writer: bytes,
    // Ids compress by a few percent, at a tenth of the speed.
    codec: 'UNCOMPRESSED',
    schema: [
      { name: 'root', num_children: 1 },
      { name: COLUMN, repetition_type: 'REQUIRED', num_children: 1, converted_type: 'LIST' },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      { name: 'element', repetition_type: 'REQUIRED', type: 'INT32' },
    ],
  });
  /** Appends what the library has written. */
  const flush = async () => {
    await file.append(bytes.getBytes());
    bytes.index = 0;
  };
  const take = async (ids: Buffer, lengths: Uint32Array) => {
    const words = wordsOf(ids);
    const rows: number[][] = [];
    let at = 0;
    for (const length of lengths) {
      rows.push(Array.from(words.subarray(at, at + length)));
      at += length;
    }
    const column = { name: COLUMN, data: rows, encoding: 'PLAIN' as const, statistics: false, offsetIndex: false };
    await writer.write({ columnData: [column], rowGroupSize: rows.length });
    await flush();
  };
  return wholeDocuments(4, ROW_GROUP, take, async () => {
    await writer.finish();
    await flush();
  });
};
