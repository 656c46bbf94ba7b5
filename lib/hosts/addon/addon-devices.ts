// Accelerators: locates their plugins, chooses one for a batch, and handles failures.
//
// If a device fails, the batch gets the CPU's ids, and a process warning says why, once. Only a missing device that the caller
// requested is an error.

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { packageFolder, requireIn } from '../../vocabularies/open/package-files.js';
import { type AnyDevice, checkedDevice, type DeviceList } from '../../engine/devices.js';
import { TokenizerError } from '../../base/errors.js';
import type { DeviceJob } from './device-job.js';
import { addon, type DeviceFacts, failed, type Handle } from './addon.js';
import { variable } from '../../base/environment.js';

/** The kinds that `'auto'` looks for, in order. */
const KINDS = ['cuda', 'hip'] as const;
export type Accelerator = (typeof KINDS)[number] | 'emulated';

/** With fewer bytes the CPU finishes before a device has started. */
const WORTH = 4 * 1024 * 1024;

/** Settings for tests and measurements (memoryBudget, in KiB, also for users), in the order of crayon_device_open. */
const SETTINGS = ['sliceBytes', 'timeLimit', 'memoryBudget', 'streams'] as const;
export type DeviceSettings = Partial<Record<(typeof SETTINGS)[number], number>>;

/** The emulated device, with its plugin's file. */
let emulated: { path: string; settings: Uint32Array; kind: Accelerator } | undefined;

const handles = new Map<Accelerator, Handle>();
/** Kinds without a plugin. */
const kindsWithoutPlugin = new Set<Accelerator>();
/** Devices that worked, or seemed to, and then failed: later batches silently go to the CPU. */
const failedKinds = new Set<Accelerator>();
/** Devices that have done a job, so their context is open. */
const warmKinds = new Set<Accelerator>();
const warnings = new Set<string>();

/**
 * Installs the emulated device, for tests; without a path removes it. Resets all knowledge about devices. `kind`: the kind
 * it stands in for, so that `'auto'` may choose it.
 */
export function useEmulatedDevice(path?: string, settings: DeviceSettings = {}, kind: Accelerator = 'emulated'): void {
  const before = emulated && handles.get(emulated.kind);
  if (before !== undefined) addon.deviceClose(before);
  if (emulated) handles.delete(emulated.kind);
  for (const known of [kindsWithoutPlugin, failedKinds, warmKinds]) known.clear();
  environmentDevice = budget = undefined;
  warnings.clear();
  emulated = path === undefined ? undefined : { path, settings: Uint32Array.from(SETTINGS, (name) => settings[name] ?? 0), kind };
}

/** A plugin's file: one built on this machine, else its package's. */
function pluginOf(kind: Accelerator): string | undefined {
  if (emulated?.kind === kind) return emulated.path;
  if (kind === 'emulated') return undefined;
  const name = `crayon_gpu_${kind}.so`;
  const built = join(packageFolder(), 'build', kind, 'gpu', name);
  if (existsSync(built)) return built;
  try {
    const require = requireIn(packageFolder());
    const folder = dirname(require.resolve(`${packageOf(kind)}/package.json`));
    const packed = join(folder, `${process.platform}-${process.arch}`, name);
    return existsSync(packed) ? packed : undefined;
  } catch {
    return undefined;
  }
}

function packageOf(kind: Accelerator): string {
  return `crayon-tokenizer-${kind}`;
}

/** Says where plugins come from: users must not install by name a package that this project does not publish on npm. */
function whyAbsent(kind: Accelerator): string {
  const name = packageOf(kind);
  const what = `there is no plugin of it for ${process.platform}-${process.arch}`;
  return `${what}; ${name} is not published on npm yet: in a clone of the repository, npm run build:gpu makes build/plugins/${name}, to be installed by its path`;
}

/** The unit of memoryBudget. */
const KIB = 1024;
let budget: number | undefined;

/** The value of `CRAYON_DEVICE_MEMORY`: the most device memory for batches, in bytes; 0 if it is not set. */
export function deviceMemoryBudget(): number {
  return (budget ??= budgetIn(variable('CRAYON_DEVICE_MEMORY')));
}

function budgetIn(text: string | undefined): number {
  if (!text) return 0;
  const [, count, unit = ''] = /^([1-9][0-9]*)(|KiB|MiB|GiB)$/.exec(text) ?? [];
  const bytes = Number(count) * KIB ** ['', 'KiB', 'MiB', 'GiB'].indexOf(unit);
  if (bytes >= KIB && bytes < KIB * 2 ** 32) return bytes;
  const message = `expected a number of bytes of 1024 or more, such as 2GiB, for CRAYON_DEVICE_MEMORY but received '${text}'`;
  throw new RangeError(message);
}

