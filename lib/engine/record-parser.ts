// The record parser of each backend. Types, and the numbers of crayon.h.

export const FASTA = 0;
export const FASTQ = 1;
export type Format = typeof FASTA | typeof FASTQ;
/** Added to a format: sequences back to back, headers at the end of the bytes, and no qualities. */
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
  /** For the words of parts. */
  words: number;
}

/** Large enough to need few calls, small enough for a CPU cache. */
export const OUTPUT_CAPACITY: Capacity = { bytes: 256 * 1024, words: 4096 * PART_WORDS };

/** Why a record is invalid. */
export interface RecordFailure {
  /** CRAYON_RECORD_… of crayon.h. */
  reason: number;
  /** From 0. */
  record: number;
  /** In the file. */
  position: number;
}

/** The result of a call; the arrays are valid until the next one. */
export interface ReadParts {
  /** The bytes of input used; the next call begins after them. */
  consumed: number;
  /** Whether the same input holds more. */
  more: boolean;
  /** Headers, sequences and qualities of the parts, back to back. */
  bytes: Uint8Array;
  parts: Uint32Array;
  count: number;
  /** The failure after these parts, if any. */
  failure?: RecordFailure | undefined;
}

export interface RecordParser {
  /** `last`: the file ends with this input. */
  read(input: Uint8Array, last: boolean): ReadParts;
  end(): void;
}

/** `format`: optionally with SEQUENCES_APART. */
export type OpenParser = (format: number, capacity: Capacity) => RecordParser;
