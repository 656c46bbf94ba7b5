// gzip data, inflated by zlib in Node and by fflate in pages: the same bytes; truncation at any offset and a damaged byte
// anywhere are errors, or change nothing where the byte has no meaning (names, times).

import zlib from 'node:zlib';

import { TokenizerError } from 'crayon-tokenizer';
import { describe, expect, it } from 'vitest';

import { type ByteSource, gunzipInNode, gunzipInPage, inflated } from '../../dist/node/internals.js';
import { Random } from '../fuzz/random.mjs';
import { sample, SHARE } from '../share.js';
import { bgzip } from './bgzip.js';
import { cut } from './chunks.js';

const HOSTS = [
  ['in Node', gunzipInNode],
  ['in pages', gunzipInPage],
] as const;

function sourceOf(chunks: Uint8Array[]): ByteSource {
  const iterator = chunks[Symbol.iterator]();
  return { next: async () => iterator.next().value as Uint8Array | undefined, cancel() {} };
}

async function inflate(gunzip: typeof gunzipInNode, chunks: Uint8Array[]): Promise<Buffer> {
  const source = await inflated(sourceOf(chunks), 'the file', async () => gunzip);
  const parts: Buffer[] = [];
  for (let bytes; (bytes = await source.next()); ) parts.push(Buffer.from(bytes));
  return Buffer.concat(parts);
}

/** The code of the error; undefined if there was none and the bytes are the expected ones. */
async function codeOf(gunzip: typeof gunzipInNode, compressed: Uint8Array, expected: Uint8Array): Promise<string | undefined> {
  try {
    const found = await inflate(gunzip, [compressed]);
    expect(found.equals(expected)).toBe(true);
    return undefined;
  } catch (error) {
    if (!(error instanceof TokenizerError)) throw error;
    expect(error.message).toMatch(/^cannot read the file: /);
    return error.code;
  }
}

/** Text that compresses like sequences. */
function bases(random: Random, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let at = 0, bits = 0; at < length; at++, bits >>>= 2) {
    if (at % 16 === 0) bits = random.next();
    bytes[at] = 'ACGT'.charCodeAt(bits & 3);
  }
  return bytes;
}

function member(bytes: Uint8Array, options?: zlib.ZlibOptions): Buffer {
  return zlib.gzipSync(bytes, options);
}

/** A member whose header has every optional field. */
function fullMember(bytes: Uint8Array): Buffer {
  const plain = zlib.gzipSync(bytes);
  const flags = Buffer.from(plain.subarray(0, 10));
  flags[3] = 4 | 8 | 16;
  const extra = Buffer.from([5, 0, 1, 2, 3, 4, 5]);
  return Buffer.concat([flags, extra, Buffer.from('a name\0'), Buffer.from('a comment\0'), plain.subarray(10)]);
}

describe.each(HOSTS)('%s', (_, gunzip) => {
  it('members of all kinds are inflated, however they are divided', async () => {
    const random = new Random(5);
    for (let round = 0; round < sample(16, 6); round++) {
      const parts = Array.from({ length: random.integer(1, 5) }, () => bases(random, random.pick([0, 1, 5, 300, 3000, 70_000, 200_000])));
      const options = {
        level: random.pick([0, 1, 6, 9]),
        strategy: random.pick([zlib.constants.Z_DEFAULT_STRATEGY, zlib.constants.Z_FIXED]),
      };
      const compressed = new Uint8Array(
        Buffer.concat(parts.map((part) => (random.chance(0.3) ? fullMember(part) : member(part, options)))),
      );
      const chunks = random.chance(0.3) ? [compressed] : cut(compressed, random, compressed.length < 1000 ? 3 : 2000);
      expect((await inflate(gunzip, chunks)).equals(Buffer.concat(parts))).toBe(true);
      expect((await inflate(gunzip, cut(new Uint8Array(bgzip(parts[0]!)), random, 2000))).equals(parts[0]!)).toBe(true);
    }
  });

  it('other data passes unchanged', async () => {
    for (const text of ['', '>', '\x1f', '\x1f>', '>a\nACGT\n']) {
      expect((await inflate(gunzip, [Buffer.from(text, 'latin1')])).toString('latin1')).toBe(text);
    }
  });

  it('truncated data is an error', async () => {
    const random = new Random(6);
    const [first, second] = [bases(random, 100), bases(random, 40)];
    const two = Buffer.concat([member(first), fullMember(second)]);
    for (let end = 2; end < two.length; end++) {
      const isWhole = end === member(first).length; // then it is not gzip at all
      const expected = isWhole ? undefined : expect.stringMatching(/^(TRUNCATED|CORRUPT_STRUCTURE)$/);
      expect(await codeOf(gunzip, two.subarray(0, end), first), `${end} of ${two.length}`).toEqual(expected);
    }
    const blocks = bgzip(first);
    for (let end = 20; end < blocks.length; end++) {
      expect(await codeOf(gunzip, blocks.subarray(0, end), first), `${end} of ${blocks.length}`).toMatch(/^(TRUNCATED|CORRUPT_STRUCTURE)$/);
    }
  });

  it('bytes that are damaged change nothing, or are an error', async () => {
    const random = new Random(7);
    const text = bases(random, 60);
    const two = Buffer.concat([member(text), member(text, { level: 0 }), member(text, { strategy: zlib.constants.Z_FIXED })]);
    const expected = Buffer.concat([text, text, text]);
    let errors = 0;
    for (let at = 2; at < two.length; at++) {
      for (const bit of SHARE < 1 / 4 ? [1 << (at % 8)] : [1, 2, 4, 8, 16, 32, 64, 128]) {
        const damaged = Buffer.from(two);
        damaged[at]! ^= bit;
        if ((await codeOf(gunzip, damaged, expected)) !== undefined) errors++;
      }
    }
    // Everything except times, systems and hints in the headers.
    expect(errors).toBeGreaterThan((two.length - 3 * 10) * (SHARE < 1 / 4 ? 0.9 : 7));
  });

  it('zeros after the last member are padding', async () => {
    const text = bases(new Random(6), 3000);
    for (const zeros of [1, 12, 512, 300_000]) {
      const compressed = new Uint8Array(Buffer.concat([member(text), member(text), Buffer.alloc(zeros)]));
      for (const chunks of [[compressed], cut(compressed, new Random(zeros), 5000)])
        expect((await inflate(gunzip, chunks)).equals(Buffer.concat([text, text]))).toBe(true);
    }
  });

  it('data after the last member is an error', async () => {
    const text = Buffer.from('>a\nACGT\n');
    for (const rest of [
      '\0x',
      `${'\0'.repeat(600)}x`,
      'x',
      '>b\n',
      '\x1f',
      '\x1f\x8b',
      '\x1f\x8b\x08',
      'garbage that is longer than a header',
    ]) {
      const compressed = Buffer.concat([member(text), Buffer.from(rest, 'latin1')]);
      expect(await codeOf(gunzip, compressed, text), JSON.stringify(rest)).toMatch(/^(TRUNCATED|CORRUPT_STRUCTURE)$/);
    }
  });

  it('many members take linear time', async () => {
    const empty = member(Buffer.alloc(0));
    const many = Buffer.concat([...Array.from({ length: 20_000 }, () => empty), member(Buffer.from('>a\n'))]);
    expect((await inflate(gunzip, [many])).toString()).toBe('>a\n');
  });
});
