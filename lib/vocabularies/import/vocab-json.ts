// A `vocab.json` with its `merges.txt`: BPE over bytes as models were published before `tokenizer.json`. The two do not say how text is
// split: the class of the tokenizer does, as in Python's transformers 5.24.

import { JsonNode } from './json-node.js';
import { TokenizerError } from '../../base/errors.js';

type Plain = Readonly<Record<string, unknown>>;

/** The texts of files beside a vocab.json; undefined for those that are missing. */
export interface FilesBeside {
  'merges.txt': string;
  'tokenizer_config.json'?: string | undefined;
  'special_tokens_map.json'?: string | undefined;
  'added_tokens.json'?: string | undefined;
  /** The model's, for its type. */
  'config.json'?: string | undefined;
}

/** The special tokens of a class where no file names them. */
const END = '<|endoftext|>';
const CLASSES = {
  GPT2: { bos_token: END, eos_token: END, unk_token: END },
  Roberta: {
    ...{ bos_token: '<s>', eos_token: '</s>', unk_token: '<unk>', sep_token: '</s>' },
    ...{ pad_token: '<pad>', cls_token: '<s>', mask_token: '<mask>' },
  },
  Qwen2: { eos_token: END, unk_token: END, pad_token: END },
} as const;
type Class = keyof typeof CLASSES;

/** In the order in which those that are missing get ids. */
const ROLES = ['bos_token', 'eos_token', 'unk_token', 'sep_token', 'pad_token', 'cls_token', 'mask_token'];

const QWEN2 =
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

/** The same as a tokenizer.json, and a tokenizer_config.json that names all special tokens. */
export interface Composed {
  json: object;
  config: Plain;
}

/** `path`: of the vocab.json, for errors. Throws a TokenizerError. */
export function composedOfMerges(text: string, path: string, beside: FilesBeside): Composed {
  const parsed = (name: keyof FilesBeside): Plain => objectIn(beside[name] ?? '{}', path.replace(/vocab\.json$/i, name));
  const vocab = objectIn(text, path) as Record<string, number>;
  const config = parsed('tokenizer_config.json');
  const kind = classOf(config, parsed('config.json'), vocab, path);
  const named = { ...CLASSES[kind], ...tokensIn(parsed('special_tokens_map.json')), ...tokensIn(config) } as Plain;
  const added = new AddedTokens(vocab);
  const decoder = Object(config.added_tokens_decoder) as Record<string, Plain>;
  for (const token of Object.values(decoder)) added.add(token, {});
  const late = Object.entries(parsed('added_tokens.json') as Record<string, number>).sort(([, a], [, b]) => a - b);
  for (const [content] of late) added.add(content, { special: false, normalized: true });
  const more = Array.isArray(named.additional_special_tokens) ? named.additional_special_tokens : [];
  for (const token of [...ROLES.map((role) => named[role]), ...more]) added.add(token, {});
  const textOf = (role: string) => contentOf(named[role]);
  const add_prefix_space = config.add_prefix_space === true;
  const byteLevel = { type: 'ByteLevel', add_prefix_space, trim_offsets: true, use_regex: kind !== 'Qwen2' };
  const split = { type: 'Split', pattern: { Regex: QWEN2 }, behavior: 'Isolated', invert: false };
  const json = {
    version: '1.0',
    added_tokens: added.tokens,
    normalizer: kind === 'Qwen2' ? { type: 'NFC' } : null,
    pre_tokenizer: kind === 'Qwen2' ? { type: 'Sequence', pretokenizers: [split, byteLevel] } : byteLevel,
    post_processor:
      kind === 'Roberta'
        ? {
            type: 'RobertaProcessing',
            ...{ sep: added.pair(textOf('sep_token')), cls: added.pair(textOf('cls_token')) },
            ...{ trim_offsets: config.trim_offsets !== false, add_prefix_space },
          }
        : around(added, config.add_bos_token === true && textOf('bos_token'), config.add_eos_token === true && textOf('eos_token')),
    decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
    model: { type: 'BPE', vocab, merges: mergesIn(beside['merges.txt']) },
  };
  return { json, config: { ...config, ...named } };
}

