// `crayon dna encode` and `validate` with letters that a model does not know or rejects: counts, messages and skipped
// records.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';
import { crayon as run } from './command.js';
import { dnaTokenizerJson } from './dna-bpe.js';
import { fasta, idsOf, NONE_UNKNOWN, randomRecords, windowsOf } from './dna-files.js';
import { lettersBy, MODELS, type NaiveRules } from './naive-dna.js';

const SEED = 20261123;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crayon-test-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
});

const crayon = (args: string[]) => run(['dna', ...args], folder, '', {});
const put = (name: string, content: string) => writeFileSync(join(folder, name), content);
const get = (name: string) => readFileSync(join(folder, name));
const left = () => readdirSync(folder).sort();

describe('crayon dna encode', () => {
  it('omits rejected records with --skip-damaged, and writes the rest as if they were absent', () => {
    const random = new Random(SEED, 15);
    const long = (name: string, length: number) => ({ name, sequence: Array.from({ length }, () => random.pick([...'ACGT'])).join('') });
    const rounds = [
      ...Array.from({ length: sample(6, 2) }, () =>
        randomRecords(random, 30, 200).map((record) => ({ ...record, sequence: `A${record.sequence}C` })),
      ),
      // Parts of it are written before the rejection.
      [7, 400_000, 300_000, 5, 350_000, 9].map((length, index) => long(`seq${index}`, length)),
    ];
    const outputs = [
      [],
      ['--json'],
      ['-o', 'out.raw', '--special-tokens', '-t', 'int64'],
      ['-o', 'out.raw', '--reverse-complement'],
      ['-o', 'out.npy', '--length', '70', '--truncate', '--mask', 'mask.npy', '--names', 'out.names'],
      ['-o', 'out.npy', '--window', '9', '--length', '9', '--stride', '7', '--mask', 'mask.npy', '--names', 'out.names', '-t', 'uint16'],
    ];
    // A model that rejects a letter, one that does not know it, RNA, and a letter without another id.
    const kinds = [
      { model: 'nt-v2', letter: 'a', options: [], why: 'for which nt-v2 has no id (--lower-case normalize makes it upper case)' },
      {
        model: 'hyenadna',
        letter: 'R',
        options: ['--unknown', 'reject'],
        why: 'for which hyenadna has only the unknown id (--ambiguous normalize makes it N)',
      },
      { model: 'hyenadna', letter: 'U', options: [], why: 'a base of RNA (--rna normalize makes it T)' },
    ];
    for (const [round, records] of rounds.entries()) {
      const isLast = round === rounds.length - 1;
      const bad = isLast
        ? new Set([1, 4])
        : new Set(Array.from({ length: random.integer(1, 6) }, () => random.integer(0, records.length - 1)));
      const good = records.filter((_, index) => !bad.has(index));
      const { model, letter, options, why } = kinds[round % kinds.length]!;
      const positions = new Map(
        [...bad].map((index) => [index, isLast ? 300_000 : random.integer(0, Math.min(60, records[index]!.sequence.length - 2))]),
      );
      const spoiled = records.map(({ name, sequence }, index) => {
        const at = positions.get(index);
        return { name, sequence: at === undefined ? sequence : `${sequence.slice(0, at)}${letter}${sequence.slice(at + 1)}` };
      });
      for (const output of outputs) {
        if (isLast && output.includes('--truncate')) continue; // the base lies beyond what a row shows
        const run = (content: string, more: string[]) => {
          put('r.fa', content);
          const { status, stdout, stderr } = crayon(['encode', 'r.fa', '-m', model, ...output, ...more]);
          const written = left()
            .filter((each) => /^(?:out|mask)/.test(each))
            .map((each) => [each, get(each).toString('latin1')]);
          for (const [each] of written) rmSync(join(folder, each!));
          return { status, stdout, stderr, written };
        };
        const what = `${output.join(' ')} with ${model}, round ${round}`;
        const expected = run(fasta(good, 50), []);
        expect(expected.status, expected.stderr).toBe(0);
        const { status, stdout, stderr, written } = run(fasta(spoiled, 50), [...options, '--skip-damaged']);
        expect(status, `${what}: ${stderr}`).toBe(1);
        const numbers = [...bad].sort((a, b) => a - b);
        // On the other strand a long record is cut elsewhere, so only its last letter has its own position.
        const lines = numbers.map(
          (index) => `crayon: r.fa: record ${index + 1} ("seq${index}") has "${letter}" at base ${positions.get(index)! + 1}, ${why}`,
        );
        expect(stderr.trimEnd().split('\n'), what).toEqual(lines);
        expect(written.map(([each]) => each)).toEqual(expected.written.map(([each]) => each));
        for (const [index, [each, content]] of written.entries())
          expect(content === expected.written[index]![1], `${each}, ${what}`).toBe(true);
        const ending = `; ${numbers.length} rejected record${numbers.length === 1 ? '' : 's'} left out`;
        if (output[0] === '--json') {
          const [facts] = JSON.parse(stdout).files;
          expect(facts.records).toEqual(JSON.parse(expected.stdout).files[0].records);
          expect(facts).toMatchObject({ damagedRecords: 0, rejectedRecords: numbers.length, ...NONE_UNKNOWN });
        } else {
          expect(stdout).toBe(output[0] === '-o' ? expected.stdout.replace('\n', `${ending}\n`) : expected.stdout);
        }
      }
    }
  });

  describe('unknown ids', () => {
    const OUTPUTS = [
      ['--json'],
      ['-o', 'x.raw', '--json'],
      ['-o', 'x.raw', '--json', '--special-tokens', '--reverse-complement'],
      ['-o', 'x.npy', '--length', '40', '--json', '--special-tokens'],
      ['-o', 'x.npy', '--window', '3', '--json'],
    ];
    const factsIn = (stdout: string) => {
      const facts = JSON.parse(stdout);
      return facts.files?.[0] ?? facts;
    };

    it('are counted, and explained on standard error', () => {
      put('a.fa', '>one\nACgtNRyAC\n>two\nACGT\n>three\naXG-\n');
      const message =
        'crayon: a.fa: 7 of 17 ids (41.2%) are unknown ([UNK]): hyenadna has no id for "-" and "X", nor for "R" (--ambiguous normalize makes it N), ' +
        'nor for "a", "g" and "t" (--lower-case normalize makes them upper case), nor for "y" (--lower-case normalize and --ambiguous normalize make it N)\n';
      for (const output of [...OUTPUTS.filter((each) => !each.includes('--reverse-complement')), []]) {
        const { status, stdout, stderr } = crayon(['encode', 'a.fa', ...output]);
        expect({ status, stderr }, output.join(' ')).toEqual({ status: 0, stderr: message });
        if (output.length > 0) expect(factsIn(stdout), output.join(' ')).toMatchObject({ unknown: 7, unknownShare: 7 / 17 });
      }
      expect(crayon(['encode', 'a.fa', '--unknown', 'keep']).stderr).toBe(message);
      // If options give every letter an id, there is nothing to report.
      put('b.fa', '>one\nACgtNRyAC\n');
      expect(crayon(['encode', 'b.fa', '--lower-case', 'normalize', '--ambiguous', 'normalize'])).toMatchObject({
        status: 0,
        stderr: '',
        stdout: '7 8 9 10 11 11 11 7 8\n',
      });
      expect(crayon(['encode', 'b.fa', '-m', 'caduceus']).stderr).toBe(
        'crayon: b.fa: 2 of 9 ids (22.2%) are unknown ([UNK]): caduceus has no id for "R" and "y" (--ambiguous normalize makes them N)\n',
      );
    });

    it('equal the ids of a naive encoder, in windows and whole records, for every unit', () => {
      const random = new Random(SEED, 16);
      put('tokenizer.json', JSON.stringify(dnaTokenizerJson()));
      for (let round = 0; round < sample(24, 4); round++) {
        const model = random.pick(['hyenadna', 'caduceus', 'nt-v1', 'nt-v3']);
        const rules: NaiveRules = { ...MODELS[model]!, letters: lettersBy({}) };
        const records = randomRecords(random, 6, 100).map(({ name, sequence }) => ({
          name,
          sequence: `A${sequence.replace(/G/g, () => random.pick([...'GGGGGgRX']))}A`,
        }));
        put('a.fa', fasta(records));
        const isWindowed = random.chance(0.5);
        const rows = isWindowed ? records.flatMap((record) => windowsOf(record, 20, 20)) : records;
        const isMatrix = random.chance(0.7) || isWindowed;
        const columns = isMatrix ? 15 : 1000;
        const ids = rows.flatMap(({ sequence }) => idsOf(rules, sequence).slice(0, columns));
        const unknown = ids.filter((id) => id === rules.unknown).length;
        const matrix = ['-o', 'x.npy', '--length', `${columns}`, '--truncate', '--json', ...(isWindowed ? ['--window', '20'] : [])];
        const { status, stdout, stderr } = crayon([
          'encode',
          'a.fa',
          '-m',
          model,
          '--lower-case',
          'keep',
          '--ambiguous',
          'keep',
          ...(isMatrix ? matrix : ['--json']),
        ]);
        expect({ status, error: unknown > 0 }).toEqual({ status: 0, error: stderr !== '' });
        expect(factsIn(stdout), `round ${round}, ${model}`).toMatchObject({ unknown, unknownShare: unknown / ids.length });
      }
      put('a.fa', '>a\nACNNGTACGT\n>b\nNACNTTTT\n');
      for (const output of OUTPUTS.slice(0, 3)) {
        const { stdout, stderr } = crayon(['encode', 'a.fa', '-m', 'dnabert2', '--tokenizer-json', 'tokenizer.json', ...output]);
        expect(factsIn(stdout).unknown).toBe(4);
        expect(stderr).toMatch(/^crayon: a\.fa: 4 of \d+ ids \(.*%\) are unknown \(\[UNK\]\): dnabert2 has no id for "N"\n$/);
      }
    });

    it('count once per word, even if its letters arrive in many parts', () => {
      const letters = `${'x'.repeat(150_000)}${'y'.repeat(150_000)}`;
      put('a.fa', `>one\nACGTAC${letters}ACGTAC\n>two\nACGT\n`);
      const keep = ['encode', 'a.fa', '-m', 'nt-v2', '--lower-case', 'keep', '--ambiguous', 'keep'];
      const why = 'nt-v2 has no id for "x", nor for "y" (--lower-case normalize and --ambiguous normalize make it N)';
      for (const output of [[], ['-o', 'x.npy', '--length', '5'], ['-o', 'x.npy', '--length', '3', '--truncate']]) {
        const { status, stderr } = crayon([...keep, ...output]);
        const share = output.includes('--truncate') ? '1 of 6 ids (16.7%)' : '1 of 7 ids (14.3%)';
        expect({ status, stderr }, output.join(' ')).toEqual({ status: 0, stderr: `crayon: a.fa: ${share} are unknown (<unk>): ${why}\n` });
      }
      expect(crayon(keep).stdout).toBe('728 0 728\n4102 4104 4105 4103\n');
      const message = 'crayon: a.fa: record 1 ("one") has "x" at base 7, for which nt-v2 has only the unknown id, and it is not a base\n';
      expect(crayon([...keep, '--unknown', 'reject'])).toMatchObject({ status: 1, stderr: message });
    });

    it('stop the command with --unknown reject', () => {
      put('a.fa', '>one\nACGT\n>two\nACgR\n');
      const message =
        'crayon: a.fa: record 2 ("two") has "g" at base 3, for which hyenadna has only the unknown id (--lower-case normalize makes it upper case)\n';
      for (const output of OUTPUTS) {
        const isReversed = output.includes('--reverse-complement');
        const expected = isReversed
          ? message
              .replace('"g" at base 3', '"R" at base 4')
              .replace('--lower-case normalize makes it upper case', '--ambiguous normalize makes it N')
          : message;
        const { status, stderr } = crayon(['encode', 'a.fa', '--unknown', 'reject', ...output]);
        expect({ status, stderr }, output.join(' ')).toEqual({ status: 1, stderr: expected });
        expect(left().filter((name) => name.startsWith('x'))).toEqual([]);
      }
      expect(crayon(['encode', 'a.fa', '--unknown', 'reject', '--lower-case', 'normalize', '--ambiguous', 'normalize']).status).toBe(0);
    });

    it('are an error in a record that has no others', () => {
      put('a.fa', '>one\nACGT\n>two\nacgtac\n>three\n\n');
      const message =
        'crayon: a.fa: record 2 ("two") would become nothing but unknown ids: hyenadna has no id for "a", "c", "g" and "t" (--lower-case normalize makes them upper case)\n';
      for (const output of OUTPUTS) {
        const { status, stderr } = crayon(['encode', 'a.fa', ...output]);
        expect({ status, stderr }, output.join(' ')).toEqual({ status: 1, stderr: message });
        const skipping = crayon(['encode', 'a.fa', '--skip-damaged', ...output]);
        expect({ status: skipping.status, stderr: skipping.stderr }).toEqual({ status: 1, stderr: message });
        expect(factsIn(skipping.stdout)).toMatchObject({ rejectedRecords: 1, ...NONE_UNKNOWN });
        for (const name of left().filter((name) => name.startsWith('x'))) rmSync(join(folder, name));
      }
    });
  });

  it('rejects RNA, or reads it as DNA', () => {
    put('a.fa', '>one\nACGT\n>two\nACGu\nUA\n');
    put('b.fa', '>one\nACGT\n>two\nACGt\nTA\n');
    for (const model of ['hyenadna', 'evo2']) {
      for (const output of [[], ['-o', 'x.npy', '--length', '9']]) {
        const { status, stderr } = crayon(['encode', 'a.fa', '-m', model, ...output]);
        expect({ status, stderr }).toEqual({
          status: 1,
          stderr: 'crayon: a.fa: record 2 ("two") has "u" at base 4, a base of RNA (--rna normalize makes it T)\n',
        });
      }
      const [rna, dna] = ['a.fa', 'b.fa'].map((file) =>
        crayon(['encode', file, '-m', model, '--rna', 'normalize', '--lower-case', 'normalize', '--reverse-complement']),
      );
      expect(rna).toEqual(dna);
    }
    const sequence = 'ACGU'.repeat(100_000);
    put('long.fa', `>long\n${sequence}\n`);
    const { stdout, status } = crayon(['encode', 'long.fa', '--rna', 'normalize']);
    expect(status).toBe(0);
    expect(stdout === `${idsOf(MODELS.hyenadna!, sequence.replaceAll('U', 'T')).join(' ')}\n`).toBe(true);
  });
});

