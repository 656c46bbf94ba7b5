// `crayon dna`: the output of each command, compared with ids that follow the rules literally; damaged files, wrong usage,
// an interrupt.

import { spawn } from 'node:child_process';
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Tokenizer as HuggingFace } from 'tokenizers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DnaTokenizer } from 'crayon-tokenizer/dna';

import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';
import { cli, crayon as run } from './command.js';
import { dnaTokenizerJson } from './dna-bpe.js';
import { fasta, fastq, idsOf, NONE_UNKNOWN, randomRecords, type Record, windowsOf } from './dna-files.js';
import { complementNaively, MODELS, rowNaively } from './naive-dna.js';
import { readNpy } from './npy-reader.js';

const SEED = 20261122;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crayon-test-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
});

const crayon = (args: string[], input: string | Uint8Array = '', env: { [name: string]: string } = {}) =>
  run(['dna', ...args], folder, input, env);
const put = (name: string, content: string | Uint8Array) => writeFileSync(join(folder, name), content);
const get = (name: string) => readFileSync(join(folder, name));
const left = () => readdirSync(folder).sort();

const DTYPES = { uint8: '|u1', uint16: '<u2', int32: '<i4', int64: '<i8' } as const;
type Type = keyof typeof DTYPES;
const BYTES = { uint8: 1, uint16: 2, int32: 4, int64: 8 };

/** The numbers in a raw file. */
function readRaw(bytes: Buffer, type: Type): number[] {
  const size = BYTES[type];
  return Array.from({ length: bytes.length / size }, (_, at) =>
    size === 8 ? Number(bytes.readBigInt64LE(8 * at)) : bytes.readUIntLE(size * at, size),
  );
}

