// How the drop-ins open a tokenizer.json in pages without waiting: the module that compiles also opens the result.

import { compiledAtOnce } from '../../vocabularies/import/at-once.js';
import { fileJob } from '../../vocabularies/import/job-of-source.js';
import { decoderOf } from '../../vocabularies/decode/decoder.js';
import type { Vocabulary } from '../../vocabularies/vocabulary.js';
import { compiler, openBy } from './compiling-in-page.js';

const open = /* @__PURE__ */ openBy({ decoderOf });

/** `json`: the text of a tokenizer.json. Compiled on this thread. */
export function importedNow(json: string): Vocabulary {
  return open(compiledAtOnce(compiler(), fileJob(new TextEncoder().encode(json), {})));
}