/** For crayon_device_open: the tests' settings and, for any device, the budget. */
function settingsOf(kind: Accelerator): Uint32Array {
  const settings = emulated?.kind === kind ? emulated.settings.slice() : new Uint32Array(SETTINGS.length);
  settings[SETTINGS.indexOf('memoryBudget')] ||= Math.floor(deviceMemoryBudget() / KIB);
  return settings;
}

/** Loads nothing yet. Undefined if there is no plugin. */
export function deviceHandle(kind: Accelerator): Handle | undefined {
  const known = handles.get(kind);
  if (known !== undefined) return known;
  if (kindsWithoutPlugin.has(kind)) return undefined;
  const path = pluginOf(kind);
  if (path === undefined) {
    kindsWithoutPlugin.add(kind);
    return undefined;
  }
  const handle = addon.deviceOpen(path, settingsOf(kind));
  if (handle < 0) throw failed('cannot use a device');
  handles.set(kind, handle);
  return handle;
}

/** Describes a kind's device, loading the plugin; or says why there is none. */
export function deviceFacts(kind: Accelerator): DeviceFacts | string {
  const handle = deviceHandle(kind);
  if (handle === undefined) {
    return kind === 'emulated' ? 'it is for tests, which set it up' : whyAbsent(kind);
  }
  const facts = addon.deviceDescribe(handle);
  if (!facts) throw failed('cannot use a device');
  return facts.isUsable ? facts : facts.reason;
}

/** All kinds, for a vocabulary. `unsupported`: why devices have no kernels for it, if so. */
export function deviceList(unsupported: string | undefined): DeviceList {
  const list: DeviceList = { usable: ['cpu'], unavailable: {} };
  for (const kind of [...KINDS, ...(emulated?.kind === 'emulated' ? (['emulated'] as const) : [])]) {
    const facts = deviceFacts(kind);
    if (typeof facts === 'string') list.unavailable[kind] = facts;
    else if (unsupported !== undefined) list.unavailable[kind] = unsupported;
    else list.usable.push(kind);
  }
  return list;
}

/** A call's request. */
export interface Wish {
  device: AnyDevice | undefined;
  /** The approximate size of the batch. Called only if it matters. */
  bytes(): number;
  /** Why devices have no kernels for the vocabulary; undefined if they may have them. */
  unsupported(): string | undefined;
  /** Whether the calling thread blocks for the result. */
  isWaitedFor: boolean;
  /** Starts a job that only opens the context, for a blocking thread. */
  warmUp?(kind: Accelerator): void;
}

/** A device to try. */
export interface Choice {
  kind: Accelerator;
  handle: Handle;
  /** Whether the caller named it, which makes its absence an error. */
  isNamed: boolean;
}

/** The value of CRAYON_DEVICE, read once because reading the environment is slow. */
let environmentDevice: AnyDevice | undefined;

export function wishedDevice(): AnyDevice {
  return (environmentDevice ??= checkedDevice(variable('CRAYON_DEVICE') || undefined, 'CRAYON_DEVICE') ?? 'auto');
}

/** The device for a batch; undefined means the CPU. Throws if a requested device is missing. */
export function chosenDevice(wish: Wish): Choice | undefined {
  const named = wish.device;
  const device = named ?? wishedDevice();
  if (device === 'cpu') return undefined;
  if (device === 'auto') return automatic(wish);
  if (failedKinds.has(device)) return undefined;
  const isNamed = named !== undefined;
  const unsupported = wish.unsupported();
  if (unsupported !== undefined) {
    if (!isNamed) return undefined;
    throw new TokenizerError(`cannot use the device '${device}': ${unsupported}`, { code: 'DEVICE_UNSUPPORTED' });
  }
  const handle = deviceHandle(device);
  if (handle !== undefined) return { kind: device, handle, isNamed };
  absent(device, isNamed);
  return undefined;
}

function automatic(wish: Wish): Choice | undefined {
  const isNowhere = KINDS.every((kind) => kindsWithoutPlugin.has(kind) || failedKinds.has(kind));
  if (isNowhere || wish.bytes() < WORTH) return undefined;
  for (const kind of KINDS) {
    const handle = failedKinds.has(kind) ? undefined : deviceHandle(kind);
    if (handle === undefined || wish.unsupported() !== undefined) continue;
    if (!wish.isWaitedFor || warmKinds.has(kind)) return { kind, handle, isNamed: false };
    wish.warmUp?.(kind); // the calling thread does not wait for a context: the CPU does this batch
    return undefined;
  }
  return undefined;
}

/** A missing device is an error if the caller named it, and a warning if CRAYON_DEVICE did. */
function absent(kind: Accelerator, isNamed: boolean): void {
  const facts = deviceFacts(kind);
  const message = `cannot use the device '${kind}': ${typeof facts === 'string' ? facts : facts.reason}`;
  if (isNamed) throw new TokenizerError(message, { code: 'DEVICE_UNAVAILABLE' });
  failedKinds.add(kind);
  warn(message);
}

