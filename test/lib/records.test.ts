// readFasta and readFastq: the records of a naive line reader, from every kind of source, compressed or not; windows;
// invalid input with its position; memory; early ends. The parser itself is tested in native/records_test.cpp.

import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import zlib from 'node:zlib';

import { TokenizerError } from 'crayon-tokenizer';
import { type FastaRecord, readFasta, readFastq, type RecordSource, type SequenceWindow } from 'crayon-tokenizer/dna';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { corpora } from '../corpora.mjs';
import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';
import { bgzip } from './bgzip.js';
import { cut, streamOf } from './chunks.js';
import { naiveFasta, naiveFastq, type NaiveRecord } from './naive-records.js';
import { thrown } from './thrown.js';

const isNative = process.env.CRAYON_TEST_ENTRY === undefined;

let folder: string;
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(tmpdir(), 'crayon-test-'));
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const utf8 = (text: string) => new TextEncoder().encode(text);
const latin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** The items before an error, and the error. */
async function allBefore<T>(items: AsyncIterable<T>): Promise<{ list: T[]; error: TokenizerError }> {
  const list: T[] = [];
  try {
    for await (const item of items) list.push(item);
  } catch (error) {
    expect(error).toBeInstanceOf(TokenizerError);
    return { list, error: error as TokenizerError };
  }
  return expect.fail('nothing was thrown');
}

type Format = 'fasta' | 'fastq';
const READ = { fasta: readFasta, fastq: readFastq };
const NAIVE = { fasta: naiveFasta, fastq: naiveFastq };

/** A file with lines of this width, LF and CR LF, empty records and empty lines. */
function randomFile(random: Random, format: Format, records: number, longest: number): Uint8Array {
  let file = '';
  const end = () => {
    file += random.chance(0.3) ? '\r\n' : '\n';
  };
  const text = (length: number, letters: string) => Array.from({ length }, () => random.pick(letters)).join('');
  const lines = (whole: string, width: number) => {
    for (let at = 0; at === 0 || at < whole.length; at += width) {
      file += whole.slice(at, at + width);
      end();
    }
  };
  for (let i = 0; i < records; i++) {
    const header = random.pick(['', `read${i}`, ` read${i} of\tmany  é`, `sp|P1|X_${i} ${text(70, 'description ')}`]);
    const length = random.chance(0.2) ? 0 : random.integer(0, longest);
    const width = random.chance(0.3) ? Math.max(longest, 1) : random.integer(1, 80);
    file += `${format === 'fasta' ? '>' : '@'}${header}`;
    end();
    lines(text(length, 'ACGTNacgtn-*.'), width);
    if (format === 'fasta') continue;
    file += random.chance(0.3) ? `+${header}` : '+';
    end();
    lines(text(length, '!@+>IJ~'), width);
  }
  if (random.chance(0.3)) file = file.replace(/\r?\n$/, '');
  return utf8(file);
}

