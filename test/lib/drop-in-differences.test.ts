// Writes docs/drop-in-differences.md: where the drop-in modules differ from the packages they replace, with the present
// answers of both. The test fails if a difference disappears or an answer changes; `vitest run -u` rewrites the file.

import * as theirGpt from 'gpt-tokenizer/encoding/o200k_base';
import * as theirJs from 'js-tiktoken';
import * as theirTiktoken from 'tiktoken';
import * as theirHuggingFace from 'tokenizers';
import { expect, it } from 'vitest';
import * as ourHuggingFace from 'crayon-tokenizer/huggingface';
import * as ourGpt from 'crayon-tokenizer/gpt-tokenizer/encoding/o200k_base';
import * as ourJs from 'crayon-tokenizer/js-tiktoken';
import * as ourTiktoken from 'crayon-tokenizer/tiktoken';

/** What differs, why, and a call that shows it, in which `api` is the package. */
type Difference = [what: string, call: string];

const PACKAGES: { name: string; path: string; theirs: object; ours: object; differences: Difference[] }[] = [
  {
    name: 'tiktoken 1.0.22',
    path: 'crayon-tokenizer/tiktoken',
    theirs: theirTiktoken,
    ours: ourTiktoken,
    differences: [
      ['Arguments of a wrong type are errors that name them', "api.get_encoding('cl100k_base').encode(5)"],
      ['An id without a token is an error with its index', "api.get_encoding('cl100k_base').decode(Uint32Array.of(15339, 100300))"],
      [
        'Using a freed encoder throws an error that says so',
        "const encoding = api.get_encoding('cl100k_base'); encoding.free(); encoding.encode('a')",
      ],
      ['Models newer than the package are known', "api.encoding_for_model('gpt-5.1').name"],
      [
        "So are fine-tuned models and later snapshots, by how their names begin, as in Python's tiktoken",
        "api.encoding_for_model('ft:gpt-4o:org::id').name",
      ],
      ["`encode_single_token` takes a string, as in Python's tiktoken", "api.get_encoding('cl100k_base').encode_single_token('hello')"],
      ['… of which the package sees no character', "api.get_encoding('cl100k_base').encode_single_token('é')"],
      [
        '`encode_with_unstable` refuses a text whose last piece may be longer than 1024 bytes: it has too many completions to be useful',
        "api.get_encoding('cl100k_base').encode_with_unstable('a'.repeat(1100)).length",
      ],
    ],
  },
  {
    name: 'js-tiktoken 1.0.21',
    path: 'crayon-tokenizer/js-tiktoken',
    theirs: theirJs,
    ours: ourJs,
    differences: [
      [
        'Ids are those of tiktoken also where JavaScript counts a character as white space that Unicode does not (U+FEFF)',
        "api.getEncoding('cl100k_base').encode('a \\ufeffb')",
      ],
      ['… and vice versa (U+0085)', "api.getEncoding('cl100k_base').encode('a \\u0085b')"],
      ['`decode` keeps a leading byte order mark', "api.getEncoding('cl100k_base').decode([3305, 15339])"],
      ["`davinci-002` uses `cl100k_base`, as in Python's tiktoken", "api.getEncodingNameForModel('davinci-002')"],
      ['… and `babbage-002`', "api.getEncodingNameForModel('babbage-002')"],
      ['Models newer than the package are known', "api.getEncodingNameForModel('gpt-5.1')"],
      [
        "So are fine-tuned models and later snapshots, by how their names begin, as in Python's tiktoken",
        "api.getEncodingNameForModel('ft:gpt-4o:org::id')",
      ],
      ['Arguments of a wrong type are errors that name them', "api.getEncoding('cl100k_base').encode(5)"],
    ],
  },
  {
    name: 'gpt-tokenizer 4.0.0',
    path: 'crayon-tokenizer/gpt-tokenizer',
    theirs: theirGpt,
    ours: ourGpt,
    differences: [
      ['Ids are those of tiktoken for every text, such as one with U+FEFF', "api.encode('hello\\ufeffworld')"],
      [
        'Allowed special tokens are found anywhere, not only where a text begins',
        "api.encode('hello <|endoftext|>', { allowedSpecial: 'all' })",
      ],
      [
        'Disallowed special tokens are an error, as documented, also after another one',
        "api.encode('a<|im_start|><|endoftext|>', { disallowedSpecial: new Set(['<|endoftext|>']), allowedSpecial: 'all' })",
      ],
      ['`<|endofprompt|>` of `o200k_base` has the id that OpenAI publishes', "api.encode('<|endofprompt|>', { allowedSpecial: 'all' })"],
      ['`decode` keeps a leading byte order mark', 'api.decode([5574, 24912])'],
      ['Half a character is U+FFFD, and none of it carries over to the next call', '[api.decode([61138]), api.decode([24912])]'],
      ['Chunks hold whole characters, in as few tokens as possible', "[...api.encodeGenerator('語語語')]"],
      ['Arguments of a wrong type are errors that name them', 'api.decode(5)'],
    ],
  },
  {
    name: 'tokenizers 0.23.2',
    path: 'crayon-tokenizer/huggingface',
    theirs: theirHuggingFace,
    ours: ourHuggingFace,
    differences: [
      [
        'Lists of words work',
        "api.Tokenizer.fromString(files.words).encode(['hello', 'world'], null, { isPretokenized: true }).then((encoding) => encoding.getIds())",
      ],
      [
        'Pairs in a batch work',
        "api.Tokenizer.fromString(files.words).encodeBatch([['hello', 'world']]).then(([encoding]) => encoding.getIds())",
      ],
      [
        'A length below the number of tokens that the post-processor adds is an error',
        "const tokenizer = api.Tokenizer.fromString(files.between); tokenizer.setTruncation(1); tokenizer.encode('hello').then((encoding) => encoding.getIds())",
      ],
      [
        'What is unknown to Unigram, and an added token that is normalized and strips, appear as they are in the text',
        "api.Tokenizer.fromString(files.lowercase).encode('aX').then((encoding) => encoding.getTokens())",
      ],
      [
        'A file that the importer does not read is an error when it is first used',
        "api.Tokenizer.fromString(files.random).encode('b').then((encoding) => encoding.getIds())",
      ],
      ['Arguments of a wrong type are errors that name them', 'api.Tokenizer.fromString(files.words).encode(5)'],
    ],
  },
];

