// The options of opening a cartridge, the same on every backend, and the error for a cartridge that is refused.

import type { Dat } from './dat.js';
import { notACartridge } from './foreign.js';
import { idOfUnknown } from './unknown.js';
import { type Failure, quotedName, shownPath, TokenizerError } from '../base/errors.js';

/** How to open a cartridge. */
export interface OpenOptions {
  /** The view, by name; the first one if none is named. */
  view?: string | undefined;
  /** False: read the file into private memory instead of mapping it. */
  mmap?: boolean | undefined;
  /** False: skip the checksum (never the structure). */
  verify?: boolean | undefined;
  /** The SIMD kernel to use. */
  kernel?: string | undefined;
  /** Bytes, of each thread, in which pieces of texts are remembered; undefined leaves it to the engine. */
  cacheBytes?: number | undefined;
  /** The model that was asked for. */
  model?: string | undefined;
  /** For a file of version 2: what its bytes do not say. */
  dat?: Dat | undefined;
  /** It has to be a vocabulary of DNA, which it must not be otherwise. */
  dna?: boolean | undefined;
}

export const OPEN_NO_CHECKSUM = 1;
export const OPEN_COPY = 2;
/** Of the addon: the cartridge is one for DNA. */
export const OPEN_DNA = 256;

/** The errors that refuse a cartridge because it is one of DNA. */
const forDna = new WeakSet<object>();

/** The error for a cartridge that another class is for: one of DNA, if `isDna` is true. */
export function wrongClass(source: string | Uint8Array, isDna: boolean): TokenizerError {
  const reason = isDna
    ? 'it is a vocabulary of DNA, which DnaTokenizer.load() opens'
    : 'it is no vocabulary of DNA; Tokenizer.load() opens it';
  const error = new TokenizerError(`cannot open ${nameOf(source)}: ${reason}`, { code: 'INVALID_ARGUMENT' });
  if (isDna) forDna.add(error);
  return error;
}

/** Whether an error refuses a cartridge because it is one of DNA. */
export function isForDna(error: unknown): boolean {
  return error instanceof TokenizerError && forDna.has(error);
}

function nameOf(source: string | Uint8Array): string {
  return typeof source === 'string' ? `the cartridge ${shownPath(source)}` : `a cartridge from ${source.length} bytes`;
}

/** What a failure may be about. */
export interface Refused {
  /** A path, or bytes. */
  source: string | Uint8Array;
  /** The first bytes, if they can be read. */
  head: () => Uint8Array | undefined;
  /** The SIMD kernel asked for, and those there are. */
  kernel: string;
  kernels: () => string[];
  /** The view asked for, and those of the cartridge. */
  view: string | undefined;
  views: () => string[];
  /** For a file of version 2: what its bytes do not say. */
  dat?: Dat | undefined;
}

/** The error of a cartridge that did not open. */
export function openFailed(failure: Failure, { source, head, kernel, kernels, view, views, dat }: Refused): TokenizerError {
  let where = '';
  switch (failure.code) {
    case 'UNKNOWN_KERNEL':
      where = ` (asked for ${quotedName(kernel)}; this machine has ${kernels().join(', ')})`;
      break;
    case 'UNKNOWN_VIEW':
      where = ` (asked for ${quotedName(view ?? '')}; it has ${views().join(', ')})`;
      break;
    case 'UNSUPPORTED_VERSION':
    case 'TRUNCATED':
    case 'CHECKSUM_MISMATCH':
    case 'CORRUPT_STRUCTURE':
    case 'MISSING_SECTION':
    case 'UNKNOWN_SECTION':
      where = ` (section ${failure.section}, position ${failure.position})`;
  }
  const bytes = failure.code === 'NOT_A_CARTRIDGE' ? head() : undefined;
  const reason = (dat && reasonInDat(failure, dat)) ?? (bytes && notACartridge(bytes));
  return new TokenizerError(`cannot open ${nameOf(source)}: ${reason ?? failure.sentence + where}`, failure);
}

/** Why a file of version 2 does not go with what was given beside it; undefined for another failure. */
export function reasonInDat({ code, position }: Failure, { offsets, unknown }: Dat): string | undefined {
  if (code !== 'INVALID_ARGUMENT') return undefined;
  if (offsets.length === position + 1) return `it has no token with the unknown id ${idOfUnknown(unknown)}`;
  return `the list beside it has another token for the id ${position} than the file`;
}
