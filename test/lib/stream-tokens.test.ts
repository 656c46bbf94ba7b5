// Streams of ids with stop sequences and texts per token. The whole text comes from npm `tiktoken` and npm `tokenizers`; a naive
// version looks for stop sequences in it, and says how much of it each token decides.

import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DecodedToken, type StopMatch, Tokenizer } from 'crayon-tokenizer';
import { Random } from '../fuzz/random.mjs';
import { nastyString } from '../fuzz/strings.mjs';
import { loadTiktoken } from '../golden/tiktoken.mjs';
import { sample, SANITIZED } from '../share.js';
import { cut, streamOf, through } from './chunks.js';
import { thrown } from './thrown.js';

interface Reference {
  decodeBatch(ids: number[][], skipSpecialTokens: boolean): Promise<string[]>;
}
const { Tokenizer: HuggingFace } = createRequire(import.meta.url)('tokenizers') as { Tokenizer: { fromString(json: string): Reference } };

const MODELS = fileURLToPath(new URL('../models/', import.meta.url));
const FILES = readdirSync(MODELS).filter((name) => name.endsWith('.tokenizer.json'));
/** Any value, for arguments that the types would reject. */
const wrong = (value: unknown): any => value;

/** The first stop by its end; of those that end there, the longest. */
function naiveStop(text: string, stop: readonly string[]): { sequence: string; start: number; end: number } | undefined {
  for (let end = 1; end <= text.length; end++) {
    const found = stop.filter((sequence) => text.slice(0, end).endsWith(sequence)).sort((one, other) => other.length - one.length)[0];
    if (found !== undefined) return { sequence: found, start: end - found.length, end };
  }
  return undefined;
}

/** How much of the end of a text may begin a stop sequence. */
function naiveHeld(text: string, stop: readonly string[]): number {
  return Math.max(
    0,
    ...stop.flatMap((sequence) =>
      Array.from({ length: sequence.length }, (_, at) => at).filter((length) => text.endsWith(sequence.slice(0, length))),
    ),
  );
}

/** Sequences from a text, and others that only begin like it. */
function randomStops(text: string, random: Random): string[] {
  const characters = [...text];
  const stops = Array.from({ length: random.integer(1, 4) }, () => {
    const from = random.integer(0, characters.length);
    const own = characters.slice(from, from + random.integer(1, 10)).join('') || 'x';
    return random.chance(0.6) ? `${own}${random.pick(['\u0001', '~~~', 'é', '😀'])}` : own;
  });
  return random.chance(0.2) ? [...stops, stops[0]!.slice(0, 1).toWellFormed()] : stops;
}

/** Checks one list of ids. `whole`: the reference's text; `parts`: its text after each id, if that is known. */
async function check(
  tokenizer: Tokenizer,
  ids: number[],
  skipSpecialTokens: boolean,
  whole: string,
  stop: string[],
  random: Random,
  said: string,
  parts?: string[],
) {
  const match = naiveStop(whole, stop);
  const expected = whole.slice(0, match?.start);

  for (const chunks of [ids, cut(ids, random, 6), [ids]]) {
    const decoder = tokenizer.streamDecoder({ skipSpecialTokens, stop });
    const text = chunks.map((chunk) => decoder.push(chunk)).join('') + decoder.end();
    expect(text, said).toBe(expected);
    const { ids: read, ...where } = decoder.stopped ?? ({} as Partial<StopMatch>);
    expect(where, said).toEqual(match ?? {});
    if (parts && match) expect(read, said).toBe(1 + parts.findIndex((part) => naiveStop(part, stop)) || ids.length);
  }

  const stream = tokenizer.decodeStream({ skipSpecialTokens, stop });
  expect((await through(cut(ids, random, 6), stream)).join(''), said).toBe(expected);
  expect(stream.stopped?.sequence, said).toBe(match?.sequence);

  for (const stops of [undefined, stop]) {
    const decoder = tokenizer.streamDecoder({ skipSpecialTokens, stop: stops, perToken: true });
    const tokens = [...cut(ids, random, 6).flatMap((chunk) => decoder.push(chunk)), ...decoder.end()];
    checkTokens(tokens, ids, stops ? expected : whole, said);
    const chunks = await through(ids, tokenizer.decodeStream({ skipSpecialTokens, stop: stops, perToken: true }));
    expect(chunks, said).toEqual(tokens);
    if (parts === undefined) continue;
    const decided = parts.map((part) => {
      const found = naiveStop(part, stops ?? []);
      return found ? found.start : part.length - naiveHeld(part, stops ?? []);
    });
    tokens.forEach(({ id, end }, index) => id !== undefined && expect(end, `${said}, token ${index}`).toBe(decided[index]));
  }
}

