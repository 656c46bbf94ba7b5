// `crayon info` for people: what is installed, on one screen of 80 columns. With --json it has more.

import { basename, dirname } from 'node:path';

import { counted } from './fields.js';

/** What `crayon info --json` writes. */
export interface Installation {
  version: string;
  node: string;
  platform: string;
  backends: string[];
  addon: string;
  kernels: readonly string[];
  devices: readonly string[];
  accelerators?: { device: string; name?: string; memory?: number; reason?: string }[];
  unavailable?: Record<string, string>;
  environment: Record<string, { value: string | undefined; wrong?: string }>;
  importCache: { folder: string; cartridges?: number; bytes?: number };
  searched: string[];
  cartridges: InstalledFile[];
}

/** A cartridge that is found: of text, of DNA, or one that cannot be opened. */
export interface InstalledFile {
  file: string;
  bytes: number;
  encodings?: readonly string[];
  dna?: string;
  error?: string;
}

const WIDTH = 80;
const INDENT = 14;

export function installationText(facts: Installation): string {
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
