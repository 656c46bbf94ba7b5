// The metadata of a cartridge: a JSON object about it. No text is encoded by it, so it is not read before somebody asks for
// it, and a cartridge whose metadata cannot be read works in all other respects.

import { TokenizerError } from '../base/errors.js';
import { deepFreeze } from '../base/frozen.js';

/** The most levels of objects and lists (cartridges/FORMAT.md). */
const DEEPEST = 100;
const METADATA_SECTION = 1;

/** Reads the metadata and freezes it. A TokenizerError with the code `CORRUPT_STRUCTURE` if it cannot be read. */
export function readMetadata(json: string): Readonly<Record<string, unknown>> {
  let metadata: unknown;
  try {
    metadata = JSON.parse(json);
  } catch (cause) {
    throw unreadable(`it is not valid JSON (${(cause as Error).message})`, cause);
  }
  if (!deepFreeze(metadata, DEEPEST)) throw unreadable(`it is nested deeper than ${DEEPEST} levels`);
  return metadata as Record<string, unknown>;
}

function unreadable(reason: string, cause?: unknown): TokenizerError {
  const message =
    `cannot read the metadata of the cartridge: ${reason}. Encoding and decoding do not need it; ` +
    'to repair the cartridge, compile or download it again';
  const options = cause === undefined ? undefined : { cause };
  return new TokenizerError(message, { code: 'CORRUPT_STRUCTURE', section: METADATA_SECTION }, options);
}
