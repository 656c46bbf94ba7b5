// Arrow's IPC stream, as Hugging Face's datasets keeps its files: NAME.arrow with a column input_ids of lists of int32.

import { type NewLayout, wholeDocuments } from './layout.js';

type Columns = typeof import('../columns.js');

/** Bytes of ids in a record batch, about. */
const BATCH = 8 * 1024 * 1024;
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
  return wholeDocuments(4, BATCH, take, async () => file.append(Buffer.from([0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0])));
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
  const table = tableFromColumns({ input_ids: new Column(lengths.length === 0 ? [] : [batch], type) });
  return tableToIPC(table, { format: 'stream' }) as Uint8Array;
}

/** The length of a stream's first message, its schema, which has no body. */
function messageLength(stream: Uint8Array): number {
  return 8 + new DataView(stream.buffer, stream.byteOffset).getInt32(4, true);
}

function withoutEnd(stream: Uint8Array): Uint8Array {
  return stream.subarray(0, stream.length - END);
}
