// Datasets of tests: their documents, read from merged files of NumPy.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The ids of each document of a merged dataset in the format npy. */
export function documentsOf(output: string): number[][] {
  const ids = arrayOf(path.join(output, 'data.npy'));
  let begin = 0;
  return arrayOf(path.join(output, 'data_ends.npy')).map((end) => {
    const document = ids.slice(begin, end);
    begin = end;
    return document;
  });
}

/** A file of NumPy with one dimension. */
function arrayOf(file: string): number[] {
  const bytes = readFileSync(file);
  const begin = 10 + bytes.readUInt16LE(8);
  const width = Number(/'<[ui](\d)'/.exec(bytes.toString('latin1', 10, begin))![1]);
  const read = (at: number) => (width === 8 ? Number(bytes.readBigUInt64LE(at)) : bytes.readUIntLE(at, width));
  return Array.from({ length: (bytes.length - begin) / width }, (_, index) => read(begin + width * index));
}

/** A hash of each file of a dataset's shards, by name; receipts included. */
export function shardsOf(output: string): Record<string, string> {
  const folder = path.join(output, 'shards');
  const hash = (name: string) =>
    createHash('sha256')
      .update(readFileSync(path.join(folder, name)))
      .digest('hex');
  return Object.fromEntries(
    readdirSync(folder)
      .sort()
      .map((name) => [name, hash(name)]),
  );
}
