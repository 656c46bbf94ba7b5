// Decodes rows of ids to bytes on an accelerator, if the caller asks for one.

import { TokenizerError } from '../base/errors.js';
import type { AnyDevice } from '../engine/devices.js';
import { checkHasDevices } from '../engine/devices.js';
import type { EngineTokenizer } from '../engine/engine.js';
import type { Vocabulary } from '../vocabulary/vocabulary.js';
import { idArray, type TokenIds } from './arguments.js';
import { TokenBatch } from './token-batch.js';

/** The rows to decode, and where. */
interface Call {
  engine: EngineTokenizer;
  vocabulary: Pick<Vocabulary, 'decoding'>;
  skip: boolean;
  device: AnyDevice | undefined;
}

/** The bytes of each row, as views of one array; undefined if the CPU must decode them. `nameOf`: a row's name in errors. */
export function decodedRows(
  { engine, vocabulary, skip, device }: Call,
  rows: Iterable<TokenIds>,
  nameOf: (row: number) => string,
): Uint8Array[] | undefined {
  if (device === undefined || device === 'auto' || device === 'cpu') return undefined;
  checkHasDevices(engine, device);
  if (vocabulary.decoding) {
    const message = `cannot use the device '${device}': its kernels join the bytes of tokens, and this vocabulary has its own decoder; decode without a device`;
    throw new TokenizerError(message, { code: 'DEVICE_UNSUPPORTED' });
  }
  const { ids, offsets } = rows instanceof TokenBatch ? rows : joined(rows, nameOf);
  const found = engine.decodeRows?.(ids, offsets, skip, device);
  return found && Array.from({ length: offsets.length - 1 }, (_, row) => found.bytes.subarray(found.offsets[row], found.offsets[row + 1]));
}

function joined(rows: Iterable<TokenIds>, nameOf: (row: number) => string): { ids: Uint32Array; offsets: Uint32Array } {
  const each = Array.from(rows, (row, index) => idArray(row, nameOf(index)));
  const offsets = new Uint32Array(each.length + 1);
  each.forEach(({ length }, row) => (offsets[row + 1] = (offsets[row] as number) + length));
  const ids = new Uint32Array(offsets[each.length] as number);
  each.forEach((row, index) => ids.set(row, offsets[index]));
  return { ids, offsets };
}
