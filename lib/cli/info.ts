// `crayon info`: what is installed, or one tokenizer.

import { readdirSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';

import { DnaTokenizer } from '../dna.js';
import { Tokenizer } from '../index.js';
import { native } from '../hosts/addon/addon.js';
import { missing } from '../hosts/addon/addon.js';
import { type Accelerator, deviceFacts, deviceList, deviceMemoryBudget, wishedDevice } from '../hosts/addon/addon-devices.js';
import { threadCount } from '../hosts/addon/thread-count.js';
import { profileFolders } from '../vocabularies/open/sources-in-node.js';
import { cartridgeFolder } from '../vocabularies/open/built-in.js';
import { cacheFolder } from '../io/cache-folder.js';
import { isForDna } from '../vocabularies/open/open-failed.js';
import type { AnyDevice } from '../engine/devices.js';
import { engineOf } from '../api/tokenizer.js';
import { wasmKernels } from '../hosts/module/module.js';
import { hasWasm } from '../hosts/module/modules-in-node.js';
import { metadataOf, withShortTemplates } from './cartridge-file.js';
import { counted, inLines } from './output/fields.js';
import { write } from './output/terminal.js';

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
    environment: environmentHere(),
    importCache: importCache(),
    searched,
    cartridges: searched.flatMap((folder) => vocabulariesIn(folder, /\.(?:cray|dat)$/)).map(aboutFile),
  };
}

/** The variables that are set, and what is wrong with them. */
function environmentHere(): Record<string, { value: string; wrong?: string }> {
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
function importCache(): { folder: string; cartridges?: number; bytes?: number } {
  const folder = cacheFolder();
  if (folder === undefined) return { folder: 'none, as CRAYON_CACHE_DIR is empty' };
  const sizes = vocabulariesIn(folder, /\.cray$/).map((file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0);
  return { folder, cartridges: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

/** Where batches can run, and why not elsewhere. */
function devicesHere(): {
  devices: readonly string[];
  accelerators?: ReturnType<typeof accelerators>;
  unavailable?: Record<string, string>;
} {
  if (missing) return { devices: ['cpu'] };
  const { usable, unavailable } = deviceList(undefined);
  return { devices: usable, accelerators: accelerators(usable), unavailable };
}

/** Those that are there. */
function accelerators(
  usable: readonly string[],
): { device: string; name?: string; memory?: number; processors?: number; reason?: string }[] {
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

type Installation = ReturnType<typeof installation>;

/** A cartridge that is found: of text, of DNA, or one that cannot be opened. */
interface InstalledFile {
  file: string;
  bytes: number;
  encodings?: readonly string[];
  dna?: string;
  error?: string;
}

const WIDTH = 80;
const INDENT = 14;

function installationText(facts: Installation): string {
  const { version, node, platform, backends, addon, kernels, devices, accelerators = [], environment, importCache, searched } = facts;
  const missing = Object.keys(facts.unavailable ?? {});
  const named = accelerators.map(({ device, name, reason }) => `${device} is ${name ?? reason}`);
  const without = missing.length > 0 ? [`no plugin for ${missing.join(', ')} (--json says why)`] : [];
  const variables = Object.entries(environment).map(
    ([name, { value, wrong }]) => `${name}=${value}${wrong === undefined ? '' : `, which is wrong: ${wrong}`}`,
  );
  const { folder, cartridges: count, bytes } = importCache;
  const size = count === undefined ? '' : `; ${counted(count, 'cartridge')}, ${megabytes(bytes ?? 0)}`;
  return [
    `crayon ${version}, Node ${node}, ${platform}\n`,
    field('backends', backends.join(', ')),
    field('addon', addon),
    field('kernels', kernels.join(', ')),
    field('devices', [devices.join(', '), ...named, ...without].join('; ')),
    field('environment', ...(variables.length > 0 ? variables : ['none'])),
    field('cache', `${folder}${size}`),
    field('searched', ...searched),
    'cartridges\n',
    ...cartridgeLines(facts),
  ].join('');
}

/** A name and its values, each on lines of its own. */
function field(name: string, ...values: string[]): string {
  return values.map((value, index) => wrapped(index === 0 ? name : '', value)).join('');
}

/** A value behind its name; what does not fit the line goes on below. */
function wrapped(name: string, value: string): string {
  let line = name.padEnd(INDENT);
  let text = '';
  let isEmpty = true;
  for (const word of value.split(/\s+/)) {
    if (!isEmpty && line.length + 1 + word.length > WIDTH) {
      text += `${line}\n`;
      line = ' '.repeat(INDENT);
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return `${text}${line}\n`;
}

/** A line for each vocabulary, full and slim, and one for all of DNA. */
function cartridgeLines({ cartridges, searched }: Installation): string[] {
  const stems = new Map<string, InstalledFile[]>();
  for (const each of cartridges.filter(({ dna }) => dna === undefined)) {
    const stem = each.file.replace(/(?:\.slim)?\.(?:cray|dat)$/, '');
    stems.set(stem, [...(stems.get(stem) ?? []), each]);
  }
  const lines = [...stems].map(([stem, files]) => {
    const name = dirname(stem) === searched[0] ? basename(stem) : stem;
    return entry(name, files.map(({ error }) => error).find((error) => error !== undefined) ?? sizesOf(name, files));
  });
  const dna = cartridges.flatMap((each) => (each.dna === undefined ? [] : [each.dna]));
  return dna.length > 0 ? [...lines, entry('DNA', dna.join(', '))] : lines;
}

function sizesOf(name: string, files: InstalledFile[]): string {
  const sizes = files.map(({ file, bytes }) => `${megabytes(bytes)}${/\.slim\.cray$/.test(file) ? ' slim' : ''}`).join(', ');
  const encodings = files[0]?.encodings ?? [];
  return encodings.length === 1 && encodings[0] === name ? sizes : `${sizes}: ${encodings.join(', ')}`;
}

function entry(name: string, value: string): string {
  return name.length < INDENT - 2 ? wrapped(`  ${name}`, value) : `  ${name}\n${wrapped('', value)}`;
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
