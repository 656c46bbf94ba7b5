// One sequence to its ids, or to their number.

import { outOfRange, TokenizerError } from '../base/errors.js';
import { type DnaEngine, type IdArray, WITH_TEMPLATE } from './engine.js';
import { failureInSequence } from './failures.js';
import { flagsOf, outputFor, rowLengths } from './matrix-maker.js';
import type { Shape } from './options.js';
import { bytesOfSequence } from './sequences.js';

/** `name`: of the vocabulary, for errors. */
export function encodeSequence(
  engine: DnaEngine,
  sequence: string | Uint8Array,
  shape: Shape & { out: IdArray | undefined },
  name: string,
): IdArray {
  const { type, around, length, out } = shape;
  const bytes = bytesOfSequence(sequence, engine);
  try {
    if (length !== undefined) {
      const ids = outputFor(out, type, length, 'out');
      engine.encodeInto(bytes, flagsOf(shape, engine), ids);
      return ids;
    }
    if (!out) return engine.encode(bytes, type, around);
    return out.subarray(0, engine.encodeInto(bytes, around ? WITH_TEMPLATE : 0, out));
  } catch (error) {
    if (out && length === undefined && error instanceof TokenizerError && error.code === 'TEXT_TOO_LONG') {
      throw outOfRange('an array that holds all ids of the sequence', 'out', out);
    }
    throw failureInSequence(error, () => sequence, { engine, name, length });
  }
}

/** `around`: counts the ids around the sequence, too. */
export function countSequence(engine: DnaEngine, sequence: string | Uint8Array, around: boolean, name: string): number {
  try {
    const bytes = bytesOfSequence(sequence, engine);
    return rowLengths(engine, { bytes, offsets: Uint32Array.of(0, bytes.length) }, around)[0] as number;
  } catch (error) {
    throw failureInSequence(withoutRow(error), () => sequence, { engine, name, length: undefined });
  }
}

function withoutRow(error: unknown): unknown {
  if (!(error instanceof TokenizerError)) return error;
  const { code, position } = error;
  return new TokenizerError(error.message, { code, position });
}
