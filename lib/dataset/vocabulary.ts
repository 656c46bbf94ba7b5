// The vocabulary of a dataset: loaded from its source, and known by the hash of its file, so that all tasks have the same.

import { Tokenizer } from '../index.js';
import { resolveSource } from '../open/in-node.js';
import { DatasetError } from './dataset-error.js';
import { hashOf } from './inputs.js';
import type { DatasetManifest } from './manifest.js';

/** Loads a tokenizer by name or path, and describes it for the plan. */
export async function describedTokenizer(source: string): Promise<{ tokenizer: Tokenizer; about: DatasetManifest['tokenizer'] }> {
  const tokenizer = await Tokenizer.load(source);
  return { tokenizer, about: { source, name: tokenizer.name, sha256: await hashOf(fileOf(source)) } };
}

/** Loads the tokenizer of a plan; throws if its file is another one. */
export async function plannedTokenizer({ tokenizer: planned }: DatasetManifest, cacheBytes: number | undefined): Promise<Tokenizer> {
  const tokenizer = await Tokenizer.load(planned.source, { cacheBytes });
  const file = fileOf(planned.source);
  if ((await hashOf(file)) === planned.sha256) return tokenizer;
  tokenizer.close();
  const message = `${file} is not the vocabulary that was planned with: restore it, or plan again`;
  throw new DatasetError(message, { code: 'VOCABULARY_CHANGED', file });
}

/** The file that a name or path stands for. Of a slim cartridge of the package not its expansion, which is another on every machine. */
function fileOf(name: string): string {
  const { source, slim } = resolveSource(name);
  return slim?.path ?? (source as string);
}
