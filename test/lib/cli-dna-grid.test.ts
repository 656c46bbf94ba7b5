// `crayon dna bench grid`, `audit` and `aggregate`: ids by the naive rules, on the CPU and on the emulated device; files that
// an interrupt, a crash or another program left; ratios computed by hand.

import { createHash } from 'node:crypto';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';
import { cli, crayon as run, plainEnvironment } from './command.js';
import { file as inProject, PLUGIN } from './device-texts.js';
import { idsOf } from './dna-files.js';
import { itEmulated } from './hardware.js';
import { MODELS } from './naive-dna.js';

const SEED = 20261129;
const ROWS = 64;
const BASES = 128;

interface Outcome {
  model: string;
  rows: number;
  bases: number;
  to: string;
  from: string;
  type: string;
  ahead?: number;
  seconds: number[];
  ids: string;
}

let folder: string;
/** A whole file of the CPU. */
let whole: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crayon-test-'));
  const made = grid('whole.jsonl');
  expect(made).toMatchObject({ status: 0, stdout: 'whole.jsonl: 16 configurations, 0 of them measured before\n', stderr: '' });
  whole = get('whole.jsonl');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const bench = (...args: string[]) => run(['dna', 'bench', ...args], folder);
const grid = (name: string) => bench('grid', '--quick', '--device', 'cpu', name);
const put = (name: string, content: string | Uint8Array) => writeFileSync(join(folder, name), content);
const get = (name: string) => readFileSync(join(folder, name), 'utf8');
const outcomesIn = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line) as Outcome);
/** The file with its outcomes changed. */
const changed = (change: (outcomes: Outcome[]) => Outcome[]) =>
  [whole.slice(0, whole.indexOf('\n')), ...change(outcomesIn(whole)).map((outcome) => JSON.stringify(outcome))]
    .map((line) => `${line}\n`)
    .join('');
const nameOf = ({ model, rows, bases, from, to, type, ahead }: Outcome) =>
  [model, `${rows} × ${bases}`, from, `to ${to}`, type, ...(ahead === undefined ? [] : [`ahead ${ahead}`])].join(', ');

/** The digest of the ids that the naive rules give the sequences, of a linear congruential generator. */
function digestNaively({ model, type, ahead }: Outcome): string {
  let state = 42;
  const ids = Array.from({ length: ROWS }, () => {
    const letters = Array.from({ length: BASES }, () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return 'ACGT'[state >>> 30] as string;
    });
    return idsOf(MODELS[model]!, letters.join(''));
  }).flat();
  const bytes = new Uint8Array((type === 'int64' ? BigInt64Array.from(ids, BigInt) : Int32Array.from(ids)).buffer);
  const hash = createHash('sha256');
  for (let matrix = 0; matrix < (ahead === undefined ? 1 : 8); matrix++) hash.update(bytes);
  return hash.digest('hex');
}