describe('records', () => {
  it('equal the records of a naive line reader', async () => {
    const random = new Random(1);
    for (let round = 0; round < sample(60, 8); round++) {
      const format: Format = round % 2 ? 'fasta' : 'fastq';
      const file = randomFile(random, format, random.integer(0, 12), random.pick([10, 200, 3000]));
      const expected = NAIVE[format](file);
      expect(await all(READ[format](cut(file, random, 500), { text: true }))).toEqual(expected);
      const found: FastaRecord[] = await all(READ[format](file));
      const asText = found.map((record) =>
        Object.fromEntries(Object.entries(record).map(([name, value]) => [name, value instanceof Uint8Array ? latin1(value) : value])),
      );
      expect(asText).toEqual(expected);
    }
  });

  it('may have a byte order mark, and blanks at the ends of lines', async () => {
    const file = '\ufeff \n>a b\nACGT \t\r\n  \nAC\n\n>c\nG\t';
    const [first, second] = await all(readFasta(cut(utf8(file), new Random(3), 3), { text: true }));
    expect(first).toMatchObject({ name: 'a', description: 'b', sequence: 'ACGTAC', byteOffset: 5 });
    expect(second).toMatchObject({ name: 'c', sequence: 'G' });
    const reads = await all(readFastq(utf8('\ufeff@a\nACGT \n+ \nII#I \n'), { text: true }));
    expect(reads).toMatchObject([{ sequence: 'ACGT', quality: 'II#I' }]);
  });

  it('may be longer than any buffer', async () => {
    const random = new Random(2);
    const long = 'ACGTTGCA'.repeat(200_000);
    const lines = long.replace(/.{70}/g, '$&\n');
    const file = utf8(`>a b\n${lines}\n>${'x'.repeat(600_000)} y\nAC\n>c\n${lines}`);
    const found = await all(readFasta(cut(file, random, 400_000), { text: true }));
    expect(found).toEqual(naiveFasta(file));
    const quality = 'I@+F'.repeat(400_000);
    const reads = utf8(`@a\n${long}\n+\n${quality}\n@b\nA\n+\nI\n`);
    expect(await all(readFastq(reads, { text: true }))).toEqual(naiveFastq(reads));
  });

  it('own their bytes', async () => {
    const records = await all(readFasta([utf8(`>a\nACGT\n>b\n${'A'.repeat(5000)}\n>c\nGG\n`)]));
    records[0]!.sequence.fill(0);
    records[1]!.sequence.fill(1);
    expect(latin1(records[2]!.sequence)).toBe('GG');
    try {
      structuredClone(records[0]!.sequence, { transfer: [records[0]!.sequence.buffer] }); // newer versions of Node throw
    } catch {}
    expect(latin1(records[2]!.sequence)).toBe('GG');
  });

  const files = (corpora() ?? []).filter(({ name }) => name.startsWith('F_dna/') && /\.(fa|fastq)$/.test(name));
  it.skipIf(files.length === 0)('of real files equal the records of a naive reader', { timeout: 300_000 }, async () => {
    expect(files.length).toBeGreaterThan(10);
    for (const { path: file, bytes } of files.filter(({ bytes }) => bytes < sample(2 ** 23))) {
      const format = file.endsWith('.fa') ? 'fasta' : 'fastq';
      const expected = NAIVE[format](fs.readFileSync(file));
      expect(expected.length).toBeGreaterThan(0);
      // By their text, so that a failure does not print a megabyte.
      const same = (found: unknown[]) => JSON.stringify(found) === JSON.stringify(expected.map(ordered));
      expect(
        same((await all(READ[format](file, { text: true }))).map((record) => ordered(record as NaiveRecord))),
        `${file} ${bytes}`,
      ).toBe(true);
      const compressed = bgzip(fs.readFileSync(file), 1);
      expect(same((await all(READ[format](compressed, { text: true }))).map((record) => ordered(record as NaiveRecord))), file).toBe(true);
    }
  });
});

const ordered = ({ name, description, sequence, quality, index, byteOffset }: NaiveRecord) => ({
  name,
  description,
  sequence,
  quality,
  index,
  byteOffset,
});

