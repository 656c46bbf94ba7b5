// Accelerators: where their plugins are, which one a batch goes to, and what is done when it fails.
//
// Whatever goes wrong with a device, a batch gets the ids of the CPU, and a warning of the process says why, once. Only what was
// never there, though the caller has asked for it, is an error.

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { packageFolder, requireIn } from '../open/package-files.js';
import { type AnyDevice, checkedDevice, type DeviceList } from '../engine/devices.js';
import { TokenizerError } from '../base/errors.js';
import type { DeviceJob } from './device-job.js';
import { addon, type DeviceFacts, failed, type Handle } from './addon.js';

/** Those that `'auto'` looks for, in order. */
const KINDS = ['cuda', 'hip'] as const;
export type Accelerator = (typeof KINDS)[number] | 'emulated';

/** With fewer bytes the CPU is done before a device has begun. */
const WORTH = 4 * 1024 * 1024;

/** What tests and measurements choose, and users of these the budget, in the order of crayon_device_open; memoryBudget in KiB. */
const SETTINGS = ['sliceBytes', 'timeLimit', 'memoryBudget', 'streams'] as const;
export type DeviceSettings = Partial<Record<(typeof SETTINGS)[number], number>>;

/** The emulated device, with the file of its plugin. */
let emulated: { path: string; settings: Uint32Array; kind: Accelerator } | undefined;

const handles = new Map<Accelerator, Handle>();
/** Those without a plugin. */
const missing = new Set<Accelerator>();
/** Those that worked, or seemed to, and then failed: from then on batches get the CPU without a word. */
const lost = new Set<Accelerator>();
/** Those that have done a job: their context is open. */
const warm = new Set<Accelerator>();
const warned = new Set<string>();

/**
 * Sets the emulated device up, for tests; without a path takes it away. What was known of it before is forgotten. `kind`: of
 * which it takes the place, so that `'auto'` may choose it.
 */
export function useEmulatedDevice(path?: string, settings: DeviceSettings = {}, kind: Accelerator = 'emulated'): void {
  const before = emulated && handles.get(emulated.kind);
  if (before !== undefined) addon.deviceClose(before);
  if (emulated) handles.delete(emulated.kind);
  for (const known of [missing, lost, warm]) known.clear();
  wished = budget = undefined;
  warned.clear();
  emulated = path === undefined ? undefined : { path, settings: Uint32Array.from(SETTINGS, (name) => settings[name] ?? 0), kind };
}

/** The file of a plugin: one built on this machine, else that of its package. */
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

/** Says where plugins come from: nobody is to install by name what npm does not have from this project. */
function whyAbsent(kind: Accelerator): string {
  const name = packageOf(kind);
  const what = `there is no plugin of it for ${process.platform}-${process.arch}`;
  return `${what}; ${name} is not published on npm yet: in a clone of the repository, npm run build:gpu makes build/plugins/${name}, to be installed by its path`;
}

/** In which KiB are counted. */
const KIB = 1024;
let budget: number | undefined;

/** What `CRAYON_DEVICE_MEMORY` says: the most bytes that batches may take of the memory of a device; 0 if it says nothing. */
export function deviceMemoryBudget(): number {
  return (budget ??= budgetIn(process.env.CRAYON_DEVICE_MEMORY));
}

function budgetIn(text: string | undefined): number {
  if (!text) return 0;
  const [, count, unit = ''] = /^([1-9][0-9]*)(|KiB|MiB|GiB)$/.exec(text) ?? [];
  const bytes = Number(count) * KIB ** ['', 'KiB', 'MiB', 'GiB'].indexOf(unit);
  if (bytes >= KIB && bytes < KIB * 2 ** 32) return bytes;
  const message = `expected a number of bytes of 1024 or more, such as 2GiB, for CRAYON_DEVICE_MEMORY but received '${text}'`;
  throw new RangeError(message);
}

/** Of crayon_device_open: those of the tests; of any device the budget. */
function settingsOf(kind: Accelerator): Uint32Array {
  const settings = emulated?.kind === kind ? emulated.settings.slice() : new Uint32Array(SETTINGS.length);
  settings[SETTINGS.indexOf('memoryBudget')] ||= Math.floor(deviceMemoryBudget() / KIB);
  return settings;
}

/** Nothing is loaded yet. Undefined if there is no plugin. */
export function deviceHandle(kind: Accelerator): Handle | undefined {
  const known = handles.get(kind);
  if (known !== undefined) return known;
  if (missing.has(kind)) return undefined;
  const path = pluginOf(kind);
  if (path === undefined) {
    missing.add(kind);
    return undefined;
  }
  const handle = addon.deviceOpen(path, settingsOf(kind));
  if (handle < 0) throw failed('cannot use a device');
  handles.set(kind, handle);
  return handle;
}

/** What there is of a kind; loads the plugin. Or why there is nothing. */
export function deviceFacts(kind: Accelerator): DeviceFacts | string {
  const handle = deviceHandle(kind);
  if (handle === undefined) {
    return kind === 'emulated' ? 'it is for tests, which set it up' : whyAbsent(kind);
  }
  const facts = addon.deviceDescribe(handle);
  if (!facts) throw failed('cannot use a device');
  return facts.isUsable ? facts : facts.reason;
}