describe('crayon dna encode', () => {
  it('writes a line of ids for each record, of FASTA and FASTQ, compressed or not, from files and standard input', () => {
    const records = [
      { name: 'a', sequence: 'ACGTNACGTACGTA' },
      { name: 'empty', sequence: '' },
      { name: 'b', sequence: 'TTTTTTT' },
    ];
    const expected = records.map(({ sequence }) => `${idsOf(MODELS['nt-v2']!, sequence).join(' ')}\n`).join('');
    const files = {
      'a.fa': fasta(records, 5),
      'a.crlf.fa': fasta(records, 5, '\r\n'),
      'a.fq': fastq(records),
      'blank.fa': `\n\n${fasta(records)}`,
    };
    for (const [name, text] of Object.entries(files)) {
      put(name, text);
      put(`${name}.gz`, gzipSync(text));
      for (const [args, input] of [[[name]], [[`${name}.gz`]], [['-'], text], [[], gzipSync(text)]] as [
        string[],
        (string | Uint8Array)?,
      ][]) {
        const { status, stdout, stderr } = crayon(['encode', '-m', 'nt-v2', ...args], input);
        expect({ status, stdout, stderr }, `${name} ${args}`).toEqual({ status: 0, stdout: expected, stderr: '' });
      }
    }
    const { stdout } = crayon(['encode', '-m', 'nt-v2', '--json', '--special-tokens', 'a.fa']);
    const around = records.map(({ name, sequence }) => ({ name, ids: [3, ...idsOf(MODELS['nt-v2']!, sequence)] }));
    expect(JSON.parse(stdout)).toEqual({ model: 'nt-v2', files: [{ file: 'a.fa', records: around, ...NONE_UNKNOWN }] });
  });

  it('takes the model, or the path of a cartridge, and policies', async () => {
    put('a.fa', '>a\nACgtRN\n');
    using dna = await DnaTokenizer.load('nt-v3', { suffix: ['<eos>'] });
    put('mine.cray', dna.toCartridge());
    const { stdout } = crayon(['encode', 'a.fa', '-m', 'caduceus', '--ambiguous', 'normalize', '--special-tokens']);
    expect(stdout).toBe('7 8 9 10 11 11 1\n');
    const own = crayon([
      'encode',
      'a.fa',
      '-m',
      './mine.cray',
      '--lower-case',
      'normalize',
      '--ambiguous',
      'normalize',
      '--special-tokens',
    ]);
    expect(own.stdout).toBe('6 8 9 7 10 10 4\n');
    put('k.fa', '>a\nACGTACGTA\n');
    for (const tail of ['single', 'pad', 'drop'] as const) {
      const ids = idsOf({ ...MODELS['nt-v1']!, tail }, 'ACGTACGTA');
      expect(crayon(['encode', 'k.fa', '-m', 'nt-v1', '--tail', tail]).stdout).toBe(`${ids.join(' ')}\n`);
    }
  });

  it('takes a vocabulary in JSON: the overlapping 3-mers of the first DNABERT, by the lines of its vocab.txt', () => {
    const special = { '[PAD]': 0, '[UNK]': 1, '[CLS]': 2, '[SEP]': 3, '[MASK]': 4 };
    const rules = {
      unit: 'kmer-stride-1',
      k: 3,
      alphabet: 'ATCG',
      kmerIds: 5,
      baseIds: {},
      unknownId: 1,
      padId: 0,
      specialTokens: special,
    };
    put('dnabert3.json', JSON.stringify({ ...rules, prefix: ['[CLS]'], suffix: ['[SEP]'] }));
    // As published: AAA, AAT, AAC, AAG, ATA … after the special tokens.
    const lines = [...Object.keys(special), ...[...'ATCG'].flatMap((a) => [...'ATCG'].flatMap((b) => [...'ATCG'].map((c) => a + b + c)))];
    const idsOf = (sequence: string) => {
      const kmers = Array.from({ length: Math.max(0, sequence.length - 2) }, (_, at) => lines.indexOf(sequence.slice(at, at + 3)));
      return [2, ...kmers.map((id) => (id < 0 ? 1 : id)), 3];
    };
    const random = new Random(SEED, 15);
    const records = randomRecords(random, 20, 60);
    records.push({ name: 'long', sequence: Array.from({ length: 600_000 }, () => random.pick([...'ACGT'])).join('') });
    put('a.fa', fasta(records));
    const args = ['encode', 'a.fa', '-m', 'dnabert3.json', '--special-tokens'];
    const isRejected = ({ sequence }: Record) => idsOf(sequence).length > 2 && idsOf(sequence).every((id) => id < 4);
    const text = crayon([...args, '--skip-damaged']);
    expect(text.stdout).toBe(
      records
        .filter((record) => !isRejected(record))
        .map(({ sequence }) => `${idsOf(sequence).join(' ')}\n`)
        .join(''),
    );
    expect(text.stderr).toContain('dnabert3 has no id for "N"');
    const short = records.filter((record) => !isRejected(record)).slice(0, -1);
    put('b.fa', fasta(short));
    expect(crayon(['encode', 'b.fa', ...args.slice(2), '--window', '8', '--stride', '3', '-o', 'b.npy']).status).toBe(0);
    const rows = short.flatMap((record) => windowsOf(record, 8, 3).map(({ sequence }) => idsOf(sequence)));
    const padded = rows.map((ids) => [...ids, ...new Array<number>(8 - ids.length).fill(0)]);
    expect(readNpy(get('b.npy')).rows).toEqual(padded);
    expect(JSON.parse(crayon(['info', 'dnabert3.json', '--json']).stdout)).toMatchObject({
      name: 'dnabert3',
      unit: 'kmer-stride-1',
      k: 3,
      padId: 0,
      vocabularySize: 69,
    });
  });

  it.each([
    ['{', "is not a vocabulary of DNA in JSON: Expected property name or '}' in JSON at position 1"],
    ['[]', "is not a vocabulary of DNA in JSON: expected 'byte', 'kmer' or 'kmer-stride-1' for vocabulary.unit but received undefined"],
    ['{"unit":"kmer-stride-1","k":9,"baseIds":{}}', 'is not a vocabulary of DNA in JSON: expected 1 to 8 for vocabulary.k but received 9'],
    ['{"version":"1.0","model":{}}', "is not a vocabulary of DNA in JSON: unknown option 'version' in vocabulary"],
  ])('names a file that is no vocabulary in JSON: %s', (content, why) => {
    put('a.fa', '>a\nACGT\n');
    put('mine.json', content);
    expect(crayon(['encode', 'a.fa', '-m', 'mine.json'])).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining(`crayon: mine.json: ${why}`),
    });
  });

  it('takes the tokenizer.json of DNABERT-2', async () => {
    put('tokenizer.json', JSON.stringify(dnaTokenizerJson()));
    put('a.fa', '>a\nACGTACGTTTGA\n>b\nNACG\n');
    const theirs = HuggingFace.fromFile(join(folder, 'tokenizer.json'));
    const bodies = await Promise.all(['ACGTACGTTTGA', 'NACG'].map(async (text) => [...(await theirs.encode(text)).getIds()]));
    const options = ['a.fa', '-m', 'dnabert2', '--tokenizer-json', 'tokenizer.json', '--special-tokens'];
    expect(crayon(['encode', ...options]).stdout).toBe(bodies.map((ids) => `${ids.join(' ')}\n`).join(''));
    expect(crayon(['encode', ...options, '--length', '20', '-o', 'a.npy']).status).toBe(0);
    const padded = bodies.map((ids) => [...ids, ...new Array<number>(20 - ids.length).fill(3)]);
    expect(readNpy(get('a.npy')).rows).toEqual(padded);
    const { stderr } = crayon(['encode', ...options, '--window', '5', '-o', 'a.npy']);
    expect(stderr).toContain('--window: windows have different numbers of ids for dnabert2; --length says how many');
    expect(JSON.parse(crayon(['info', 'dnabert2', '--tokenizer-json', 'tokenizer.json', '--json']).stdout)).toMatchObject({
      unit: 'bpe',
      padId: 3,
    });
  });

  it('writes matrices of every type with masks and names, of windows and whole records', () => {
    const random = new Random(SEED);
    for (let round = 0; round < sample(40, 6); round++) {
      const model = random.pick(Object.keys(MODELS).filter((name) => name !== 'gpn')); // which reports unknown N
      const rules = MODELS[model]!;
      const records = [0, 1].map((file) =>
        randomRecords(random, random.integer(1, 6), 200).map((each) => ({ ...each, name: `${each.name}of${file}` })),
      );
      records.forEach((each, index) => put(`${index}.fa`, random.chance(0.5) ? fasta(each, random.integer(1, 80)) : gzipSync(fastq(each))));
      const type = random.pick((rules.k ? ['uint16', 'int32', 'int64'] : Object.keys(DTYPES)) as Type[]);
      const args = ['encode', '0.fa', '1.fa', '-m', model, '-t', type, '-o', 'm.npy', '--mask', 'mask.npy', '--names', 'm.names', '--json'];
      const around = random.chance(0.5);
      if (around) args.push('--special-tokens');
      const side = random.pick(['left', 'right'] as const);
      args.push('--side', side);
      let rows = records.flat();
      if (random.chance(0.6)) {
        const [window, stride] = [random.integer(1, 60), random.integer(1, 80)];
        rows = rows.flatMap((record) => windowsOf(record, window, stride));
        args.push('--window', `${window}`, '--stride', `${stride}`);
      }
      const isOther = random.chance(0.5);
      if (isOther) args.push('--reverse-complement');
      const length = random.integer(3, 90);
      args.push('--length', `${length}`, '--truncate');
      const expected = rows.map(({ sequence }) => {
        const body = idsOf(rules, isOther ? complementNaively(sequence)! : sequence);
        return rowNaively(rules, body, length, side, around);
      });
      const cut = rows
        .map(({ sequence }) => rowNaively(rules, idsOf(rules, isOther ? complementNaively(sequence)! : sequence), 1000, side, around))
        .map(({ mask }) => mask.filter((each) => each === 1).length - length)
        .filter((more) => more > 0);
      const { status, stdout, stderr } = crayon(args);
      expect({ status, stderr }, args.join(' ')).toEqual({ status: 0, stderr: '' });
      expect(readNpy(get('m.npy')), args.join(' ')).toEqual({
        descr: DTYPES[type],
        shape: [rows.length, length],
        rows: expected.map(({ ids }) => ids),
      });
      expect(readNpy(get('mask.npy'))).toEqual({ descr: '|u1', shape: [rows.length, length], rows: expected.map(({ mask }) => mask) });
      expect(get('m.names').toString()).toBe(rows.map(({ name }) => `${name}\n`).join(''));
      const bases = records.flat().reduce((sum, { sequence }) => sum + sequence.length, 0);
      const shape = [rows.length, length];
      const facts = {
        file: 'm.npy',
        mask: 'mask.npy',
        names: 'm.names',
        model,
        type,
        shape,
        records: records.flat().length,
        bases,
        truncatedRows: cut.length,
        truncatedIds: cut.reduce((sum, more) => sum + more, 0),
        ...NONE_UNKNOWN,
      };
      expect(JSON.parse(stdout)).toEqual(facts);
    }
  });

  it('makes rows as long as a window has ids, and refuses longer ones', () => {
    put('a.fa', `>a\n${'ACGT'.repeat(10)}\n>b\nAC\n`);
    expect(crayon(['encode', 'a.fa', '-m', 'nt-v2', '--window', '20', '-o', 'a.npy', '--special-tokens']).stdout).toBe(
      'a.npy: 3 × 6 ids as int32, of 42 bases in 2 records, for nt-v2\n',
    );
    expect(readNpy(get('a.npy')).rows[2]).toEqual([3, 4102, 4104, 1, 1, 1]);
    put('n.fa', '>a\nACGTAC\n>b\nACNGTA\n');
    const { status, stderr } = crayon(['encode', 'n.fa', '-m', 'nt-v2', '--window', '6', '-o', 'n.npy']);
    const message =
      'crayon: n.fa: window 1-6 of record 2 ("b") has 6 ids: more than 1 ids, the length of a row (--length 6, or --truncate)\n';
    expect({ status, stderr }).toEqual({ status: 1, stderr: message });
    expect(left()).toEqual(['a.fa', 'a.npy', 'n.fa']);
    const whole = crayon(['encode', 'a.fa', '--length', '3', '-o', 'n.npy']);
    expect(whole).toMatchObject({ status: 1, stderr: expect.stringContaining('a.fa: record 1 ("a") has more than 3 ids') });
  });

  it('says how many rows and ids it cuts', () => {
    put('cut.fa', `>a\n${'ACGT'.repeat(6)}\n>b\nACNGTA\nAC\n>c\nACGTAC\n`);
    const cut = (...args: string[]) => crayon(['encode', 'cut.fa', '-m', 'nt-v2', '-o', 'cut.npy', '--truncate', ...args]);
    // 4 ids of a, 8 of b, 1 of c.
    expect(cut('--length', '2').stdout).toBe('cut.npy: 3 × 2 ids as int32, of 38 bases in 3 records, for nt-v2; 2 rows cut, by 8 ids\n');
    expect(JSON.parse(cut('--length', '2', '--reverse-complement', '--json').stdout)).toMatchObject({ truncatedRows: 2, truncatedIds: 8 });
    expect(JSON.parse(cut('--length', '2', '--special-tokens', '--json').stdout)).toMatchObject({ truncatedRows: 2, truncatedIds: 10 });
    expect(JSON.parse(cut('--length', '8', '--json').stdout)).toMatchObject({ truncatedRows: 0, truncatedIds: 0 });
    // Windows of b have 6 and 2 ids.
    expect(cut('--window', '6').stdout).toContain('7 × 1 ids as int32, of 38 bases in 3 records, for nt-v2; 2 rows cut, by 6 ids');
    put('cut.fa', '>a\nACGTACACG?\n>b\nACGTACACG\n');
    expect(cut('--length', '1', '--skip-damaged').stdout).toContain('for nt-v2; 1 row cut, by 3 ids; 1 damaged record left out');
  });

  it('names a device that does not exist, and reads marks and blanks that editors leave', () => {
    put('edited.fa', '\uFEFF>a \r\nACGT  \n \t\nAC\n');
    expect(crayon(['encode', 'edited.fa', '-m', 'nt-v2']).stdout).toBe('728\n');
    const env = { CRAYON_DEVICE: 'gpu' };
    const { status, stderr } = crayon(['encode', 'edited.fa', '-o', 'edited.npy', '--length', '6'], '', env);
    const message = `crayon: expected 'auto', 'cpu', 'cuda' or 'hip' for CRAYON_DEVICE but received "gpu"\n`;
    expect({ status, stderr }).toEqual({ status: 1, stderr: message });
  });

  it('writes raw ids and an index', () => {
    const random = new Random(SEED + 1);
    for (const [model, type] of [
      ['hyenadna', 'uint8'],
      ['nt-v2', 'uint16'],
      ['nt-v1', 'int32'],
      ['evo2', 'int64'],
    ] as [string, Type][]) {
      for (const isOther of [false, true]) {
        const records = [...randomRecords(random, 5, 300), { name: 'last', sequence: '' }];
        put('a.fq', fastq(records.slice(0, 2)));
        put('b.fa', fasta(records.slice(2)));
        const args = [
          'encode',
          'a.fq',
          'b.fa',
          '-m',
          model,
          '-t',
          type,
          '-o',
          'a.raw',
          '--special-tokens',
          ...(isOther ? ['--reverse-complement'] : []),
        ];
        const { status, stdout, stderr } = crayon(args);
        const rules = MODELS[model]!;
        const all = records.map(({ sequence }) => {
          const body = idsOf(rules, isOther ? complementNaively(sequence)! : sequence);
          return [...(rules.before ?? []), ...body, ...(rules.after ?? [])];
        });
        const total = all.flat().length;
        expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
        expect(stdout).toContain(`a.raw: ${total.toLocaleString('en')} ids as ${type}, of `);
        expect(readRaw(get('a.raw'), type)).toEqual(all.flat());
        let first = 0;
        const lines = all.map((ids, index) => `${records[index]!.name}\t${(first += ids.length) - ids.length}\t${ids.length}\n`);
        expect(get('a.raw.index.tsv').toString()).toBe(`name\tfirst\tids\n${lines.join('')}`);
      }
    }
  });

  // Parts of a sequence arrive in chunks of a quarter of a megabyte.
  it.each(['hyenadna', 'nt-v2'])('gives a long record the same ids as a short one: %s', (model) => {
    const random = new Random(SEED + 2);
    const unit = Array.from({ length: 999 }, () => random.pick([...'ACGT'])).join('');
    const sequence = `${unit.repeat(900)}NN${unit.repeat(300)}ACG`;
    put(
      'long.fa',
      fasta(
        [
          { name: 'long', sequence },
          { name: 'next', sequence: 'ACGTACG' },
        ],
        61,
      ),
    );
    expect(crayon(['encode', 'long.fa', '-m', model, '-t', 'uint16', '-o', 'long.raw']).status).toBe(0);
    const ids = [...idsOf(MODELS[model]!, sequence), ...idsOf(MODELS[model]!, 'ACGTACG')];
    expect(Buffer.compare(get('long.raw'), Buffer.from(Uint16Array.from(ids).buffer))).toBe(0);
    const window = 700_000;
    expect(
      crayon(['encode', 'long.fa', '-m', model, '-t', 'uint16', '--window', `${window}`, '--length', `${window}`, '-o', 'long.npy']).status,
    ).toBe(0);
    const { shape, rows } = readNpy(get('long.npy'));
    expect(shape).toEqual([3, window]);
    const windows = windowsOf({ name: 'long', sequence }, window, window);
    windows.forEach(({ sequence: part }, row) => {
      const expected = rowNaively(MODELS[model]!, idsOf(MODELS[model]!, part), window, MODELS[model]!.side ?? 'right', false);
      expect(rows[row]!.every((id, at) => id === expected.ids[at])).toBe(true);
    });
  });

  it('leaves nothing behind after a failure, and the old file as it was', () => {
    put('a.fa', '>a\nACGT\n>b two\nACxT\n');
    put('old.npy', 'old');
    const message = 'crayon: a.fa: record 2 ("b") has "x" at base 3, for which nt-v3 has no id, and it is not a base\n';
    for (const args of [
      ['-o', 'old.npy', '--length', '9', '--mask', 'm.npy', '--names', 'names'],
      ['-o', 'old.npy', '--window', '3'],
      ['-o', 'a.raw'],
    ]) {
      const { status, stdout, stderr } = crayon(['encode', 'a.fa', '-m', 'nt-v3', ...args]);
      expect({ status, stdout, stderr }).toEqual({ status: 1, stdout: '', stderr: message });
      expect(left()).toEqual(['a.fa', 'old.npy']);
      expect(get('old.npy').toString()).toBe('old');
    }
    const text = crayon(['encode', 'a.fa', '-m', 'nt-v3']);
    expect(text).toMatchObject({ status: 1, stderr: message });
    expect(text.stdout).toBe('6 8 9 7\n');
    const other = crayon(['encode', 'a.fa', '-m', 'nt-v3', '--reverse-complement', '--length', '9', '-o', 'x.npy']);
    expect(other).toMatchObject({ status: 1, stderr: 'crayon: a.fa: record 2 ("b") has "x" at base 3, which has no complement\n' });
    put('r.fa', '>a\nACGTTR\n');
    for (const args of [[], ['-o', 'x.raw'], ['-o', 'x.npy', '--window', '4'], ['-o', 'x.npy', '--length', '9']]) {
      const { stderr } = crayon(['encode', 'r.fa', '-m', 'nt-v3', '--reverse-complement', ...args]);
      expect(stderr).toContain('r.fa: record 1 ("a") has "R" at base 6, for which nt-v3 has no id (--ambiguous normalize makes it N)');
    }
  });

  it('writes nothing of a damaged record, however long it is', () => {
    const random = new Random(SEED, 13);
    const long = (name: string, length: number) => ({ name, sequence: Array.from({ length }, () => random.pick([...'ACGT'])).join('') });
    const records = [long('a', 5), long('b', 400_000), long('c', 7), long('d', 150_000), long('e', 150_000)];
    const lines = records.map(({ sequence }) => `${idsOf(MODELS.hyenadna!, sequence).join(' ')}\n`);
    put('a.fa', fasta(records));
    expect(crayon(['encode', 'a.fa'])).toMatchObject({ status: 0, stdout: lines.join('') });
    const ids = records.map(({ name, sequence }) => ({ name, ids: idsOf(MODELS.hyenadna!, sequence) }));
    const damaged = `${fasta(records.slice(0, 4))}>e\n${records[4]!.sequence}?\n`;
    put('b.fa', damaged);
    put('c.fa', `>x\n${'ACGT'.repeat(100_000)}?`);
    const { status, stdout } = crayon(['encode', 'b.fa', 'c.fa', 'a.fa']);
    expect({ status, stdout }).toEqual({ status: 1, stdout: lines.slice(0, 4).join('') + lines.join('') });
    const { files } = JSON.parse(crayon(['encode', 'b.fa', 'a.fa', '--json']).stdout);
    const error = expect.stringContaining('record 5 ("e")');
    expect(files).toEqual([
      { file: 'b.fa', records: ids.slice(0, 4), error, ...NONE_UNKNOWN },
      { file: 'a.fa', records: ids, ...NONE_UNKNOWN },
    ]);
  });

  it('suggests the option that gives a letter an id', () => {
    for (const [letter, advice] of [
      ['a', ' (--lower-case normalize makes it upper case)'],
      ['R', ' (--ambiguous normalize makes it N)'],
      ['r', ' (--lower-case normalize and --ambiguous normalize make it N)'],
      ['x', ', and it is not a base'],
    ]) {
      put('a.fa', `>a\nAC${letter}\n`);
      expect(crayon(['encode', 'a.fa', '-m', 'nt-v3']).stderr).toBe(
        `crayon: a.fa: record 1 ("a") has "${letter}" at base 3, for which nt-v3 has no id${advice}\n`,
      );
    }
    // It also rejects N, which these letters would become.
    for (const [letter, advice] of [
      ['N', ''],
      ['n', ', nor for N'],
      ['R', ', nor for N'],
      ['r', ', nor for N'],
    ]) {
      put('a.fa', `>a\nAC${letter}\n`);
      for (const more of [
        ['--n', 'reject'],
        ['--n', 'reject', '--ambiguous', 'normalize', '--lower-case', 'normalize'],
      ]) {
        const message = `crayon: a.fa: record 1 ("a") has "${letter}" at base 3, for which nt-v3 has no id${advice}\n`;
        for (const output of [[], ['-o', 'x.npy', '--length', '9']])
          expect(crayon(['encode', 'a.fa', '-m', 'nt-v3', ...more, ...output]).stderr).toBe(message);
      }
    }
  });

  it('omits damaged records with --skip-damaged, and writes the rest as if they were absent', () => {
    const random = new Random(SEED, 14);
    const long = (name: string, length: number) => ({ name, sequence: Array.from({ length }, () => random.pick([...'ACGT'])).join('') });
    const rounds = [
      ...Array.from({ length: sample(6, 2) }, () =>
        randomRecords(random, 30, 200).map((record) => ({ ...record, sequence: `A${record.sequence}` })),
      ),
      // A record damaged at its end has been written by then.
      [7, 400_000, 300_000, 5, 350_000, 9].map((length, index) => long(`seq${index}`, length)),
    ];
    const outputs = [
      [],
      ['--json'],
      ['-o', 'out.raw', '--special-tokens', '-t', 'int64'],
      ['-o', 'out.npy', '--length', '70', '--truncate', '--mask', 'mask.npy', '--names', 'out.names'],
      ['-o', 'out.npy', '--window', '9', '--stride', '7', '--mask', 'mask.npy', '--names', 'out.names', '-t', 'uint8'],
    ];
    for (const [round, records] of rounds.entries()) {
      const isLast = round === rounds.length - 1;
      const bad = isLast
        ? new Set([1, 4])
        : new Set(Array.from({ length: random.integer(1, 6) }, () => random.integer(0, records.length - 1)));
      const good = records.filter((_, index) => !bad.has(index));
      const end = (text: string) => `${text.slice(0, -1)}?\n`;
      const files: [string, string, string][] = [
        [
          'r.fa',
          records
            .map((record, index) => (bad.has(index) ? (isLast ? end(fasta([record])) : damagedFasta(record, random)) : fasta([record], 50)))
            .join(''),
          fasta(good, 50),
        ],
        [
          'r.fq',
          records.map((record, index) => (bad.has(index) ? damagedFastq(record, random) : fastqOfAts(record, random))).join(''),
          fastq(good),
        ],
      ];
      for (const [name, text, whole] of files) {
        for (const output of outputs) {
          const run = (content: string, option: string[]) => {
            put(name, content);
            const { status, stdout, stderr } = crayon(['encode', name, ...output, ...option]);
            const written = left()
              .filter((each) => /^(?:out|mask)/.test(each))
              .map((each) => [each, get(each).toString('latin1')]);
            for (const [each] of written) rmSync(join(folder, each!));
            return { status, stdout, stderr, written };
          };
          const expected = run(whole, []);
          expect(expected.status).toBe(0);
          const { status, stdout, stderr, written } = run(text, ['--skip-damaged']);
          expect(status, `round ${round}: ${stderr}`).toBe(1);
          expect(stderr).toContain(`crayon: ${name}: record `);
          expect(written.map(([each]) => each)).toEqual(expected.written.map(([each]) => each));
          for (const [index, [each, content]] of written.entries())
            expect(content === expected.written[index]![1], `${each} of ${name}, ${output.join(' ')}, round ${round}`).toBe(true);
          const count = stderr.trimEnd().split('\n').length;
          if (output[0] === '--json') {
            const [facts] = JSON.parse(stdout).files;
            expect(facts.records).toEqual(JSON.parse(expected.stdout).files[0].records);
            expect(facts.damagedRecords).toBe(count);
          } else if (output[0] === '-o') {
            expect(stdout).toBe(expected.stdout.replace('\n', `; ${count} damaged record${count === 1 ? '' : 's'} left out\n`));
          } else {
            expect(stdout).toBe(expected.stdout);
          }
        }
      }
    }
  });

  it('reports with --skip-damaged where FASTQ becomes ambiguous, and keeps the records before', () => {
    put('a.fq', '@a\nAC\nGT\n+\nII\nII\n@b\nA\n+\nIII\n@c\nAC\nGT\n+\nII\nII\n');
    const { status, stdout, stderr } = crayon(['encode', 'a.fq', '--skip-damaged', '--json']);
    expect(status).toBe(1);
    expect(stderr).toContain('crayon: a.fq: the rest of the file, from byte 25, could not be checked: no record in it is certain\n');
    const facts = { damagedRecords: 1, rejectedRecords: 0, error: expect.stringContaining('from byte 25'), ...NONE_UNKNOWN };
    expect(JSON.parse(stdout).files).toEqual([{ file: 'a.fq', records: [{ name: 'a', ids: [7, 8, 9, 10] }], ...facts }]);
  });

  it.skipIf(process.platform === 'win32')('replaces the file that a link leads to', () => {
    put('a.fa', '>a\nACGT\n');
    put('real.npy', 'old');
    symlinkSync('real.npy', join(folder, 'link.npy'));
    expect(crayon(['encode', 'a.fa', '--length', '4', '-o', 'link.npy']).status).toBe(0);
    expect(lstatSync(join(folder, 'link.npy')).isSymbolicLink()).toBe(true);
    expect(readNpy(get('real.npy')).rows).toEqual([[7, 8, 9, 10]]);
  });

  it.each([
    [['encode', 'a.fa', '-o', 'x.npy'], '--output x.npy is a matrix, which needs --length or --window'],
    [['encode', 'a.fa', '-o', 'x.raw', '--length', '5'], '--length is for a matrix, --output NAME.npy'],
    [['encode', 'a.fa', '--window', '5'], '--window is for a matrix, --output NAME.npy'],
    [['encode', 'a.fa', '--mask', 'm.npy'], '--mask is for a matrix, --output NAME.npy'],
    [['encode', 'a.fa', '--truncate'], '--truncate is for a matrix, --output NAME.npy'],
    [['encode', 'a.fa', '-o', 'x.npy', '--length', '5', '--stride', '5'], '--stride needs --window'],
    [['encode', 'a.fa', '-o', 'x.npy', '--length', '5', '--mask', 'm.txt'], '--mask m.txt is a matrix, NAME.npy'],
    [['encode', 'a.fa', '-o', 'x.npy', '--length', '0'], 'Expected an integer of 1 or more.'],
    [['encode', 'a.fa', '-o', 'a.fa'], '--output a.fa is a file to read'],
    [['encode', 'a.fa', '-o', 'x.npy', '--length', '5', '--mask', 'x.npy'], '--mask x.npy is another file to write, too'],
    [['encode', 'a.fa', '-o', '-'], '--output - is not supported'],
    [['encode', 'a.fa', '-m', 'nt-v2', '-t', 'uint8', '-o', 'x.raw'], '--type uint8: ids of nt-v2 need --type uint16 or int32'],
    [
      ['encode', 'a.fa', '-m', 'nt-v2', '--type', 'int16', '-o', 'x.raw'],
      "argument 'int16' is invalid. Allowed choices are uint8, uint16, int32, int64.",
    ],
    [['encode', 'a.fa', '--n', 'normalize'], "argument 'normalize' is invalid. Allowed choices are reject, keep."],
    [['encode', 'a.fa', '--rna', 'keep'], "argument 'keep' is invalid. Allowed choices are reject, normalize."],
    [['encode', 'a.fa', '--unknown', 'drop'], "argument 'drop' is invalid. Allowed choices are keep, reject."],
    [['validate', 'a.fa', '--rna', 'normalize'], 'options about letters and tails are for a --model'],
    [['encode', 'a.fa', '-m', 'dnabert2'], 'dnabert2 needs --tokenizer-json'],
    [['encode', 'a.fa', '-m', 'nt-v2', '--tokenizer-json', 'x.json'], '--tokenizer-json is for dnabert2; nt-v2 needs none'],
    [['encode', 'a.fa', '-m', 'dnabert2', '--tokenizer-json', 'x.json', '--tail', 'pad'], '--tail: dnabert2 has no k-mers'],
    [['validate', 'a.fa', '--lower-case', 'keep'], 'options about letters and tails are for a --model'],
    [['info', '--n', 'keep'], 'these options are for a MODEL'],
    [['encode', 'a.fa', '-m', 'hyena'], 'no vocabulary of DNA is called "hyena" (did you mean \'hyenadna\'?)'],
    [['validate', 'a.fa', '-m', 'hyena'], 'no vocabulary of DNA is called "hyena"'],
    [['info', 'hyena'], 'no vocabulary of DNA is called "hyena"'],
    [['bench', '--seconds', '0'], 'Expected a number of seconds, above 0 and up to 3600.'],
    [['guess'], "unknown command 'guess'"],
    [['list-models', 'x'], 'too many arguments'],
  ] as [string[], string][])('%j is wrong usage', (args, message) => {
    put('a.fa', '>a\nACGT\n');
    const { status, stdout, stderr } = crayon(args);
    expect(stderr).toContain(message);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(left()).toEqual(['a.fa']);
  });

  it.each([
    [['missing.fa'], 'missing.fa: no such file'],
    [['.'], '.: is a directory'],
    [['a.fa', '-m', './missing.cray'], 'missing.cray'],
    [['a.fa', '-m', 'missing.json'], 'cannot read missing.json: no file exists at the path'],
    [['a.fa', '-o', 'nowhere/x.raw'], 'cannot write nowhere/x.raw: no such directory'],
    [['a.fa', '--length', '9', '-o', 'x.npy', '--mask', 'nowhere/x.npy'], 'cannot write nowhere/x.npy: no such directory'],
    [['text.txt'], "text.txt: is neither FASTA, which begins with '>', nor FASTQ, which begins with '@'"],
    [['empty.fa'], 'empty.fa: is empty: there are no records'],
    [['-'], 'standard input: is empty: there are no records'],
    [['cut.fq'], 'cut.fq: record 2 ("b") is not complete: the file ends within it, at byte '],
    [['cut.gz'], 'cut.gz: its gzip data is truncated'],
  ] as [string[], string][])('%j fails', (args, message) => {
    put('a.fa', '>a\nACGT\n');
    put('text.txt', 'ACGT');
    put('empty.fa', '');
    put('cut.fq', '@a\nACGT\n+\nIIII\n@b\nACGT\n+\nII');
    put('cut.gz', gzipSync('>a\nACGTTTTTTTTGGCA\n').subarray(0, 25));
    const { status, stderr } = crayon(['encode', ...args]);
    expect(stderr).toContain(message);
    expect(status).toBe(1);
    expect(left()).toEqual(['a.fa', 'cut.fq', 'cut.gz', 'empty.fa', 'text.txt']);
  });

  it.skipIf(process.platform === 'win32')('ends when it is interrupted', async () => {
    const args = ['dna', 'encode', '-o', 'never.npy', '--window', '8', '--mask', 'never.mask.npy', '--no-progress'];
    const child = spawn(process.execPath, [cli, ...args], { cwd: folder });
    child.stdin.on('error', () => undefined); // it exits before it has read everything
    child.stdin.write(`>a\n${'ACGT'.repeat(100_000)}\n`);
    while (left().length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
    child.kill('SIGINT');
    const signal = await new Promise((resolve) => child.once('exit', (_, name) => resolve(name)));
    expect(signal).toBe('SIGINT'); // which a shell reports as 130
    expect(left()).toEqual([]);
  });
});