function objectIn(text: string, path: string): Plain {
  JsonNode.ofFile(text, path).object(); // or an error with the place in the file
  return JSON.parse(text.replace(/^\ufeff/, '')) as Plain;
}

/** Roles that are there, also with null: the class then has none. */
function tokensIn(config: Plain): Plain {
  return Object.fromEntries([...ROLES, 'additional_special_tokens'].flatMap((role) => (role in config ? [[role, config[role]]] : [])));
}

/** By the class, else the type of the model, else the tokens that the models of a class have. */
function classOf(config: Plain, model: Plain, vocab: Plain, path: string): Class {
  const name = config.tokenizer_class ?? model.tokenizer_class;
  const said = String(name ?? model.model_type ?? '');
  if (/^(?:GPT2Tokenizer(?:Fast)?|gpt2|gpt_neo|gptj)$/.test(said)) return 'GPT2';
  if (/^(?:(?:Roberta|Bart|Longformer|LED|Mvp)Tokenizer(?:Fast)?|roberta|bart|longformer)$/.test(said)) return 'Roberta';
  if (/^(?:Qwen2Tokenizer(?:Fast)?|qwen[23](?:_moe)?)$/.test(said)) return 'Qwen2';
  if (said === '' && END in vocab) return 'GPT2';
  if (said === '' && ['<s>', '</s>', '<mask>'].every((token) => token in vocab)) return 'Roberta';
  const known = 'GPT2Tokenizer, RobertaTokenizer or Qwen2Tokenizer';
  const why =
    said === ''
      ? `no file beside it says how text is split: a tokenizer_config.json may name the tokenizer_class ${known}`
      : `its class or type, ${said}, does not say how text is split, as ${known} does`;
  const message = `cannot read ${path}: ${why}; use the tokenizer.json of the model`;
  throw new TokenizerError(message, { code: 'BUILD_FAILED' });
}

/** A token is a text, or an object with its flags. */
function contentOf(token: unknown): string | undefined {
  if (typeof token === 'string') return token;
  const { content } = Object(token) as { content?: unknown };
  return typeof content === 'string' ? content : undefined;
}

class AddedTokens {
  readonly tokens: { id: number; content: string }[] = [];
  readonly #ids = new Map<string, number>();
  #next: number;

  constructor(private readonly vocab: Readonly<Record<string, number>>) {
    this.#next = Object.keys(vocab).length;
  }

  /** With the id that the vocabulary has for it, or the next one. The first to add it decides its flags. */
  add(token: unknown, flags: object): void {
    const content = contentOf(token);
    if (content === undefined || content === '' || this.#ids.has(content)) return;
    const id = Object.hasOwn(this.vocab, content) ? (this.vocab[content] as number) : this.#next;
    if (id >= this.#next) this.#next = id + 1;
    this.#ids.set(content, id);
    const { single_word = false, lstrip = false, rstrip = false, normalized = false, special = true } = Object(token) as Plain;
    this.tokens.push({ ...{ id, content, single_word, lstrip, rstrip, normalized, special }, ...flags });
  }

  pair(content: string | undefined): [string, number] {
    return [content as string, this.#ids.get(content as string) as number];
  }
}

/** One text and two, each with these tokens around it. */
function around(added: AddedTokens, begin: string | false | undefined, end: string | false | undefined): object {
  const token = (id: string | false | undefined, type_id: number) => (id ? [{ SpecialToken: { id, type_id } }] : []);
  const text = (id: string, type_id: number) => [...token(begin, type_id), { Sequence: { id, type_id } }, ...token(end, type_id)];
  const special = [begin, end].flatMap((id) => (id ? [[id, { id, ids: [added.pair(id)[1]], tokens: [id] }] as const] : []));
  return {
    type: 'TemplateProcessing',
    single: text('A', 0),
    pair: [...text('A', 0), ...text('B', 1)],
    special_tokens: Object.fromEntries(special),
  };
}

function mergesIn(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => line !== '' && !line.startsWith('#version'));
}