describe('sources', () => {
  const FILE = '>a first\nACGT\nAC\n>b\nGG\n';
  const EXPECTED = naiveFasta(utf8(FILE));

  it('are files that nothing writes to meanwhile: a change is reported as an error', async () => {
    const file = path.join(folder, 'growing.fa');
    fs.writeFileSync(file, FILE.repeat(200_000));
    let records = 0;
    const reading = (async () => {
      for await (const _ of readFasta(file)) if (records++ === 0) fs.truncateSync(file, 4_000_000);
    })();
    await expect(reading).rejects.toMatchObject({
      code: 'FILE_UNREADABLE',
      message: expect.stringMatching(/growing\.fa: the file shrank from \d+ to 4000000 bytes while it was read/),
    });
  });

  it('are paths, URLs, bytes, blobs, responses, streams and iterables, and promises of them', async () => {
    const bytes = utf8(FILE);
    const file = path.join(folder, 'two.fa');
    fs.writeFileSync(file, bytes);
    const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
    shared.set(bytes);
    async function* later() {
      yield FILE.slice(0, 5);
      yield bytes.subarray(5, 9);
      yield bytes.slice(9).buffer;
    }
    const sources: RecordSource[] = [
      file,
      pathToFileURL(file),
      pathToFileURL(file).href,
      bytes,
      bytes.buffer,
      new DataView(bytes.buffer),
      shared,
      Buffer.from(bytes),
      new Blob([bytes]),
      new Response(FILE),
      Promise.resolve(new Response(FILE)),
      streamOf([bytes.subarray(0, 3), bytes.subarray(3)]),
      streamOf([FILE.slice(0, 7), FILE.slice(7)]),
      Readable.from([Buffer.from(FILE)]),
      fs.createReadStream(file, { highWaterMark: 5 }),
      fs.createReadStream(file, { encoding: 'utf8' }),
      [...FILE],
      later(),
    ];
    for (const source of sources) expect(await all(readFasta(source, { text: true }))).toEqual(EXPECTED);
  });

  it('may split a character between two strings', async () => {
    const [record] = await all(readFasta(['>\ud83d', '\ude00\nA\n']));
    expect(record!.name).toBe('\u{1f600}');
  });

  it('that are invalid are refused at once', () => {
    for (const source of [undefined, null, 5, '', {}, () => []]) {
      expect(thrown(() => readFasta(source as RecordSource), TypeError).message).toMatch(/^expected .* for source but received /);
    }
  });

  it('that are missing or already read are errors', async () => {
    const missing = path.join(folder, 'missing.fa');
    const { error } = await allBefore(readFasta(missing));
    expect(error).toMatchObject({ code: 'FILE_NOT_FOUND', message: expect.stringContaining(missing) });
    expect(error.stack).toContain('records.test.ts');
    expect((await allBefore(readFasta(folder))).error.code).toBe('FILE_UNREADABLE');
    expect((await allBefore(readFasta(new Response('no', { status: 404 })))).error.code).toBe('FILE_NOT_FOUND');
    const read = new Response(FILE);
    await read.text();
    await expect(all(readFasta(read))).rejects.toThrow(/expected a Response whose body has not been read/);
    await expect(all(readFasta([FILE, 5 as unknown as string]))).rejects.toThrow(
      'expected a string or bytes for item 1 of source but received 5',
    );
  });

  it('may fail, with their own errors', async () => {
    const failure = new Error('the network is gone');
    async function* failing() {
      yield FILE;
      throw failure;
    }
    await expect(all(readFasta(failing()))).rejects.toBe(failure);
    async function* compressed() {
      yield zlib.gzipSync(FILE).subarray(0, 25);
      throw failure;
    }
    await expect(all(readFasta(compressed()))).rejects.toBe(failure);
  });
});

describe('windows', () => {
  /** By their definition. */
  function windowsOf(records: NaiveRecord[], window: number, stride: number, keep: boolean): SequenceWindow<string>[] {
    return records.flatMap(({ name, index, sequence }) => {
      const list: SequenceWindow<string>[] = [];
      let start = 0;
      for (; start + window <= sequence.length; start += stride)
        list.push({ name, index, start, sequence: sequence.slice(start, start + window) });
      const covered = list.length > 0 ? start - stride + window : 0;
      if (keep && start < sequence.length && covered < sequence.length) list.push({ name, index, start, sequence: sequence.slice(start) });
      return list;
    });
  }

  it('equal the windows of whole sequences', async () => {
    const random = new Random(3);
    for (let round = 0; round < sample(60, 8); round++) {
      const format: Format = round % 2 ? 'fasta' : 'fastq';
      const file = randomFile(random, format, random.integer(0, 8), random.pick([10, 300, 5000]));
      const window = random.pick([1, 2, 7, 64, 100, 1000, 3000]);
      const stride = random.chance(0.4) ? undefined : random.integer(1, 2 * window);
      const partial = random.pick(['keep', 'drop', undefined] as const);
      const expected = windowsOf(NAIVE[format](file), window, stride ?? window, partial !== 'drop');
      const options = { window, stride, partial };
      expect(await all(READ[format](cut(file, random, 500), { ...options, text: true }))).toEqual(expected);
      const found = await all(READ[format](file, options));
      expect(found.map(({ sequence, ...rest }) => ({ ...rest, sequence: latin1(sequence) }))).toEqual(expected);
    }
  });

  it('may be longer than any buffer', async () => {
    const file = utf8(`>a\n${'ACGTTGCA'.repeat(250_000).replace(/.{60}/g, '$&\n')}\n>b\nAC`);
    const options = { window: 700_001, stride: 300_000, text: true } as const;
    expect(await all(readFasta(file, options))).toEqual(windowsOf(naiveFasta(file), 700_001, 300_000, true));
  });

  it('own their bytes', async () => {
    const [first, second] = await all(readFasta(['>a\nACGTACGT\n'], { window: 4, stride: 2 }));
    first!.sequence.fill(0);
    expect(latin1(second!.sequence)).toBe('GTAC');
  });
});

