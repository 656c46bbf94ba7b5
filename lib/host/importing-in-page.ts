// `#importing-host` in pages: the module that compiles also opens the result.

import { compiledAtOnce } from '../import/at-once.js';
import { fileJob } from '../import/job-of.js';
import { decoderOf } from '../decode/decoder.js';
import { useDecoders } from '../vocabulary/decoding.js';
import type { Vocabulary } from '../vocabulary/vocabulary.js';
import { compiler, open } from './compiling-in-page.js';

/** `json`: the text of a tokenizer.json. Compiled on this thread. */
export function importedNow(json: string): Vocabulary {
  useDecoders(decoderOf);
  return open(compiledAtOnce(compiler(), fileJob(new TextEncoder().encode(json), {})));
}