/** All kinds for a vocabulary. `unsupported`: why devices have no kernels for it, if they have none. */
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

/** What a call asks for. */
export interface Wish {
  device: AnyDevice | undefined;
  /** Of the batch, about. Asked for where it matters. */
  bytes(): number;
  /** Why devices have no kernels for the vocabulary; undefined if they may have some. */
  unsupported(): string | undefined;
  /** Whether the calling thread waits for the result. */
  isWaitedFor: boolean;
  /** Begins a job that does nothing but open the context, for a thread that waits. */
  warmUp?(kind: Accelerator): void;
}

/** A device to try. */
export interface Choice {
  kind: Accelerator;
  handle: Handle;
  /** Whether the caller has named it, so that its absence is an error. */
  isNamed: boolean;
}

/** What CRAYON_DEVICE says. The environment is slow to read, so that is done once. */
let wished: AnyDevice | undefined;

export function wishedDevice(): AnyDevice {
  return (wished ??= checkedDevice(process.env.CRAYON_DEVICE || undefined, 'CRAYON_DEVICE') ?? 'auto');
}

/** Where a batch goes; undefined: to the CPU. Throws if a device was asked for that is not there. */
export function chosenDevice(wish: Wish): Choice | undefined {
  const named = wish.device;
  const device = named ?? wishedDevice();
  if (device === 'cpu') return undefined;
  if (device === 'auto') return automatic(wish);
  if (lost.has(device)) return undefined;
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
  const isNowhere = KINDS.every((kind) => missing.has(kind) || lost.has(kind));
  if (isNowhere || wish.bytes() < WORTH) return undefined;
  for (const kind of KINDS) {
    const handle = lost.has(kind) ? undefined : deviceHandle(kind);
    if (handle === undefined || wish.unsupported() !== undefined) continue;
    if (!wish.isWaitedFor || warm.has(kind)) return { kind, handle, isNamed: false };
    wish.warmUp?.(kind); // the calling thread does not wait for a context: this batch is the CPU's
    return undefined;
  }
  return undefined;
}

/** What is not there is an error for those who have named it; who has set CRAYON_DEVICE is told. */
function absent(kind: Accelerator, isNamed: boolean): void {
  const facts = deviceFacts(kind);
  const message = `cannot use the device '${kind}': ${typeof facts === 'string' ? facts : facts.reason}`;
  if (isNamed) throw new TokenizerError(message, { code: 'DEVICE_UNAVAILABLE' });
  lost.add(kind);
  warn(message);
}

/** Where a batch goes that is to stay on a device: to one that is there, however small the batch. Throws if there is none. */
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

/** The error of a batch that was to stay on a device: no CPU does its work. */
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

/** Bytes of the batches that stay on a device, for tests. */
export function keptBytes(kind: Accelerator): number {
  const handle = handles.get(kind);
  return (handle !== undefined && addon.deviceDescribe(handle)?.kept) || 0;
}

/** A job has been done. */
export function succeeded({ kind }: Choice, job: DeviceJob): void {
  warm.add(kind);
  jobs++;
  last = job.progress();
}

/** What a device has done: its jobs, and how the last one went. */
export interface Progress {
  jobs: number;
  /** Of the last one. */
  slices: number;
  /** Because memory was short. */
  retries: number;
  streams: number;
  /** Slices on their way, at most. */
  atOnce: number;
  /** Those that came as matrices. */
  matrices: number;
  /** Milliseconds by the device's clock, of all slices, which overlap: copying in, computing, copying out. */
  copyIn: number;
  compute: number;
  copyOut: number;
}

let jobs = 0;
let last: number[] = [];

/** For measurements, and for tests, which could not tell the ids of a device from those of the CPU. */
export function deviceProgress(): Progress {
  const [slices = 0, retries = 0, streams = 0, atOnce = 0, matrices = 0, ...nanoseconds] = last;
  const [copyIn = 0, compute = 0, copyOut = 0] = nanoseconds.map((each) => each / 1e6);
  return { jobs, slices, retries, streams, atOnce, matrices, copyIn, compute, copyOut };
}

/**
 * A job has failed: throws if that is for the caller. Otherwise the CPU has to do the work; the row that the device has left to it
 * first, if there is one.
 */
export function afterFailure({ kind, isNamed }: Choice, error: unknown): { row?: number } {
  if (!(error instanceof TokenizerError)) throw error;
  switch (error.code) {
    case 'ROW_REFUSED':
      warm.add(kind);
      return { row: error.position };
    case 'DEVICE_UNAVAILABLE':
      if (warm.has(kind) || lost.has(kind)) break;
      if (wishedDevice() !== kind && !isNamed)
        lost.add(kind); // 'auto' looks no more
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
  if (!facts?.isUsable) lost.add(kind);
  warn(`the device '${kind}' has failed (${facts?.reason ?? error.message}); its batches are encoded on the CPU`);
  return {};
}

function warn(message: string): void {
  if (warned.has(message)) return;
  warned.add(message);
  process.emitWarning(`crayon-tokenizer: ${message}`, { type: 'CrayonWarning', code: 'CRAYON_DEVICE' });
}