describe('crayon dna bench grid', () => {
  it('measures every configuration once, with the ids of the naive rules', () => {
    const outcomes = outcomesIn(whole);
    expect(new Set(outcomes.map(nameOf)).size).toBe(2 * 2 * 4);
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ rows: ROWS, bases: BASES, to: 'cpu', ids: digestNaively(outcome) });
      expect(outcome.seconds).toHaveLength(2);
      expect(Math.min(...outcome.seconds)).toBeGreaterThan(0);
    }
    expect(JSON.parse(bench('audit', 'whole.jsonl', '--json').stdout)).toEqual({
      ...{ file: 'whole.jsonl', configurations: 16, measured: 16 },
      ...{ missing: [], repeated: [], differing: [] },
    });
  });

  it('does the same on the emulated device', () => {
    const setUp = `import { useEmulatedDevice } from '${pathToFileURL(inProject('dist/node/internals.js'))}'; useEmulatedDevice(${JSON.stringify(PLUGIN)});`;
    const args = [
      '--import',
      `data:text/javascript,${encodeURIComponent(setUp)}`,
      cli,
      'dna',
      'bench',
      'grid',
      '--quick',
      '--device',
      'emulated',
      'device.jsonl',
    ];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, env: plainEnvironment(), encoding: 'utf8' });
    expect({ status, stdout, stderr }).toEqual({
      status: 0,
      stdout: 'device.jsonl: 32 configurations, 0 of them measured before\n',
      stderr: '',
    });
    const outcomes = outcomesIn(get('device.jsonl'));
    expect(outcomes.filter(({ to }) => to === 'emulated')).toHaveLength(16);
    for (const outcome of outcomes) expect(outcome.ids, nameOf(outcome)).toBe(digestNaively(outcome));
    expect(bench('audit', 'device.jsonl')).toMatchObject({ status: 0, stderr: '' });
    expect(bench('aggregate', 'device.jsonl').stdout).toMatch(
      /^nt-v2, int64, to emulated +strings +bytes +ahead 0 +ahead 1\n64 × 128( +[\d.]+){4}$/m,
    );
  });

  it('goes on with what is missing, wherever the file ends', () => {
    const random = new Random(SEED);
    const first = whole.indexOf('\n') + 1;
    const cuts = [
      first - 1,
      first,
      whole.length - 1,
      ...Array.from({ length: sample(40, 6) }, () => random.integer(first, whole.length - 1)),
    ];
    for (const cut of cuts) {
      put('cut.jsonl', Buffer.from(whole).subarray(0, cut));
      const before = outcomesIn(whole).filter((outcome) =>
        Buffer.from(whole).subarray(0, cut).toString().split('\n').includes(JSON.stringify(outcome)),
      ).length;
      expect(grid('cut.jsonl'), `cut at ${cut}, seed ${SEED}`).toMatchObject({
        status: 0,
        stdout: `cut.jsonl: 16 configurations, ${before} of them measured before\n`,
        stderr: '',
      });
      expect(
        get('cut.jsonl').startsWith(
          whole
            .split('\n')
            .slice(0, 1 + before)
            .join('\n'),
        ),
      ).toBe(true);
      expect(bench('audit', 'cut.jsonl').status).toBe(0);
    }
  });

  it('does not trust a last line that is no outcome, though it has an end', () => {
    const last = outcomesIn(whole).at(-1)!;
    for (const bad of [
      '\0'.repeat(200),
      JSON.stringify({ ...last, seconds: [1] }),
      JSON.stringify({ ...last, ids: 'ab' }),
      JSON.stringify({ ...last, rows: 65 }),
    ]) {
      put('bad.jsonl', `${changed((outcomes) => outcomes.slice(0, -1))}${bad}\n`);
      expect(grid('bad.jsonl')).toMatchObject({ status: 0, stdout: 'bad.jsonl: 16 configurations, 15 of them measured before\n' });
      expect(bench('audit', 'bad.jsonl').status).toBe(0);
    }
  });

  it('leaves files alone that it cannot continue, and says why', () => {
    const files: [string, string][] = [
      ['ACGT\n', 'is not a file of "crayon dna bench grid"'],
      ['{"a":1}\n{"b":2}\n', 'is not a file of "crayon dna bench grid"'],
      ['{"formed', 'is not a file of "crayon dna bench grid"'],
      [
        whole.replace(/"node":"[^"]*"/, '"node":"1.2.3"'),
        `was measured with node "1.2.3", not "${process.versions.node}": name another file`,
      ],
      [
        whole.replace('"quick":true', '"quick":false').slice(0, whole.indexOf('\n') + 2),
        'was measured with quick false, not true: name another file',
      ],
    ];
    for (const [content, why] of files) {
      put('other.jsonl', content);
      expect(grid('other.jsonl')).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining(`crayon: other.jsonl: ${why}`) });
      expect(get('other.jsonl')).toBe(content);
    }
    for (const command of ['audit', 'aggregate']) {
      expect(bench(command, 'none.jsonl')).toMatchObject({
        status: 1,
        stderr: 'crayon: cannot read none.jsonl: no file exists at the path\n',
      });
      put('other.jsonl', 'ACGT\n');
      expect(bench(command, 'other.jsonl')).toMatchObject({
        status: 1,
        stderr: 'crayon: other.jsonl: is not a file of "crayon dna bench grid"\n',
      });
    }
    expect(bench('grid', '--quick', 'nowhere/x.jsonl')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('nowhere/x.jsonl: no such file'),
    });
    expect(bench('grid', '.').status).toBe(1);
  });

  it.skipIf(process.platform === 'win32')('keeps what it has measured when it is interrupted', async () => {
    const child = spawn(process.execPath, [cli, 'dna', 'bench', 'grid', '--device', 'cpu', 'long.jsonl'], { cwd: folder });
    const lines = () => (existsSync(join(folder, 'long.jsonl')) ? get('long.jsonl').split('\n').length : 0);
    while (lines() < 8) await new Promise((resolve) => setTimeout(resolve, 10));
    child.kill('SIGINT');
    expect(await new Promise((resolve) => child.once('exit', (_, name) => resolve(name)))).toBe('SIGINT');
    expect(get('long.jsonl').endsWith('\n')).toBe(true);
    const { missing, measured, differing } = JSON.parse(bench('audit', 'long.jsonl', '--json').stdout);
    expect([missing.length + measured, differing]).toEqual([192, []]);
  });

  itEmulated('needs the device that is named', () => {
    const { status, stderr } = bench('grid', '--quick', '--device', 'hip', 'hip.jsonl');
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining("'hip': there is no plugin of it") });
    expect(existsSync(join(folder, 'hip.jsonl'))).toBe(false);
  });

  it.each([
    [['grid'], "missing required argument 'FILE'"],
    [['grid', '--device', 'gpu', 'x.jsonl'], 'Expected auto, cpu, cuda or hip.'],
    [['grid', '--seconds', '1', 'x.jsonl'], "unknown option '--seconds'"],
    [['audit', 'x.jsonl', '--quick'], "unknown option '--quick'"],
    [['aggregate', 'x.jsonl', 'y.jsonl'], 'too many arguments'],
    [['guess'], "too many arguments for 'speed'"],
  ] as [string[], string][])('%j is wrong usage', (args, message) => {
    const { status, stdout, stderr } = bench(...args);
    expect({ status, stdout, stderr }).toEqual({ status: 2, stdout: '', stderr: expect.stringContaining(message) });
    expect(existsSync(join(folder, 'x.jsonl'))).toBe(false);
  });
});