/** Files of Hugging Face, which calls name. */
const FILES = Object.fromEntries(
  Object.entries({
    words: {},
    between: { post_processor: { type: 'BertProcessing', cls: ['hello', 1], sep: ['world', 2] } },
    random: { model: { type: 'BPE', vocab: { a: 0, b: 1, ab: 2 }, merges: ['a b'], dropout: 0.5 } },
    lowercase: {
      normalizer: { type: 'Lowercase' },
      pre_tokenizer: null,
      model: {
        type: 'Unigram',
        unk_id: 0,
        vocab: [
          ['<unk>', 0],
          ['a', -1],
        ],
      },
    },
  }).map(([name, changes]) => [name, JSON.stringify({ ...hello(), ...changes })]),
);

function hello(): object {
  const model = { type: 'WordLevel', vocab: { '[UNK]': 0, hello: 1, world: 2 }, unk_token: '[UNK]' };
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [],
    normalizer: null,
    pre_tokenizer: { type: 'Whitespace' },
    post_processor: null,
    decoder: null,
    model,
  };
}

/** The result of a call, or its failure, on one line. */
async function answer(api: object, call: string): Promise<string> {
  const [, before = '', last = call] = /^(.*; )?(.*)$/s.exec(call) ?? [];
  try {
    return shown(await new Function('api', 'files', `${before}return ${last}`)(api, FILES));
  } catch (error) {
    const [message = ''] = String(error instanceof Error ? `${error.name}: ${error.message}` : error).split('\n');
    return `throws ${message}`;
  }
}

function shown(value: unknown): string {
  const plain = (_: string, each: unknown) => (ArrayBuffer.isView(each) ? Array.from(each as Uint32Array) : each);
  const text = value === undefined ? 'undefined' : JSON.stringify(value, plain);
  const short = text.length > 120 ? `${text.slice(0, 119)}…` : text;
  return short
    .replace(/[^ -~¡-\u02ff\u4e00-\u9fff]/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replaceAll('\\u2026', '…');
}

const cell = (text: string) => `\`${text.replaceAll('|', '\\|').replaceAll('`', "'")}\``;

it('the documented differences are exactly the actual ones', async () => {
  const sections: string[] = [];
  for (const { name, path, theirs, ours, differences } of PACKAGES) {
    const rows: string[] = [];
    for (const [what, call] of differences) {
      const [their, our] = [await answer(theirs, call), await answer(ours, call)];
      expect(our, `${name}: ${call}`).not.toBe(their);
      rows.push(`| ${what.replaceAll('|', '\\|')} | ${cell(call)} | ${cell(their)} | ${cell(our)} |`);
    }
    const head = ['| difference | call | the package | here |', '|---|---|---|---|'];
    sections.push([`## ${name}`, '', `\`${path}\``, '', ...head, ...rows].join('\n'));
  }
  const text = `<!-- Written by test/lib/drop-in-differences.test.ts. -->

# Differences of the drop-in replacements

The modules answer as the packages do in every other case that the tests compare. These differences are intended. Each row is a call
and both results; \`api\` is the module, and \`files\` has texts of small files of Hugging Face.

${sections.join('\n\n')}

Not in the tables:

* \`encode_with_unstable\` lists the completions in another order; tiktoken's is the order of a hash table.
* Nothing has to be freed.
* \`init\` of \`tiktoken/init\` does nothing: there is no module to instantiate.
* \`modelToEncodingMap\` has every model; gpt-tokenizer's leaves out those of its default encoding, such as \`gpt-4o\`.
* gpt-tokenizer's merge cache does not exist, so \`setMergeCacheSize\` and \`clearMergeCache\` do nothing.
* \`new Tiktoken\` takes only the patterns of OpenAI's encodings.
* In npm tokenizers, a stride that is too large ends the process. Here \`setTruncation\` and \`truncate\` refuse it.
* \`crayon-tokenizer/huggingface\` has \`AddedToken\`, \`Encoding\` and \`Tokenizer\`, without what builds or trains a tokenizer or replaces a
  part of it (\`BPE\`, \`mergeEncodings\`, \`setNormalizer\`, \`train\` …).
* In pages, \`idToToken\` names an added token that the normalizer changes as the file does.
* Where npm tokenizers miscounts offsets behind control characters that its \`Precompiled\` normalizer removes, they are right here.
`;
  await expect(text).toMatchFileSnapshot('../../docs/drop-in-differences.md');
});
