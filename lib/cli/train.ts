// `crayon train`: trains a vocabulary on texts and writes it to a file.

import { Buffer } from 'node:buffer';
import { existsSync } from 'node:fs';
import { basename } from 'node:path';

import { listLocation } from '../vocabularies/open/dat.js';
import { trainBpe, type TrainedVocabulary, type TrainFilePart, type TrainOptions, type TrainProgress } from '../index.js';
import { type Compression, compressionOf, curveAsSvg, curveOf, type HeldOut, lastShareOf } from './compression.js';
import { InputError, UsageError, untilInterrupted } from './command-errors.js';
import { inLines, inThousands } from './output/fields.js';
import type { HeldOutValue } from './command-options.js';
import { isSameFile, writeList, writeWhole } from './output/output-file.js';
import { Progress, write } from './output/terminal.js';
import { quoted, textOf } from './output/token-text.js';

export interface TrainCommandOptions {
  output: string;
  vocabularySize: number;
  minFrequency?: number;
  maxTokenLength?: number;
  pretokenizer: string;
  /** Replaces the pretokenizer. */
  patterns?: readonly string[] | undefined;
  specialToken?: string[];
  ties: 'huggingface' | 'crayon';
  observed?: boolean;
  threads?: number;
  model?: 'bpe' | 'longest-match';
  slim?: boolean;
  name?: string;
  /** Files, or the last share of each training file. */
  heldOut: HeldOutValue;
  report?: string;
  curve?: string;
  checkpoint?: string;
  progress: boolean;
  json: boolean;
}

type Form = 'cartridge' | 'json' | 'tiktoken' | 'dat';

/** How many of the longest tokens to show. */
const LONGEST = 5;

/** Trains, writes the file, and reports. */
export async function train(inputs: readonly string[], options: TrainCommandOptions): Promise<boolean> {
  const form = formOf(options.output);
  const isStandardInput = checkUsage(inputs, options, form);
  const heldOut = heldOutOf(inputs, options);
  const began = performance.now();
  const progress = trainingProgress(options.progress);
  const source = isStandardInput ? process.stdin : { files: trainedOn(inputs, options, heldOut) };
  const trained = await untilInterrupted((signal) =>
    trainBpe(source, { ...optionsOf(options), signal, onProgress: (each) => progress.at(each) }),
  )
    .catch((error) => {
      throw explain(error);
    })
    .finally(() => progress.end());
  const seconds = (performance.now() - began) / 1000;
  const model = modelOf(options, form);
  const { bytes, list } = await writeTrained(trained, options, form);
  const longest = trained.tokens.filter((_, id) => ![...trained.specialTokens.values()].includes(id));
  longest.sort((a, b) => b.length - a.length);
  const shown = longest.slice(0, LONGEST);
  const compression = heldOut.length > 0 ? await compressionOf(trained, model, heldOut) : undefined;
  const facts = {
    file: options.output,
    bytes,
    list,
    tokens: trained.tokens.length,
    merges: trained.merges.length,
    shortfall: trained.shortfall,
    trainedOn: progress.bytes,
    seconds: Number(seconds.toFixed(3)),
    heldOut: compression,
    longest: shown.map((token) => textOf(token) ?? { hex: Buffer.from(token).toString('hex') }),
  };
  if (options.report !== undefined || options.curve !== undefined) {
    const curve = heldOut.length > 0 ? await curveOf(trained, model, heldOut) : undefined;
    if (options.report !== undefined) await writeWhole(options.report, `${JSON.stringify({ ...facts, curve }, undefined, 2)}\n`);
    if (options.curve !== undefined && curve) await writeWhole(options.curve, curveAsSvg(curve));
  }
  await write(options.json ? `${JSON.stringify(facts)}\n` : inWords(facts, shown.map(quoted)));
  return true;
}

/** What is reported of a training. */
interface Facts {
  file: string;
  bytes: number;
  list: string | undefined;
  tokens: number;
  merges: number;
  shortfall: number;
  seconds: number;
  heldOut: Compression | undefined;
}

function inWords({ file, bytes, list, tokens, merges, shortfall, seconds, heldOut }: Facts, longest: readonly string[]): string {
  const beside = list === undefined ? '' : `, version 2; its tokens are in ${list}`;
  return inLines({
    [file]: `${inThousands(bytes)} bytes${beside}`,
    tokens: `${inThousands(tokens)}, by ${inThousands(merges)} merges, in ${seconds.toFixed(1)} s`,
    ...(shortfall > 0 && {
      missing: `${inThousands(shortfall)} of the tokens asked for: no other pair occurs often enough (--min-frequency)`,
    }),
    ...(heldOut && { 'held out': `${inThousands(heldOut.bytes)} bytes, ${heldOut.bytesPerToken} for each token` }),
    longest,
  });
}

/** The held-out texts. Missing files are reported before the work, not after it. */
function heldOutOf(inputs: readonly string[], { heldOut }: TrainCommandOptions): HeldOut[] {
  if ('share' in heldOut) return inputs.map((file) => lastShareOf(file, heldOut.share));
  const missing = heldOut.files.find((file) => file !== '-' && !existsSync(file));
  if (missing !== undefined) throw new InputError(`${missing}: no such file`);
  return heldOut.files.map((file) => ({ file, start: 0 }));
}

function trainedOn(inputs: readonly string[], options: TrainCommandOptions, heldOut: readonly HeldOut[]): TrainFilePart[] {
  const ends = 'share' in options.heldOut ? heldOut.map(({ start }) => start) : [];
  return inputs.map((path, index) => ({ path, end: ends[index] }));
}

