// A column of a Parquet file, one document for each row.

import type { AsyncBuffer, FileMetaData } from 'hyparquet';

import { DatasetError } from '../dataset-error.js';
import type { DatasetInput } from '../manifest.js';
import type { DocumentReader, Filled, TextBatch } from '../text-batch.js';
import { InputFile } from '../dataset-inputs.js';

/** Rows and bytes of each row group. Throws if the file has no column of strings with this name. */
export async function rowGroupsOf(input: DatasetInput, field: string): Promise<{ rows: number; bytes: number }[]> {
  const { path } = input;
  await using file = await InputFile.open(input);
  const { metadata } = await opened(file);
  const column = metadata.schema.find(({ name }) => name === field);
  if (column?.type !== 'BYTE_ARRAY') {
    const names = metadata.schema.filter(({ type }) => type === 'BYTE_ARRAY').map(({ name }) => JSON.stringify(name));
    const reason = `${path} has no column ${JSON.stringify(field)} of strings; it has ${names.join(', ') || 'none'} (--field)`;
    throw new DatasetError(reason, { code: 'DAMAGED_RECORD', file: path });
  }
  return metadata.row_groups.map(({ num_rows, total_byte_size }) => ({ rows: Number(num_rows), bytes: Number(total_byte_size) }));
}

export class ParquetRows implements DocumentReader {
  readonly #path: string;
  readonly #file: AsyncBuffer;
  readonly #metadata: FileMetaData;
  readonly #field: string;
  readonly #from: number;
  readonly #to: number;
  /** Rows that have been read, from the row `#first` on. */
  #rows: Record<string, unknown>[] = [];
  #first = 0;
  position: number;

  private constructor(path: string, file: { bytes: AsyncBuffer; metadata: FileMetaData }, from: number, to: number, field: string) {
    this.#path = path;
    this.#file = file.bytes;
    this.#metadata = file.metadata;
    this.#from = from;
    this.position = from;
    this.#to = to;
    this.#field = field;
  }

  static async open(file: InputFile, from: number, to: number, field: string): Promise<ParquetRows> {
    return new ParquetRows(file.input.path, await opened(file), from, to, field);
  }

  /** The bytes of all columns, in proportion to the rows. */
  get fileBytes(): number {
    return (this.#file.byteLength * (this.position - this.#from)) / Math.max(1, Number(this.#metadata.num_rows));
  }

  async fill(batch: TextBatch, size: number): Promise<Filled> {
    while (batch.size < size) {
      if (this.position >= this.#to) return 'end';
      if (this.position >= this.#first + this.#rows.length) await this.#read();
      const row = this.position++;
      const value = this.#rows[row - this.#first]?.[this.#field];
      if (value === null || value === undefined || value === '') batch.empty++;
      else if (typeof value === 'string') batch.addString(value, row);
      else return { begin: row, reason: `its ${JSON.stringify(this.#field)} is no string` };
    }
    return 'full';
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  /** Reads the row group of the position. */
  async #read(): Promise<void> {
    let first = 0;
    for (const { num_rows } of this.#metadata.row_groups) {
      const end = first + Number(num_rows);
      if (this.position < end) {
        const { compressors, parquetReadObjects } = await import('../columns.js');
        const [rowStart, rowEnd] = [first, Math.min(end, this.#to)];
        const options = { file: this.#file, metadata: this.#metadata, columns: [this.#field], rowStart, rowEnd, compressors };
        this.#rows = await reading(this.#path, () => parquetReadObjects(options));
        this.#first = first;
        return;
      }
      first = end;
    }
    throw new DatasetError(`${this.#path} has no row ${this.position}`, { code: 'INPUT_CHANGED', file: this.#path });
  }
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
