// The parts of a tokenizer.json that this module reads itself. The engine's importer checks the file when it is first used.

import type { PostProcessorJson } from '../encodings/processors.js';
import type { AddedTokenJson } from '../encodings/token-names.js';

export interface TruncationJson {
  direction?: 'Left' | 'Right';
  max_length: number;
  strategy: 'LongestFirst' | 'OnlyFirst' | 'OnlySecond';
  stride: number;
}

export interface PaddingJson {
  strategy: 'BatchLongest' | { Fixed: number };
  direction: 'Left' | 'Right';
  pad_to_multiple_of?: number | null;
  pad_id: number;
  pad_type_id: number;
  pad_token: string;
}

export interface ModelJson {
  type?: string;
  vocab: Record<string, number> | [string, number][];
  merges?: unknown;
  unk_token?: string | null;
  unk_id?: number | null;
  byte_fallback?: boolean;
  continuing_subword_prefix?: string | null;
}

export interface TokenizerJson {
  version?: string;
  truncation?: TruncationJson | null;
  padding?: PaddingJson | null;
  added_tokens?: AddedTokenJson[];
  normalizer?: unknown;
  post_processor?: PostProcessorJson | null;
  model: ModelJson;
}

/** Reads the text of a file. */
export function parsed(source: string): TokenizerJson {
  // A byte order mark is of no file that npm `tokenizers` reads, and of some.
  const json: unknown = JSON.parse(source.replace(/^\ufeff/, ''));
  const file = json as TokenizerJson | null;
  if (typeof file?.model?.vocab !== 'object' || file.model.vocab === null)
    throw new TypeError('expected the text of a tokenizer.json, which has a model with a vocab');
  if (file.version === '2.0') throw new TypeError("a tokenizer.json of version 2.0 opens with crayon-tokenizer's own Tokenizer.load()");
  return file;
}
