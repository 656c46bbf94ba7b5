// Decodes rows of ids to bytes on accelerators, only if one is requested by name: the CPU has the bytes before a device would
// have the ids.

import { TokenizerError } from '../../base/errors.js';
import type { UnsharedUint8Array, UnsharedUint32Array } from '../../base/typed-arrays.js';
import type { AnyDevice } from '../../engine/devices.js';
import { addon, type Handle } from './addon.js';
import { DeviceJob } from './device-job.js';
import { afterFailure, chosenDevice, succeeded } from './addon-devices.js';

/** Row i is `bytes[offsets[i]]` up to `bytes[offsets[i + 1]]`. */
export interface ByteRows {
  bytes: UnsharedUint8Array;
  offsets: UnsharedUint32Array;
}

/** Undefined if the CPU must decode, and report invalid ids. `flags`: DECODE_SKIP_SPECIAL. */
export function decodedOnDevice(
  tokenizer: Handle,
  ids: Uint32Array,
  offsets: Uint32Array,
  flags: number,
  device: AnyDevice,
): ByteRows | undefined {
  const choice = chosenDevice({ device, bytes: () => ids.byteLength, unsupported: () => undefined, isWaitedFor: true });
  if (!choice) return undefined;
  let job: DeviceJob | undefined;
  try {
    job = new DeviceJob(() => addon.deviceDecoding(choice.handle, tokenizer, flags, ids, offsets), 'cannot decode');
    job.run();
    const rows = { bytes: job.bytes(), offsets: job.totals(offsets.length - 1) };
    succeeded(choice, job);
    return rows;
  } catch (error) {
    if (error instanceof TokenizerError && error.code === 'DEVICE_UNSUPPORTED') throw withoutKernels(choice.kind);
    if (error instanceof TokenizerError && error.code === 'TEXT_TOO_LONG') return undefined; // its offsets need more than 32 bits
    afterFailure(choice, error);
    return undefined;
  } finally {
    job?.release();
  }
}

/** An older or newer plugin may not know a model that consists only of tokens. */
function withoutKernels(kind: string): TokenizerError {
  const message = `cannot use the device '${kind}': its plugin cannot decode; install the one of this version of crayon-tokenizer, or decode without a device`;
  return new TokenizerError(message, { code: 'DEVICE_UNSUPPORTED' });
}
