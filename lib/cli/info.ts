// `crayon info`: what is installed, or one tokenizer.

import { readdirSync, statSync } from 'node:fs';

import { DnaTokenizer } from '../dna.js';
import { Tokenizer } from '../index.js';
import { native } from '../native/engine.js';
import { missing } from '../native/addon.js';
import { type Accelerator, deviceFacts, deviceList, deviceMemoryBudget, wishedDevice } from '../native/devices.js';
import { threadCount } from '../native/thread-count.js';
import { profileFolders } from '../open/in-node.js';
import { cartridgeFolder } from '../open/built-in.js';
import { cacheFolder } from '../open/cache-folder.js';
import { isForDna } from '../open/open-failed.js';
import type { AnyDevice } from '../engine/devices.js';
import { engineOf } from '../tokenizer/tokenizer.js';
import { wasmKernels } from '../wasm/module.js';
import { hasWasm } from '../wasm/in-node.js';
import { metadataOf, withShortTemplates } from './cartridge-file.js';
import { inLines } from './output/fields.js';
import { type Installation, type InstalledFile, installationText } from './output/installation-text.js';
import { write } from './output/standard-streams.js';

/** `source`: an encoding, model or cartridge; undefined for the installation. */
export async function info(source: string | undefined, options: { json: boolean }, version: string): Promise<boolean> {
  if (source === undefined) {
    const facts = installation(version);
    await write(options.json ? `${JSON.stringify(facts)}\n` : installationText(facts));
    return true;
  }
  const facts = await tokenizerFacts(source);
  await write(
    options.json
      ? `${JSON.stringify(facts)}\n`
      : inLines('metadata' in facts ? { ...facts, metadata: withShortTemplates(facts.metadata) } : facts),
  );
  return true;
}

function installation(version: string): Installation {
  const searched = [cartridgeFolder(), ...profileFolders()];
  return {
    version,
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
    backends: [...(missing ? [] : ['native']), ...(hasWasm() ? ['wasm'] : [])],
    // Without an addon, why: WebAssembly runs the engine then.
    addon: missing ? missing.message : native().path,
    kernels: missing ? wasmKernels() : native().addon.kernels(),
    ...devicesHere(),
    environment: environmentHere(),
    importCache: importCache(),
    searched,
    cartridges: searched.flatMap((folder) => vocabulariesIn(folder, /\.(?:cray|dat)$/)).map(aboutFile),
  };
}

/** The variables that are set, and what is wrong with them. */
function environmentHere() {
  const kernels = missing ? wasmKernels() : native().addon.kernels();
  const checks: Record<string, (value: string) => string | undefined> = {
    CRAYON_DEVICE: () => wrongDevice(wishedDevice()),
    CRAYON_DEVICE_MEMORY: () => void deviceMemoryBudget(),
    CRAYON_FORCE_KERNEL: (kernel) => (kernels.includes(kernel) ? undefined : `there is no such kernel here, but ${kernels.join(', ')}`),
    CRAYON_THREADS: () => void threadCount(),
  };
  return Object.fromEntries(
    Object.entries(checks).flatMap(([name, check]) => {
      const value = process.env[name];
      if (!value) return [];
      const wrong = wrongOf(() => check(value));
      return [[name, wrong === undefined ? { value } : { value, wrong }]];
    }),
  );
}

function wrongDevice(device: AnyDevice): string | undefined {
  if (device === 'auto' || device === 'cpu') return undefined;
  if (missing) return 'accelerators need the native addon';
  const facts = deviceFacts(device);
  return typeof facts === 'string' ? facts : undefined;
}

function wrongOf(check: () => string | undefined): string | undefined {
  try {
    return check();
  } catch (error) {
    return (error as Error).message;
  }
}

/** Where `load` keeps what it makes of a tokenizer.json. */
function importCache() {
  const folder = cacheFolder();
  if (folder === undefined) return { folder: 'none, as CRAYON_CACHE_DIR is empty' };
  const sizes = vocabulariesIn(folder, /\.cray$/).map((file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0);
  return { folder, cartridges: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

/** Where batches can run, and why not elsewhere. */
function devicesHere() {
  if (missing) return { devices: ['cpu'] };
  const { usable, unavailable } = deviceList(undefined);
  return { devices: usable, accelerators: accelerators(usable), unavailable };
}

/** Those that are there. */
function accelerators(usable: readonly string[]) {
  return usable.slice(1).map((device) => {
    const facts = deviceFacts(device as Accelerator);
    if (typeof facts === 'string') return { device, reason: facts };
    const { name, memory, processors } = facts;
    return { device, name, memory, processors };
  });
}

function aboutFile(file: string): InstalledFile {
  const { size } = statSync(file);
  try {
    using tokenizer = Tokenizer.loadSync(file);
    return { file, bytes: size, encodings: engineOf(tokenizer).describe().views };
  } catch (error) {
    if (isForDna(error)) return { file, bytes: size, dna: dnaName(file) };
    return { file, bytes: size, error: (error as Error).message };
  }
}

function dnaName(file: string): string {
  using dna = DnaTokenizer.loadSync(file);
  return dna.name;
}

/** The cartridges in a folder, sorted; none if there is no such folder. */
export function cartridgeFiles(folder: string): string[] {
  return vocabulariesIn(folder, /\.cray$/);
}

function vocabulariesIn(folder: string, ending: RegExp): string[] {
  try {
    const names = readdirSync(folder).filter((name) => ending.test(name));
    return names.sort().map((name) => `${folder.replace(/[/\\]$/, '')}/${name}`);
  } catch {
    return [];
  }
}

/** A tokenizer.json is compiled. */
async function tokenizerFacts(source: string) {
  using tokenizer = await Tokenizer.load(source);
  const engine = engineOf(tokenizer);
  const { scanner, normalizer } = engine.describe();
  const more = metadataOf(tokenizer);
  const general = Object(more.metadata).generalPath as string | undefined;
  return {
    name: tokenizer.name,
    model: tokenizer.modelKind,
    pretokenizer: scanner,
    ...(normalizer === '' ? {} : { normalizer }),
    ...(general === undefined ? {} : { path: 'general: a text is in memory as a whole, and one thread encodes it' }),
    vocabularySize: tokenizer.vocabularySize,
    specialTokens: Object.fromEntries(tokenizer.specialTokens),
    kernel: tokenizer.backend.kernel,
    // Whether there are such devices here, `crayon info` says.
    onAccelerators: engine.whyNotOnDevices ? (engine.whyNotOnDevices() ?? 'batches') : 'accelerators need the native addon',
    ...more,
  };
}
