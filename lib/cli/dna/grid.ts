// `crayon dna bench grid`: the configurations of DNATok's benchmark (github.com/eniktab/DNAtok), measured one after the
// other. The file has a line of JSON for what they are measured with, then one for each of them, written when it is whole:
// an interrupted run goes on behind the last whole line.

import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, truncateSync, writeFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';

import { DnaTokenizer } from '../../dna.js';
import { readRegularFile } from '../../io/regular-file.js';
import { circumstances, median } from '../bench.js';
import { idsOf, randomRows } from './dna-bench.js';
import { untilInterrupted } from '../interrupt.js';
import { counted } from '../output/fields.js';
import { ID_TYPES } from './output.js';
import { Progress } from '../output/progress.js';
import { tell, write } from '../output/standard-streams.js';
import { InputError, reasonFor } from '../command-errors.js';

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
/** DNATok's numbers of passes, and those of `--quick`. */
const PASSES = { warm: 3, timed: 5 };
const QUICK_PASSES = { warm: 0, timed: 2 };

/** One matrix of strings or of one block of bytes; or, with `ahead`, a stream of matrices made of rows of bytes. */
export interface Configuration {
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

/** A configuration's outcome. */
export interface Outcome extends Configuration {
  /** Of each timed pass. */
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

/** Every configuration, those with the same sequences together. */
export function configurationsOf({ device, quick }: Pick<GridFacts, 'device' | 'quick'>): Configuration[] {
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
export function keyOf({ model, rows, bases, to, from, type, ahead }: Configuration): string {
  return [model, `${rows} × ${bases}`, from, `to ${to}`, type, ...(ahead === undefined ? [] : [`ahead ${ahead}`])].join(', ');
}

export function matricesOf({ ahead }: Configuration): number {
  return ahead === undefined ? 1 : STREAMED;
}

/** Bases per second. */
export function rateOf(outcome: Outcome): number {
  return (matricesOf(outcome) * outcome.rows * outcome.bases) / median([...outcome.seconds]);
}

export interface GridOptions {
  device: string;
  quick?: boolean;
  progress: boolean;
  json?: boolean;
}

/** Measures what a file does not have yet. */
export async function measureGrid(file: string, given: GridOptions, version: string): Promise<boolean> {
  const facts = gridFacts(given, version);
  const all = configurationsOf(facts);
  const known = begun(file, facts);
  const missing = all.filter((configuration) => !known.has(keyOf(configuration)));
  const progress = new Progress(missing.length, given.progress);
  await untilInterrupted(async (signal) => {
    let input: Input | undefined;
    try {
      for (const configuration of missing) {
        await setImmediate(); // signals arrive only between turns of the event loop
        signal.throwIfAborted();
        if (!input?.isFor(configuration)) {
          input?.[Symbol.dispose]();
          input = new Input(configuration);
        }
        const outcome = await measured(input, configuration, given.quick ? QUICK_PASSES : PASSES);
        change(file, () => appendFileSync(file, `${JSON.stringify(outcome)}\n`));
        await progress.add(1);
      }
    } finally {
      input?.[Symbol.dispose]();
      progress.end();
    }
  });
  const counts = { configurations: all.length, measured: missing.length };
  const before = all.length - missing.length;
  const words = `${file}: ${counted(all.length, 'configuration')}, ${before} of them measured before\n`;
  await write(given.json ? `${JSON.stringify({ file, ...counts })}\n` : words);
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

/** The configurations that a file has. Begins a new file; drops an unfinished line at the end. */
function begun(file: string, facts: GridFacts): Set<string> {
  const first = `${JSON.stringify(facts)}\n`;
  const bytes = existsSync(file) ? bytesOf(file) : Buffer.alloc(0);
  if (first.startsWith(bytes.toString())) {
    change(file, () => writeFileSync(file, first));
    return new Set();
  }
  const { facts: before, outcomes, whole } = parsed(file, bytes);
  for (const [name, value] of Object.entries(facts)) {
    const [is, was] = [value, before[name as keyof GridFacts]].map((each) => JSON.stringify(each));
    if (is !== was) throw new InputError(`${file}: was measured with ${name} ${was}, not ${is}: name another file`);
  }
  if (whole < bytes.length) {
    tell(`${file}: the last line is unfinished and is measured again`);
    change(file, () => truncateSync(file, whole));
  }
  return new Set(outcomes.map(keyOf));
}

function change(file: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    throw new InputError(`${file}: ${reasonFor(error)}`);
  }
}

const GRID_FILE = { failure: 'cannot read', noun: 'a grid', most: 2 ** 24, mostInWords: '16 MiB' };

function bytesOf(file: string): Buffer {
  return readRegularFile(file, GRID_FILE);
}

export interface Grid {
  facts: GridFacts;
  outcomes: Outcome[];
  /** How many bytes the whole lines have. */
  whole: number;
}

/** Reads a file. Throws an InputError or a TokenizerError. */
export function readGrid(file: string): Grid {
  return parsed(file, bytesOf(file));
}

/** The last line may be unfinished: without an end, or, after a crash of the system, not what was written. Then it is not trusted. */
function parsed(file: string, bytes: Buffer): Grid {
  const [first = '', ...lines] = bytes.toString().split('\n');
  const facts = objectIn(first) as GridFacts | undefined;
  if (facts?.format !== FORMAT || lines.length === 0) throw new InputError(`${file}: is not a file of "crayon dna bench grid"`);
  const { timed } = facts.quick ? QUICK_PASSES : PASSES;
  const expected = new Set(configurationsOf(facts).map(keyOf));
  const outcomes: Outcome[] = [];
  let whole = Buffer.byteLength(first) + 1;
  lines.pop();
  for (const [index, line] of lines.entries()) {
    const outcome = objectIn(line) as Outcome | undefined;
    const isWhole = outcome !== undefined && isOutcome(outcome, timed) && expected.has(keyOf(outcome));
    if (!isWhole && index === lines.length - 1) break;
    if (!isWhole) throw new InputError(`${file}: line ${index + 2} is no outcome of this grid; without the line, it is measured again`);
    outcomes.push(outcome);
    whole += Buffer.byteLength(line) + 1;
  }
  return { facts, outcomes, whole };
}

function objectIn(line: string): object | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function isOutcome({ seconds, ids }: Partial<Outcome>, timed: number): boolean {
  if (!Array.isArray(seconds) || seconds.length !== timed || !seconds.every((each) => Number.isFinite(each) && each > 0)) return false;
  return typeof ids === 'string' && /^[\da-f]{64}$/.test(ids);
}

/** The sequences of configurations that have the same. */
class Input implements Disposable {
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

  [Symbol.dispose](): void {
    this.dna.close();
  }
}

type Matrix = { ids: ArrayBufferView } | { toHost(): { ids: ArrayBufferView }; free(): void };

/** The ids of the first pass are the ones that the audit compares; what a model would do with them is no part of the others. */
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
  // As in DNATok, the number of ids of a row is known. The types are those of one kind of configuration, for all of them.
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
