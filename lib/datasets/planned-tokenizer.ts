// The vocabulary of a dataset: loaded from its source, and known by the hash of its files, so that all tasks have the same.

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

import { Tokenizer } from '../index.js';
import { listLocation, namesDat } from '../vocabularies/open/dat.js';
import { resolveSource } from '../vocabularies/open/sources-in-node.js';
import { DatasetError } from './dataset-error.js';
import { hashOf } from './durable-files.js';
import type { DatasetManifest } from './manifest.js';

/** Loads a tokenizer by name or path, and describes it for the plan, which runs in any folder. */
export async function loadedTokenizer(name: string): Promise<{ tokenizer: Tokenizer; about: DatasetManifest['tokenizer'] }> {
  const tokenizer = await Tokenizer.load(name);
  const source = resolveSource(name).view === undefined && existsSync(name) ? resolve(name) : name;
  return { tokenizer, about: { source, name: tokenizer.name, sha256: await hashOfAll(await filesOf(source)) } };
}

/** Loads the tokenizer of a plan; throws if its file is another one. */
export async function plannedTokenizer({ tokenizer: planned }: DatasetManifest, cacheBytes: number | undefined): Promise<Tokenizer> {
  const tokenizer = await Tokenizer.load(planned.source, { cacheBytes });
  const files = await filesOf(planned.source);
  if ((await hashOfAll(files)) === planned.sha256) return tokenizer;
  tokenizer.close();
  const [file, ...beside] = files;
  const what = beside.length > 0 ? `${file} with ${beside.join(' and ')}` : file;
  const message = `${what} is not the vocabulary that was planned with: restore it, or plan again`;
  throw new DatasetError(message, { code: 'VOCABULARY_CHANGED', file });
}

/**
 * The files that a name or path stands for: the vocabulary's, and the files beside it that say which tokens it has and how it normalizes.
 * For a slim cartridge of the package not its expansion, which differs between machines.
 */
async function filesOf(name: string): Promise<string[]> {
  const { source, slim } = resolveSource(name);
  const path = slim?.path ?? (source as string);
  const beside = namesDat(path) ? [listLocation(path)] : path.endsWith('.cray') ? [] : await configurationsBeside(path);
  return [path, ...beside.filter((file) => existsSync(file))];
}

/** Loaded for vocabularies that are compiled: the rest of the compiler is, too. */
async function configurationsBeside(path: string): Promise<string[]> {
  const { CONFIGURATIONS } = await import('../vocabularies/import/chat-beside.js');
  return CONFIGURATIONS.map((each) => join(dirname(path), each));
}

/** The sha256 of a file; of several, that of all of them. */
async function hashOfAll(files: readonly string[]): Promise<string> {
  const hashes = await Promise.all(files.map(hashOf));
  return hashes.length === 1 ? (hashes[0] as string) : createHash('sha256').update(hashes.join()).digest('hex');
}
