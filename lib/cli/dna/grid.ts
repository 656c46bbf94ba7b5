// `crayon dna bench grid`: the configurations of DNATok's benchmark (github.com/eniktab/DNAtok), measured one after the other; `audit`,
// whether all have the right ids; `aggregate`, what their speeds say. The file has a line of JSON for what they are measured with, then
// one for each of them: an interrupted run goes on with those that are missing.

import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';

import { DnaTokenizer } from '../../dna.js';
import { readRegularFile } from '../../io/regular-file.js';
import { circumstances, inWords, median } from '../bench.js';
import { idsOf, loopOver, randomRows, tablesOf } from './dna-bench.js';
import { ID_TYPES, openModel } from './model.js';
import { counted, inThousands } from '../output/fields.js';
import { Progress, tellFailure, write } from '../output/terminal.js';
import { InputError, reasonFor, untilInterrupted } from '../command-errors.js';

const FORMAT = 'crayon dna bench grid 1';
const MODELS = ['hyenadna', 'nt-v2'] as const;
/** Rows, and bases of each: DNATok's three, then its sweeps over both. */
const SHAPES = [
  ...[
    [4096, 512],
    [8192, 512],
    [2048, 2048],
  ],
  ...[256, 512, 1024, 2048, 16_384].map((rows) => [rows, 512]),
  ...[128, 256, 1024, 4096].map((bases) => [2048, bases]),
] as [number, number][];
const QUICK: typeof SHAPES = [[64, 128]];
const TYPES = ['int32', 'int64'] as const;
/** Matrices of a stream. */
const STREAMED = 8;
/** The numbers of passes of DNATok, and of `--quick`. */
const PASSES = { warm: 3, timed: 5 };
const QUICK_PASSES = { warm: 0, timed: 2 };

/** One matrix of strings or of one block of bytes; or, with `ahead`, a stream of matrices made of rows of bytes. */
interface Configuration {
  model: (typeof MODELS)[number];
  rows: number;
  bases: number;
  /** Where the ids are needed: `'cpu'`, or the kind of a device, in whose memory they stay. */
  to: string;
  from: 'strings' | 'bytes';
  type: (typeof TYPES)[number];
  /** How many matrices are made while one is used. */
  ahead?: 0 | 1;
}

interface Outcome extends Configuration {
  /** The seconds of each timed pass. */
  seconds: number[];
  /** The sha256 of the ids in memory, of one matrix after the other. */
  ids: string;
}

/** What the configurations of a file are measured with. */
interface GridFacts extends ReturnType<typeof circumstances> {
  format: typeof FORMAT;
  /** The device besides the CPU, if any. */
  device: string | null;
  quick: boolean;
}

/** Every configuration, in an order that keeps configurations with the same sequences together. */
function configurationsOf({ device, quick }: Pick<GridFacts, 'device' | 'quick'>): Configuration[] {
  const places = device === null ? ['cpu'] : ['cpu', device];
  const ways = places.flatMap((to) =>
    TYPES.flatMap((type) => [
      ...(['strings', 'bytes'] as const).map((from) => ({ to, from, type })),
      ...([0, 1] as const).map((ahead) => ({ to, from: 'bytes' as const, type, ahead })),
    ]),
  );
  return MODELS.flatMap((model) =>
    (quick ? QUICK : SHAPES).flatMap(([rows, bases]) => ways.map((way) => ({ model, rows, bases, ...way }))),
  );
}

/** Names a configuration within a file. */
function keyOf({ model, rows, bases, to, from, type, ahead }: Configuration): string {
  return [model, `${rows} × ${bases}`, from, `to ${to}`, type, ...(ahead === undefined ? [] : [`ahead ${ahead}`])].join(', ');
}

function matricesOf({ ahead }: Configuration): number {
  return ahead === undefined ? 1 : STREAMED;
}

/** Bases per second. */
function rateOf(outcome: Outcome): number {
  return (matricesOf(outcome) * outcome.rows * outcome.bases) / median([...outcome.seconds]);
}

export interface GridOptions {
  device: string;
  quick?: boolean;
  progress: boolean;
  json?: boolean;
}