describe('damage', () => {
  const cases: [Format, string, number, number, RegExp, string[]][] = [
    ['fasta', 'ACGT\n>a\nA\n', 0, 0, /does not begin with its header/, []],
    ['fasta', '; old comment\n>a\nA\n', 0, 0, /does not begin with its header/, []],
    ['fasta', 'a\ufeff>a\nA\n', 0, 0, /does not begin with its header/, []],
    ['fasta', '>a\nACGT\n>b c\nAC GT\n', 1, 15, /\("b"\) has a byte in its sequence/, ['a']],
    ['fasta', '>a\nAC\0T\n', 0, 5, /has a byte in its sequence/, []],
    ['fasta', '>a\nAC1T\n', 0, 5, /has a byte in its sequence/, []],
    ['fasta', '>a\nACGT>b\nA\n', 0, 7, /has a byte in its sequence/, []],
    ['fasta', '>a\rACGT\r', 0, 2, /has a CR that no LF follows/, []],
    ['fasta', '>a\0b\nACGT\n', 0, 2, /has a NUL in its header/, []],
    ['fastq', '@a\nACGT\n+\nIII\n@b\nA\n+\nI\n', 0, 13, /\("a"\) has fewer qualities than bases/, []],
    ['fastq', '@a\nA\n+\nI\n@b\nACGT\n+\nIIIII\n', 1, 23, /\("b"\) has more qualities than bases/, ['a']],
    ['fastq', '@a\nACGT\nIIII\n', 0, -1, /is not complete/, []],
    ['fastq', '@a\nACGT\n#III\n', 0, 8, /has no line with '\+'/, []],
    ['fastq', '@a\nACGT\n+b\nIIII\n', 0, 9, /has another header after '\+'/, []],
    ['fastq', '@a\nACGT\n+\nII\tI\n', 0, 12, /has a byte in its qualities/, []],
    ['fastq', '@a\nACGT\n+\nII', 0, 12, /is not complete: the file ends within it/, []],
    ['fastq', '>a\nACGT\n', 0, 0, /does not begin with its header/, []],
  ];
  it.each(cases)('%s %j', async (format, file, record, position, message, names) => {
    const { list, error } = await allBefore(READ[format](utf8(file)));
    expect(list.map(({ name }) => name)).toEqual(names);
    expect(error).toMatchObject({ code: 'INVALID_RECORD', row: record, position: position < 0 ? file.length : position });
    expect(error.message).toMatch(message);
    expect(error.message).toMatch(new RegExp(`^cannot read the source as FAST[AQ]: records\\[${record}\\].*, at byte ${error.position}$`));
    expect(error.stack).toContain('records.test.ts');
  });

  it('is found after intact windows', async () => {
    const { list, error } = await allBefore(readFasta(['>a\nACGTAC\nG?\n'], { window: 3, text: true }));
    expect(list.map(({ sequence }) => sequence)).toEqual(['ACG', 'TAC']);
    expect(error.position).toBe(11);
  });

  it('ends the iteration for good', async () => {
    const records = readFasta(['>a\nA\n>b\n?\n>c\nA\n']);
    expect((await records.next()).value!.name).toBe('a');
    await expect(records.next()).rejects.toThrow(TokenizerError);
    expect(await records.next()).toEqual({ done: true, value: undefined });
  });

  it('includes a record longer than allowed', async () => {
    const file = `>a\nACGT\n>b\n${'A'.repeat(600_000)}\n`;
    const { list, error } = await allBefore(readFasta([file], { maxRecordLength: 599_999 }));
    expect(list.map(({ name }) => name)).toEqual(['a']);
    expect(error).toMatchObject({ code: 'TEXT_TOO_LONG', row: 1, position: 8 });
    expect(error.message).toContain('the sequence of records[1] ("b"), which begins at byte 8, is longer than 599999 (maxRecordLength)');
    expect(await all(readFasta([file], { maxRecordLength: 600_000 }))).toHaveLength(2);
    const short = readFasta(['>a\nAC\n>b\nACGT\n'], { maxRecordLength: 3 });
    expect((await short.next()).value!.name).toBe('a');
    const next = short.next(); // throws nothing itself
    await expect(next).rejects.toMatchObject({ code: 'TEXT_TOO_LONG', row: 1, stack: expect.stringContaining('records.test.ts') });
    await expect(next).rejects.toThrow('records[1] ("b"), which begins at byte 6, is longer than 3');
    expect(await short.next()).toEqual({ done: true, value: undefined });
  });
});