/** A record that breaks a rule of FASTA. */
function damagedFasta({ name, sequence }: Record, random: Random): string {
  const text = fasta([{ name, sequence }], 50);
  const header = text.indexOf('\n') + 1;
  const at = random.integer(header, text.length - 2);
  return random.pick([
    `${text.slice(0, at)}?${text.slice(at)}`,
    `${text.slice(0, at)}\rA${text.slice(at)}`,
    `${text.slice(0, header)}> A${text.slice(header)}`.replace('\n> A', ' \0\n'),
  ]);
}

/** Qualities of all kinds, including those that begin with '@' or '+'. */
function fastqOfAts({ name, sequence }: Record, random: Random): string {
  const codes = Array.from({ length: sequence.length }, (_, at) => random.pick([...(at === 0 ? '@+>I' : '@+>IA!~')])).join('');
  return `@${name}\n${sequence}\n+${random.pick(['', name])}\n${codes}\n`;
}

/** A record of four lines, or fewer, that breaks a rule of FASTQ. */
function damagedFastq(record: Record, random: Random): string {
  const lines = fastqOfAts(record, random).split('\n').slice(0, 4) as [string, string, string, string];
  const [header, bases, plus, codes] = lines;
  return `${random
    .pick([
      [header, bases, plus, `${codes}I`],
      [header, `${bases}?`, plus, codes],
      [header, bases, '+x', codes],
      [header, `${bases}A`, plus, codes],
      [header, bases, plus],
    ])
    .join('\n')}\n`;
}