/** Measures what a file does not have yet. */
export async function measureGrid(file: string, options: GridOptions, version: string): Promise<boolean> {
  const facts = gridFacts(options, version);
  const all = configurationsOf(facts);
  const known = existsSync(file) ? readGrid(file) : { facts, outcomes: [] };
  for (const [name, value] of Object.entries(facts)) {
    const [is, was] = [value, known.facts[name as keyof GridFacts]].map((each) => JSON.stringify(each));
    if (is !== was) throw new InputError(`${file}: was measured with ${name} ${was}, not ${is}: name another file`);
  }
  const measuredBefore = new Set(known.outcomes.map(keyOf));
  const missing = all.filter((configuration) => !measuredBefore.has(keyOf(configuration)));
  const linesOf = (objects: readonly object[]) => objects.map((each) => `${JSON.stringify(each)}\n`).join('');
  change(file, () => writeFileSync(file, linesOf([facts, ...known.outcomes])));
  const progress = new Progress(missing.length, options.progress);
  await untilInterrupted(async (signal) => {
    let input: Input | undefined;
    try {
      for (const configuration of missing) {
        await setImmediate(); // signals arrive only between turns of the event loop
        signal.throwIfAborted();
        if (!input?.isFor(configuration)) {
          input?.dna.close();
          input = new Input(configuration);
        }
        const outcome = await measured(input, configuration, options.quick ? QUICK_PASSES : PASSES);
        change(file, () => appendFileSync(file, linesOf([outcome])));
        await progress.add(1);
      }
    } finally {
      input?.dna.close();
      progress.end();
    }
  });
  const before = all.length - missing.length;
  const words = `${file}: ${counted(all.length, 'configuration')}, ${before} of them measured before\n`;
  await write(options.json ? `${JSON.stringify({ file, configurations: all.length, measured: missing.length })}\n` : words);
  return true;
}

/** Throws for a device that cannot be used. */
function gridFacts({ device: named, quick = false }: GridOptions, version: string): GridFacts {
  using dna = DnaTokenizer.loadSync(MODELS[0]);
  const device = named !== 'auto' ? named : (dna.backend.devices.find((each) => each !== 'cpu') ?? 'cpu');
  const isDevice = device !== 'cpu';
  if (isDevice) dna.encodeBatch(['A'], { device: device as 'cuda', resident: true }).free();
  return { format: FORMAT, ...circumstances(dna.backend, version), device: isDevice ? device : null, quick };
}

function change(file: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    throw new InputError(`${file}: ${reasonFor(error)}`);
  }
}

const GRID_FILE = { noun: 'a grid', maxBytes: 2 ** 24 };

interface Grid {
  facts: GridFacts;
  outcomes: Outcome[];
}

/** Reads a file. Lines that are no outcomes of its grid, as after a crash, count as missing. Throws an InputError or a TokenizerError. */
function readGrid(file: string): Grid {
  const [facts, ...lines] = readRegularFile(file, GRID_FILE).toString().split('\n').map(objectIn) as [
    GridFacts | undefined,
    ...(Outcome | undefined)[],
  ];
  if (facts?.format !== FORMAT) throw new InputError(`${file}: is not a file of "crayon dna bench grid"`);
  const { timed } = facts.quick ? QUICK_PASSES : PASSES;
  const expected = new Set(configurationsOf(facts).map(keyOf));
  return {
    facts,
    outcomes: lines.filter((line) => line !== undefined && isOutcome(line, timed) && expected.has(keyOf(line))) as Outcome[],
  };
}

function objectIn(line: string): object | undefined {
  try {
    return Object(JSON.parse(line)) as object;
  } catch {
    return undefined;
  }
}

function isOutcome({ seconds, ids }: Partial<Outcome>, timed: number): boolean {
  if (!Array.isArray(seconds) || seconds.length !== timed || !seconds.every((each) => Number.isFinite(each) && each > 0)) return false;
  return typeof ids === 'string' && /^[\da-f]{64}$/.test(ids);
}

/** The sequences of configurations that have the same. */
class Input {
  readonly dna: DnaTokenizer;
  readonly block;
  readonly strings: string[];
  readonly columns: number;
  readonly #of: Configuration;

  constructor(configuration: Configuration) {
    const { model, rows, bases } = configuration;
    this.#of = configuration;
    this.dna = DnaTokenizer.loadSync(model);
    this.block = randomRows(rows, bases);
    this.strings = Array.from(this.rows(1), (row) => Buffer.from(row).toString('latin1'));
    this.columns = this.dna.count(this.strings[0] as string);
  }

  isFor({ model, rows, bases }: Configuration): boolean {
    return model === this.#of.model && rows === this.#of.rows && bases === this.#of.bases;
  }

  *rows(times: number): Generator<Uint8Array> {
    const { bytes, offsets } = this.block;
    for (let time = 0; time < times; time++) {
      for (let row = 1; row < offsets.length; row++) yield bytes.subarray(offsets[row - 1], offsets[row]);
    }
  }
}

type Matrix = { ids: ArrayBufferView } | { toHost(): { ids: ArrayBufferView }; free(): void };