it('explains for a text that a string is a path', async () => {
  for (const text of ['>a\nACGT\n', '@a', 'ACGT\nACGT']) {
    await expect(readFasta(text).next()).rejects.toThrow('(a string is a path or URL; pass text in a list, [text], or as bytes)');
  }
  await expect(readFasta('missing.fa').next()).rejects.toThrow(/missing\.fa: no file exists at the path$/);
});

it('loads the module for DNA', async () => {
  const module = fs.readFileSync(new URL('../../dist/wasm/dna-scalar.wasm', import.meta.url));
  for (const wasm of [module, new Blob([module]).arrayBuffer()]) {
    const list = await all(readFasta(['>a\nACGT\n'], { backend: 'wasm', text: true, wasm }));
    expect(list.map(({ sequence }) => sequence)).toEqual(['ACGT']);
  }
  const core = fs.readFileSync(new URL('../../dist/wasm/core.wasm', import.meta.url));
  await expect(all(readFasta(['>a\nA\n'], { backend: 'wasm', wasm: core }))).rejects.toThrow('expected the module for DNA');
  expect(() => readFasta(['>a\nA\n'], { wasm: 5 as never })).toThrow(TypeError);
});

describe('gzip', () => {
  const FILE = `>a first\n${'ACGT'.repeat(20_000)}\n>b\nGG\n`;
  const EXPECTED = naiveFasta(utf8(FILE));

  it('is detected and inflated, with several members, and as bgzip writes it', async () => {
    const bytes = utf8(FILE);
    const members = Buffer.concat([bytes.subarray(0, 10), bytes.subarray(10, 10), bytes.subarray(10)].map((part) => zlib.gzipSync(part)));
    const random = new Random(4);
    for (const compressed of [zlib.gzipSync(bytes), members, bgzip(bytes)]) {
      expect(await all(readFasta(compressed, { text: true }))).toEqual(EXPECTED);
      expect(await all(readFasta(cut(new Uint8Array(compressed), random), { text: true }))).toEqual(EXPECTED);
      expect(
        await all(
          readFasta(
            Array.from(compressed.subarray(0, 400), (byte) => Uint8Array.of(byte)).concat(new Uint8Array(compressed.subarray(400))),
            { text: true },
          ),
        ),
      ).toEqual(EXPECTED);
      const file = path.join(folder, 'compressed.fa.gz');
      fs.writeFileSync(file, compressed);
      expect(await all(readFasta(file, { text: true }))).toEqual(EXPECTED);
    }
  });

  it('that is truncated or damaged causes an error that names the file', async () => {
    const file = path.join(folder, 'cut.fa.gz');
    const whole = bgzip(utf8(FILE));
    const refused = async (bytes: Uint8Array) => {
      fs.writeFileSync(file, bytes);
      const { error } = await allBefore(readFasta(file));
      expect(error.message).toContain(file);
      return error;
    };
    expect(await refused(whole.subarray(0, -28))).toMatchObject({
      code: 'TRUNCATED',
      message: expect.stringContaining('the block that bgzip writes at the end is missing'),
    });
    expect(await refused(whole.subarray(0, -30))).toMatchObject({ code: 'TRUNCATED' });
    expect(await refused(zlib.gzipSync(FILE).subarray(0, -1))).toMatchObject({ code: 'TRUNCATED' });
    expect(await refused(Buffer.concat([zlib.gzipSync(FILE), Buffer.from('>b\n')]))).toMatchObject({ code: 'CORRUPT_STRUCTURE' });
    const damaged = zlib.gzipSync(FILE);
    damaged[damaged.length - 6]! ^= 1;
    expect(await refused(damaged)).toMatchObject({ code: 'CORRUPT_STRUCTURE' });
  });
});

