// Model files with a few merges, as Hugging Face writes them, for tests that modify them.

import { byteCharacter } from './byte-character.js';

export interface Json {
  [key: string]: any;
}

/** ByteLevel's character for each byte. */
export const CHARACTERS: readonly string[] = Array.from({ length: 256 }, (_, byte) => byteCharacter(byte));

/** A file with these merges of tokens as written; the bytes have the ids 0 … 255. */
export function fileOf(merges: [string, string][], changes: (file: Json) => void = () => undefined): Json {
  const vocab: Record<string, number> = {};
  for (const character of CHARACTERS) vocab[character] = Object.keys(vocab).length;
  for (const [left, right] of merges) vocab[left + right] ??= Object.keys(vocab).length;
  const file: Json = {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [],
    normalizer: null,
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
    post_processor: null,
    decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
    model: { type: 'BPE', dropout: null, unk_token: null, ignore_merges: false, vocab, merges },
  };
  changes(file);
  return file;
}

/** An added token, special unless `flags` override it. */
export const added = (content: string, id: number, flags: object = {}) => ({
  id,
  content,
  single_word: false,
  lstrip: false,
  rstrip: false,
  normalized: false,
  special: true,
  ...flags,
});

export const bytesOf = (file: Json) => Buffer.from(JSON.stringify(file));
