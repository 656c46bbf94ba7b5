// The results of the FASTA and FASTQ readers, and the headers of records as text.

import { TokenizerError } from '../../base/errors.js';
import type { UnsharedUint8Array } from '../../base/typed-arrays.js';

/**
 * A FASTA record. Bases are as in the file, in either case, without line breaks. Short sequences share a buffer but
 * never overlap: `slice()` copies one out of it.
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
  /** The rest of the header. */
  description: string;
  sequence: Sequence;
  /** The number of the record in the file, from 0. */
  index: number;
  /** Its byte offset in the file, or in the inflated data. */
  byteOffset: number;
}

/**
 * A FASTQ record.
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
  /** One character per base, as in the file; subtract the encoding's offset, usually 33. */
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
  /** Its start in the sequence. */
  start: number;
  sequence: Sequence;
}

/** The sequence of a record is too long. `where`: the source's name; `position`: where the record begins. */
export function tooLong(where: string, index: number, name: string, limit: number, position: number): TokenizerError {
  const record = `records[${index}] (${JSON.stringify(name)})`;
  return new TokenizerError(
    `cannot read ${where}: the sequence of ${record}, which begins at byte ${position}, is longer than ${limit} (maxRecordLength)`,
    {
      code: 'TEXT_TOO_LONG',
      position,
      row: index,
    },
  );
}

const SPACE = 0x20;
const TAB = 0x09;
/** Up to this length, passing bytes as arguments is faster than a TextDecoder. */
const SHORT = 64;
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

export interface Header {
  name: string;
  description: string;
}

/** `name`: the first word; `description`: the rest, without the blanks in between. */
export function headerOf(bytes: Uint8Array): Header {
  const { length } = bytes;
  let begin = 0;
  while (begin < length && isBlank(bytes[begin] as number)) begin++;
  let end = begin;
  while (end < length && !isBlank(bytes[end] as number)) end++;
  let rest = end;
  while (rest < length && isBlank(bytes[rest] as number)) rest++;
  return { name: textOf(bytes.subarray(begin, end)), description: rest < length ? textOf(bytes.subarray(rest)) : '' };
}

function isBlank(byte: number): boolean {
  return byte === SPACE || byte === TAB;
}

/** Decodes UTF-8; invalid bytes become U+FFFD. */
export function textOf(bytes: Uint8Array): string {
  const { length } = bytes;
  if (length > SHORT) return decoder.decode(bytes);
  let bits = 0;
  for (let i = 0; i < length; i++) bits |= bytes[i] as number;
  return bits < 0x80 ? String.fromCharCode.apply(null, bytes as unknown as number[]) : decoder.decode(bytes);
}
