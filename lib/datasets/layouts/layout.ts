// What `merge` passes to the layout of a format: the documents of all shards, in order.

import { bytesOf } from '../formats.js';
import type { DatasetManifest } from '../manifest.js';
import type { Receipt } from '../receipts.js';

/**
 * A file of a merged dataset.
 *
 * @example
 * ```ts
 * import { type MergedFile, mergeDataset, planDataset, runDataset } from 'crayon-tokenizer/dataset';
 *
 * await planDataset(['hello.txt'], { output: 'planned', format: 'npy' });
 * await runDataset('planned');
 * const { files } = await mergeDataset('planned');
 * const [ids]: MergedFile[] = files;
 * ids?.bytes; // 140
 * ```
 */
export interface MergedFile {
  name: string;
  bytes: number;
  sha256: string;
}

/** A file that is being written. */
export interface OutputFile {
  append(bytes: Uint8Array): Promise<void>;
  /** In any order, for a file to which nothing is appended. */
  writeAt(bytes: Uint8Array, position: number): Promise<void>;
}

export interface Output {
  /** A file in the folder of the dataset. */
  create(name: string): Promise<OutputFile>;
}

/** Writes the files of a format. */
export interface Layout {
  /** How many ids each of the next documents has. Valid during the call. */
  documents(lengths: Uint32Array): Promise<void>;
  /** Their ids, in the integers of the dataset, in parts of any size. Valid during the call. */
  ids(bytes: Uint8Array): Promise<void>;
  finish(): Promise<void>;
}

/** Begins the files of a format. */
export type NewLayout = (manifest: DatasetManifest, output: Output, receipts: readonly Receipt[]) => Promise<Layout>;

/** Writes a number to two words. */
export function setWord64(words: Uint32Array, index: number, value: number): void {
  words[2 * index] = value >>> 0;
  words[2 * index + 1] = Math.floor(value / 2 ** 32);
}

/** For each length the sum of `before` and of the lengths up to it, times `scale`; `inclusive`: with the length itself. */
export function sumsOf(lengths: Uint32Array, before: number, { scale, inclusive }: { scale: number; inclusive: boolean }): Uint8Array {
  const words = new Uint32Array(2 * lengths.length);
  let sum = before;
  for (let index = 0; index < lengths.length; index++) {
    const next = sum + (lengths[index] as number) * scale;
    setWord64(words, index, inclusive ? next : sum);
    sum = next;
  }
  return bytesOf(words);
}

export function totalOf(lengths: Uint32Array): number {
  let sum = 0;
  for (let index = 0; index < lengths.length; index++) sum += lengths[index] as number;
  return sum;
}

/** Whole documents: their ids, and how many each has. Valid during the call. */
export type TakeDocuments = (ids: Buffer, lengths: Uint32Array) => Promise<void>;

/** A layout that passes groups of whole documents on, of about this many bytes. `width`: bytes of an id. */
export function wholeDocuments(width: number, groupBytes: number, take: TakeDocuments, finish: () => Promise<void>): Layout {
  let lengths = new Uint32Array(0);
  /** The first document that has not been passed on. */
  let first = 0;
  let buffer = Buffer.allocUnsafeSlow(groupBytes);
  let size = 0;
  /** The documents that the buffer has whole, and their bytes. */
  const wholeOnes = () => {
    let end = first;
    let bytes = 0;
    for (; end < lengths.length && bytes + (lengths[end] as number) * width <= size; end++) bytes += (lengths[end] as number) * width;
    return { end, bytes };
  };
  const pass = async () => {
    const { end, bytes } = wholeOnes();
    if (end === first) return;
    await take(buffer.subarray(0, bytes), lengths.subarray(first, end));
    buffer.copyWithin(0, bytes, size);
    size -= bytes;
    first = end;
  };
  return {
    async documents(next) {
      await pass();
      lengths = next.slice() as Uint32Array<ArrayBuffer>;
      first = 0;
    },
    async ids(part) {
      if (size + part.length > buffer.length) {
        await pass();
        if (size + part.length > buffer.length) {
          const larger = Buffer.allocUnsafeSlow(Math.max(2 * buffer.length, size + part.length));
          buffer.copy(larger, 0, 0, size);
          buffer = larger;
        }
      }
      buffer.set(part, size);
      size += part.length;
      if (size >= groupBytes) await pass();
    },
    async finish() {
      await pass();
      await finish();
    },
  };
}
