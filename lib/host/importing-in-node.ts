// `#importing-host` in Node: opens a model's vocabulary without waiting. In pages the bundler uses importing-in-page.ts instead.

import { compiledAtOnce } from '../compile/at-once.js';
import { cacheEntryNow } from '../compile/cached.js';
import { isSmall } from '../compile/job.js';
import { fileJob } from '../compile/job-of.js';
import { keep, keptFile } from '../open/user-cache.js';
import type { Tokenizer as Opened } from '../tokenizer/tokenizer.js';
import { compiler, Tokenizer } from './in-node.js';

/** `json`: the text of a tokenizer.json. Compiled on this thread; what takes long is kept in the user's cache. */
export function importedNow(json: string): Opened {
  const job = fileJob(new TextEncoder().encode(json), {});
  if (isSmall(job)) return Tokenizer.loadSync(compiledAtOnce(compiler(), job));
  const { name, pretokenizer, specialTokens } = job;
  const entry = cacheEntryNow(json, { name, pretokenizer, specialTokens });
  const kept = keptFile(entry);
  if (kept !== undefined) {
    try {
      return Tokenizer.loadSync(kept);
    } catch {
      // The file is damaged: it is written again.
    }
  }
  const cartridge = compiledAtOnce(compiler(), job);
  if (entry !== undefined) void keep(cartridge, entry);
  return Tokenizer.loadSync(cartridge);
}
