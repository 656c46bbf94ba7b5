// The options for opening a cartridge, the same on every backend, and the error for a rejected cartridge.

import type { EngineTokenizer } from '../../engine/engine.js';
import { idOfUnknown } from './dat.js';
import type { Dat } from '../../engine/compiler.js';
import { notACartridge } from './foreign.js';
import { type Failure, quotedName, shownPath, TokenizerError } from '../../base/errors.js';

/** How to open a cartridge. */
export interface OpenOptions {
  /** The view, by name; undefined means the first one. */
  view?: string | undefined;
  /** False: read the file into private memory instead of mapping it. */
  mmap?: boolean | undefined;
  /** False: skip the checksum (never the structure). */
  verify?: boolean | undefined;
  /** The SIMD kernel to use. */
  kernel?: string | undefined;
  /** The most bytes per thread for caching pieces; undefined leaves it to the engine. */
  cacheBytes?: number | undefined;
  /** The requested model. */
  model?: string | undefined;
  /** For a version 2 file: the data not in its bytes. */
  dat?: Dat | undefined;
  /** Opens the same with a module that has documents, if this one lacks them and that one is here. */
  whole?: (() => EngineTokenizer | undefined) | undefined;
  /** True: it must be a DNA vocabulary. Otherwise it must not be one. */
  dna?: boolean | undefined;
}

export const OPEN_NO_CHECKSUM = 1;
export const OPEN_COPY = 2;

/** The errors that reject a cartridge because it is for DNA. */
const forDna = new WeakSet<object>();

/** The error for a cartridge that belongs to another class: one for DNA, if `isDna` is true. */
export function wrongClass(source: string | Uint8Array, isDna: boolean): TokenizerError {
  const reason = isDna
    ? 'it is a vocabulary of DNA, which DnaTokenizer.load() opens'
    : 'it is not a DNA vocabulary; Tokenizer.load() opens it';
  const error = new TokenizerError(`cannot open ${nameOf(source)}: ${reason}`, { code: 'INVALID_ARGUMENT' });
  if (isDna) forDna.add(error);
  return error;
}

/** Whether an error rejects a cartridge because it is for DNA. */
export function isForDna(error: unknown): boolean {
  return error instanceof TokenizerError && forDna.has(error);
}

function nameOf(source: string | Uint8Array): string {
  return typeof source === 'string' ? `the cartridge ${shownPath(source)}` : `a cartridge from ${source.length} bytes`;
}

/** What a failure may refer to. */
export interface Refused {
  /** A path, or bytes. */
  source: string | Uint8Array;
  /** The first bytes, if they can be read. */
  head: () => Uint8Array | undefined;
  /** The requested SIMD kernel, and the available ones. */
  kernel: string;
  kernels: () => string[];
  /** The requested view, and the cartridge's. */
  view: string | undefined;
  views: () => string[];
  /** For a version 2 file: the data not in its bytes. */
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

/** Why a version 2 file does not match the data given with it; undefined for other failures. */
export function reasonInDat({ code, position }: Failure, { offsets, unknown }: Dat): string | undefined {
  if (code !== 'INVALID_ARGUMENT') return undefined;
  if (offsets.length === position + 1) return `it has no token with the unknown id ${idOfUnknown(unknown)}`;
  return `the list beside it has another token for the id ${position} than the file`;
}
