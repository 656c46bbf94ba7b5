// The devices on which batches can run: their names, and what an engine says of them.

import { outOfRange, TokenizerError, unexpected } from '../base/errors.js';

/**
 * Where a batch runs. `'auto'`: on an accelerator if there is one with kernels for the vocabulary and the batch is large enough
 * to benefit, else on the CPU.
 *
 * @example
 * ```ts
 * const device: DeviceName = 'auto';
 * tokenizer.encodeBatch(['hello world'], { device }).ids; // Uint32Array [24912, 2375]
 * ```
 */
export type DeviceName = 'auto' | 'cpu' | 'cuda' | 'hip';

/** Includes the tests' emulated device, which must be installed first. */
export type AnyDevice = DeviceName | 'emulated';

/**
 * The backend that runs a tokenizer.
 *
 * @example
 * ```ts
 * const { kind, devices }: Backend = tokenizer.backend;
 * kind; // 'native'
 * devices; // ['cpu']
 * ```
 */
export interface Backend {
  /** The native addon, or WebAssembly. */
  readonly kind: 'native' | 'wasm';
  /** The SIMD kernel in use: `'avx512'`, `'avx2'`, `'ssse3'`, `'neon'`, `'simd128'` (WebAssembly) or `'scalar'`. */
  readonly kernel: string;
  /** Where batches of this vocabulary can run: `'cpu'`, and any accelerators present. Detected when read. */
  readonly devices: readonly string[];
  /** Why other devices cannot run them: the device is missing, or has no kernels for the vocabulary. */
  readonly unavailable: Readonly<Record<string, string>>;
}

/** The devices that an engine finds. */
export interface DeviceList {
  /** Names, the CPU first. */
  usable: string[];
  /** Why the others are not usable, by name. */
  unavailable: Record<string, string>;
}

const NAMES: readonly string[] = ['auto', 'cpu', 'cuda', 'hip', 'emulated'] satisfies AnyDevice[];
const EXPECTED = "'auto', 'cpu', 'cuda' or 'hip'";

/** An optional device name. `name`: the caller's name for it. */
export function checkedDevice(device: unknown, name = 'device'): AnyDevice | undefined {
  if (device === undefined) return undefined;
  if (typeof device !== 'string') throw unexpected(EXPECTED, name, device);
  if (NAMES.includes(device)) return device as AnyDevice;
  throw outOfRange(EXPECTED, name, device);
}

/** Throws for a requested accelerator on an engine without any. `resident`: whether a batch should stay on one. */
export function checkHasDevices(engine: { devices?(): DeviceList }, device: AnyDevice | undefined, resident = false): void {
  const names = namesAccelerator(device);
  if ((!names && !resident) || engine.devices) return;
  const message = `cannot ${names ? `use the device '${device}'` : 'keep a batch on a device'}: accelerators need the native addon`;
  throw new TokenizerError(message, { code: 'DEVICE_UNAVAILABLE' });
}

/** Throws for a requested accelerator if `why` says that none has kernels. */
export function checkHasKernels(why: string | undefined, device: AnyDevice | undefined, resident = false): void {
  const names = namesAccelerator(device);
  if (why === undefined || (!names && !resident)) return;
  throw names ? new TokenizerError(`cannot use the device '${device}': ${why}`, { code: 'DEVICE_UNSUPPORTED' }) : notKept(why);
}

/** Whether a call asks for one device, which is not the CPU. */
export function namesAccelerator(device: AnyDevice | undefined): device is Exclude<AnyDevice, 'auto' | 'cpu'> {
  return device !== undefined && device !== 'auto' && device !== 'cpu';
}

/** The error for a batch that cannot stay on a device because none has kernels for it. */
export function notKept(why: string): TokenizerError {
  return new TokenizerError(`cannot keep a batch on a device: ${why}`, { code: 'DEVICE_UNSUPPORTED' });
}

/** The backend of an engine, for users: devices are detected on access. */
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
  // Node would print the getter as such; printing a backend should detect its devices.
  return Object.defineProperty(backend, Symbol.for('nodejs.util.inspect.custom'), { value: () => ({ ...backend }) });
}
