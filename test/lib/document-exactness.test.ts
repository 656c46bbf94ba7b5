// The ids of a document equal those of one `encode` of its whole text, after every edit: random edits at random places, and forks,
// with every class of model, on both backends. test/native/document_test.cpp does the same for random vocabularies.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { compileCartridge, type TextDocument, Tokenizer, TokenizerError } from 'crayon-tokenizer';

import { Random } from '../fuzz/random.mjs';
import { nastyString } from '../fuzz/strings.mjs';
import { sample } from '../share.js';

const file = (name: string) => fileURLToPath(new URL(`../models/${name}`, import.meta.url));
const json = (name: string) => JSON.parse(readFileSync(file(`${name}.tokenizer.json`), 'utf8'));
const { pool } = JSON.parse(readFileSync(file('sentencepiece.json'), 'utf8')) as { pool: string[] };

/** Added tokens that include white space, or are found as whole words. */
const ADDED = [
  { content: '<left>', lstrip: true, rstrip: false, single_word: false, special: true },
  { content: '<right>', lstrip: false, rstrip: true, single_word: false, special: true },
  { content: '<both>', lstrip: true, rstrip: true, single_word: false, special: false },
  { content: 'word', lstrip: false, rstrip: false, single_word: true, special: false },
  { content: 'ord', lstrip: false, rstrip: false, single_word: false, special: false },
];

function withAdded(name: string): Buffer {
  const whole = json(name);
  const { vocab } = whole.model as { vocab: Record<string, number> };
  let id = Object.keys(vocab).length + whole.added_tokens.filter(({ content }: { content: string }) => !(content in vocab)).length;
  for (const token of ADDED) whole.added_tokens.push({ id: vocab[token.content] ?? id++, normalized: false, ...token });
  return Buffer.from(JSON.stringify(whole));
}

const MODELS: Record<string, () => Promise<string | Uint8Array> | string> = {
  cl100k_base: () => 'cl100k_base',
  o200k_base: () => 'o200k_base',
  gpt2: () => 'gpt2',
  'longest match': () => 'lite',
  'WordPiece of BERT': () => file('bert.tokenizer.json'),
  'Unigram of T5': () => file('t5.tokenizer.json'),
  'Unigram of XLM-RoBERTa': () => file('xlm-roberta.tokenizer.json'),
  'Unigram of SentencePiece': () => file('unigram.model'),
  'Unigram of SentencePiece with bytes': () => file('unigram-bytes.model'),
  'BPE of SentencePiece': () => file('bpe-symbols.model'),
  'BPE of SentencePiece with bytes': () => file('bpe-bytes.model'),
  'BPE of SentencePiece with equal scores': () => file('bpe-equals.model'),
  'characters of SentencePiece': () => file('char.model'),
  'BPE of Llama': () => file('llama.tokenizer.json'),
  'BPE of Gemma': () => file('gemma.tokenizer.json'),
  'BPE of Falcon': () => file('falcon.tokenizer.json'),
  'BPE of CLIP': () => file('clip.tokenizer.json'),
  'BPE of GPT': () => file('gpt.tokenizer.json'),
  'words as BPE': () => file('words-bpe.tokenizer.json'),
  words: () => file('words.tokenizer.json'),
  'known pieces': () => file('known.tokenizer.json'),
  'parts of words': () => file('parts.tokenizer.json'),
  'BPE of Falcon with added tokens that look around': () => compileCartridge(withAdded('falcon')),
  'BPE of CLIP with added tokens that look around': () => compileCartridge(withAdded('clip')),
};

const WORDS = [
  ...pool,
  'the ',
  'hello',
  ' world',
  '\n',
  '  ',
  ' ',
  '12345',
  '\u0966\u0967',
  'e\u0301',
  '\u0301',
  '\ud83d',
  '\ude00',
  '😀',
  '中文',
  'aaaa',
  '<both>',
  ' <left>',
  '<right> ',
  'word',
  'ord',
  ' word ',
  'swords',
];

class Edits {
  readonly random: Random;
  readonly #names: string[];
  readonly #seed: number;
  #drawn = 0;

  constructor(seed: number, tokenizer: Tokenizer) {
    this.#seed = seed;
    this.random = new Random(91, seed);
    this.#names = [...tokenizer.specialTokens.keys()].slice(0, 20);
  }