describe('crayon dna bench audit', () => {
  it('names configurations that are missing, there twice, or have other ids', () => {
    const [one, other, wrong] = [1, 6, 11].map((index) => outcomesIn(whole)[index]!);
    put(
      'audited.jsonl',
      changed((outcomes) =>
        [...outcomes.filter((each) => nameOf(each) !== nameOf(one!)), other!].map((each) =>
          nameOf(each) === nameOf(wrong!) ? { ...each, ids: one!.ids } : each,
        ),
      ),
    );
    const { status, stdout, stderr } = bench('audit', 'audited.jsonl');
    const problems = [
      `${nameOf(one!)}: is missing`,
      `${nameOf(other!)}: is there more than once`,
      `${nameOf(wrong!)}: has other ids than a loop over the rows`,
    ];
    expect({ status, stdout, stderr }).toEqual({
      status: 1,
      stdout: '',
      stderr: problems.map((problem) => `crayon: audited.jsonl: ${problem}\n`).join(''),
    });
  });
});

describe('crayon dna bench aggregate', () => {
  /** int64 takes twice the time of int32, bytes half of strings, work ahead a quarter less; a third of that for nt-v2's int32. */
  const made = () =>
    changed((outcomes) =>
      outcomes.map((each) => {
        const { model, from, type, ahead } = each;
        const time =
          (type === 'int64' ? 2 : model === 'nt-v2' ? 1 / 3 : 1) *
          (from === 'bytes' ? 0.5 : 1) *
          (ahead === undefined ? 1 : ahead === 1 ? 6 : 8);
        return { ...each, seconds: [time * 1e-3, time * 1e-3] };
      }),
    );

  it('computes rates, the best of each model, and ratios of what differs in one choice', () => {
    put('aggregated.jsonl', made());
    const { configurations, measured, best, ratios, results } = JSON.parse(bench('aggregate', 'aggregated.jsonl', '--json').stdout);
    expect([configurations, measured, results.length]).toEqual([16, 16, 16]);
    const bases = ROWS * BASES;
    expect(best.map((each: Outcome & { rate: number }) => [each.model, each.from, each.type, each.ahead, Math.round(each.rate)])).toEqual([
      ['hyenadna', 'bytes', 'int32', 1, Math.round((8 * bases) / 0.003)],
      ['nt-v2', 'bytes', 'int32', 1, Math.round((8 * bases) / 0.001)],
    ]);
    const shown = Object.fromEntries(
      ratios.map(({ what, mean, least, greatest }: { [name: string]: number }) => [
        what,
        [mean, least, greatest].map((each) => Number(each!.toFixed(4))),
      ]),
    );
    const root = (value: number) => Number(Math.sqrt(value).toFixed(4));
    expect(shown).toEqual({
      'bytes / strings': [2, 2, 2],
      'int32 / int64': [root(12), 2, 6],
      'ahead 1 / ahead 0': [1.3333, 1.3333, 1.3333],
      'int32 ahead 0 / int64 ahead 0': [root(12), 2, 6],
      'int64 ahead 1 / int64 ahead 0': [1.3333, 1.3333, 1.3333],
      'int32 ahead 1 / int64 ahead 0': [root((12 * 16) / 9), 2.6667, 8],
    });
  });

  it('shows a table, also of a part of the grid', () => {
    put('aggregated.jsonl', made());
    const { stdout } = bench('aggregate', 'aggregated.jsonl');
    expect(stdout).toMatch(/^64 × 128 +0\.00819 +0\.0164 +0\.0164 +0\.0218$/m);
    expect(stdout).toMatch(/^int32 ahead 1 \/ int64 ahead 0 +cpu +4\.62 +2\.67 +8\.00$/m);
    put(
      'part.jsonl',
      changed((outcomes) => outcomes.slice(0, 3)),
    );
    const part = bench('aggregate', 'part.jsonl').stdout;
    expect(part).toContain('\npart.jsonl: 3 of 16 configurations; ');
    expect(part).toMatch(/^64 × 128( +[\d.]+){3} +-$/m);
    put(
      'part.jsonl',
      changed(() => []),
    );
    expect(bench('aggregate', 'part.jsonl')).toMatchObject({ status: 0, stdout: expect.stringContaining(': 0 of 16 configurations') });
  });
});
