// Which path of the engine a tokenizer.json takes: the one place that decides.
//
// The fast path (native/src/encode) works in windows, with caches and threads. Its importer, tokenizer-json.ts, takes files whose ids
// it is proved to give, and stops at the first thing that is not on this list:
//
//   normalizer     NFC, NFD, NFKC, NFKD, Nmt, Lowercase, StripAccents, BertNormalizer, Precompiled, Prepend, Strip, Replace of a text or
//                  of a pattern that an automaton matches; in any Sequence
//   pretokenizer   ByteLevel, alone with a space in front, or with others before it; Metaspace with ▁, alone or
//                  behind WhitespaceSplit; BertPreTokenizer; whatever splits by patterns that automata match
//   model          WordPiece; WordLevel; Unigram; BPE over all bytes; BPE over characters, with tokens
//                  for bytes (Llama) or an unknown token (DNABERT-2); end_of_word_suffix (CLIP, GPT-1). Merges that a cartridge can have
//   added tokens   all but single words, and normalized ones with lstrip or rstrip behind a normalizer, but for one `<mask>` beside
//                  Metaspace (XLM-RoBERTa)
//   decoder, post-processor, truncation, padding   any: both paths have the same
//
// All other files take the general path (native/src/general), which does what the reference does, stage by stage, with a whole text in
// memory. The metadata of a cartridge says so, and why (`generalPath`). What the reference refuses is refused there, with the JSON path.

import { TokenizerError } from '../base/errors.js';

/** Of tests: the path that all files take, whatever is right for them; `fast` refuses files. Undefined: the one that is right. */
export function forcedPath(): 'fast' | 'general' | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  const path = process?.env?.CRAYON_FORCE_PATH;
  return path === 'fast' || path === 'general' ? path : undefined;
}

/** Why a file takes the general path, from the error with which the fast path's importer has stopped; throws other errors. */
export function whyGeneral(error: unknown): string {
  const isReason = error instanceof TokenizerError && !['OUT_OF_MEMORY', 'CANCELLED'].includes(error.code);
  if (!isReason || forcedPath() === 'fast') throw error;
  return error.message.replace(/^cannot import .*?: /, '');
}
