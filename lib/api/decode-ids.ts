// Ids to texts and bytes, and single tokens.

import { TokenizerError } from '../base/errors.js';
import { concatenated, offsetsOf, type UnsharedUint8Array } from '../base/typed-arrays.js';
import { type AnyDevice, checkHasDevices, namesAccelerator } from '../engine/devices.js';
import type { Vocabulary } from '../vocabularies/vocabulary.js';
import {
  checkedIdRows,
  type DecodeOptions,
  decodingOf,
  type DeviceDecodeOptions,
  idArray,
  skipsSpecial,
  textBytes,
  type TokenIds,
} from './arguments.js';
import { failureInIds } from './text-failures.js';
import { TokenBatch } from './token-batch.js';

/** Keeps a leading byte order mark, as the engine does. */
const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });

export function decode(vocabulary: Vocabulary, ids: TokenIds, options?: DecodeOptions): string {
  try {
    const skip = skipsSpecial(options);
    return (vocabulary.decoding ?? vocabulary.engine).decode(idArray(ids), skip);
  } catch (error) {
    throw failureInIds(error, ids, vocabulary);
  }
}

export function decodeBatch(vocabulary: Vocabulary, rows: TokenBatch | Iterable<TokenIds>, options?: DeviceDecodeOptions): string[] {
  const texts: string[] = [];
  let ids: TokenIds = [];
  try {
    const { skip, device } = decodingOf(options);
    let lists = checkedIdRows(rows);
    if (device !== undefined && !(lists instanceof TokenBatch)) lists = [...lists]; // the CPU may have to read them too
    const onDevice = decodedOnDevice(vocabulary, lists, skip, device, (row) => `rows[${row}]`);
    if (onDevice) return onDevice.map((bytes) => UTF8.decode(bytes));
    const decoding = vocabulary.decoding ?? vocabulary.engine;
    for (ids of lists) texts.push(decoding.decode(idArray(ids, `rows[${texts.length}]`), skip));
    return texts;
  } catch (error) {
    throw failureInIds(error, ids, vocabulary, texts.length);
  }
}

export function decodeBytes(vocabulary: Vocabulary, ids: TokenIds, options?: DeviceDecodeOptions): UnsharedUint8Array {
  try {
    const { skip, device } = decodingOf(options);
    const onDevice = decodedOnDevice(vocabulary, [ids], skip, device, () => 'ids');
    if (onDevice) return onDevice[0] as UnsharedUint8Array;
    return (vocabulary.decoding ?? vocabulary.engine).decodeBytes(idArray(ids), skip);
  } catch (error) {
    throw failureInIds(error, ids, vocabulary);
  }
}

/** The bytes of each row, as views of one array; undefined if the CPU must decode them. `nameOf`: a row's name in errors. */
function decodedOnDevice(
  vocabulary: Vocabulary,
  rows: Iterable<TokenIds>,
  skip: boolean,
  device: AnyDevice | undefined,
  nameOf: (row: number) => string,
): Uint8Array[] | undefined {
  if (!namesAccelerator(device)) return undefined;
  const { engine } = vocabulary;
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
  const lists = Array.from(rows, (row, index) => idArray(row, nameOf(index)));
  return { ids: concatenated(Uint32Array, lists), offsets: offsetsOf(lists) };
}

export function tokenBytes(vocabulary: Vocabulary, id: number): UnsharedUint8Array {
  try {
    const bytes = vocabulary.engine.tokenBytes(idArray([id])[0] as number);
    if (bytes) return bytes;
    throw new TokenizerError('', { code: 'INVALID_ID', position: 0 });
  } catch (error) {
    throw failureInIds(error, [id], vocabulary);
  }
}

export function idOf({ engine }: Vocabulary, token: string | Uint8Array): number | undefined {
  return engine.idOf(typeof token === 'string' ? new TextEncoder().encode(token) : textBytes(token, 'token'));
}
