// Opens the vocabulary given to a command `crayon dna …`.

import { parse } from 'node:path';

import { dnaEngineOf } from '../../dna/dna-tokenizer.js';
import type { DnaEngine } from '../../engine/dna-engine.js';
import { isPath } from '../../dna/dna-sources.js';
import { readRegularFile } from '../../io/regular-file.js';
import { DnaTokenizer } from '../../dna.js';
import { TokenizerError } from '../../index.js';
import { InputError, UsageError } from '../command-errors.js';

/** The options that select it. */
export interface ModelOptions {
  tokenizerJson?: string | undefined;
  lowerCase?: 'reject' | 'normalize' | 'keep' | undefined;
  ambiguous?: 'reject' | 'normalize' | 'keep' | undefined;
  n?: 'reject' | 'keep' | undefined;
  tail?: 'single' | 'pad' | 'drop' | undefined;
  /** False: skip a cartridge's checksum. */
  verify?: boolean | undefined;
}

/** A vocabulary, and its engine, which can also encode sequences in parts. */
export interface Model extends Disposable {
  dna: DnaTokenizer;
  engine: DnaEngine;
}

/** Opens a built-in vocabulary, a cartridge, or a vocabulary of one's own in JSON. */
export function openModel(model: string, { tokenizerJson, lowerCase, ambiguous, n, tail, verify }: ModelOptions): Model {
  const isBpe = model === 'dnabert2';
  if (isBpe && tokenizerJson === undefined) throw new UsageError('dnabert2 needs --tokenizer-json, the file that comes with the model');
  if (!isBpe && tokenizerJson !== undefined) throw new UsageError(`--tokenizer-json is for dnabert2; ${model} needs none`);
  if (isBpe && tail !== undefined) throw new UsageError('--tail: dnabert2 has no k-mers');
  const dna = load(model, { lowerCase, ambiguous, n, tail, tokenizerJson, verify });
  return { dna, engine: dnaEngineOf(dna), [Symbol.dispose]: () => dna.close() };
}

/** An unknown name is a usage error; a path may be right, with its file missing. */
function load(model: string, options: ModelOptions): DnaTokenizer {
  if (/\.json$/i.test(model)) return loadJson(model, options);
  try {
    return DnaTokenizer.loadSync(model, options);
  } catch (error) {
    const isUnknown = error instanceof TokenizerError && error.code === 'FILE_NOT_FOUND' && !isPath(model);
    throw isUnknown ? new UsageError(error.message) : error;
  }
}

const JSON_FILE = { noun: 'a vocabulary of DNA in JSON', maxBytes: 2 ** 28 };

/** The file has what `DnaTokenizer.load` takes as an object; its name is the default for `name`. */
function loadJson(file: string, options: ModelOptions): DnaTokenizer {
  const text = readRegularFile(file, JSON_FILE).toString();
  try {
    return DnaTokenizer.loadSync({ name: parse(file).name, ...JSON.parse(text) }, options);
  } catch (error) {
    throw new InputError(`${file}: is not a vocabulary of DNA in JSON: ${(error as Error).message}`);
  }
}

/** What `--type` calls types of ids. */
export type FileIdType = 'uint8' | 'uint16' | 'int32' | 'int64';

export const ID_BYTES: Record<FileIdType, number> = { uint8: 1, uint16: 2, int32: 4, int64: 8 };

/** What the library calls these types. */
export const ID_TYPES = { uint8: 'uint8', uint16: 'uint16', int32: 'int32', int64: 'bigint64' } as const;

/** Throws a UsageError if a type cannot hold a vocabulary's ids. */
export function checkType({ dna, engine }: Model, type: FileIdType): void {
  const { width } = engine.facts;
  if (ID_BYTES[type] >= width) return;
  throw new UsageError(`--type ${type}: ids of ${dna.name} need --type ${width === 2 ? 'uint16 or ' : ''}int32`);
}
