// The parser of records as each backend has it. Types, and the numbers of crayon.h.

export const FASTA = 0;
export const FASTQ = 1;
export type Format = typeof FASTA | typeof FASTQ;
/** Added to a format: sequences one behind the other, headers at the end of the bytes, and no qualities. */
export const SEQUENCES_APART = 16;

/** Words of a crayon_record_part. */
export const PART_WORDS = 6;
export const PART_FLAGS = 0;
export const PART_HEADER = 1;
export const PART_SEQUENCE = 2;
export const PART_QUALITY = 3;
export const PART_POSITION = 4;
export const PART_POSITION_HIGH = 5;
/** Flags of a part. */
export const BEGINS = 1;
export const ENDS = 2;

/** Capacity for the output of a call. */
export interface Capacity {
  bytes: number;
  /** For parts. */
  words: number;
}

/** Large enough for calls to be few, small enough for a cache. */
export const OUTPUT_CAPACITY: Capacity = { bytes: 256 * 1024, words: 4096 * PART_WORDS };

/** What is wrong with a record. */
export interface RecordFailure {
  /** CRAYON_RECORD_… of crayon.h. */
  reason: number;
  /** From 0. */
  record: number;
  /** In the file. */
  position: number;
}

/** What a call has read; the arrays are good until the next one. */
export interface ReadParts {
  /** Bytes of the input; the next call begins with the others. */
  consumed: number;
  /** There is more of the same input. */
  more: boolean;
  /** Headers, sequences and qualities of the parts, one behind the other. */
  bytes: Uint8Array;
  parts: Uint32Array;
  count: number;
  /** What is wrong behind these parts. */
  failure?: RecordFailure | undefined;
}

export interface RecordParser {
  /** `last`: the file ends with this input. */
  read(input: Uint8Array, last: boolean): ReadParts;
  end(): void;
}

/** `format`: or one with SEQUENCES_APART. */
export type OpenParser = (format: number, capacity: Capacity) => RecordParser;
