// What opening a cartridge takes on every backend, and the words for a cartridge that is refused.

import type { Dat } from './dat.js';
import { type Failure, TokenizerError } from './errors.js';

/** How to open a cartridge. */
export interface OpenOptions {
  /** The view, by name; the first one if none is named. */
  view?: string | undefined;
  /** False: read the file into private memory instead of mapping it. */
  mmap?: boolean | undefined;
  /** False: skip the checksum (never the structure). */
  verify?: boolean | undefined;
  /** The SIMD row to use. */
  kernel?: string | undefined;
  /** The model that was asked for. */
  model?: string | undefined;
  /** Of a file of version 2: what is to be known beside it. */
  dat?: Dat | undefined;
}

export const OPEN_NO_CHECKSUM = 1;
export const OPEN_COPY = 2;

/** What a failure may be about. */
export interface Refused {
  /** A path, or bytes. */
  source: string | Uint8Array;
  /** The SIMD row asked for, and those there are. */
  kernel: string;
  kernels: () => string[];
  /** The view asked for, and those of the cartridge. */
  view: string | undefined;
  views: () => string[];
  /** Of a file of version 2: what was said beside it. */
  dat?: Dat | undefined;
}

/** The error of a cartridge that did not open. */
export function openFailed(failure: Failure, { source, kernel, kernels, view, views, dat }: Refused): TokenizerError {
  const what = typeof source === 'string' ? `the cartridge ${source}` : `a cartridge from ${source.length} bytes`;
  let where = '';
  switch (failure.code) {
    case 'UNKNOWN_KERNEL':
      where = ` (asked for ${JSON.stringify(kernel)}; this machine has ${kernels().join(', ')})`;
      break;
    case 'UNKNOWN_VIEW':
      where = ` (asked for ${JSON.stringify(view)}; it has ${views().join(', ')})`;
      break;
    case 'INVALID_ARGUMENT':
      if (dat?.offsets.length === failure.position + 1) where = `: there is no token ${dat.unknownId} for what is unknown`;
      else if (dat) where = `: of the id ${failure.position} the list beside it does not say what the file says`;
      break;
    case 'UNSUPPORTED_VERSION':
    case 'TRUNCATED':
    case 'CHECKSUM_MISMATCH':
    case 'CORRUPT_STRUCTURE':
    case 'MISSING_SECTION':
    case 'UNKNOWN_SECTION':
      where = ` (section ${failure.section}, position ${failure.position})`;
  }
  return new TokenizerError(`cannot open ${what}: ${failure.sentence}${where}`, failure);
}
