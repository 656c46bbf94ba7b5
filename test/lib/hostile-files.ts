// Model files built to consume time or memory: each is about as long as requested, and either opens or is refused at a
// known position.

import { CHARACTERS, fileOf, type Json } from './small-file.js';

/** One kind of hostile file. */
export interface HostileFile {
  what: string;
  /** A text of about `size` bytes, if that matters. */
  make(size: number): string;
  /** Why it is refused, and the bytes at that position: the first occurrence after `after`. Undefined if it opens. */
  refused?: { code: string; message: RegExp; at?: string; after?: string };
}

/** A file that opens, as text, with some values replaced: `"@name"` becomes `holes.name`. */
function fileWith(change: (file: Json) => void, holes: Record<string, string> = {}): string {
  const file = fileOf([['a', 'b']], change);
  let text = JSON.stringify(file);
  for (const [name, hole] of Object.entries(holes)) text = text.replace(`"@${name}"`, () => hole);
  return text;
}

const filled = (size: number, unit: string) => unit.repeat(Math.ceil(size / unit.length));
const listOf = (size: number, unit: string, last: string) => `[${filled(size, `${unit},`)}${last}]`;
const nested = (levels: number, begin: string, inner: string, end: string) => `${begin.repeat(levels)}${inner}${end.repeat(levels)}`;

/** The vocabulary of the file with more tokens, totalling this many bytes. */
function withTokens(size: number, token: (id: number) => string): string {
  const entries: string[] = [];
  for (let id = 257, length = 0; length < size && id < 2_000_000; id++)
    length += entries.push(`"${token(id)}":${id},`) && entries.at(-1)!.length;
  return fileWith(() => undefined).replace('"vocab":{', () => `"vocab":{${entries.join('')}`);
}

const split = (pattern: string) =>
  `{"type":"Sequence","pretokenizers":[{"type":"Split","pattern":{"Regex":"${pattern}"},"behavior":"Isolated","invert":false},{"type":"ByteLevel","add_prefix_space":false,"trim_offsets":true,"use_regex":false}]}`;
const templateOf = (single: string, ids: string) =>
  `{"type":"TemplateProcessing","single":${single},"pair":[],"special_tokens":{"a":{"id":"a","ids":${ids},"tokens":[]}}}`;

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const ranks = (more: Uint8Array[]) =>
  [...CHARACTERS.map((_, byte) => Uint8Array.of(byte)), ...more].map((bytes, rank) => ({ rank, token_bytes: base64(bytes) }));
const tekken = (specials: number, more: Uint8Array[] = []) =>
  JSON.stringify({
    config: { pattern: 'a+|b', default_vocab_size: specials + 256 + more.length, default_num_special_tokens: specials, version: 'v3' },
    vocab: ranks(more),
  });

/** Tokens of which some come after tokens made from them, so that they need merges. */
function lateTokens(size: number): Uint8Array[] {
  const tokens = ['abc', 'ab', ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((power) => 'a'.repeat(2 ** power))].map((text) => Buffer.from(text));
  for (let length = 0; length < size; length += 1400) {
    const token = Buffer.alloc(1000, 'a');
    token.writeUInt32LE(tokens.length, 996);
    tokens.push(token);
  }
  return tokens;
}

