// `crayon info`: what is installed, or one tokenizer.

import { readdirSync, statSync } from 'node:fs';

import { DnaTokenizer, Tokenizer } from '../index.js';
import { native } from '../native/engine.js';
import { missing } from '../native/addon.js';
import { type Accelerator, deviceFacts, deviceList } from '../native/devices.js';
import { profileFolders } from '../open/profile-folders.js';
import { cartridgeFolder } from '../open/in-node.js';
import { isForDna } from '../open/open-failed.js';
import { engineOf } from '../tokenizer/tokenizer.js';
import { wasmKernels } from '../wasm/engine.js';
import { hasWasm } from '../wasm/in-node.js';
import { metadataOf } from './cartridge-file.js';
import { inLines } from './fields.js';
import { write } from './streams.js';

/** `source`: an encoding, model or cartridge; undefined for the installation. */
export async function info(source: string | undefined, options: { json: boolean }, version: string): Promise<boolean> {
  const facts = source === undefined ? installation(version) : tokenizerFacts(source);
  await write(options.json ? `${JSON.stringify(facts)}\n` : inLines(facts));
  return true;
}

function installation(version: string) {
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
    searched,
    cartridges: searched.flatMap((folder) => vocabulariesIn(folder, /\.(?:cray|dat)$/)).map(aboutFile),
  };
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

function aboutFile(file: string) {
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

function tokenizerFacts(source: string) {
  using tokenizer = Tokenizer.loadSync(source);
  const engine = engineOf(tokenizer);
  const { scanner, normalizer } = engine.describe();
  return {
    name: tokenizer.name,
    model: tokenizer.modelKind,
    pretokenizer: scanner,
    ...(normalizer === '' ? {} : { normalizer }),
    vocabularySize: tokenizer.vocabularySize,
    specialTokens: Object.fromEntries(tokenizer.specialTokens),
    kernel: tokenizer.backend.kernel,
    // Whether there are such devices here, `crayon info` says.
    onAccelerators: engine.whyNotOnDevices ? (engine.whyNotOnDevices() ?? 'batches') : 'accelerators need the native addon',
    ...metadataOf(tokenizer),
  };
}