/** The device for a resident batch: any that exists, however small the batch. Throws if there is none. */
export function keepingDevice(named: AnyDevice | undefined, unsupported: () => string | undefined): Choice {
  const device = named ?? wishedDevice();
  if (device === 'cpu') {
    const message = "cannot keep a batch on a device, as the CPU is to encode it: name another one, such as device: 'cuda'";
    throw new TokenizerError(message, { code: 'DEVICE_UNAVAILABLE' });
  }
  const reasons: string[] = [];
  for (const kind of device === 'auto' ? KINDS : [device]) {
    const facts = deviceFacts(kind);
    if (typeof facts === 'string') {
      reasons.push(`'${kind}': ${facts}`);
      continue;
    }
    const why = unsupported();
    if (why !== undefined) throw new TokenizerError(`cannot use the device '${kind}': ${why}`, { code: 'DEVICE_UNSUPPORTED' });
    return { kind, handle: deviceHandle(kind) as Handle, isNamed: true };
  }
  throw new TokenizerError(`cannot keep a batch on a device: ${reasons.join('; ')}`, { code: 'DEVICE_UNAVAILABLE' });
}

/** The error for a resident batch: the CPU does not take over. */
export function keepingFailure({ kind, handle }: Choice, error: unknown): unknown {
  if (!(error instanceof TokenizerError)) return error;
  switch (error.code) {
    case 'DEVICE_UNAVAILABLE':
    case 'DEVICE_FAILED':
      return new TokenizerError(`the device '${kind}' has failed: ${addon.deviceDescribe(handle)?.reason || error.message}`, {
        code: 'DEVICE_FAILED',
      });
    case 'DEVICE_UNSUPPORTED':
    case 'ROW_REFUSED':
      return new TokenizerError(`cannot use the device '${kind}': ${error.message}`, { code: 'DEVICE_UNSUPPORTED' });
    default:
      return error;
  }
}

/** Bytes held by resident batches, for tests. */
export function keptBytes(kind: Accelerator): number {
  const handle = handles.get(kind);
  return (handle !== undefined && addon.deviceDescribe(handle)?.heldBytes) || 0;
}

/** Records a successful job. */
export function succeeded({ kind }: Choice, job: DeviceJob): void {
  warmKinds.add(kind);
  jobs++;
  lastProgress = job.progress();
}

/** A device's statistics: its jobs, and details of the last one. */
export interface Progress {
  jobs: number;
  /** Of the last job. */
  slices: number;
  /** Because memory was short. */
  retries: number;
  streams: number;
  /** The most slices in flight. */
  atOnce: number;
  /** Jobs returned as matrices. */
  matrices: number;
  /** Milliseconds by the device's clock, over all slices, which overlap: copying in, computing, copying out. */
  copyIn: number;
  compute: number;
  copyOut: number;
}

let jobs = 0;
let lastProgress: number[] = [];

/** For measurements, and for tests, which cannot tell a device's ids from the CPU's. */
export function deviceProgress(): Progress {
  const [slices = 0, retries = 0, streams = 0, atOnce = 0, matrices = 0, ...nanoseconds] = lastProgress;
  const [copyIn = 0, compute = 0, copyOut = 0] = nanoseconds.map((each) => each / 1e6);
  return { jobs, slices, retries, streams, atOnce, matrices, copyIn, compute, copyOut };
}

/**
 * Handles a failed job: throws errors that concern the caller. Otherwise the CPU must do the work, beginning with the row that
 * the device left to it, if any.
 */
export function afterFailure({ kind, isNamed }: Choice, error: unknown): { row?: number } {
  if (!(error instanceof TokenizerError)) throw error;
  switch (error.code) {
    case 'ROW_REFUSED':
      warmKinds.add(kind);
      return { row: error.position };
    case 'DEVICE_UNAVAILABLE':
      if (warmKinds.has(kind) || failedKinds.has(kind)) break;
      if (wishedDevice() !== kind && !isNamed)
        failedKinds.add(kind); // 'auto' stops looking
      else absent(kind, isNamed);
      return {};
    case 'DEVICE_UNSUPPORTED':
      if (isNamed) throw new TokenizerError(`cannot use the device '${kind}': ${error.message}`, { code: error.code });
      return {};
    case 'DEVICE_FAILED':
      break;
    default:
      throw error;
  }
  const handle = handles.get(kind);
  const facts = handle === undefined ? undefined : addon.deviceDescribe(handle);
  if (!facts?.isUsable) failedKinds.add(kind);
  warn(`the device '${kind}' has failed (${facts?.reason ?? error.message}); its batches are encoded on the CPU`);
  return {};
}

function warn(message: string): void {
  if (warnings.has(message)) return;
  warnings.add(message);
  process.emitWarning(`crayon-tokenizer: ${message}`, { type: 'CrayonWarning', code: 'CRAYON_DEVICE' });
}