/** The audit compares the ids of the first pass, which is not timed. */
async function measured(input: Input, configuration: Configuration, passes: typeof PASSES): Promise<Outcome> {
  const hash = createHash('sha256');
  const compare = (matrix: Matrix) => {
    const { buffer, byteOffset, byteLength } = ('free' in matrix ? matrix.toHost() : matrix).ids;
    hash.update(new Uint8Array(buffer, byteOffset, byteLength));
  };
  const pass = passOf(input, configuration);
  await pass(compare);
  const seconds: number[] = [];
  for (let turn = 0; turn < passes.warm + passes.timed; turn++) {
    const began = performance.now();
    await pass(() => undefined);
    if (turn >= passes.warm) seconds.push((performance.now() - began) / 1000);
  }
  return { ...configuration, seconds, ids: hash.digest('hex') };
}

/** Makes the matrices of a configuration; `use` gets each of them. */
function passOf(input: Input, { rows, to, from, type, ahead }: Configuration): (use: (matrix: Matrix) => void) => void | Promise<void> {
  const { dna, columns, block, strings } = input;
  // As in DNATok, the number of ids of a row is known. TypeScript gets the types of one kind of configuration for all kinds.
  const shape = {
    type: ID_TYPES[type] as 'int32',
    mask: 'none',
    length: columns,
    device: to as 'cuda',
    resident: (to !== 'cpu') as true,
  } as const;
  const used = (matrix: Matrix, use: (matrix: Matrix) => void) => {
    use(matrix);
    if ('free' in matrix) matrix.free();
  };
  if (ahead === undefined) {
    const out = to === 'cpu' ? { ids: idsOf(type, rows * columns) as Int32Array<ArrayBuffer> } : undefined;
    return (use) => used(dna.encodeBatch(from === 'strings' ? strings : block, { ...shape, out }), use);
  }
  return async (use) => {
    const options = { ...shape, batchSize: rows, tokensPerCall: rows * columns, ahead };
    for await (const matrix of dna.batches(input.rows(STREAMED), options)) used(matrix, use);
  };
}

/** Whether every configuration is there once, with the ids that a loop in JavaScript gives row by row. */
export async function auditGrid(file: string, { json }: { json: boolean }): Promise<boolean> {
  const { facts, outcomes } = readGrid(file);
  const all = configurationsOf(facts);
  const times = new Map<string, number>();
  for (const outcome of outcomes) times.set(keyOf(outcome), (times.get(keyOf(outcome)) ?? 0) + 1);
  const missing = all.map(keyOf).filter((key) => !times.has(key));
  const repeated = [...times].filter(([, count]) => count > 1).map(([key]) => key);
  const digestOf = digester();
  const differing = outcomes.filter((outcome) => outcome.ids !== digestOf(outcome)).map(keyOf);
  const counts = { configurations: all.length, measured: times.size };
  if (json) await write(`${JSON.stringify({ file, ...counts, missing, repeated, differing })}\n`);
  const problems = Object.entries({
    'is missing': missing,
    'is there more than once': repeated,
    'has other ids than a loop over the rows': differing,
  });
  for (const [what, keys] of problems) for (const key of keys) tellFailure(`${file}: ${key}: ${what}`);
  const isRight = missing.length + repeated.length + differing.length === 0;
  if (isRight && !json) await write(`${file}: all of ${counted(all.length, 'configuration')}, each with the ids of a loop over the rows\n`);
  return isRight;
}

/** Computes the digests of right ids, once for configurations that share them. */
function digester(): (configuration: Configuration) => string {
  const digests = new Map<string, string>();
  return (configuration) => {
    const { model, rows, bases, type } = configuration;
    const matrices = matricesOf(configuration);
    const key = [model, rows, bases, type, matrices].join();
    const known = digests.get(key);
    if (known !== undefined) return known;
    using opened = openModel(model, {});
    const { bytes } = randomRows(rows, bases);
    const columns = opened.dna.count(bytes.subarray(0, bases));
    const ids = idsOf(type, rows * columns);
    loopOver(tablesOf(opened), type)(bytes, { rows, bases }, columns, ids);
    const hash = createHash('sha256');
    for (let matrix = 0; matrix < matrices; matrix++) hash.update(new Uint8Array(ids.buffer));
    const digest = hash.digest('hex');
    digests.set(key, digest);
    return digest;
  };
}