describe('crayon dna validate', () => {
  it('fails where encode with the same options would write unknown ids', () => {
    put('a.fa', '>one\nACGTRa\n>two\nACGU\n');
    const explained = 'are unknown ([UNK]): hyenadna has no id for "R" (--ambiguous normalize makes it N)';
    const cases: [string[], number, string][] = [
      [[], 1, 'record 2 ("two") has "U" at base 4, a base of RNA (--rna normalize makes it T)'],
      [['--rna', 'normalize', '--lower-case', 'normalize'], 1, `1 of 10 ids (10%) ${explained}`],
      [['--rna', 'normalize', '--lower-case', 'normalize', '--unknown', 'keep'], 1, `1 of 10 ids (10%) ${explained}`],
      [
        ['--rna', 'normalize', '--lower-case', 'normalize', '--unknown', 'reject'],
        1,
        'record 1 ("one") has "R" at base 5, for which hyenadna has only the unknown id (--ambiguous normalize makes it N)',
      ],
      [['--rna', 'normalize', '--lower-case', 'normalize', '--ambiguous', 'normalize'], 0, ''],
    ];
    for (const [options, status, message] of cases) {
      const checked = crayon(['validate', 'a.fa', '-m', 'hyenadna', ...options]);
      expect(checked.status, options.join(' ')).toBe(status);
      expect(checked.stderr).toContain(message);
      const { status: encoded, stderr } = crayon(['encode', 'a.fa', '-m', 'hyenadna', ...options]);
      expect(encoded === 1 || stderr !== '').toBe(status === 1);
      expect(stderr).toContain(message);
    }
    const { files } = JSON.parse(crayon(['validate', 'a.fa', '-m', 'hyenadna', '--rna', 'normalize', '--json']).stdout);
    expect(files[0]).toMatchObject({ ids: 10, unknown: 2, unknownShare: 0.2, rejectedRecords: 0 });
  });
});
