// A cartridge's metadata: a JSON object that describes it. Encoding does not depend on it, so it is parsed only on request,
// and a cartridge with unreadable metadata works in all other respects.

import { TokenizerError } from '../base/errors.js';
import { deepFreeze } from '../base/frozen.js';

/** The deepest nesting of objects and lists (cartridges/FORMAT.md). */
const DEEPEST = 100;
const METADATA_SECTION = 1;

/** Parses the metadata and freezes it. Throws a TokenizerError with the code `CORRUPT_STRUCTURE` if it is unreadable. */
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
