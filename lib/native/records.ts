// The addon's record parser.

import { recordsOn } from '../engine/records.js';
import type { OpenParser } from '../records/parser.js';
import { native } from './addon.js';

/** Throws the loader's error if no addon loaded. */
export function nativeRecords(): OpenParser {
  const { addon } = native();
  return recordsOn(() => addon);
}
