// The parts of a tokenizer.json that this module reads itself. The engine's importer checks the file when it is first used.

/** A token that is found in texts before anything else. */
export interface AddedTokenJson {
  id: number;
  content: string;
  single_word: boolean;
  lstrip: boolean;
  rstrip: boolean;
  normalized: boolean;
  special: boolean;
}

/** A part of a template. */
export type TemplatePiece = { Sequence: { id: 'A' | 'B'; type_id: number } } | { SpecialToken: { id: string; type_id: number } };

export type PostProcessorJson =
  | { type: 'ByteLevel'; trim_offsets?: boolean; add_prefix_space?: boolean }
  | { type: 'BertProcessing'; cls: [string, number]; sep: [string, number] }
  | { type: 'RobertaProcessing'; cls: [string, number]; sep: [string, number]; trim_offsets?: boolean; add_prefix_space?: boolean }
  | {
      type: 'TemplateProcessing';
      single: TemplatePiece[];
      pair: TemplatePiece[];
      special_tokens: Record<string, { ids: number[]; tokens: string[] }>;
    }
  | { type: 'Sequence'; processors: PostProcessorJson[] };

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
