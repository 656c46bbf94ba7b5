// The entry for LangChain, with LangChain's own classes: lines are those that its base class finds, or a naive version, where that
// one takes a repeated part for another; trimming by a model's count is compared with counts of each message.

import { Document } from '@langchain/core/documents';
import { HumanMessage, SystemMessage, trimMessages } from '@langchain/core/messages';
import { FakeListChatModel, FakeLLM } from '@langchain/core/utils/testing';
import { TextSplitter } from '@langchain/textsplitters';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Separators, Tokenizer } from 'crayon-tokenizer';
import { countTokensWith, TokenTextSplitter } from 'crayon-tokenizer/langchain';
import { Random } from '../fuzz/random.mjs';
import { nastyString } from '../fuzz/strings.mjs';
import { sample } from '../share.js';
import { thrown } from './thrown.js';

const file = (name: string) => readFileSync(fileURLToPath(new URL(`../${name}`, import.meta.url)));
const PROSE = readdirSync(fileURLToPath(new URL('../fixtures/prose', import.meta.url))).map((name) =>
  file(`fixtures/prose/${name}`).toString().slice(0, 4000),
);
/** Any value, for arguments that the types would reject. */
const wrong = (value: unknown): any => value;

describe.each([
  ['o200k_base', 'o200k_base'],
  ['a small Llama', 'llama'],
  ['a small BERT', 'bert'],
  ['a small T5', 't5'],
  ['a longest match', 'standard'],
])('TokenTextSplitter with %s', (_, name) => {
  let tokenizer: Tokenizer;
  beforeAll(async () => {
    process.env.CRAYON_CACHE_DIR = '';
    tokenizer = await Tokenizer.load(name.includes('_') || name === 'standard' ? name : file(`models/${name}.tokenizer.json`));
  });
  afterAll(() => tokenizer.close());

  it('has a default overlap for any chunk size', () => {
    const overlapOf = (chunkSize?: number) => new TokenTextSplitter({ tokenizer, chunkSize }).chunkOverlap;
    expect([undefined, 512, 400, 200, 3, 1].map(overlapOf)).toEqual([200, 200, 200, 100, 1, 0]);
  });

  it('cuts texts into parts of the size asked for, and knows where each was', async () => {
    for (let index = 0; index < sample(400, 60); index++) {
      const random = new Random(0x1a6c, index);
      const text = random.chance(0.6)
        ? random.pick(PROSE).slice(0, random.integer(0, 3000))
        : nastyString(51, index).repeat(random.integer(1, 3));
      const addSpecialTokens = random.chance(0.3);
      const chunkSize = random.integer(24, 90);
      const chunkOverlap = random.chance(0.4) ? 0 : random.integer(0, chunkSize >> 1);
      const separators = random.pick<Separators | undefined>([undefined, 'text', 'markdown', ['\n', ' ', '']]);
      const splitter = new TokenTextSplitter({ tokenizer, chunkSize, chunkOverlap, separators, addSpecialTokens });
      const said = JSON.stringify({ index, chunkSize, chunkOverlap, separators, addSpecialTokens });
      const parts = await splitter.splitText(text);
      const documents = await splitter.createDocuments([text], [{ source: 'a.txt' }]);
      expect(
        documents.map(({ pageContent }) => pageContent),
        said,
      ).toEqual(parts);
      let end = 0;
      for (const { pageContent, metadata } of documents) {
        const { lines, characters } = metadata.loc;
        expect(text.slice(characters.start, characters.end), said).toBe(pageContent);
        expect(characters.start, said).toBeLessThanOrEqual(end);
        expect(characters.end, said).toBeGreaterThan(end);
        end = characters.end;
        expect(tokenizer.count(pageContent, { addSpecialTokens }), said).toBeLessThanOrEqual(chunkSize);
        expect(pageContent.isWellFormed() || !text.isWellFormed(), said).toBe(true);
        const line = (at: number) => text.slice(0, at).split('\n').length;
        expect(lines, said).toEqual({ from: line(characters.start), to: line(characters.end) });
        expect(metadata.source).toBe('a.txt');
        if (chunkOverlap === 0) expect(characters.end - characters.start).toBe(pageContent.length);
      }
      expect(end, said).toBe(text.length);
      if (chunkOverlap === 0) expect(parts.join(''), said).toBe(text);
    }
  });
});

