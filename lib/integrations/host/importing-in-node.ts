// How the drop-ins open a tokenizer.json in Node without waiting.

import { compiledAtOnce } from '../../vocabularies/import/at-once.js';
import { cacheEntryNow } from '../../vocabularies/import/compile-in-node.js';
import { isSmall } from '../../vocabularies/import/compile-job.js';
import { fileJob } from '../../vocabularies/import/job-of-source.js';
import { keep, keptFile } from '../../vocabularies/open/user-cache.js';
import type { Vocabulary } from '../../vocabularies/vocabulary.js';
import { compiler, open } from './loading-in-node.js';

/** `json`: the text of a tokenizer.json. Compiled on this thread; what takes long is kept in the user's cache. */
export function importedNow(json: string): Vocabulary {
  const job = fileJob(new TextEncoder().encode(json), {});
  if (isSmall(job)) return open(compiledAtOnce(compiler(), job));
  const { name, pretokenizer, specialTokens } = job;
  const entry = cacheEntryNow(json, { name, pretokenizer, specialTokens });
  const cached = keptFile(entry);
  if (cached !== undefined) {
    try {
      return open(cached);
    } catch {
      // The file is damaged: it is written again.
    }
  }
  const cartridge = compiledAtOnce(compiler(), job);
  if (entry !== undefined) void keep(cartridge, entry);
  return open(cartridge);
}
