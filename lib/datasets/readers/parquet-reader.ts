// A column of a Parquet file, one document for each row.

import type { AsyncBuffer, FileMetaData } from 'hyparquet';

import { DatasetError } from '../dataset-error.js';
import type { DatasetInput } from '../manifest.js';
import type { DocumentReader } from '../text-batch.js';
import { type InputFile, openInput } from '../dataset-inputs.js';

/** Rows and bytes of each row group. Throws if the file has no column of strings with this name. */
export async function rowGroupsOf(input: DatasetInput, field: string): Promise<{ rows: number; bytes: number }[]> {
  const { path } = input;
  await using file = await openInput(input);
  const { metadata } = await opened(file);
  const column = metadata.schema.find(({ name }) => name === field);
  if (column?.type !== 'BYTE_ARRAY') {
    const names = metadata.schema.filter(({ type }) => type === 'BYTE_ARRAY').map(({ name }) => JSON.stringify(name));
    const reason = `${path} has no column ${JSON.stringify(field)} of strings; it has ${names.join(', ') || 'none'} (--field)`;
    throw new DatasetError(reason, { code: 'DAMAGED_RECORD', file: path });
  }
  return metadata.row_groups.map(({ num_rows, total_byte_size }) => ({ rows: Number(num_rows), bytes: Number(total_byte_size) }));
}

export async function parquetRows(file: InputFile, from: number, to: number, field: string): Promise<DocumentReader> {
  const { path } = file.input;
  const { bytes, metadata } = await opened(file);
  let position = from;
  /** Rows that have been read, from the row `first` on. */
  let rows: Record<string, unknown>[] = [];
  let first = 0;

  /** Reads the row group of the position. */
  async function read(): Promise<void> {
    let begin = 0;
    for (const { num_rows } of metadata.row_groups) {
      const end = begin + Number(num_rows);
      if (position < end) {
        const { compressors, parquetReadObjects } = await import('../columns.js');
        const options = { file: bytes, metadata, columns: [field], rowStart: begin, rowEnd: Math.min(end, to), compressors };
        rows = await reading(path, () => parquetReadObjects(options));
        first = begin;
        return;
      }
      begin = end;
    }
    throw new DatasetError(`${path} has no row ${position}`, { code: 'INPUT_CHANGED', file: path });
  }

  return {
    get position() {
      return position;
    },
    /** The bytes of all columns, in proportion to the rows. */
    get fileBytes() {
      return (bytes.byteLength * (position - from)) / Math.max(1, Number(metadata.num_rows));
    },
    async fill(batch, size) {
      while (batch.size < size) {
        if (position >= to) return 'end';
        if (position >= first + rows.length) await read();
        const row = position++;
        const value = rows[row - first]?.[field];
        if (value === null || value === undefined || value === '') batch.empty++;
        else if (typeof value === 'string') batch.addString(value, row);
        else return { begin: row, reason: `its ${JSON.stringify(field)} is no string` };
      }
      return 'full';
    },
    async [Symbol.asyncDispose]() {},
  };
}

async function opened(file: InputFile): Promise<{ bytes: AsyncBuffer; metadata: FileMetaData }> {
  const { parquetMetadataAsync } = await import('../columns.js');
  const { path, size } = file.input;
  const bytes = {
    byteLength: size,
    slice: async (from: number, to = size) => {
      const part = new Uint8Array(Math.min(to, size) - from);
      await file.read(part, from);
      return part.buffer;
    },
  };
  return reading(path, async () => ({ bytes, metadata: await parquetMetadataAsync(bytes) }));
}

/** Errors of the library name neither file nor code. */
async function reading<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DatasetError) throw error;
    throw new DatasetError(`cannot read ${path}: ${(error as Error).message}`, { code: 'DAMAGED_RECORD', file: path }, { cause: error });
  }
}
