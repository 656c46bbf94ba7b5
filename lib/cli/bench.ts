// `crayon bench`: how fast this machine encodes, counts and decodes a text. The first pass sees every piece for the first time, and is
// reported separately; later passes find most pieces in the encoder's cache, like a service that sees the same words all day. Each
// operation has its own tokenizer, so that none benefits from another's first pass.

import { availableParallelism, cpus } from 'node:os';

import { type Backend, Tokenizer } from '../index.js';
import { report } from './report-failures.js';
import { inThousands } from './output/fields.js';
import { SAMPLE_TEXTS } from './samples.js';
import { write } from './output/terminal.js';
import { chunksOf, nameOf } from './input/file-arguments.js';
import { InputError } from './command-errors.js';

interface BenchOptions {
  source: string;
  /** For all operations together. */
  seconds: number;
  json: boolean;
}

/** The throughput of an operation. */
interface Rate {
  bytesPerSecond: number;
  tokensPerSecond: number;
}

interface Measurement {
  first: Rate;
  warm: Rate & { rounds: number };
}

const OPERATIONS = ['encode', 'count', 'decode'] as const;
/** The shortest round in milliseconds: several passes over a short text are timed together. */
const ROUND = 2;

/** Of the package's text, repeated: with a few kilobytes, the call itself is measured. Their pieces are known after the first of them. */
const BYTES = 1e6;

function sampleText(): string {
  const text = `${SAMPLE_TEXTS.join('\n')}\n`;
  return text.repeat(Math.ceil(BYTES / Buffer.byteLength(text)));
}

/** `file`: undefined for the package's text. */
export async function bench(file: string | undefined, options: BenchOptions, version: string): Promise<boolean> {
  let text: string;
  try {
    text = file === undefined ? sampleText() : await textOf(file);
  } catch (error) {
    report(file as string, error);
    return false;
  }
  const bytes = Buffer.byteLength(text);
  const began = performance.now();
  using tokenizer = await Tokenizer.load(options.source);
  const openMilliseconds = performance.now() - began;
  const tokens = tokenizer.count(text);
  const rate = (milliseconds: number): Rate => ({
    bytesPerSecond: Math.round((1000 * bytes) / milliseconds),
    tokensPerSecond: Math.round((1000 * tokens) / milliseconds),
  });
  const results = {} as Record<(typeof OPERATIONS)[number], Measurement>;
  for (const operation of OPERATIONS) {
    results[operation] = await measure(operation, text, options, rate);
  }
  const facts = {
    ...circumstances(tokenizer.backend, version),
    encoding: tokenizer.name,
    text: { file: file ?? null, bytes, tokens },
    openMilliseconds,
    ...results,
  };
  await write(options.json ? `${JSON.stringify(facts)}\n` : forPeople(facts));
  return true;
}

async function textOf(file: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of chunksOf(file, false)) chunks.push(chunk);
  if (chunks.length === 0) throw new InputError('is empty, so there is nothing to measure');
  try {
    return Buffer.concat(chunks).toString();
  } catch (error) {
    throw new InputError(`is too long to be measured as one string: ${(error as Error).message}`);
  }
}

async function measure(
  operation: (typeof OPERATIONS)[number],
  text: string,
  { source, seconds }: BenchOptions,
  rate: (milliseconds: number) => Rate,
): Promise<Measurement> {
  using tokenizer = await Tokenizer.load(source);
  let ids: Uint32Array | undefined;
  if (operation === 'decode') {
    using other = await Tokenizer.load(source);
    ids = other.encode(text);
  }
  const pass = () => (ids ? tokenizer.decode(ids) : tokenizer[operation as 'encode' | 'count'](text));
  const share = (1000 * seconds) / OPERATIONS.length;
  const began = performance.now();
  const first = timed(pass, 1);
  const second = timed(pass, 1);
  const passes = Math.ceil(ROUND / second);
  const rounds: number[] = [];
  do rounds.push(timed(pass, passes));
  while (performance.now() - began < share);
  return { first: rate(first), warm: { ...rate(median(rounds)), rounds: rounds.length } };
}

/** Milliseconds per pass: the mean of several. */
function timed(pass: () => unknown, passes: number): number {
  const began = performance.now();
  for (let i = 0; i < passes; i++) pass();
  return (performance.now() - began) / passes;
}

export function median(values: number[]): number {
  const sorted = values.sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}

/** What is measured, and where. */
export function circumstances({ kind, kernel }: Backend, version: string) {
  return {
    version,
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    backend: kind,
    kernel,
  };
}

/** What is measured, and where, in a line. */
export function inWords({ version, node, platform, cpu, cores, backend, kernel }: ReturnType<typeof circumstances>): string {
  return `crayon ${version}, ${backend} ${kernel}, Node ${node}, ${platform}, ${cpu}, ${cores} cores`;
}

interface Facts extends Record<(typeof OPERATIONS)[number], Measurement>, ReturnType<typeof circumstances> {
  encoding: string;
  text: { file: string | null; bytes: number; tokens: number };
  openMilliseconds: number;
}

function forPeople(facts: Facts): string {
  const { encoding, text } = facts;
  const name = text.file === null ? 'the sample texts, repeated (name a file to measure your own)' : nameOf(text.file);
  const columns = ([first = '', ...others]: string[]) => `${first.padEnd(8)}${others.map((cell) => cell.padStart(22)).join('')}\n`;
  return [
    `${inWords(facts)}\n`,
    `${encoding}, opened in ${facts.openMilliseconds.toFixed(1)} ms\n`,
    `${name}: ${inThousands(text.bytes)} bytes, ${inThousands(text.tokens)} tokens\n\n`,
    columns(['', 'first pass', 'warm, median', 'warm, median']),
    ...OPERATIONS.map((operation) => {
      const { first, warm } = facts[operation];
      const tokens = `${(warm.tokensPerSecond / 1e6).toFixed(1)} M tokens/s`;
      return columns([operation, inMegabytes(first), inMegabytes(warm), tokens]);
    }),
  ].join('');
}

function inMegabytes({ bytesPerSecond }: Rate): string {
  return `${(bytesPerSecond / 1e6).toFixed(1)} MB/s`;
}