/** Their texts lie one after another and make the whole, and their ids are those of the stream, up to a stop. */
function checkTokens(tokens: DecodedToken[], ids: number[], whole: string, said: string) {
  expect(tokens.map(({ text }) => text).join(''), said).toBe(whole);
  let at = 0;
  for (const { text, start, end } of tokens) {
    expect([start, whole.slice(start, end)], said).toEqual([at, text]);
    at = end;
  }
  const own = tokens.filter(({ id }) => id !== undefined);
  expect(
    own.map(({ id }) => id),
    said,
  ).toEqual(ids.slice(0, own.length));
  expect(
    tokens.slice(own.length).every(({ id, text }) => id === undefined && text !== ''),
    said,
  ).toBe(true);
}

describe.each(['o200k_base', 'r50k_base'] as const)('%s', (name) => {
  it.each(['native', 'wasm'] as const)('decodes token by token up to a stop sequence, %s', { timeout: 120_000 }, async (backend) => {
    const reference = await loadTiktoken(name);
    using tokenizer = await Tokenizer.load(name, { backend });
    const vocabulary = reference.vocabulary();
    const specials = Object.values(reference.specialTokens);
    for (const text of Object.keys(reference.specialTokens)) vocabulary[reference.specialTokens[text]!] = new TextEncoder().encode(text);
    const known = [...vocabulary.keys()].filter((id) => vocabulary[id]);
    const partial = known.filter((id) => vocabulary[id]!.some((byte) => byte >= 0x80));
    for (let index = 0; index < sample(1500, 60); index++) {
      const random = new Random(0x5709, index);
      const ids = random.chance(0.5)
        ? [...reference.encode(nastyString(47, index))]
        : Array.from({ length: random.integer(0, 60) }, () =>
            random.pick(random.chance(0.1) ? specials : random.chance(0.5) ? partial : known),
          );
      const skipSpecialTokens = random.chance(0.5);
      // The platform's own decoder, fed token by token.
      const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
      const parts: string[] = [];
      for (const id of ids) {
        const isSkipped = skipSpecialTokens && specials.includes(id);
        parts.push((parts.at(-1) ?? '') + utf8.decode(isSkipped ? new Uint8Array(0) : vocabulary[id]!, { stream: true }));
      }
      const whole = (parts.at(-1) ?? '') + utf8.decode();
      const stop = randomStops(whole, random);
      await check(tokenizer, ids, skipSpecialTokens, whole, stop, random, JSON.stringify({ index, ids, skipSpecialTokens, stop }), parts);
    }
    reference.free();
  });
});

describe.each(FILES)('%s', (name) => {
  it('decodes token by token up to a stop sequence', { timeout: 120_000 }, async () => {
    process.env.CRAYON_CACHE_DIR = '';
    const json = readFileSync(MODELS + name, 'utf8');
    const reference = HuggingFace.fromString(json);
    using tokenizer = await Tokenizer.load(Buffer.from(json));
    const known = Array.from(tokenizer.tokens(), ({ id }) => id);
    const bytes = known.filter((id) => /^<0x..>$/.test(Buffer.from(tokenizer.tokenBytes(id)).toString()));
    for (let index = 0; index < sample(600, 30); index++) {
      const random = new Random(0x570a, index);
      const ids = random.chance(0.5)
        ? [...tokenizer.encode(nastyString(48, index), { addSpecialTokens: random.chance(0.5) })]
        : Array.from({ length: random.integer(0, 40) }, () => random.pick(bytes.length > 0 && random.chance(0.3) ? bytes : known));
      const skipSpecialTokens = random.chance(0.5);
      const whole = (await reference.decodeBatch([ids], skipSpecialTokens))[0]!;
      const stop = randomStops(whole, random);
      await check(tokenizer, ids, skipSpecialTokens, whole, stop, random, JSON.stringify({ index, ids, skipSpecialTokens, stop }));
    }
  });
});

