// A `vocab.txt` of BERT: one token in each line, by its id, and what transformers' BertTokenizer does with it.

import type { JsonNode } from './json-node.js';
import type { NamedTokens } from './token-roles.js';

/** The settings in the tokenizer_config.json beside it; undefined for those that are missing. */
export interface BertConfig {
  lowercase?: boolean | undefined;
  stripAccents?: boolean | undefined;
  spacesCjk?: boolean | undefined;
}

const [UNKNOWN, BEGIN, END] = ['[UNK]', '[CLS]', '[SEP]'];
const SPECIAL = ['[PAD]', UNKNOWN, BEGIN, END, '[MASK]'];
const CONTINUES = '##';

/** Throws a TokenizerError for invalid values. */
export function bertConfigOf(config: JsonNode | undefined): BertConfig | undefined {
  if (!config) return undefined;
  const flag = (key: string) => (config.at(key).isNone ? undefined : config.at(key).boolean());
  return { lowercase: flag('do_lower_case'), stripAccents: flag('strip_accents'), spacesCjk: flag('tokenize_chinese_chars') };
}

/** Whether a list of tokens is a BERT vocabulary. `path`: of its file, whose name says so if no token continues a word. */
export function isBertVocabulary(tokens: readonly string[], path: string): boolean {
  const isNamed = /(?:^|[./\\])vocab\.txt$/i.test(path);
  return (
    [UNKNOWN, BEGIN, END].every((token) => tokens.includes(token as string)) &&
    (isNamed || tokens.some((token) => token.startsWith(CONTINUES)))
  );
}

/** What BertTokenizer says of itself where no configuration does. */
export const BERT = {
  tokenizer_class: 'BertTokenizer',
  ...{ unk_token: UNKNOWN, cls_token: BEGIN, sep_token: END, pad_token: '[PAD]', mask_token: '[MASK]' },
};

/** With the class's token for a role that files leave out; a null in them means none. Without files, a vocabulary's own tokens count. */
export function namedByBert(named: NamedTokens | undefined): NamedTokens | undefined {
  return named && { pad: BERT.pad_token, unk: UNKNOWN, ...named };
}

/**
 * The same as a tokenizer.json. If no file says whether to lower-case letters, they are lower-cased unless the vocabulary has
 * upper-case letters: for such vocabularies, transformers must be told, too.
 */
export function tokenizerJsonOf(tokens: readonly string[], config: BertConfig = {}): object {
  const ids = new Map(tokens.map((token, id) => [token, id]));
  const special = SPECIAL.filter((token) => ids.has(token));
  const lowercase = config.lowercase ?? !tokens.some((token) => !SPECIAL.includes(token) && /[A-Z]/.test(token) && !/^\[.*\]$/.test(token));
  const piece = (id: string, type_id = 0) => ({ SpecialToken: { id, type_id } });
  const text = (id: string, type_id = 0) => ({ Sequence: { id, type_id } });
  const single = [piece(BEGIN as string), text('A'), piece(END as string)];
  const around = [BEGIN, END].map((id) => [id, { id, ids: [ids.get(id as string)], tokens: [id] }]);
  return {
    version: '1.0',
    added_tokens: special.map((content) => {
      return { id: ids.get(content), content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true };
    }),
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: config.spacesCjk ?? true,
      strip_accents: config.stripAccents ?? null,
      lowercase,
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: {
      type: 'TemplateProcessing',
      single,
      pair: [...single, text('B', 1), piece(END as string, 1)],
      special_tokens: Object.fromEntries(around),
    },
    decoder: { type: 'WordPiece', prefix: CONTINUES, cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: UNKNOWN,
      continuing_subword_prefix: CONTINUES,
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(ids),
    },
  };
}