describe('options', () => {
  const wrong: [object, string][] = [
    [{ windows: 5 }, "unknown option 'windows'; did you mean 'window'?"],
    [{ window: 0 }, 'expected an integer from 1 to 2³⁰ for window but received 0'],
    [{ window: 1.5 }, 'expected an integer from 1 to 2³⁰ for window but received 1.5'],
    [{ window: 4, stride: 0 }, 'expected an integer from 1 to 2³⁰ for stride but received 0'],
    [{ stride: 4 }, '`stride` must be left out: it is for windows, and `window` is not set'],
    [{ partial: 'keep' }, '`partial` must be left out: it is for windows, and `window` is not set'],
    [{ window: 4, partial: 'pad' }, "expected 'keep' or 'drop' for partial but received \"pad\""],
    [{ window: 4, maxRecordLength: 4 }, '`maxRecordLength` must be left out: with `window`, no sequence is held as a whole'],
    [{ text: 'yes' }, 'expected a boolean for text but received "yes"'],
    [{ backend: 'gpu' }, "expected 'native' or 'wasm' for backend but received \"gpu\""],
    [{ signal: {} }, 'expected an AbortSignal for signal but received an instance of Object'],
  ];
  it.each(wrong)('%j is refused at once', (options, message) => {
    const error = thrown(() => readFastq(['@a\n'], options as object), Error);
    expect(error).toMatchObject({ message });
    expect(error.stack!.split('\n')[1]).toContain('records.test.ts');
  });

  it.runIf(isNative)('backend selects the parser', async () => {
    for (const backend of ['native', 'wasm'] as const) expect(await all(readFasta(['>a\nAC\n'], { backend }))).toHaveLength(1);
  });
});

describe('the end', () => {
  it('resolves concurrent calls of next', async () => {
    const records = readFasta(['>a\nA\n>b\nC\n>', 'c\nG\n']);
    const results = await Promise.all(Array.from({ length: 5 }, () => records.next()));
    expect(results.map(({ value, done }) => (done ? 'end' : value.name))).toEqual(['a', 'b', 'c', 'end', 'end']);
  });

  it('comes early for a reader that leaves, and closes the source', async () => {
    const cancel = vi.fn();
    const stream = new ReadableStream<string>({ pull: (controller) => controller.enqueue('>a\nACGT\n'), cancel });
    for await (const { name } of readFasta(stream)) {
      expect(name).toBe('a');
      break;
    }
    expect(cancel).toHaveBeenCalled();
    const readable = Readable.from(endless());
    for await (const _ of readFasta(readable)) break;
    expect(readable.destroyed).toBe(true);
  });

  it('comes with a signal', async () => {
    const ended = AbortSignal.abort(new Error('not now'));
    await expect(all(readFasta(['>a\n'], { signal: ended }))).rejects.toThrow('not now');
    const controller = new AbortController();
    const cancel = vi.fn();
    const never = new ReadableStream<string>({ start: (each) => each.enqueue('>a\nA\n>b\n'), cancel });
    const records = readFasta(never, { signal: controller.signal });
    expect((await records.next()).value!.name).toBe('a');
    const next = records.next();
    setTimeout(() => controller.abort(new Error('enough')), 5);
    await expect(next).rejects.toThrow('enough');
    expect(cancel).toHaveBeenCalled();
  });

  it('does not touch a source that nobody reads', async () => {
    let asked = 0;
    const source = (async function* () {
      for (;;) {
        asked++;
        yield '>a\nACGT\n';
      }
    })();
    const records = readFasta(source);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(asked).toBe(0);
    for (let i = 0; i < 10; i++) await records.next();
    // Chunks of 8 bytes that come in the same turn: about 4 KB.
    expect(asked).toBeLessThan(550);
    await records.return!();
  });

  async function* endless() {
    for (;;) yield Buffer.from('>a\nACGT\n');
  }
});

it('needs no more memory for a longer file', { timeout: 120_000 }, async () => {
  const block = utf8(`${'ACGTTGCA'.repeat(8).concat('\n').repeat(4000)}`);
  async function* sequence(blocks: number) {
    yield '>long\n';
    for (let i = 0; i < blocks; i++) yield block;
  }
  const used = async (blocks: number) => {
    let most = 0;
    let bases = 0;
    let count = 0;
    for await (const { sequence: window } of readFasta(sequence(blocks), { window: 10_000 })) {
      bases += window.length;
      if (++count % 500 === 0) {
        const { arrayBuffers, heapUsed } = process.memoryUsage();
        most = Math.max(most, arrayBuffers + heapUsed);
      }
    }
    expect(bases).toBe(blocks * 256_000);
    return most;
  };
  const little = await used(40);
  // 410 MB in one record, which would show if it were kept. About 130 MB wait for the garbage collector.
  expect((await used(1600)) - little).toBeLessThan(300e6);
});
