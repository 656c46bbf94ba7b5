// Unusual tokenizer.json files, compared with npm `tokenizers`: where both open a file, ids, decoded texts and token
// counts are equal; a file refused here is refused at once, with reason and position; files that only the reference
// refuses are listed by name.

import { createRequire } from 'node:module';
import { beforeAll, describe, expect, it } from 'vitest';
import { Tokenizer, TokenizerError } from 'crayon-tokenizer';

import { added, bytesOf, fileOf, type Json } from './small-file.js';

interface Reference {
  encodeBatch(texts: string[], options: { addSpecialTokens: boolean }): Promise<{ getIds(): number[] }[]>;
  decode(ids: number[], skipSpecialTokens: boolean): Promise<string>;
  getVocabSize(withAdded: boolean): number;
  tokenToId(token: string): number | null;
}
const { Tokenizer: HuggingFace } = createRequire(import.meta.url)('tokenizers') as { Tokenizer: { fromString(json: string): Reference } };

beforeAll(() => {
  process.env.CRAYON_CACHE_DIR = '';
});

const fileWith = (change: (file: Json) => void) => bytesOf(fileOf([['a', 'b']], change));
const PLAIN = fileWith(() => undefined);
const text = PLAIN.toString();

const BYTE_LEVEL = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false };
const split = (more: object) =>
  fileWith(
    (file) =>
      (file.pre_tokenizer = {
        type: 'Sequence',
        pretokenizers: [{ type: 'Split', pattern: { String: 'a' }, behavior: 'Isolated', invert: false, ...more }, BYTE_LEVEL],
      }),
  );
