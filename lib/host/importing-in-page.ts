// `#importing-host` in pages: the module that compiles also opens the result.

import { compiledAtOnce } from '../compile/at-once.js';
import { fileJob } from '../compile/job-of.js';
import { decoderOf } from '../decode/decoder.js';
import type { Tokenizer as Opened } from '../tokenizer/tokenizer.js';
import { useDecoders } from '../vocabulary/decoding.js';
import { compiler, Tokenizer } from './compiling-in-page.js';

/** `json`: the text of a tokenizer.json. Compiled on this thread. */
export function importedNow(json: string): Opened {
  useDecoders(decoderOf);
  return Tokenizer.loadSync(compiledAtOnce(compiler(), fileJob(new TextEncoder().encode(json), {})));
}
