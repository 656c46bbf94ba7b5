// What the readers of FASTA and FASTQ give. Types only.

import type { UnsharedUint8Array } from '../base/typed-arrays.js';

/**
 * A record of FASTA. Bases are as they are in the file, of either case, without line breaks. Short sequences share their
 * memory with others, and none has bytes of another: `slice()` takes one out.
 *
 * @example
 * ```ts
 * for await (const record of readFasta(['>chr1 first of two\nACGT\nacgt\n'], { text: true })) {
 *   const { name, description, sequence }: FastaRecord<string> = record;
 *   name; // 'chr1'
 *   description; // 'first of two'
 *   sequence; // 'ACGTacgt'
 * }
 * ```
 */
export interface FastaRecord<Sequence = UnsharedUint8Array> {
  /** The first word of the header. */
  name: string;
  /** What follows it. */
  description: string;
  sequence: Sequence;
  /** The number of the record in the file, from 0. */
  index: number;
  /** Where it begins in the file, or in what is compressed there. */
  byteOffset: number;
}

/**
 * A record of FASTQ.
 *
 * @example
 * ```ts
 * for await (const record of readFastq(['@read1\nACGT\n+\nII#I\n'])) {
 *   const { sequence, quality }: FastqRecord = record;
 *   sequence; // Uint8Array [65, 67, 71, 84]
 *   quality; // Uint8Array [73, 73, 35, 73]
 * }
 * ```
 */
export interface FastqRecord<Sequence = UnsharedUint8Array> extends FastaRecord<Sequence> {
  /** As many as bases: the characters of the file, from which the encoding's offset, mostly 33, has to be taken. */
  quality: Sequence;
}

/**
 * A window of a sequence.
 *
 * @example
 * ```ts
 * for await (const part of readFasta(['>a\nACGT\n'], { window: 4 })) {
 *   const { name, start, sequence }: SequenceWindow = part;
 *   start; // 0
 *   sequence; // Uint8Array [65, 67, 71, 84]
 * }
 * ```
 */
export interface SequenceWindow<Sequence = UnsharedUint8Array> {
  /** The name of its record. */
  name: string;
  /** The number of its record, from 0. */
  index: number;
  /** Where it begins in the sequence. */
  start: number;
  sequence: Sequence;
}
