// What each WebAssembly module opens, and how it refuses what it lacks (native/src/module_features.cpp): by the C interface, with files
// that need one feature each.

import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { compileCartridge } from '../../dist/node/index.js';
import { FAMILY_PATTERNS } from '../../lib/vocabularies/patterns/families.js';

const path = (file: string) => fileURLToPath(new URL(`../../${file}`, import.meta.url));
const { WebAssembly } = globalThis as unknown as {
  WebAssembly: { instantiate(bytes: Uint8Array): Promise<{ instance: { exports: Exports } }> };
};

type Exports = Record<string, (...numbers: number[]) => number> & { memory: { buffer: ArrayBuffer } };

const NAMES = ['core', 'core-scalar', 'build', 'dna', 'dna-scalar'] as const;
const NONE = 0xffffffff;

/** The name of the status with which a module opens a file and creates its first tokenizer: the first that is not OK. */
async function opened(module: string, file: Uint8Array, isDat = false): Promise<string> {
  const { exports } = (await WebAssembly.instantiate(readFileSync(path(`dist/wasm/${module}.wasm`)))).instance;
  exports._initialize?.();
  const [at, out, result] = [exports.malloc!(file.length), exports.malloc!(64), exports.malloc!(64)];
  new Uint8Array(exports.memory.buffer).set(file, at);
  let status = isDat
    ? exports.crayon_cartridge_open_dat_bytes!(at!, file.length, 0, 0, 0, 0, 0, NONE, out!, result!)
    : exports.crayon_cartridge_open_bytes!(at!, file.length, 0, out!, result!);
  const cartridge = new Uint32Array(exports.memory.buffer, out)[0]!;
  if (status === 0) status = exports.crayon_tokenizer_create!(cartridge, 0, 0, 0, out!, result!);
  const name = Buffer.from(exports.memory.buffer, exports.crayon_status_name!(status) >>> 0, 32);
  return name.toString('latin1', 0, name.indexOf(0));
}

const FLAGS = { single_word: false, lstrip: false, rstrip: false, normalized: false, special: true };
const BYTE_LEVEL = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: true };
let next = 256;
const isShown = (byte: number) => (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
const ALPHABET = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(isShown(byte) ? byte : next++));
const BPE = { type: 'BPE', vocab: Object.fromEntries([...ALPHABET, '12'].map((text, id) => [text, id])), merges: ['1 2'] };
const tokenizerJson = (parts: object) =>
  new TextEncoder().encode(
    JSON.stringify({
      added_tokens: [],
      normalizer: null,
      pre_tokenizer: BYTE_LEVEL,
      post_processor: null,
      decoder: null,
      model: BPE,
      ...parts,
    }),
  );
const splitBy = (...patterns: string[]) => ({
  type: 'Sequence',
  pretokenizers: [
    ...patterns.map((Regex) => ({ type: 'Split', pattern: { Regex }, behavior: 'Isolated', invert: false })),
    { ...BYTE_LEVEL, use_regex: false },
  ],
});
const marked = (flags: object) => ({ added_tokens: [{ id: 257, content: `<${'m'.repeat(31)}<`, ...FLAGS, ...flags }] });
const WORDS = { '[UNK]': 0, a: 1, '##b': 2 };

const MISSING = 'FEATURE_MISSING';
const [OK, ALL_OPEN] = ['OK', ['OK', 'OK', 'OK', 'OK', 'OK']];
/** By the order of the modules. */
const IMPORTED = [MISSING, OK, OK, MISSING, MISSING];
/** What a module without texts need not have to say that a file is one of texts. */
const OF_TEXTS = [MISSING, OK, OK, OK, OK];

describe.skipIf(!existsSync(path('dist/wasm/core.wasm')))('the modules open', () => {
  it.each<[string, object, string[]]>([
    ['byte-level BPE', {}, ALL_OPEN],
    ['a long added token that another one may begin inside of', marked({}), ALL_OPEN],
    ['a family that few have', { pre_tokenizer: splitBy(...FAMILY_PATTERNS.deepseek3) }, OF_TEXTS],
    ['a pattern', { pre_tokenizer: splitBy(String.raw`\p{N}{2}`) }, OF_TEXTS],
    ['an added token with the whitespace before it', marked({ lstrip: true }), OF_TEXTS],
    ['an added token with the whitespace after it', marked({ rstrip: true }), OF_TEXTS],
    ['NFC', { normalizer: { type: 'NFC' } }, IMPORTED],
    ['another normalizer', { normalizer: { type: 'Lowercase' } }, IMPORTED],
    [
      'WordPiece',
      {
        pre_tokenizer: { type: 'BertPreTokenizer' },
        model: { type: 'WordPiece', vocab: WORDS, unk_token: '[UNK]', continuing_subword_prefix: '##', max_input_chars_per_word: 100 },
      },
      IMPORTED,
    ],
    [
      'Unigram',
      {
        pre_tokenizer: { type: 'Whitespace' },
        model: {
          type: 'Unigram',
          vocab: [
            ['<unk>', 0],
            ['a', -1],
          ],
          unk_id: 0,
          byte_fallback: false,
        },
      },
      IMPORTED,
    ],
    ['the general path', { pre_tokenizer: { type: 'FixedLength', length: 5 } }, IMPORTED],
  ])('%s', async (_, parts, expected) => {
    const file = await compileCartridge(tokenizerJson(parts));
    expect(await Promise.all(NAMES.map((name) => opened(name, file)))).toEqual(expected);
  });

  it('slim files', async () => {
    const file = await compileCartridge('r50k_base', { slim: true });
    const missing = 'MISSING_SECTION';
    expect(await Promise.all(NAMES.map((name) => opened(name, file)))).toEqual([OK, OK, OK, missing, missing]);
  });

  it('files of version 2', async () => {
    const file = await compileCartridge(['a', 'b', 'ab'], { version: 2 });
    expect(await Promise.all(NAMES.slice(0, 3).map((name) => opened(name, file, true)))).toEqual([MISSING, OK, OK]);
  });

  it('DNA', async () => {
    const file = readFileSync(path('cartridges/hyenadna.cray'));
    const unknown = 'UNKNOWN_SECTION';
    expect(await Promise.all(NAMES.map((name) => opened(name, file)))).toEqual([unknown, unknown, unknown, OK, OK]);
  });
});