export const HOSTILE_FILES: HostileFile[] = [
  { what: 'white space', make: (size) => fileWith(() => undefined).padEnd(size) },
  { what: 'a field of empty lists', make: (size) => fileWith((file) => (file.model.x = '@x'), { x: listOf(size, '[]', '0') }) },
  { what: 'a field of empty objects', make: (size) => fileWith((file) => (file.model.x = '@x'), { x: listOf(size, '{}', '0') }) },
  { what: 'a field of numbers beyond all', make: (size) => fileWith((file) => (file.model.x = '@x'), { x: listOf(size, '1e999', '0') }) },
  { what: 'a long key', make: (size) => fileWith((file) => (file.model.x = '@x'), { x: `{"${filled(size, 'k')}":0}` }) },
  {
    what: 'lists in lists',
    make: (size) => fileWith((file) => (file.x = '@x'), { x: nested(size / 2, '[', '', ']') }),
    refused: { code: 'CORRUPT_STRUCTURE', message: /it has more than 128 levels of lists and objects at byte \d+$/ },
  },
  {
    what: 'pretokenizers in pretokenizers',
    make: (size) =>
      fileWith((file) => (file.pre_tokenizer = '@x'), {
        x: nested(size / 40, '{"type":"Sequence","pretokenizers":[', '{"type":"ByteLevel"}', ']}'),
      }),
    refused: { code: 'CORRUPT_STRUCTURE', message: /it has more than 128 levels/ },
  },
  {
    what: 'normalizers in normalizers',
    make: (size) =>
      fileWith((file) => (file.normalizer = '@x'), { x: nested(size / 40, '{"type":"Sequence","normalizers":[', '{"type":"NFC"}', ']}') }),
    refused: { code: 'CORRUPT_STRUCTURE', message: /it has more than 128 levels/ },
  },
  {
    what: 'many pretokenizers',
    make: (size) =>
      fileWith((file) => (file.pre_tokenizer = '@x'), {
        x: `{"type":"Sequence","pretokenizers":${listOf(size, '{"type":"Digits","individual_digits":true}', '{"type":"ByteLevel","add_prefix_space":false,"trim_offsets":true}')}}`,
      }),
    refused: {
      code: 'BUILD_FAILED',
      message: /pre_tokenizer\.pretokenizers: more than 1024 elements are not supported, at byte \d+$/,
      after: '"pretokenizers":',
      at: '[',
    },
  },
  {
    what: 'some pretokenizers',
    make: () =>
      fileWith((file) => (file.pre_tokenizer = '@x'), {
        x: `{"type":"Sequence","pretokenizers":${listOf(40_000, '{"type":"Digits","individual_digits":true}', '{"type":"ByteLevel","add_prefix_space":false,"trim_offsets":true}')}}`,
      }),
    refused: {
      code: 'BUILD_FAILED',
      message: /pre_tokenizer: more than 128 pretokenizers are not supported/,
      after: '"pre_tokenizer":',
      at: '{',
    },
  },
  {
    what: 'a long pattern',
    make: (size) => fileWith((file) => (file.pre_tokenizer = '@x'), { x: split(`${filled(size, 'a|')}b`) }),
    refused: {
      code: 'BUILD_FAILED',
      message: /pattern\.Regex: a pattern that is too large, which is not supported/,
      after: '"Regex":',
      at: '"a',
    },
  },
  {
    what: 'groups in groups',
    make: () => fileWith((file) => (file.pre_tokenizer = '@x'), { x: split(nested(8000, '(', 'a', ')')) }),
    refused: {
      code: 'CORRUPT_STRUCTURE',
      message: /pattern\.Regex: expected a pattern of Oniguruma \(a pattern that is nested too deeply\)/,
      after: '"Regex":',
      at: '"(',
    },
  },
  {
    what: 'repeated repetitions',
    make: () => fileWith((file) => (file.pre_tokenizer = '@x'), { x: split('(?:(?:(?:a{1000}){1000}){1000}){1000}') }),
    refused: {
      code: 'BUILD_FAILED',
      message: /pattern\.Regex: a pattern that is too large, which is not supported/,
      after: '"Regex":',
      at: '"(',
    },
  },
  {
    what: 'a template of many tokens',
    make: (size) =>
      fileWith((file) => (file.post_processor = '@x'), {
        x: templateOf(listOf(size, '{"SpecialToken":{"id":"a","type_id":0}}', '{"Sequence":{"id":"A","type_id":0}}'), '[1]'),
      }),
    refused: { code: 'BUILD_FAILED', message: /post_processor\.single: more than 1024 elements/, after: '"single":', at: '[' },
  },
  {
    what: 'a template of many ids',
    make: () =>
      fileWith((file) => (file.post_processor = '@x'), {
        x: templateOf('[{"SpecialToken":{"id":"a","type_id":0}},{"Sequence":{"id":"A","type_id":0}}]', listOf(600, '1', '1')),
      }),
    refused: { code: 'BUILD_FAILED', message: /post_processor: more than 256 ids around a text/, after: '"post_processor":', at: '{' },
  },
  { what: 'many tokens', make: (size) => withTokens(size, (id) => `Z${id.toString(36)}`) },
  { what: 'many tokens, escaped', make: (size) => withTokens(size, (id) => `\\u005a${id.toString(36)}`) },
  { what: 'long tokens of one letter', make: (size) => withTokens(Math.min(size, 3e6), (id) => 'a'.repeat(7 * (id - 256))) },
  {
    what: 'a very long token',
    make: (size) => withTokens(1, () => filled(size, 'ab')),
    refused: {
      code: 'BUILD_FAILED',
      message: /model\.vocab\["[ab]+…\]: \d+ bytes are too many: at most 65535 are supported/,
      after: '"abababab',
      at: '257',
    },
  },
  {
    what: 'one token again and again',
    make: (size) => fileWith(() => undefined).replace('"vocab":{', () => `"vocab":{${filled(size, '"zz":257,')}`),
    refused: { code: 'CORRUPT_STRUCTURE', message: /model\.vocab\.zz: the object has this key twice/, after: '"zz":257,"zz":', at: '257' },
  },
  {
    what: 'a field twice',
    make: () => fileWith(() => undefined).replace('{"version"', '{"model":{},"version"'),
    refused: {
      code: 'CORRUPT_STRUCTURE',
      message: /import .*: model: the object has this key twice/,
      after: '"version"',
      at: '{"type":"BPE"',
    },
  },
  { what: 'a token named __proto__', make: () => fileWith(() => undefined).replace('"vocab":{', '"vocab":{"__proto__":257,') },
  {
    what: 'an id far away',
    make: () => fileWith(({ model }) => (model.vocab.zz = 2_000_000)),
    refused: {
      code: 'BUILD_FAILED',
      message: /model\.vocab\["zz"\]: 258 tokens have ids up to 2000000: at most 66052/,
      after: '"zz":',
      at: '2000000',
    },
  },
  { what: 'an id a little away', make: () => fileWith(({ model }) => (model.vocab.zz = 66_000)) },
  {
    what: 'an id of four billion',
    make: () => fileWith(({ model }) => (model.vocab.zz = 4e9)),
    refused: {
      code: 'CORRUPT_STRUCTURE',
      message: /model\.vocab\["zz"\]: expected an id .* but found 4000000000/,
      after: '"zz":',
      at: '4',
    },
  },
  {
    what: 'an id as a text',
    make: () => fileWith(({ model }) => (model.vocab.zz = '7')),
    refused: { code: 'CORRUPT_STRUCTURE', message: /model\.vocab\["zz"\]: expected an id .* but found "7"/, after: '"zz":', at: '"7"' },
  },
  {
    what: 'one merge again and again',
    make: (size) => fileWith(() => undefined).replace('"merges":[', () => `"merges":[${filled(size, '["a","b"],')}`),
  },
  {
    what: 'a merge that makes nothing, behind many',
    make: (size) => fileWith(() => undefined).replace('"merges":[', () => `"merges":[${filled(size, '["a","b"],')}["a","c"],`),
    refused: {
      code: 'CORRUPT_STRUCTURE',
      message: /model\.merges\[\d+\]: expected tokens of model\.vocab, which has no \"ac\", but found \[\"a\",\"c\"\]/,
      after: '"merges"',
      at: '["a","c"]',
    },
  },
  {
    what: 'merges, each of which goes on from the one before',
    make: (size) => {
      const merges: [string, string][] = [];
      let token = 'a';
      return fileWith((file) => {
        for (let id = 257, length = 0; length < size && token.length < 60_000; id++, length += 2 * token.length) {
          merges.push([token, 'a']);
          file.model.vocab[(token += 'a')] = id;
        }
        file.model.merges = merges;
      });
    },
  },
  {
    what: 'merges of two as texts and lists',
    make: (size) => fileWith((file) => (file.model.merges = '@x'), { x: listOf(size, '"a b"', '["a","b"]') }),
    refused: {
      code: 'CORRUPT_STRUCTURE',
      message: /model\.merges\[\d+\]: expected a string, as before, but found \["a","b"\]/,
      after: '"a b",[',
      at: '',
    },
  },
  {
    what: 'added tokens that are none',
    make: (size) => fileWith((file) => (file.added_tokens = '@x'), { x: listOf(size, '0', '0') }),
    refused: {
      code: 'CORRUPT_STRUCTURE',
      message: /added_tokens\[0\]: expected an object but found 0/,
      after: '"added_tokens":[',
      at: '0',
    },
  },
  {
    what: 'text after the end',
    make: (size) => `${fileWith((file) => (file.x = filled(size, 'y')))}?`,
    refused: { code: 'CORRUPT_STRUCTURE', message: /it is not JSON: "\?" is not expected at byte \d+$/, after: 'yyy"}', at: '?' },
  },
  {
    what: 'a file without its end',
    make: (size) => fileWith((file) => (file.x = filled(size, 'y'))).slice(0, -5),
    refused: { code: 'CORRUPT_STRUCTURE', message: /it is not JSON: it ends at byte \d+/ },
  },
  {
    what: 'a tekken.json with two million special tokens that it does not name',
    make: () => tekken(2_000_000 - 20),
    refused: {
      code: 'BUILD_FAILED',
      message: /config\.default_num_special_tokens: 1999960 special tokens without a name are too many: at most 16384/,
      after: '"default_num_special_tokens":',
      at: '1',
    },
  },
  { what: 'a tekken.json with as many as it may have', make: () => tekken(16_384 + 20) },
  {
    what: 'a tekken.json of long tokens that need merges',
    make: (size) => tekken(20, lateTokens(size)),
    refused: { code: 'BUILD_FAILED', message: /a table could not be built/ },
  },
];

/** The byte at which the refusal must be. Undefined: anywhere. */
export function positionOf(text: string, { at, after }: NonNullable<HostileFile['refused']>): number | undefined {
  if (after === undefined || at === undefined) return undefined;
  const from = text.indexOf(after);
  if (from < 0) throw new Error(`the file has no ${after}`);
  return Buffer.byteLength(text.slice(0, at === '' ? from + after.length - 1 : text.indexOf(at, from + after.length)));
}