describe('streams of ids', () => {
  let tokenizer: Tokenizer;
  beforeAll(async () => {
    tokenizer = await Tokenizer.load('o200k_base');
  });
  afterAll(() => tokenizer.close());

  it('give the text before a stop sequence that several tokens make, and say where it was', () => {
    const decoder = tokenizer.streamDecoder({ stop: ['\n\nUser:', 'zzz'] });
    const ids = tokenizer.encode('It is blue.\n\nUser: why?');
    const texts = Array.from(ids, (id) => decoder.push(id));
    expect(texts.join('')).toBe('It is blue.');
    expect(decoder.stopped).toEqual({ sequence: '\n\nUser:', start: 11, end: 18, ids: 6 });
    expect([decoder.push(24912), decoder.push([1, 2]), decoder.end()]).toEqual(['', '', '']);
  });

  it('hold text back only while it may begin a stop sequence', () => {
    const decoder = tokenizer.streamDecoder({ stop: ['aab'] });
    const push = (text: string) => decoder.push(tokenizer.encode(text));
    expect([push('a'), push('a'), push('a'), push('a'), push('c'), push('aa')]).toEqual(['', '', 'a', 'a', 'aac', '']);
    expect(decoder.end()).toBe('aa');
    expect(decoder.stopped).toBeUndefined();
  });

  it('end with the first sequence that is complete, and with the longest of those', () => {
    const stopped = (text: string, stop: string[]) => {
      const decoder = tokenizer.streamDecoder({ stop });
      return [decoder.push(tokenizer.encode(text)) + decoder.end(), decoder.stopped?.sequence];
    };
    expect(stopped('xabcd', ['abcd', 'bc'])).toEqual(['xa', 'bc']);
    expect(stopped('xabcd', ['c', 'bc', 'abc'])).toEqual(['x', 'abc']);
    expect(stopped('abc', ['abc'])).toEqual(['', 'abc']);
    expect(stopped('ab', [])).toEqual(['ab', undefined]);
  });

  it('find a stop sequence that only the end of the stream completes', async () => {
    const decoder = tokenizer.streamDecoder({ stop: ['\ufffd'], perToken: true });
    const half = tokenizer.encode(Uint8Array.of(0x61, 0xe8, 0xaa));
    const tokens = [...decoder.push(half), ...decoder.end()];
    expect(tokens.map(({ text }) => text).join('')).toBe('a');
    expect(decoder.stopped).toEqual({ sequence: '\ufffd', start: 1, end: 2, ids: half.length });
  });

  it('tell which token completes which text', () => {
    const decoder = tokenizer.streamDecoder({ perToken: true, skipSpecialTokens: true });
    const ids = [24912, ...tokenizer.encode('𝔸'), 199999, 2375, ...tokenizer.encode(Uint8Array.of(0xe8, 0xaa))];
    const tokens = decoder.push(ids);
    expect(tokens.map(({ id, text, start, end }) => [id, text, start, end])).toEqual([
      [24912, 'hello', 0, 5],
      [ids[1], '', 5, 5],
      [ids[2], '', 5, 5],
      [ids[3], '𝔸', 5, 7],
      [199999, '', 7, 7],
      [2375, ' world', 7, 13],
      ...ids.slice(6).map((id) => [id, '', 13, 13]),
    ]);
    expect(decoder.end()).toEqual([{ id: undefined, text: '\ufffd', start: 13, end: 14 }]);
  });

  it('report the index of an unknown id, also one that follows others in the same call', () => {
    for (const options of [{ perToken: true }, { stop: ['x'] }]) {
      for (const chunks of [
        [24912, [2375, 1], 3, 300_000],
        [24912, [2375, 1, 3, 300_000, 7]],
      ]) {
        const decoder = tokenizer.streamDecoder(options);
        expect(thrown(() => chunks.map((chunk) => decoder.push(chunk)))).toMatchObject({
          code: 'INVALID_ID',
          position: 4,
          message: expect.stringContaining('the id 300000 at index 4'),
        });
        expect(thrown(() => decoder.push(1))).toMatchObject({ code: 'CLOSED' });
      }
    }
  });

  it('refuse options that they cannot follow', () => {
    const message = (options: unknown) => thrown(() => tokenizer.streamDecoder(wrong(options)), Error).message;
    expect(message({ stop: '\n' })).toBe('expected a list of strings for stop but received "\\n"');
    expect(message({ stop: ['a', 5] })).toBe('expected a string for stop[1] but received 5');
    expect(message({ stop: ['a', ''] })).toBe('expected a string that is not empty for stop[1] but received ""');
    expect(message({ stop: ['\ud83d'] })).toMatch(/^expected a string without lone surrogates for stop\[0\]/);
    expect(message({ perToken: 1 })).toBe('expected a boolean for perToken but received 1');
    expect(message({ stops: [] })).toBe("unknown option 'stops'; did you mean 'stop'?");
    expect(() => tokenizer.decodeStream(wrong({ stop: 'x' }))).toThrow('expected a list of strings for stop');
  });

  it('end with their tokenizer, whatever texts they know', async () => {
    const other = await Tokenizer.load('o200k_base');
    const decoders = [other.streamDecoder(), other.streamDecoder({ perToken: true })];
    for (const decoder of decoders) decoder.push(24912);
    other.close();
    for (const decoder of decoders)
      expect(thrown(() => decoder.push(24912))).toMatchObject({ code: 'CLOSED', message: 'cannot decode: the tokenizer has been closed' });
  });

  it('cancel the source at a stop sequence, and refuse what is written after it', async () => {
    let cancelled: unknown;
    let given = 0;
    const endless = new ReadableStream<number>({
      pull: (controller) => controller.enqueue(given++ === 20 ? 0 : 24912),
      cancel: (reason) => void (cancelled = reason),
    });
    const stream = tokenizer.decodeStream({ stop: ['!'] });
    let text = '';
    for await (const part of endless.pipeThrough(stream) as unknown as AsyncIterable<string>) text += part;
    expect(text).toBe('hello'.repeat(20));
    expect(stream.stopped).toEqual({ sequence: '!', start: 100, end: 101, ids: 21 });
    expect(cancelled).toMatchObject({ code: 'CLOSED', message: 'cannot write: the text has ended before "!" at position 100' });

    const { writable, readable } = tokenizer.decodeStream({ stop: ['!'] });
    const writer = writable.getWriter();
    void readable.getReader().read();
    await writer.write(0);
    await expect(writer.write(24912)).rejects.toMatchObject({ code: 'CLOSED' });
    await expect(writer.closed).rejects.toMatchObject({ code: 'CLOSED' });
  });

  it('five hundred at once, token by token, do not mix', async () => {
    const texts = Array.from({ length: 500 }, (_, index) => `${nastyString(49, index).toWellFormed()}<end>${index}`);
    const all = texts.map((text) => tokenizer.encode(text));
    const decoders = texts.map(() => tokenizer.streamDecoder({ stop: ['<end>'] }));
    const made = texts.map(() => '');
    for (let at = 0; at < Math.max(...all.map(({ length }) => length)); at++) {
      all.forEach((ids, index) => at < ids.length && (made[index] += decoders[index]!.push(ids[at]!)));
    }
    decoders.forEach((decoder, index) => (made[index] += decoder.end()));
    expect(made).toEqual(texts.map((text) => text.slice(0, text.indexOf('<end>'))));
    const streamed = await Promise.all(
      all.map(async (ids) => {
        let text = '';
        for await (const part of streamOf(ids).pipeThrough(tokenizer.decodeStream({ stop: ['<end>'] })) as unknown as AsyncIterable<string>)
          text += part;
        return text;
      }),
    );
    expect(streamed).toEqual(made);
  });

  it.skipIf(SANITIZED)('take a few kilobytes each, however long they run', () => {
    const ids = [24912, 2375, ...tokenizer.encode('𝔸')];
    const decoders = Array.from({ length: 2000 }, () => tokenizer.streamDecoder({ stop: ['\n\nUser:', '<end>'], perToken: true }));
    const run = (rounds: number) => decoders.forEach((decoder) => Array.from({ length: rounds }, () => decoder.push(ids)));
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const used = () => {
      collect();
      const { heapUsed, arrayBuffers } = process.memoryUsage();
      return heapUsed + arrayBuffers;
    };
    run(1);
    const before = used();
    run(100);
    expect((used() - before) / decoders.length).toBeLessThan(200);
    const more = Array.from({ length: 2000 }, () => tokenizer.streamDecoder({ stop: ['\n\nUser:', '<end>'], perToken: true }));
    const started = used();
    more.push(...Array.from({ length: 2000 }, () => tokenizer.streamDecoder({ stop: ['\n\nUser:', '<end>'], perToken: true })));
    expect((used() - started) / 2000).toBeLessThan(8 * 1024);
  });
});
