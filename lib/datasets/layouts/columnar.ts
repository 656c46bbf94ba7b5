// Columns input_ids of lists of int32: Arrow's IPC stream, as Hugging Face's datasets keeps its files (NAME.arrow), and Parquet (NAME.parquet).

import { wordsOf } from '../formats.js';
import { type NewLayout, wholeDocuments } from './layout.js';

const COLUMN = 'input_ids';
/** Bytes of ids in a record batch or row group, about. */
const GROUP = 8 * 1024 * 1024;

type Columns = typeof import('../columns.js');

const NO_NULLS = new Uint8Array(0);
/** What ends a stream: a continuation, and a length of 0. */
const END = 8;

export const arrow: NewLayout = async ({ name }, output) => {
  const columns = await import('../columns.js');
  const file = await output.create(`${name}.arrow`);
  // Each call writes a whole stream, of whose schemas and ends the file has one.
  await file.append(withoutEnd(streamOf(columns, Buffer.alloc(0), new Uint32Array(0))));
  const schemaLength = messageLength(streamOf(columns, Buffer.alloc(4), Uint32Array.of(1)));
  const take = async (ids: Buffer, lengths: Uint32Array) => file.append(withoutEnd(streamOf(columns, ids, lengths)).subarray(schemaLength));
  return wholeDocuments(4, GROUP, take, async () => file.append(Buffer.from([0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0])));
};

function streamOf(columns: Columns, ids: Buffer, lengths: Uint32Array): Uint8Array {
  const { batchType, Column, field, int32, list, tableFromColumns, tableToIPC } = columns;
  const offsets = new Int32Array(lengths.length + 1);
  lengths.forEach((length, row) => (offsets[row + 1] = (offsets[row] as number) + length));
  const values = new Int32Array(ids.buffer.slice(ids.byteOffset, ids.byteOffset + ids.byteLength));
  const type = list(field('item', int32()));
  const [item] = type.children as [{ type: ReturnType<typeof int32> }];
  const make = (of: typeof type | typeof item.type, fields: object) =>
    new (batchType(of) as new (options: object) => never)({ type: of, ...fields });
  const child = make(item.type, { length: values.length, nullCount: 0, validity: NO_NULLS, values });
  const batch = make(type, { length: lengths.length, nullCount: 0, validity: NO_NULLS, offsets, children: [child] });
  const table = tableFromColumns({ [COLUMN]: new Column(lengths.length === 0 ? [] : [batch], type) });
  return tableToIPC(table, { format: 'stream' }) as Uint8Array;
}

/** The length of a stream's first message, its schema, which has no body. */
function messageLength(stream: Uint8Array): number {
  return 8 + new DataView(stream.buffer, stream.byteOffset).getInt32(4, true);
}

function withoutEnd(stream: Uint8Array): Uint8Array {
  return stream.subarray(0, stream.length - END);
}

export const parquet: NewLayout = async ({ name }, output) => {
  const { ByteWriter, ParquetWriter } = await import('../columns.js');
  const file = await output.create(`${name}.parquet`);
  const bytes = new ByteWriter(GROUP);
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
  return wholeDocuments(4, GROUP, take, async () => {
    await writer.finish();
    await flush();
  });
};