describe('TokenTextSplitter', () => {
  let tokenizer: Tokenizer;
  beforeAll(async () => {
    tokenizer = await Tokenizer.load('o200k_base');
  });
  afterAll(() => tokenizer.close());

  /** LangChain's base class with the same parts. */
  class WithParts extends TextSplitter {
    constructor(readonly own: TokenTextSplitter) {
      super({ chunkSize: own.chunkSize, chunkOverlap: own.chunkOverlap });
    }
    splitText(text: string) {
      return this.own.splitText(text);
    }
  }

  it("makes the documents that LangChain's base class makes of these parts, with offsets besides", async () => {
    const texts = PROSE.slice(0, 4).map((text) =>
      text
        .split('\n')
        .map((line, number) => `${number}: ${line}`)
        .join('\n'),
    );
    const metadatas = texts.map((_, index) => ({ source: index, loc: { pageNumber: index + 1 } }));
    for (const headers of [
      {},
      { chunkHeader: 'TITLE\n---\n' },
      { chunkHeader: 'A', appendChunkOverlapHeader: true },
      { appendChunkOverlapHeader: true, chunkOverlapHeader: '… ' },
    ]) {
      for (const chunkOverlap of [0, 12]) {
        const own = new TokenTextSplitter({ tokenizer, chunkSize: 60, chunkOverlap });
        const theirs = await new WithParts(own).createDocuments(texts, metadatas, headers);
        const ours = await own.createDocuments(texts, metadatas, headers);
        expect(ours.length).toBeGreaterThan(10);
        for (const { metadata } of ours) {
          expect(Object.keys(metadata.loc).sort()).toEqual(['characters', 'lines', 'pageNumber']);
          delete metadata.loc.characters;
        }
        expect(ours).toEqual(theirs);
      }
    }
  });

  it('finds repeated parts where they are', async () => {
    const splitter = new TokenTextSplitter({ tokenizer, chunkSize: 4, chunkOverlap: 2 });
    const text = 'a\na\na\na\na\na\n';
    const documents = await splitter.createDocuments([text]);
    let before = -1;
    for (const { pageContent, metadata } of documents) {
      const { start, end } = metadata.loc.characters;
      expect(start).toBeGreaterThan(before);
      expect(pageContent).toBe(text.slice(start, end));
      expect(metadata.loc.lines.from).toBe(text.slice(0, start).split('\n').length);
      before = start;
    }
  });

  it("works as LangChain's document transformers", async () => {
    const splitter = new TokenTextSplitter({ tokenizer, chunkSize: 2, chunkOverlap: 0 });
    expect(splitter).toBeInstanceOf(TextSplitter);
    const documents = [new Document({ pageContent: 'one two three', metadata: { id: 1 } }), new Document({ pageContent: '' })];
    const split = await splitter.splitDocuments(documents);
    expect(split.map(({ pageContent }) => pageContent)).toEqual(['one two', ' three']);
    expect(split[1]!.metadata).toEqual({ id: 1, loc: { lines: { from: 1, to: 1 }, characters: { start: 7, end: 13 } } });
    expect(await splitter.transformDocuments(documents)).toEqual(split);
    expect(await splitter.invoke(documents)).toEqual(split);
    expect(documents[0]!.metadata).toEqual({ id: 1 });
    expect(await splitter.lengthFunction('hello world')).toBe(2);
    expect([splitter.chunkSize, new TokenTextSplitter({ tokenizer }).chunkSize, new TokenTextSplitter({ tokenizer }).chunkOverlap]).toEqual(
      [2, 1000, 200],
    );
  });

  it('takes names of special tokens for text, unless told otherwise', async () => {
    const text = '<|endoftext|>'.repeat(3);
    expect(await new TokenTextSplitter({ tokenizer, chunkSize: 3, chunkOverlap: 0, special: 'allow' }).splitText(text)).toEqual([text]);
    expect((await new TokenTextSplitter({ tokenizer, chunkSize: 3, chunkOverlap: 0 }).splitText(text)).join('')).toBe(text);
    await expect(new TokenTextSplitter({ tokenizer, special: 'forbid' }).splitText(text)).rejects.toMatchObject({
      code: 'SPECIAL_FORBIDDEN',
    });
  });

  it('refuses fields that it cannot follow', () => {
    const message = (fields: unknown) => thrown(() => new TokenTextSplitter(wrong(fields)), Error).message;
    expect(message(undefined)).toBe('expected an object for fields but received undefined');
    expect(message({})).toBe('expected a Tokenizer for tokenizer but received undefined');
    expect(message({ tokenizer: 'gpt-4o' })).toBe('expected a Tokenizer for tokenizer but received "gpt-4o"');
    expect(message({ tokenizer, encodingName: 'cl100k_base' })).toMatch("unknown option 'encodingName' in fields");
    expect(message({ tokenizer, chunkSize: 0 })).toBe('expected an integer of 1 or more for chunkSize but received 0');
    expect(message({ tokenizer, chunkSize: '5' })).toBe('expected a number for chunkSize but received "5"');
    expect(message({ tokenizer, chunkOverlap: -1 })).toBe('expected an integer of 0 or more for chunkOverlap but received -1');
    expect(message({ tokenizer, chunkSize: 10, chunkOverlap: 10 })).toBe(
      'expected less than chunkSize (10) for chunkOverlap but received 10',
    );
    expect(message({ tokenizer, separators: 'html' })).toMatch('for separators but received "html"');
    expect(message({ tokenizer, special: ['<x>'] })).toMatch('"<x>" is not a special token of this tokenizer');
  });
});

