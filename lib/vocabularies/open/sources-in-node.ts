// Finds and reads sources. This folder knows no engine and no entry.
//
// In Node, a source is a built-in name, a model name, a path, a URL or bytes.

import { existsSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { bytesOf, tagOf } from '../../base/views.js';
import { type FileKind, readCartridge, readRegularFile, TOKEN_LIST } from '../../io/regular-file.js';
import { shownName, shownPath, TokenizerError, unexpected } from '../../base/errors.js';
import { builtInNamed, unknownName } from '../models.js';
import { builtIn, cartridgeFolder, type SlimCartridge } from './built-in.js';
import { adviceOnFiles } from './package-files.js';
import { utf8Text } from '../../base/text-encodings.js';
import { noSource, type Source } from './source.js';
import { homedir } from 'node:os';
import { unlessDenied, variable } from '../../base/environment.js';
import { type DatOptions, type DatSource, isDat, listLocation, type ListText, namesDat } from './dat.js';

/** A cartridge, and its view if the source names one. */
export interface Cartridge {
  /** A path, or bytes. */
  source: string | Uint8Array;
  view?: string;
  /** The model named by the source. */
  model?: string;
  /** The package's slim cartridge that it is, or was expanded from. */
  slim?: SlimCartridge;
}

const JSON_FILE: FileKind = { noun: 'a JSON file', maxBytes: 2 ** 29 };

/** An archive within a path. */
const ARCHIVE = /\.asar([\\/])/;

/** The path of a package cartridge; undefined if it is missing. */
export function cartridgeNamed(name: string): string | undefined {
  const file = join(cartridgeFolder(), `${name}.cray`);
  return existsSync(file) ? file : undefined;
}

/** Resolves a source to a cartridge. Throws a TypeError, or a TokenizerError that says what was searched. */
export function resolveSource(source: Source): Cartridge {
  if (typeof source === 'string') return resolveString(source);
  if (source instanceof URL || tagOf(source) === 'URL') return { source: pathOfUrl(source as URL) };
  const bytes = bytesOf(source, 'source');
  if (bytes) return { source: bytes };
  throw noSource('an encoding, a model, a path, a file: URL or the bytes of a cartridge', source);
}

function resolveString(source: string): Cartridge {
  if (source === '') throw unexpected('the name of an encoding or model, or a path,', 'source', source);
  if (source.includes('\0')) throw unexpected('a name or path without NUL characters', 'source', source);
  const named = builtInNamed(source);
  if (named) return { ...named, ...builtIn(named.cartridge) };
  if (isUrl(source)) return { source: pathOfUrl(new URL(source)) };
  if (/[/\\]|\.(?:cray|dat)$/i.test(source)) return { source };
  return { source: searchName(source) };
}

/** Whether a text is a URL rather than a path: a Windows path begins with a single letter. */
export function isUrl(text: string): boolean {
  return /^[a-z][a-z+.-]+:\/\//i.test(text);
}

/** The path of a `file:` URL; throws a TypeError for any other. */
export function pathOfUrl(url: URL): string {
  if (url.protocol === 'file:') return fileURLToPath(url);
  throw new TypeError(
    `expected a file: URL for source but received ${shownPath(url.href)}; to load over the network, pass what fetch() gives: ` +
      'await Tokenizer.load(await fetch(url))',
  );
}

/** Resolves a name that is not built in: a file, or a cartridge or version 2 file of that name in the profile folders. */
function searchName(name: string): string {
  const files = filesNamed(name);
  const folders = [cartridgeFolder(), ...profileFolders()];
  const found = [name, ...folders.flatMap((folder) => files.map((file) => join(folder, file)))].find(isFile);
  if (found !== undefined) return found;
  if (isDirectory(name)) throw new TokenizerError(`cannot open ${name}: ${ofDirectory(name)}`, { code: 'FILE_UNREADABLE' });
  const shown = filesNamed(shownName(name)).join(',');
  const searched = [`./${shownName(name)}`, ...folders.map((folder) => join(folder, `{${shown}}`))];
  throw new TokenizerError(unknownName(name, searched), { code: 'FILE_NOT_FOUND' });
}

function filesNamed(name: string): string[] {
  return [`${name}.cray`, `${name}.dat`, `vocab_${name}.dat`];
}

function isFile(path: string): boolean {
  return about(path)?.isFile() ?? false;
}

function isDirectory(path: string): boolean {
  return about(path)?.isDirectory() ?? false;
}

function about(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** The error text for a directory as a source. */
function ofDirectory(path: string): string {
  const model = join(path, 'tokenizer.json');
  return `it is a directory; ${isFile(model) ? `pass ${model}` : 'pass the path of a file, such as the tokenizer.json of a model'}`;
}

/**
 * A source that the engine can open itself: a file inside an Electron archive (`app.asar`) cannot be mapped. It is taken
 * from the folder of unpacked files beside the archive if present, otherwise read to bytes.
 */
export function outOfArchive(source: string | Uint8Array): string | Uint8Array {
  if (typeof source !== 'string' || !source.includes('.asar') || !ARCHIVE.test(source)) return source;
  const unpacked = source.replace(ARCHIVE, '.asar.unpacked$1');
  return existsSync(unpacked) ? unpacked : readCartridge(source);
}

/** Completes the error for a cartridge that could not be opened. */
export function explainUnopened(error: unknown, { source, view }: Cartridge): unknown {
  if (!(error instanceof TokenizerError) || typeof source !== 'string') return error;
  const advice = error.code === 'FILE_NOT_FOUND' ? adviceOnMissing(source, view) : undefined;
  if (advice !== undefined) return new TokenizerError(`${error.message}. ${advice}`, error);
  if (error.code !== 'FILE_UNREADABLE' || !isDirectory(source)) return error;
  return new TokenizerError(`cannot open ${shownPath(source)}: ${ofDirectory(source)}`, error);
}

function adviceOnMissing(path: string, view: string | undefined): string | undefined {
  if (view !== undefined) return adviceOnFiles('npm run cartridges');
  // The form of Hugging Face model names: Qwen/Qwen3-8B.
  if (!/^[\w-][\w.-]*\/[\w.-]+$/.test(path) || /\.(?:cray|dat)$/i.test(path)) return undefined;
  return 'If it is a model of Hugging Face: nothing is downloaded, pass the path of its tokenizer.json';
}

/** The text of a JSON file, by its path or `file:` URL. */
export function readJsonText(location: string | URL): string {
  const path = typeof location === 'string' && !location.startsWith('file:') ? location : fileURLToPath(location);
  return utf8Text(readRegularFile(path, JSON_FILE), path);
}

// Where vocabularies are looked up by name, after the package's own: the folders documented by CRAYON.

/** The folders in order: `CRAYON_PROFILE_DIR`, the user's cache, and on Linux the system's. */
export function profileFolders(): string[] {
  const folders = [variable('CRAYON_PROFILE_DIR'), userCache(), process.platform === 'linux' && '/var/cache/crayon'];
  return folders.filter((folder) => typeof folder === 'string' && folder !== '') as string[];
}

/** Undefined for a user without a home directory. */
function userCache(): string | undefined {
  return unlessDenied(() => join(homedir(), '.cache', 'xerv', 'crayon', 'profiles'));
}

// Version 2 vocabularies in files.

/** The data that accompanies a `.dat`, given by its path or its bytes; undefined for any other source. */
export function datOf(source: string | Uint8Array, { unknownId, unknownUnit }: DatOptions): DatSource | undefined {
  if (typeof source === 'string') return namesDat(source) ? { list: listBeside(source), unknownId, unknownUnit } : undefined;
  return isDat(source) ? { list: undefined, unknownId, unknownUnit } : undefined;
}

/** The `.json` beside a `.dat`; undefined if there is none. */
export function listBeside(dat: string): ListText | undefined {
  const file = listLocation(dat);
  try {
    return { text: utf8Text(readRegularFile(file, TOKEN_LIST), file), file };
  } catch (error) {
    if (error instanceof TokenizerError && error.code === 'FILE_NOT_FOUND') return undefined;
    throw error;
  }
}
