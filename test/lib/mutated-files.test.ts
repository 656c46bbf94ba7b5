// Whatever is changed in a `tokenizer.json`, an import either says what is wrong with it, with its place, or opens: what the importer
// accepts, the opener does.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { Tokenizer, TokenizerError } from 'crayon-tokenizer';

import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';

const SEED = Number(process.env.CRAYON_FUZZ_SEED ?? 1);
const FILES = ['bert', 'clip', 'falcon', 'gemma', 'gpt', 'known', 'llama', 'parts'].map((name) =>
  JSON.parse(readFileSync(fileURLToPath(new URL(`../models/${name}.tokenizer.json`, import.meta.url)), 'utf8')),
);
const replace = (text: string, content: string) => ({ type: 'Replace', pattern: { String: text }, content });
const NORMALIZERS = [
  ...['NFC', 'NFD', 'NFKC', 'NFKD', 'Nmt', 'Lowercase', 'StripAccents', 'ByteLevel'].map((type) => ({ type })),
  { type: 'Strip', strip_left: true, strip_right: true },
  { type: 'Prepend', prepend: '▁' },
  { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, strip_accents: null, lowercase: true },
  replace('a', 'aa'),
  replace(' ', '▁'),
  replace('▁', ' '),
  replace('b', 'x'.repeat(300)),
  replace('c', ''),
  replace('\0', 'NUL'),
  { type: 'Replace', pattern: { Regex: '\\s+' }, content: ' ' },
  ...['', 'AAAA', 'BAAAAAAAAAA=', 'BAAAAAAAAABhAA==', 'CAAAAAAAAAA='].map((precompiled_charsmap) => ({
    type: 'Precompiled',
    precompiled_charsmap,
  })),
];
const VALUES = [
  null,
  true,
  false,
  0,
  1,
  -1,
  255,
  2 ** 31,
  2 ** 53,
  0.5,
  '',
  ' ',
  '▁',
  '##',
  '</w>',
  '<0x41>',
  '\ud800',
  'é'.repeat(700),
  [],
  {},
  [[]],
  ['a', 'b'],
];

/** A copy with some members changed, removed, repeated or put elsewhere. */
function mutated(file: unknown, random: Random): any {
  const copy = structuredClone(file) as Record<string, unknown>;
  if (random.chance(0.4))
    copy.normalizer = {
      type: 'Sequence',
      normalizers: Array.from({ length: random.integer(1, random.chance(0.2) ? 70 : 6) }, () => random.pick(NORMALIZERS)),
    };
  for (let count = random.integer(0, 4); count > 0; count--) {
    let node: any = copy;
    for (let depth = random.integer(0, 5); depth > 0; depth--) {
      const inner = Object.values(node).filter((value) => typeof value === 'object' && value !== null && Object.keys(value).length > 0);
      if (inner.length > 0) node = random.pick(inner);
    }
    const keys = Object.keys(node);
    if (keys.length === 0) continue;
    const key = random.pick(keys);
    const kind = random.integer(0, 5);
    if (kind === 0) node[key] = random.pick(VALUES);
    else if (kind === 1) Array.isArray(node) ? node.splice(Number(key), 1) : delete node[key];
    else if (kind === 2) node[key] = structuredClone(node[random.pick(keys)]);
    else if (kind === 3 && Array.isArray(node)) node.push(structuredClone(node[Number(key)]));
    else if (typeof node[key] === 'string')
      node[key] = random.pick([node[key] + 'a', node[key].slice(1), node[key] + node[key], ` ${node[key]}`]);
    else if (typeof node[key] === 'number') node[key] += random.pick([1, -1, 1000]);
    else if (typeof node[key] === 'boolean') node[key] = !node[key];
  }
  return copy;
}

describe('a mutated file', () => {
  beforeAll(() => void (process.env.CRAYON_CACHE_DIR = ''));

  it('is refused with its place, or opens', { timeout: 3_600_000 }, async () => {
    const tried = { opened: 0, refused: 0 };
    for (let index = 0; index < sample(20_000, 300); index++) {
      const random = new Random(SEED, index);
      const json = mutated(random.pick(FILES), random);
      const where = `seed ${SEED}, file ${index}`;
      let tokenizer: Tokenizer | undefined;
      try {
        tokenizer = await Tokenizer.load(new TextEncoder().encode(JSON.stringify(json)));
        tried.opened++;
        const ids = tokenizer.encode('the  Quick é ㅎㅏ a\tb 日本');
        tokenizer.decode(ids);
        tokenizer.close();
      } catch (error) {
        expect(error, where).toBeInstanceOf(TokenizerError);
        const { code, message, position } = error as TokenizerError;
        if (tokenizer) {
          expect(['TEXT_TOO_LONG', 'UNKNOWN_CHARACTER'], where).toContain(code);
        } else {
          tried.refused++;
          expect(message, where).toMatch(/^cannot (import|read the tokens of) a JSON file/);
          expect(position, `${where}: ${message}`).toBeTypeOf('number');
        }
      }
    }
    console.log(JSON.stringify(tried));
    expect(tried.opened).toBeGreaterThan(50);
  });
});
