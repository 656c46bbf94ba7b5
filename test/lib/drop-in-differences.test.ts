// Writes docs/drop-in-differences.md: where the drop-in modules differ from the packages they replace, with the present
// answers of both. The test fails if a difference disappears or an answer changes; `vitest run -u` rewrites the file.

import * as theirGpt from 'gpt-tokenizer/encoding/o200k_base';
import * as theirJs from 'js-tiktoken';
import * as theirTiktoken from 'tiktoken';
import { expect, it } from 'vitest';
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
      ['Using a freed encoder throws an error that says so', "const encoding = api.get_encoding('cl100k_base'); encoding.free(); encoding.encode('a')"],
      ['Models newer than the package are known', "api.encoding_for_model('gpt-5.1').name"],
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
      ['Ids are those of tiktoken also where JavaScript counts a character as white space that Unicode does not (U+FEFF)', "api.getEncoding('cl100k_base').encode('a \\ufeffb')"],
      ['… and vice versa (U+0085)', "api.getEncoding('cl100k_base').encode('a \\u0085b')"],
      ['`decode` keeps a leading byte order mark', "api.getEncoding('cl100k_base').decode([3305, 15339])"],
      ['`davinci-002` uses `cl100k_base`, as in tiktoken', "api.getEncodingNameForModel('davinci-002')"],
      ['Models newer than the package are known', "api.getEncodingNameForModel('gpt-5.1')"],
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
      ['Allowed special tokens are found anywhere, not only where a text begins', "api.encode('hello <|endoftext|>', { allowedSpecial: 'all' })"],
      ['Disallowed special tokens are an error, as documented, also after another one', "api.encode('a<|im_start|><|endoftext|>', { disallowedSpecial: new Set(['<|endoftext|>']), allowedSpecial: 'all' })"],
      ['`<|endofprompt|>` of `o200k_base` has the id that OpenAI publishes', "api.encode('<|endofprompt|>', { allowedSpecial: 'all' })"],
      ['`decode` keeps a leading byte order mark', "api.decode([5574, 24912])"],
      ['Half a character is U+FFFD, and none of it carries over to the next call', "[api.decode([61138]), api.decode([24912])]"],
      ['Chunks hold whole characters, in as few tokens as possible', "[...api.encodeGenerator('語語語')]"],
      ['Arguments of a wrong type are errors that name them', "api.decode(5)"],
    ],
  },
];

/** The result of a call, or its failure, on one line. */
function answer(api: object, call: string): string {
  const [, before = '', last = call] = /^(.*; )?(.*)$/s.exec(call) ?? [];
  try {
    return shown(new Function('api', `${before}return ${last}`)(api));
  } catch (error) {
    const [message = ''] = String(error instanceof Error ? `${error.name}: ${error.message}` : error).split('\n');
    return `throws ${message}`;
  }
}

function shown(value: unknown): string {
  const plain = (_: string, each: unknown) => (ArrayBuffer.isView(each) ? Array.from(each as Uint32Array) : each);
  const text = value === undefined ? 'undefined' : JSON.stringify(value, plain);
  const short = text.length > 120 ? `${text.slice(0, 119)}…` : text;
  return short.replace(/[^ -~¡-\u02ff\u4e00-\u9fff]/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`).replaceAll('\\u2026', '…');
}

const cell = (text: string) => `\`${text.replaceAll('|', '\\|').replaceAll('`', "'")}\``;

it('the documented differences are exactly the actual ones', async () => {
  const sections = PACKAGES.map(({ name, path, theirs, ours, differences }) => {
    const rows = differences.map(([what, call]) => {
      const [their, our] = [answer(theirs, call), answer(ours, call)];
      expect(our, `${name}: ${call}`).not.toBe(their);
      return `| ${what.replaceAll('|', '\\|')} | ${cell(call)} | ${cell(their)} | ${cell(our)} |`;
    });
    const head = ['| difference | call | the package | here |', '|---|---|---|---|'];
    return [`## ${name}`, '', `\`${path}\``, '', ...head, ...rows].join('\n');
  });
  const text = `<!-- Written by test/lib/drop-in-differences.test.ts. -->

# Differences of the drop-in replacements

The modules answer as the packages do in every other case that the tests compare. These differences are intended. Each row is a call
and both results; \`api\` is the module.

${sections.join('\n\n')}

Not in the tables:

* \`encode_with_unstable\` lists the completions in another order; tiktoken's is the order of a hash table.
* Nothing has to be freed.
* gpt-tokenizer's merge cache does not exist, so \`setMergeCacheSize\` and \`clearMergeCache\` do nothing.
* \`new Tiktoken\` takes only the patterns of OpenAI's encodings.
`;
  await expect(text).toMatchFileSnapshot('../../docs/drop-in-differences.md');
});