  text(length: number): string {
    let text = '';
    while (text.length < length) {
      if (this.#names.length > 0 && this.random.chance(0.05)) text += this.random.pick(this.#names);
      else if (this.random.chance(0.1)) text += this.random.pick(WORDS).repeat(this.random.integer(1, 40));
      else if (this.random.chance(0.1)) text += nastyString(this.#seed, this.#drawn++);
      else text += this.random.pick(WORDS);
    }
    return text;
  }

  /** A range, mostly short, and what takes its place. */
  edit(length: number): { start: number; end: number; part: string } {
    const start = this.random.chance(0.25) ? length : this.random.integer(0, length);
    const most = this.random.chance(0.1) ? length : this.random.integer(0, 12);
    const end = this.random.chance(0.3) ? start : Math.min(length, start + most);
    const part = this.random.chance(0.25) ? '' : this.text(this.random.chance(0.1) ? 2000 : this.random.integer(0, 20));
    return { start, end, part };
  }
}

/** What `encode` returns or throws. */
function outcomeOf(encode: () => Uint32Array): number[] | string {
  try {
    return [...encode()];
  } catch (error) {
    if (!(error instanceof TokenizerError)) throw error;
    return `${error.code} at ${error.position}: ${error.message}`;
  }
}

function changed(
  before: Uint32Array,
  after: Uint32Array,
  { from, removed, inserted }: { from: number; removed: number; inserted: number },
) {
  return [...before.slice(0, from), ...after.slice(from, from + inserted), ...before.slice(from + removed)];
}

describe.each(['native', 'wasm'] as const)('%s', (backend) => {
  describe.each(Object.entries(MODELS))('%s', { timeout: 300_000 }, (_, source) => {
    it('has the ids of the whole text after every edit', async () => {
      using tokenizer = await Tokenizer.load(await source(), { backend });
      const documents = sample(backend === 'native' ? 600 : 100, backend === 'native' ? 2 : 1);
      for (let seed = 0; seed < documents; seed++) {
        const edits = new Edits(seed, tokenizer);
        const { random } = edits;
        const names = [...tokenizer.specialTokens.keys()];
        const special = random.pick(['text', 'allow', 'forbid', names.slice(0, 2)] as const);
        const all: { document: TextDocument; text: string }[] = [{ document: tokenizer.document('', { special }), text: '' }];
        for (let step = 0; step < 40; step++) {
          if (all.length < 4 && random.chance(0.1)) {
            const { document, text } = random.pick(all);
            all.push({ document: document.fork(), text });
          }
          const edited = random.pick(all);
          const { start, end, part } =
            step === 0 ? { start: 0, end: 0, part: edits.text(random.integer(0, 4000)) } : edits.edit(edited.text.length);
          const text = edited.text.slice(0, start) + part + edited.text.slice(end);
          const where = `document ${seed}, step ${step}`;
          const before = edited.document.slice();
          const found = outcomeOf(() => {
            const change = edited.document.replace(start, end, part);
            expect(changed(before, edited.document.ids, change), where).toEqual([...edited.document.ids]);
            return edited.document.ids;
          });
          expect(found, `${where}: ${JSON.stringify(text)}`).toEqual(outcomeOf(() => tokenizer.encode(text, { special })));
          if (typeof found !== 'string') edited.text = text;
          expect(edited.document.text, where).toBe(edited.text);
          expect(edited.document.length, where).toBe(edited.text.length);
          expect(edited.document.count, where).toBe(edited.document.ids.length);
        }
        for (const { document, text } of all) {
          const { ids, offsets } = tokenizer.encodeWithOffsets(text, { special });
          expect([...document.ids], `document ${seed}, at last`).toEqual([...ids]);
          expect([...document.offsets]).toEqual([...offsets]);
          document.close();
        }
      }
    });

    it('has the ids of the whole text in bytes, cut anywhere', async () => {
      using tokenizer = await Tokenizer.load(await source(), { backend });
      for (let seed = 0; seed < sample(backend === 'native' ? 200 : 40); seed++) {
        const edits = new Edits(1000 + seed, tokenizer);
        using document = tokenizer.document(undefined, { unit: 'bytes' });
        let bytes = Buffer.alloc(0);
        for (let step = 0; step < 30; step++) {
          const { start, end, part } = step === 0 ? { start: 0, end: 0, part: edits.text(2000) } : edits.edit(bytes.length);
          const inserted = Buffer.from(part);
          const text = Buffer.concat([bytes.subarray(0, start), inserted, bytes.subarray(end)]);
          const found = outcomeOf(() => {
            document.replace(start, end, new Uint8Array(inserted));
            return document.ids;
          });
          expect(found, `document ${seed}, step ${step}`).toEqual(outcomeOf(() => tokenizer.encode(new Uint8Array(text))));
          if (typeof found !== 'string') bytes = text;
          expect(document.length).toBe(bytes.length);
        }
      }
    });
  });
});
