// The vocabulary that a command `crayon dna …` is given, opened.

import { dnaEngineOf } from '../../dna/dna-tokenizer.js';
import type { DnaEngine } from '../../dna/engine.js';
import type { EngineTokenizer } from '../../engine/engine.js';
import { isPath } from '../../dna/open.js';
import { DnaTokenizer, TokenizerError } from '../../index.js';
import { UsageError } from '../failures.js';
import { ID_BYTES, type NpyType } from '../output/npy.js';

/** Options that say what to open. */
export interface DnaGiven {
  tokenizerJson?: string | undefined;
  lowerCase?: 'reject' | 'normalize' | 'keep' | undefined;
  ambiguous?: 'reject' | 'normalize' | 'keep' | undefined;
  n?: 'reject' | 'keep' | undefined;
  tail?: 'single' | 'pad' | 'drop' | undefined;
  /** False: skips the checksum of a cartridge. */
  verify?: boolean | undefined;
}

/** A vocabulary, and its engine, which takes sequences in parts, too. */
export interface Model extends Disposable {
  dna: DnaTokenizer;
  engine: DnaEngine;
}

/** Opens a built-in vocabulary or a cartridge. */
export function openModel(model: string, { tokenizerJson, lowerCase, ambiguous, n, tail, verify }: DnaGiven): Model {
  const isBpe = model === 'dnabert2';
  if (isBpe && tokenizerJson === undefined) throw new UsageError('dnabert2 needs --tokenizer-json, the file that comes with the model');
  if (!isBpe && tokenizerJson !== undefined) throw new UsageError(`--tokenizer-json is for dnabert2; ${model} needs none`);
  if (isBpe && tail !== undefined) throw new UsageError('--tail: dnabert2 has no k-mers');
  const dna = load(model, { lowerCase, ambiguous, n, tail, tokenizerJson, verify });
  return { dna, engine: dnaEngineOf(dna), [Symbol.dispose]: () => dna.close() };
}

/** A name that no vocabulary has is wrong usage; a path may be right, and its file missing. */
function load(model: string, options: DnaGiven): DnaTokenizer {
  try {
    return DnaTokenizer.loadSync(model, options);
  } catch (error) {
    const isUnknown = error instanceof TokenizerError && error.code === 'FILE_NOT_FOUND' && !isPath(model);
    throw isUnknown ? new UsageError(error.message) : error;
  }
}

/** Of a cartridge: the tokenizer that names its ids. */
export function tokenizerOf({ dna, engine }: Model): { dna: DnaTokenizer; names: EngineTokenizer } {
  return { dna, names: engine.names as EngineTokenizer };
}

/** Throws a UsageError if ids of a type do not hold those of a vocabulary. */
export function checkType({ dna, engine }: Model, type: NpyType): void {
  const { width } = engine.facts;
  if (ID_BYTES[type] >= width) return;
  throw new UsageError(`--type ${type}: ids of ${dna.name} need --type ${width === 2 ? 'uint16 or ' : ''}int32`);
}