function formOf(output: string): Form {
  const ending = /\.(json|tiktoken|dat)$/i.exec(output)?.[1]?.toLowerCase();
  return ending === undefined ? 'cartridge' : (ending as Form);
}

function modelOf({ model = 'bpe' }: TrainCommandOptions, form: Form): 'bpe' | 'longest-match' {
  return form === 'dat' ? 'longest-match' : model;
}

/** Throws a UsageError for options that do not go together. Returns whether the texts are on standard input. */
function checkUsage(inputs: readonly string[], options: TrainCommandOptions, form: Form): boolean {
  const { output, model, slim, name, specialToken, observed, checkpoint, curve } = options;
  const heldOut = 'files' in options.heldOut ? options.heldOut.files : [];
  const isMeasured = 'share' in options.heldOut || heldOut.length > 0;
  const isStandardInput = inputs.includes('-');
  if (isStandardInput && inputs.length > 1) throw new UsageError('"-", standard input, goes with no other file');
  if (isStandardInput && 'share' in options.heldOut) throw new UsageError('--held-out: of standard input, no share can be held out');
  if (curve !== undefined && !isMeasured) throw new UsageError('--curve: it is measured with texts that --held-out names');
  if (isStandardInput && checkpoint !== undefined) throw new UsageError('--checkpoint: standard input cannot be read again');
  for (const [option, file] of Object.entries({ output, checkpoint, report: options.report, curve })) {
    const same = file === undefined ? undefined : [...inputs, ...heldOut].find((input) => isSameFile(file, input));
    if (same !== undefined) throw new UsageError(`--${option} ${file} is a file to read`);
  }
  const flags = { model, slim, name };
  const flag = Object.entries(flags).find(([, value]) => value !== undefined)?.[0];
  if (form !== 'cartridge' && flag !== undefined) throw new UsageError(`--${flag} is for a cartridge; ${output} is not one`);
  if (form === 'dat' && specialToken) throw new UsageError(`--special-token: a version 2 file, ${output}, has no special tokens`);
  const isRanks = form === 'tiktoken' || (form === 'cartridge' && modelOf(options, form) === 'bpe');
  if (isRanks && observed) throw new UsageError(`--observed: ${output} needs a token for each byte`);
  if (isMeasured && observed) throw new UsageError('--held-out: with --observed, not every text can be encoded');
  return isStandardInput;
}

function optionsOf(options: TrainCommandOptions): TrainOptions {
  const { vocabularySize, minFrequency, maxTokenLength, pretokenizer, patterns, specialToken, ties, observed, threads } = options;
  return {
    vocabularySize,
    minFrequency,
    maxTokenLength,
    pretokenizer: patterns?.map((pattern) => ({ pattern })) ?? pretokenizer,
    specialTokens: specialToken,
    tieBreak: ties,
    initialAlphabet: observed ? 'observed' : 'bytes',
    threads,
    checkpoint: options.checkpoint,
  };
}

/** The progress bar, for each stage in turn. `bytes`: of text counted; undefined if a checkpoint had the counts. */
function trainingProgress(isWanted: boolean) {
  let stage: TrainProgress['stage'] | undefined;
  let bar: Progress | undefined;
  const progress = {
    bytes: undefined as number | undefined,
    at({ stage: current, done, total = 0 }: TrainProgress): void {
      if (current === 'count') progress.bytes = done;
      if (current !== stage) {
        bar?.end();
        stage = current;
        bar = new Progress(0, isWanted);
      }
      bar?.at(done, total);
    },
    end: () => bar?.end(),
  };
  return progress;
}

async function writeTrained(
  trained: TrainedVocabulary,
  options: TrainCommandOptions,
  form: Form,
): Promise<{ bytes: number; list?: string }> {
  const { output, slim = false } = options;
  if (form === 'dat') {
    const { dat, json } = await trained.toDat();
    const list = listLocation(output);
    await writeList(list, output, json);
    await writeWhole(output, dat);
    return { bytes: dat.length, list };
  }
  let content: Uint8Array;
  if (form === 'cartridge') {
    const name = options.name ?? (basename(output).replace(/\.[^.]*$/, '') || 'trained');
    content = await trained.toCartridge({ model: modelOf(options, form), slim, name });
  } else {
    const text = form === 'json' ? `${JSON.stringify(trained.toTokenizerJson())}\n` : trained.toTiktoken();
    content = new TextEncoder().encode(text);
  }
  await writeWhole(output, content);
  return { bytes: content.length };
}

/** The names of arguments, and of the options that set them. */
const OPTION_NAMES: [RegExp, string][] = [
  [/`?\bvocabularySize\b`?/, '--vocabulary-size'],
  [/`?\bmaxTokenLength\b`?/, '--max-token-length'],
  [/`?\bminFrequency\b`?/, '--min-frequency'],
  [/`?\bspecialTokens(?:\[\d+\])?`?/, '--special-token'],
  [/`?\bpretokenizer(?:\[\d+\])?`?/, '--pattern'],
];

/** The error in the terms of the command: options instead of arguments. */
function explain(error: unknown): unknown {
  if (!(error instanceof RangeError)) return error;
  const { message } = error;
  if (/^`source` /.test(message)) return new InputError('there is no text to train on');
  return new UsageError(OPTION_NAMES.reduce((text, [name, option]) => text.replace(name, option), message));
}