const template = (more: object) =>
  fileWith(
    (file) =>
      (file.post_processor = {
        type: 'TemplateProcessing',
        single: [{ SpecialToken: { id: '<x>', type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }],
        pair: [{ Sequence: { id: 'A', type_id: 0 } }, { Sequence: { id: 'B', type_id: 1 } }],
        special_tokens: { '<x>': { id: '<x>', ids: [256], tokens: ['<x>'] } },
        ...more,
      }),
  );

const FILES: [what: string, bytes: Buffer][] = [];
const odd = (what: string, change: (file: Json) => void) => FILES.push([what, fileWith(change)]);
const replaced = (what: string, part: string, by: string) => FILES.push([what, Buffer.from(text.replace(part, () => by))]);

// Bytes.
FILES.push(
  ['a byte order mark', Buffer.from(`\ufeff${text}`)],
  ['two of them', Buffer.from(`\ufeff\ufeff${text}`)],
  ['UTF-16', Buffer.from(`\ufeff${text}`, 'utf16le')],
  ['UTF-16 without a mark', Buffer.from(text, 'utf16le')],
  ['big-endian UTF-16', Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
  ['Latin-1', Buffer.from(text, 'latin1')],
  ['a NUL at the end', Buffer.from(`${text}\0`)],
  ['the file twice', Buffer.from(`${text}\n${text}`)],
  ['half of the file', PLAIN.subarray(0, PLAIN.length / 2)],
  ['surrogates as UTF-8', Buffer.concat([Buffer.from(`${text.slice(0, -1)},"x":"`), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')])],
  ['an overlong character', Buffer.concat([Buffer.from(`${text.slice(0, -1)},"x":"`), Buffer.from([0xc0, 0xaf]), Buffer.from('"}')])],
);
replaced('a comment', '{', '{ // x\n');
replaced('a comma at the end', '}}', '},}');
replaced('a vertical tab as white space', ',', ',\v');
replaced('a line feed in a text', '"ab"', '"a\nb"');
replaced('an escape that is none', '"ab"', '"\\x61b"');
replaced('a cut escape', '"ab"', '"\\u61"');

// Numbers.
for (const id of [
  'NaN',
  'Infinity',
  '-0',
  '256.0',
  '2.56e2',
  '0256',
  '+256',
  '0x100',
  'true',
  'null',
  '4294967552',
  '9007199254740993',
  '9'.repeat(400),
  '1e400',
  `${'0'.repeat(1000)}256`,
  '-1',
  '"256"',
  '[256]',
  '{}',
]) {
  replaced(`the id ${id.slice(0, 20)}`, '"ab":256', `"ab":${id}`);
}
for (const rate of ['0', '0.0', '-0.0', '1e-5', '1', 'NaN', '"0"', 'false', '[]'])
  replaced(`the dropout ${rate}`, '"dropout":null', `"dropout":${rate}`);

// Types, and missing fields.
const VALUES = [
  ['null', null],
  ['a number', 5],
  ['a text', 'x'],
  ['a list', []],
  ['true', true],
  ['an object', {}],
] as const;
for (const [name, value] of VALUES) {
  for (const key of [
    'version',
    'truncation',
    'padding',
    'added_tokens',
    'normalizer',
    'pre_tokenizer',
    'post_processor',
    'decoder',
    'model',
  ])
    odd(`${key}: ${name}`, (file) => (file[key] = value));
  for (const key of [
    'vocab',
    'merges',
    'type',
    'unk_token',
    'continuing_subword_prefix',
    'end_of_word_suffix',
    'byte_fallback',
    'ignore_merges',
  ])
    odd(`model.${key}: ${name}`, (file) => (file.model[key] = value));
  for (const key of ['add_prefix_space', 'use_regex', 'type'])
    odd(`pre_tokenizer.${key}: ${name}`, (file) => (file.pre_tokenizer[key] = value));
  for (const key of ['id', 'content', 'single_word', 'lstrip', 'rstrip', 'normalized', 'special'])
    odd(`added_tokens[0].${key}: ${name}`, (file) => (file.added_tokens = [added('<x>', 257, { [key]: value })]));
}
for (const key of ['version', 'truncation', 'padding', 'added_tokens', 'normalizer', 'pre_tokenizer', 'post_processor', 'decoder', 'model'])
  odd(`no ${key}`, (file) => delete file[key]);
for (const key of ['vocab', 'merges', 'type']) odd(`no model.${key}`, (file) => delete file.model[key]);
for (const key of ['id', 'content', 'special'])
  odd(`no added_tokens[0].${key}`, (file) => {
    file.added_tokens = [added('<x>', 257)];
    delete file.added_tokens[0][key];
  });

// Keys.
replaced('a key twice', '"ab":256', '"ab":256,"ab":256');
replaced('a key twice, escaped', '"ab":256', '"ab":256,"\\u0061b":257');
FILES.push(['the model twice', Buffer.from(`${text.slice(0, -1)},"model":null}`)]);
odd('tokens that objects have', (file) =>
  Object.assign(
    file.model.vocab,
    Object.fromEntries([
      ['constructor', 257],
      ['hasOwnProperty', 258],
    ]),
  ),
);
replaced('the token __proto__', '"ab":256', '"ab":256,"__proto__":257');
odd('a type that objects have', (file) => (file.normalizer = { type: 'constructor' }));

// Vocabularies and merges.
replaced('half of a pair of surrogates as a token', '"ab":256', '"ab":256,"\\udc00":257');
odd('an id far away', ({ model }) => (model.vocab.ab = 5000));
odd('an id of two', ({ model }) => (model.vocab.zz = 256));
odd('a token of no bytes', ({ model }) => (model.vocab['的'] = 257));
odd('a token with a space', ({ model }) => (model.vocab['a b'] = 257));
odd('a token without characters', ({ model }) => (model.vocab[''] = 257));
for (const unk_token of [null, 'ab', 'none', 5]) {
  for (const more of [{}, { fuse_unk: true }, { byte_fallback: true }, { ignore_merges: true }]) {
    odd(`a byte without a token, unk_token ${unk_token}, ${JSON.stringify(more)}`, ({ model }) => {
      delete model.vocab['h'];
      delete model.vocab['ÿ'];
      Object.assign(model, { unk_token, ...more });
    });
  }
}
for (const merges of [
  ['a b'],
  ['a  b'],
  [' b'],
  ['a b '],
  ['a\tb'],
  ['#version: 0.2', 'a b'],
  ['a b', '#version: 0.2'],
  [['#version', '0.2']],
  [''],
  [['', '']],
  [[]],
  [['a']],
  [['a', 'b', 'a']],
  [[['a'], 'b']],
  [[97, 98]],
  [null],
  [{ a: 1 }],
  ['a b', ['a', 'b']],
  [['a', 'a']],
  [['zz', 'b']],
  [
    ['a', 'b'],
    ['a', 'b'],
  ],
  [],
]) {
  odd(`the merges ${JSON.stringify(merges)}`, ({ model }) => (model.merges = merges));
}

// Added tokens.
for (const [what, ...tokens] of [
  ['without characters', added('', 257), added('<x>', 257)],
  ['without characters, with another id', added('<x>', 257), added('', 7777)],
  ['without characters between others', added('<x>', 257), added('', 258), added('<y>', 258)],
  ['twice', added('<x>', 257), added('<x>', 257), added('<y>', 258)],
  ['twice with another id', added('<x>', 257), added('<y>', 258), added('<x>', 300)],
  ['twice, later as special', added('<x>', 257, { special: false }), added('<x>', 257)],
  ['with the id of another token', added('<x>', 256)],
  ['with an id behind a gap', added('<x>', 300)],
  ['that descend', added('<y>', 258), added('<x>', 257)],
  ['of a space', added(' ', 257)],
  ['of a line feed', added('\n', 257)],
  ['of NUL', added('\0', 257)],
  ['of a byte order mark', added('\ufeff', 257)],
  ['with another field', added('<x>', 257, { foo: 1 })],
  ['with a negative id', added('<x>', -1)],
  ['with an id of 33 bits', added('<x>', 2 ** 32)],
  ['with half an id', added('<x>', 257.5)],
  ['that are null', null],
  ['that are texts', '<x>'],
] as const)
  odd(`added tokens ${what}`, (file) => (file.added_tokens = tokens));

// The steps around the model.
for (const pattern of [
  '(',
  '[',
  'a{2,1}',
  '\\',
  '(?<n>a)\\k<n>',
  '(?<=a+)b',
  '(?R)',
  'a{99999}',
  '\\p{Foo}',
  '[z-a]',
  '(?i)ab',
  'a|',
  '^a',
  '\\b',
  'a?',
  '\\G',
  '(a)\\1',
  '[[:alpha:]]+',
  '\\h+',
  '\\X',
  '(?>a+)b',
  'a++',
  '\\x{1F600}',
  '[a&&b]',
  '.',
  '(?m:.)',
  '(?x) a b',
  '',
]) {
  FILES.push([`the pattern ${pattern}`, split({ pattern: { Regex: pattern } })]);
}
for (const behavior of ['Removed', 'MergedWithPrevious', 'MergedWithNext', 'Contiguous', 'isolated', null, 5])
  FILES.push([`the behavior ${behavior}`, split({ behavior })]);
FILES.push(
  ['a pattern as a text', split({ pattern: 'a' })],
  ['both kinds of patterns', split({ pattern: { String: 'a', Regex: 'b' } })],
  ['a text of signs', split({ pattern: { String: 'a.b*' } })],
);
for (const type of ['Whitespace', 'BertPreTokenizer', 'Metaspace', 'UnicodeScripts', 'FixedLength', 'Foo'])
  odd(
    `the pretokenizer ${type}`,
    (file) =>
      (file.pre_tokenizer = {
        type: 'Sequence',
        pretokenizers: [{ type, length: 5, replacement: '_', prepend_scheme: 'always', split: true }, BYTE_LEVEL],
      }),
  );
for (const type of ['NFD', 'NFKC', 'Lowercase', 'Strip', 'Replace', 'Prepend', 'BertNormalizer', 'Nmt', 'ByteLevel', 'Foo'])
  odd(
    `the normalizer ${type}`,
    (file) => (file.normalizer = { type, pattern: { String: 'a' }, content: 'b', strip_left: true, strip_right: true, prepend: 'x' }),
  );
for (const type of ['Fuse', 'BPEDecoder', 'ByteFallback', 'CTC', 'Metaspace', 'WordPiece', 'Foo'])
  odd(
    `the decoder ${type}`,
    (file) =>
      (file.decoder = {
        type,
        suffix: '</w>',
        prefix: '##',
        cleanup: true,
        replacement: '_',
        prepend_scheme: 'always',
        pad_token: '<p>',
        word_delimiter_token: '|',
      }),
  );
odd('no steps', (file) => (file.normalizer = { type: 'Sequence', normalizers: [] }));
FILES.push(
  ['a template', template({})],
  ['a template of a token without ids', template({ special_tokens: { '<x>': { id: '<x>', ids: [], tokens: [] } } })],
  ['a template of an id beyond all', template({ special_tokens: { '<x>': { id: '<x>', ids: [1e9], tokens: ['<x>'] } } })],
  ['a template as a text', template({ single: '<x> $A' })],
  ['a template of null', template({ single: [null] })],
);

/** Files that the reference refuses, because its types are stricter, and that open here: they have only one meaning. */
const MORE_THAN_THE_REFERENCE = [
  /^a byte order mark$/,
  /^(?:version|added_tokens|model\.type): null$/,
  /^pre_tokenizer\.(?:add_prefix_space|use_regex): null$/,
  /^added_tokens\[0\]\.(?:single_word|lstrip|rstrip|normalized|special): null$/,
  /^no added_tokens\[0\]\.special$/,
];

/** Files that must open, as in the reference. */
const OPENED = new Set([
  'a token without characters',
  ...['null, {}', 'null, {"fuse_unk":true}', 'ab, {}', 'ab, {"fuse_unk":true}', 'ab, {"ignore_merges":true}'].map(
    (what) => `a byte without a token, unk_token ${what}`,
  ),
  ...[
    'without characters',
    'without characters, with another id',
    'without characters between others',
    'twice',
    'twice with another id',
  ].map((what) => `added tokens ${what}`),
]);

const TEXTS = ['', 'ab', 'abab a b', 'hello  world 123\n\n x', '<x>ab<y>', 'é e\u0301 的😀', '\ufeffa\0b', 'aab.b*a', ' Ġx', '-_1'];

describe('a file with', () => {
  it.each(FILES)('%s', async (what, bytes) => {
    let reference: Reference | undefined;
    try {
      reference = HuggingFace.fromString(bytes.toString());
    } catch {
      // The reference refuses the file.
    }
    const begin = performance.now();
    const own = await Tokenizer.load(bytes).catch((error: Error) => error);
    expect(performance.now() - begin).toBeLessThan(5000);
    if (own instanceof Error) {
      if (OPENED.has(what)) throw own;
      expect(own).toBeInstanceOf(TokenizerError);
      expect(own.message).toMatch(/^cannot (?:read|import|open) /);
      expect(own.message.length).toBeLessThan(400);
      expect((own as TokenizerError).position).toBeLessThanOrEqual(bytes.length);
      return;
    }
    if (!reference) {
      expect(
        MORE_THAN_THE_REFERENCE.some((known) => known.test(what)),
        what,
      ).toBe(true);
      return own.close();
    }
    for (const addSpecialTokens of [false, true]) {
      for (const text of TEXTS) {
        const encodings = await reference.encodeBatch([text], { addSpecialTokens }).catch(() => []);
        if (encodings.length === 0) {
          expect(() => own.encode(text, { special: 'allow', addSpecialTokens }), text).toThrow(TokenizerError);
          continue;
        }
        const ids = encodings[0]!.getIds();
        expect([...own.encode(text, { special: 'allow', addSpecialTokens })], text).toEqual(ids);
        for (const skipSpecialTokens of [false, true])
          expect(own.decode(ids, { skipSpecialTokens })).toBe(await reference.decode(ids, skipSpecialTokens));
      }
    }
    const tokens = [...own.tokens()];
    expect(tokens.length).toBe(reference.getVocabSize(true));
    for (const { id } of tokens) expect(own.decode([id])).toBe(await reference.decode([id], false));
    for (const token of ['', '<x>', '<y>']) expect(own.idOf(token)).toBe(reference.tokenToId(token) ?? undefined);
    own.close();
  });
});
