// Where batches can run besides the CPU: names, and what an engine says of them. No host.

import { outOfRange, TokenizerError, unexpected } from '../base/errors.js';

/**
 * Where a batch runs. `'auto'`: on an accelerator if there is one with kernels for the vocabulary and the batch is large enough
 * to gain from it, else on the CPU.
 *
 * @example
 * ```ts
 * const device: DeviceName = 'auto';
 * tokenizer.encodeBatch(['hello world'], { device }).ids; // Uint32Array [24912, 2375]
 * ```
 */
export type DeviceName = 'auto' | 'cpu' | 'cuda' | 'hip';

/** The emulated device of the tests, too, which has to be set up before. */
export type AnyDevice = DeviceName | 'emulated';

/** What an engine finds. */
export interface DeviceList {
  /** Names, the CPU first. */
  usable: string[];
  /** Why others are not, by their names. */
  unavailable: Record<string, string>;
}

const NAMES: readonly string[] = ['auto', 'cpu', 'cuda', 'hip', 'emulated'] satisfies AnyDevice[];

/** An optional name of a device. `name`: what the caller calls it. */
export function checkedDevice(device: unknown, name = 'device'): AnyDevice | undefined {
  if (device === undefined) return undefined;
  if (typeof device !== 'string') throw unexpected("'auto', 'cpu', 'cuda' or 'hip'", name, device);
  if (NAMES.includes(device)) return device as AnyDevice;
  throw outOfRange("'auto', 'cpu', 'cuda' or 'hip'", name, device);
}

/** Throws for an accelerator that an engine without any is asked for. `resident`: whether a batch is to stay on one. */
export function checkHasDevices(engine: { devices?(): DeviceList }, device: AnyDevice | undefined, resident = false): void {
  const isAny = device === undefined || device === 'auto' || device === 'cpu';
  if ((isAny && !resident) || engine.devices) return;
  const message = `cannot ${isAny ? 'keep a batch on a device' : `use the device '${device}'`}: accelerators need the native addon`;
  throw new TokenizerError(message, { code: 'DEVICE_UNAVAILABLE' });
}

/** Throws for an accelerator that is asked for where `why` says that none has kernels. */
export function checkHasKernels(why: string | undefined, device: AnyDevice | undefined, resident = false): void {
  const isAny = device === undefined || device === 'auto' || device === 'cpu';
  if (why === undefined || (isAny && !resident)) return;
  throw isAny ? notKept(why) : new TokenizerError(`cannot use the device '${device}': ${why}`, { code: 'DEVICE_UNSUPPORTED' });
}

/** The error of a batch that cannot stay on a device, as none has kernels for it. */
export function notKept(why: string): TokenizerError {
  return new TokenizerError(`cannot keep a batch on a device: ${why}`, { code: 'DEVICE_UNSUPPORTED' });
}

/** What the backend of an engine is, for users: devices are looked for when somebody asks. */
export function backendOf<Kind>(kind: Kind, kernel: string, engine: { devices?(): DeviceList }) {
  let found: DeviceList | undefined;
  const list = () => (found ??= engine.devices?.() ?? { usable: ['cpu'], unavailable: {} });
  const backend = {
    kind,
    kernel,
    get devices(): readonly string[] {
      return list().usable;
    },
    get unavailable(): Readonly<Record<string, string>> {
      return list().unavailable;
    },
  };
  // Node shows a getter as such; who shows a backend asks for its devices.
  return Object.defineProperty(backend, Symbol.for('nodejs.util.inspect.custom'), { value: () => ({ ...backend }) });
}