describe('crayon dna validate', () => {
  it('counts', () => {
    put('a.fa', '>one\nACGTacgtN\nnRy\n>two\n\n>three\nAAU*-.\n');
    const { status, stdout, stderr } = crayon(['validate', 'a.fa', '--json']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const counts = { A: 4, C: 2, G: 2, T: 2, N: 2, iupac: 2, other: 4 };
    const facts = {
      file: 'a.fa',
      format: 'FASTA',
      records: 3,
      bases: 18,
      counts,
      lowerCase: 6,
      shortest: 0,
      longest: 12,
      damagedRecords: 0,
      damaged: [],
    };
    expect(JSON.parse(stdout)).toEqual({ files: [facts] });
    expect(crayon(['validate', 'a.fa']).stdout).toBe(
      'a.fa: FASTA, 3 records, 18 bases, 0 to 12 in each\n  A 4, C 2, G 2, T 2, N 2, iupac 2, other 4, lower case 6\n',
    );
  });

  it("counts like a naive loop, and counts the model's ids", () => {
    const random = new Random(SEED + 3);
    const records = randomRecords(random, sample(200, 20), 400);
    put('a.fq', fastq(records));
    const text = records.map(({ sequence }) => sequence).join('');
    const { stdout } = crayon(['validate', 'a.fq', '-m', 'nt-v2', '--json']);
    const [facts] = JSON.parse(stdout).files;
    const lengths = records.map(({ sequence }) => sequence.length);
    expect(facts).toMatchObject({
      format: 'FASTQ',
      records: records.length,
      bases: text.length,
      rejectedRecords: 0,
      rejected: [],
      unknown: 0,
    });
    expect([facts.shortest, facts.longest]).toEqual([Math.min(...lengths), Math.max(...lengths)]);
    for (const letter of 'ACGTN') expect(facts.counts[letter]).toBe(text.split(letter).length - 1);
    expect(facts.ids).toBe(records.reduce((sum, { sequence }) => sum + idsOf(MODELS['nt-v2']!, sequence).length, 0));
  });

  it('lists records that the model rejects, and continues', () => {
    put('a.fa', '>one\nACGTa\n>two\nRACGTr\n>three\nACGT\n');
    put('b.fa', '>four\nACGN\n');
    const { status, stdout, stderr } = crayon(['validate', 'a.fa', 'b.fa', '-m', 'nt-v3', '--n', 'reject']);
    expect(status).toBe(1);
    expect(stderr.split('\n')).toEqual([
      'crayon: a.fa: record 1 ("one") has "a" at base 5, for which nt-v3 has no id (--lower-case normalize makes it upper case)',
      'crayon: a.fa: record 2 ("two") has "R" at base 1, for which nt-v3 has no id, nor for N',
      'crayon: b.fa: record 1 ("four") has "N" at base 4, for which nt-v3 has no id',
      '',
    ]);
    expect(stdout).toContain('2 records rejected\n');
    const { files } = JSON.parse(crayon(['validate', 'a.fa', '-m', 'nt-v3', '--json']).stdout);
    expect(files[0].rejected.map(({ record, name, base }: Record & { base: number; record: number }) => [record, name, base])).toEqual([
      [1, 'one', 5],
      [2, 'two', 1],
    ]);
    expect(crayon(['validate', 'a.fa', '-m', 'hyenadna']).stdout).toContain('of which 3 are the unknown id; 0 records rejected');
  });

  it('lists a hundred rejected records, and counts the rest', () => {
    put('a.fa', '>r\nAx\n'.repeat(250));
    const { status, stdout, stderr } = crayon(['validate', 'a.fa', '-m', 'nt-v3', '--json']);
    expect(status).toBe(1);
    expect(stderr.split('\n')).toHaveLength(102);
    expect(stderr).toContain('crayon: a.fa: 150 more records have bases that nt-v3 rejects\n');
    expect(JSON.parse(stdout).files[0].rejectedRecords).toBe(250);
  });

  it('lists damaged files, with the record and the byte', () => {
    put('a.fa', '>one\nACGT\n>two\nAC1T\n');
    put('b.fq', '@r\nACGT\n+\nIII\n@s\nA\n+\nI\n');
    put('c.fa', '>ok\nACGT\n');
    const { status, stdout, stderr } = crayon(['validate', 'a.fa', 'b.fq', 'c.fa', 'missing.fa', '--json']);
    expect(status).toBe(1);
    const [a, b, c, missing] = stderr.split('\n');
    expect(a).toBe('crayon: a.fa: record 2 ("two") has a byte in its sequence that is none of letters, *, - and ., at byte 17 of the file');
    expect(b).toContain('crayon: b.fq: record 1 ("r") has fewer qualities than bases, at byte ');
    expect([c, missing]).toEqual(['crayon: missing.fa: no such file', '']);
    const { files } = JSON.parse(stdout);
    expect(files.map(({ error }: { error?: string }) => error !== undefined)).toEqual([false, false, false, true]);
    expect(files.map(({ records }: { records: number }) => records)).toEqual([1, 1, 1, 0]);
    expect(files[1].damaged).toEqual([{ record: 1, name: 'r', byte: 13, message: expect.stringContaining('at byte 13 of the file') }]);
    expect(crayon(['validate', 'a.fa']).stdout).toBe(
      'a.fa: FASTA, 1 record, 4 bases, 4 to 4 in each\n  A 1, C 1, G 1, T 1, N 0\n  1 record damaged\n',
    );
  });

  it('names every damaged record, and checks all others', () => {
    const random = new Random(SEED, 11);
    for (let round = 0; round < sample(12, 3); round++) {
      const records = randomRecords(random, 40, 200).map((record) => ({ ...record, sequence: `A${record.sequence}` }));
      const bad = new Set(Array.from({ length: random.integer(1, 8) }, () => random.integer(0, records.length - 1)));
      const texts = {
        'r.fa': records.map((record, index) => (bad.has(index) ? damagedFasta(record, random) : fasta([record], 50))).join(''),
        'r.fq': records.map((record, index) => (bad.has(index) ? damagedFastq(record, random) : fastqOfAts(record, random))).join(''),
      };
      for (const [name, text] of Object.entries(texts)) {
        put(name, text);
        const { status, stdout, stderr } = crayon(['validate', name, '-m', 'evo2', '--json']);
        const [facts] = JSON.parse(stdout).files;
        // Text after the last FASTQ record cannot be told from it, and two damaged records in a row may be taken for one.
        const all = facts.damaged.map((damage: { name: string }) => damage.name);
        expect(
          all.every((each: string) => bad.has(Number(each.slice(3)))),
          `${name}: ${all}`,
        ).toBe(true);
        if (name === 'r.fa') expect(all).toEqual([...bad].sort((a, b) => a - b).map((index) => `seq${index}`));
        expect(facts.records, `${name} of round ${round}`).toBe(records.length - bad.size);
        expect(status).toBe(1);
        expect(stderr).toContain(`crayon: ${name}: record `);
      }
    }
  });

  it('continues in large files, at any offset of a chunk', () => {
    const random = new Random(SEED, 12);
    const good = (name: string, length: number) => ({ name, sequence: Array.from({ length }, () => random.pick([...'ACGT'])).join('') });
    const records = [good('seq0', 700_000), good('seq1', 900_000), good('seq2', 5_000_000), good('seq3', 10), good('seq4', 2_500_000)];
    put('r.fa', records.map((record, index) => (index % 2 ? `>${record.name}\n${record.sequence}?\n` : fasta([record]))).join(''));
    const bad = ({ name, sequence }: Record) => `@${name}\n${sequence}\n+\n${'@'.repeat(sequence.length - 1)}\n`;
    put('r.fq', records.map((record, index) => (index % 2 ? bad(record) : fastq([record]))).join(''));
    for (const name of ['r.fa', 'r.fq']) {
      const [facts] = JSON.parse(crayon(['validate', name, '--json']).stdout).files;
      const isLong = name === 'r.fq'; // a record with lines of more than 4 MiB is never certain
      expect([facts.records, facts.damaged.map((damage: { name: string }) => damage.name)]).toEqual([
        isLong ? 2 : 3,
        isLong ? ['seq1'] : ['seq1', 'seq3'],
      ]);
    }
  });

  it('reports where FASTQ becomes ambiguous', () => {
    put('a.fq', '@a\nAC\nGT\n+\nII\nII\n@b\nA\n+\nIII\n@c\nAC\nGT\n+\nII\nII\n');
    const { status, stdout, stderr } = crayon(['validate', 'a.fq', '--json']);
    expect(status).toBe(1);
    expect(stderr).toBe(
      'crayon: a.fq: record 2 ("b") has more qualities than bases, at byte 25 of the file\n' +
        'crayon: a.fq: the rest of the file, from byte 25, could not be checked: no record in it is certain\n',
    );
    expect(JSON.parse(stdout).files[0]).toMatchObject({ records: 1, damagedRecords: 1, error: expect.stringContaining('from byte 25') });
  });

  it('lists a hundred damaged records, and counts the rest', () => {
    put('a.fa', '>r\nA?\n'.repeat(101) + '>s\nA\n');
    const { status, stdout, stderr } = crayon(['validate', 'a.fa', '--json']);
    expect(status).toBe(1);
    expect(stderr.split('\n')).toHaveLength(102);
    expect(stderr).toContain('crayon: a.fa: 1 more record is damaged\n');
    expect(JSON.parse(stdout).files[0]).toMatchObject({ records: 1, damagedRecords: 101 });
  });
});

describe('crayon dna list-models', () => {
  it('shows the rules of each model', () => {
    const { models } = JSON.parse(crayon(['list-models', '--json']).stdout);
    const sizes: { [name: string]: number } = {
      hyenadna: 12,
      caduceus: 12,
      'nt-v1': 4107,
      'nt-v2': 4107,
      'nt-v3': 11,
      gpn: 7,
      evo2: 512,
      dnabert2: 4096,
    };
    expect(models.map(({ name }: Record) => name).sort()).toEqual(Object.keys(sizes).sort());
    for (const model of models) {
      expect(model.vocabularySize, model.name).toBe(sizes[model.name]);
      const rules = MODELS[model.name];
      if (!rules) continue;
      for (const base of 'ACGTN') expect(model.bases[base], model.name).toBe(rules.ids[base] ?? rules.unknown);
      expect([model.k, model.padId, model.unknownId, model.side]).toEqual([rules.k ?? 1, rules.pad, rules.unknown, rules.side ?? 'right']);
    }
    const { stdout } = crayon(['list-models']);
    expect(stdout).toMatch(/^hyenadna +byte +1 +12 +left +A 7 +C 8 +G 9 +T 10 +N 11 +\[CLS\] 0 .*\[UNK\] 6$/m);
    expect(stdout).toMatch(/^nt-v2 +kmer +6 +4,107 +right +A 4102 /m);
  });
});

describe('crayon dna info', () => {
  it('shows what is installed', () => {
    const facts = JSON.parse(crayon(['info', '--json']).stdout);
    expect(facts).toMatchObject({
      backend: 'native',
      backends: expect.arrayContaining(['native']),
      kernels: expect.arrayContaining(['scalar']),
    });
    expect(crayon(['info']).stdout).toMatch(/^version: .*\nbackend: native\n/);
  });

  it('shows a vocabulary with its policies', () => {
    const of = (...args: string[]) => JSON.parse(crayon(['info', '--json', ...args]).stdout);
    expect(of('caduceus').policies).toEqual({ lowerCase: 'normalize', ambiguous: 'keep', n: 'keep' });
    expect(of('nt-v2')).toMatchObject({
      unit: 'kmer',
      k: 6,
      prefix: ['<cls>'],
      policies: { lowerCase: 'reject', ambiguous: 'reject', n: 'keep', tail: 'single' },
    });
    const policies = { lowerCase: 'normalize', ambiguous: 'normalize', n: 'keep', tail: 'pad' };
    const given = ['--lower-case', 'normalize', '--ambiguous', 'normalize', '--tail', 'pad'];
    expect(of('nt-v2', ...given)).toMatchObject({ bases: { A: 4102, N: 4106 }, policies });
    expect(of('nt-v2', '--tail', 'drop', '--n', 'reject').policies).toMatchObject({ n: 'reject', tail: 'drop' });
  });
});

describe('crayon dna demo', () => {
  it('shows each model', () => {
    const { sequence, reverseComplement, models } = JSON.parse(crayon(['demo', '--json']).stdout);
    expect(reverseComplement).toBe(complementNaively(sequence));
    expect(models.map(({ model }: { model: string }) => model)).toEqual(Object.keys(MODELS));
    for (const { model, ids, tokens, decoded, withSpecialTokens } of models) {
      const rules = MODELS[model]!;
      expect(ids).toEqual(idsOf(rules, sequence));
      expect(withSpecialTokens).toEqual([...(rules.before ?? []), ...ids, ...(rules.after ?? [])]);
      expect([tokens.join(''), decoded]).toEqual(Array(2).fill(rules.ids.N === undefined ? sequence.replaceAll('N', '[UNK]') : sequence));
    }
    const { stdout } = crayon(['demo']);
    for (const { model } of models) expect(stdout).toContain(`\n${model}: `);
  });
});

describe('crayon dna bench', () => {
  it.each(['hyenadna', 'nt-v2'])('measures each grid and type: %s', (model) => {
    const { status, stdout } = crayon(['bench', '--seconds', '0.01', '-m', model, '--json']);
    expect(status).toBe(0);
    const facts = JSON.parse(stdout);
    expect(facts).toMatchObject({ model, backend: 'native' });
    const types = model === 'nt-v2' ? ['uint16', 'int32', 'int64'] : Object.keys(DTYPES);
    const shapes = ['4096 512', '8192 512', '2048 2048'];
    const all = facts.results.map(({ rows, bases, type }: { rows: number; bases: number; type: string }) => `${type} ${rows} ${bases}`);
    expect(all).toEqual(types.flatMap((type) => shapes.map((shape) => `${type} ${shape}`)));
    for (const { crayon, javascript, rounds } of facts.results) {
      expect(Math.min(crayon, javascript)).toBeGreaterThan(0);
      expect(rounds).toBeGreaterThanOrEqual(5);
    }
  });

  it('shows a table', () => {
    const { stdout } = crayon(['bench', '--seconds', '0.01', '-m', 'evo2']);
    expect(stdout).toMatch(/^4,096 × 512 +uint8 +[\d.]+ G\/s +[\d.]+ G\/s +[\d.]+×$/m);
  });
});
