// `#importing-host` in Node: opens a model's vocabulary without waiting. In pages the bundler uses importing-in-page.ts instead.

import { compiledAtOnce } from '../compile/at-once.js';
import { cachePathNow } from '../compile/cached.js';
import { isSmall } from '../compile/job.js';
import { fileJob } from '../compile/job-of.js';
import { isCached, keep } from '../open/user-cache.js';
import type { Tokenizer as Opened } from '../tokenizer/tokenizer.js';
import { compiler, Tokenizer } from './in-node.js';

/** `json`: the text of a tokenizer.json. Compiled on this thread; what takes long is kept in the user's cache. */
export function importedNow(json: string): Opened {
  const job = fileJob(new TextEncoder().encode(json), {});
  if (isSmall(job)) return Tokenizer.loadSync(compiledAtOnce(compiler(), job));
  const { name, pretokenizer, specialTokens } = job;
  const path = cachePathNow(json, { name, pretokenizer, specialTokens });
  if (isCached(path)) {
    try {
      return Tokenizer.loadSync(path);
    } catch {
      // The file has been tampered with: it is written again.
    }
  }
  const cartridge = compiledAtOnce(compiler(), job);
  if (path !== undefined) void keep(cartridge, path);
  return Tokenizer.loadSync(cartridge);
}