describe('countTokensWith', () => {
  let tokenizer: Tokenizer;
  beforeAll(async () => {
    tokenizer = await Tokenizer.load('o200k_base');
  });
  afterAll(() => tokenizer.close());

  it('makes models count by the tokenizer', async () => {
    for (const model of [
      countTokensWith(tokenizer, new FakeListChatModel({ responses: [] })),
      countTokensWith(tokenizer, new FakeLLM({})),
    ]) {
      expect(await model.getNumTokens('hello world')).toBe(2);
      expect(await model.getNumTokens('<|endoftext|>')).toBe(7);
      const image = { type: 'image_url', image_url: 'data:image/png;base64,AAAA' };
      expect(await model.getNumTokens([{ type: 'text', text: 'hello' }, image, { type: 'text', text: ' world' }])).toBe(2);
      await expect(model.getNumTokens(wrong(5))).rejects.toThrow(
        'expected a string or a list of content blocks for content but received 5',
      );
    }
  });

  it("is what LangChain's trimMessages counts by", async () => {
    const model = countTokensWith(tokenizer, new FakeListChatModel({ responses: [] }));
    const messages = [new SystemMessage('Be brief.'), ...PROSE.slice(0, 5).map((text) => new HumanMessage(text.slice(0, 500)))];
    const counts = messages.map(({ content }) => tokenizer.count(content as string));
    const most = counts[0]! + counts[5]! + counts[4]!;
    for (const [maxTokens, kept] of [
      [most, [0, 4, 5]],
      [most - 1, [0, 5]],
    ] as const) {
      const trimmed = await trimMessages(messages, { maxTokens, tokenCounter: model, strategy: 'last', includeSystem: true });
      expect(trimmed.map(({ content }) => content)).toEqual(kept.map((index) => messages[index]!.content));
    }
  });

  it('refuses what is neither', () => {
    expect(() => countTokensWith(wrong('o200k_base'), new FakeLLM({}))).toThrow(
      'expected a Tokenizer for tokenizer but received "o200k_base"',
    );
    expect(() => countTokensWith(tokenizer, wrong({}))).toThrow(
      'expected a language model of LangChain for model but received an instance of Object',
    );
    expect(() => countTokensWith(tokenizer, wrong(undefined))).toThrow('for model but received undefined');
  });
});