/** Ratios of two kinds of configurations that are otherwise the same. The last three are DNATok's ablation. */
const RATIOS: Record<string, [of: Partial<Configuration>, to: Partial<Configuration>]> = {
  'bytes / strings': [{ from: 'bytes' }, { from: 'strings' }],
  'int32 / int64': [{ type: 'int32' }, { type: 'int64' }],
  'ahead 1 / ahead 0': [{ ahead: 1 }, { ahead: 0 }],
  'int32 ahead 0 / int64 ahead 0': [{ type: 'int32' }, { type: 'int64', ahead: 0 }],
  'int64 ahead 1 / int64 ahead 0': [{ ahead: 1 }, { type: 'int64', ahead: 0 }],
  'int32 ahead 1 / int64 ahead 0': [
    { type: 'int32', ahead: 1 },
    { type: 'int64', ahead: 0 },
  ],
};

/** Shows speeds, the best configurations, and what each choice changes. */
export async function aggregateGrid(file: string, { json }: { json: boolean }): Promise<boolean> {
  const grid = readGrid(file);
  const aggregate = aggregateOf(grid);
  await write(json ? `${JSON.stringify({ file, ...grid.facts, ...aggregate })}\n` : forPeople(file, grid, aggregate));
  return true;
}

/** Rates are bases per second; of ratios there are the geometric mean, and the extremes. */
function aggregateOf({ facts, outcomes }: Grid) {
  const rates = new Map(outcomes.map((outcome) => [keyOf(outcome), rateOf(outcome)]));
  const places = [...new Set(outcomes.map(({ to }) => to))];
  const ratios = places.flatMap((to) =>
    Object.entries(RATIOS).flatMap(([what, [of, by]]) => {
      const isBase = (outcome: Outcome) => Object.entries({ to, ...by }).every(([name, value]) => outcome[name as keyof Outcome] === value);
      const each = outcomes.filter(isBase).flatMap((outcome) => {
        const rate = rates.get(keyOf({ ...outcome, ...of }));
        return rate === undefined ? [] : [rate / rateOf(outcome)];
      });
      const mean = Math.exp(each.reduce((sum, ratio) => sum + Math.log(ratio), 0) / each.length);
      return each.length === 0 ? [] : [{ what, to, mean, least: Math.min(...each), greatest: Math.max(...each) }];
    }),
  );
  const results = outcomes.map((outcome) => ({ ...outcome, rate: rateOf(outcome) }));
  const best = MODELS.flatMap((model) =>
    places.flatMap((to) => {
      const alike = results.filter((each) => each.model === model && each.to === to);
      return alike.sort((a, b) => b.rate - a.rate).slice(0, 1);
    }),
  );
  return { configurations: configurationsOf(facts).length, measured: rates.size, best, ratios, results };
}

function forPeople(
  file: string,
  { facts, outcomes }: Grid,
  { configurations, measured, best, ratios, results }: ReturnType<typeof aggregateOf>,
) {
  const rates = new Map(results.map((result) => [keyOf(result), result.rate]));
  const rate = (perSecond: number | undefined) => (perSecond === undefined ? '-' : (perSecond / 1e9).toPrecision(3));
  const columns = ([first = '', ...others]: string[], width = 28) =>
    `${first.padEnd(width)}${others.map((cell) => cell.padStart(11)).join('')}\n`;
  const groups = new Map<string, Outcome[]>();
  for (const outcome of outcomes) {
    const group = `${outcome.model}, ${outcome.type}, to ${outcome.to}`;
    groups.set(group, [...(groups.get(group) ?? []), outcome]);
  }
  const tables = [...groups].flatMap(([group, all]) => {
    const shapes = new Map(all.map((outcome) => [`${inThousands(outcome.rows)} × ${inThousands(outcome.bases)}`, outcome]));
    const lines = [...shapes].map(([shape, { ahead: _, ...outcome }]) => {
      const ways: Partial<Configuration>[] = [
        { from: 'strings' },
        { from: 'bytes' },
        { from: 'bytes', ahead: 0 },
        { from: 'bytes', ahead: 1 },
      ];
      return columns([shape, ...ways.map((way) => rate(rates.get(keyOf({ ...outcome, ...way }))))]);
    });
    return ['\n', columns([group, 'strings', 'bytes', 'ahead 0', 'ahead 1']), ...lines];
  });
  const shown = (ratio: number) => ratio.toFixed(2);
  return [
    `${inWords(facts)}, device: ${facts.device ?? 'none'}\n`,
    `${file}: ${measured} of ${counted(configurations, 'configuration')}; in 1,000,000,000 bases per second\n`,
    ...tables,
    '\nthe fastest:\n',
    ...best.map((result) => `  ${keyOf(result)}: ${rate(result.rate)}\n`),
    '\n',
    columns(['ratios', 'to', 'mean', 'least', 'greatest'], 36),
    ...ratios.map(({ what, to, mean, least, greatest }) => columns([what, to, shown(mean), shown(least), shown(greatest)], 36)),
  ].join('');
}
