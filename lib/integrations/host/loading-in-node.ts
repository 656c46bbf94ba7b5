// How the drop-ins load a model's own files in Node.

import { readFileSync, writeFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { TokenizerError } from '../../base/errors.js';
import { type FileKind, readRegularFileAsync } from '../../io/regular-file.js';
import { pathOf } from '../../io/text-file.js';
import type { ChatAtOnce } from '../../api/chat-options.js';

export { Tokenizer } from '../../index.js';

const FILE: FileKind = { noun: 'a file of a model', maxBytes: 2 ** 29 };

/** A model's files: a folder, or the path of its tokenizer.json. */
export async function modelAt(source: string | URL, beside: readonly string[]) {
  const given = pathOf(source);
  const path = (await isFolder(given)) ? join(given, 'tokenizer.json') : given;
  const text = await vocabularyAt(path);
  const texts = await Promise.all(beside.map((name) => textIfThere(join(dirname(path), name))));
  return {
    vocabulary: path,
    text,
    /** Read again where it is needed: most programs never ask. */
    vocabularyText: () => readFileSync(path, 'utf8'),
    files: Object.fromEntries(beside.map((name, index) => [name, texts[index]])),
  };
}

/** Renders chats without waiting, of a model without a template, too: calls may bring one. */
export async function chatAtOnce(_hasTemplate: boolean): Promise<ChatAtOnce | undefined> {
  const { assistantMaskOf, prepared } = await import('../../chat/chat.js');
  return { assistantMaskOf, prepared };
}

export function readText(path: string): string {
  return readFileSync(path, 'utf8');
}

export function writeText(path: string, text: string): void {
  writeFileSync(path, text);
}

async function vocabularyAt(path: string): Promise<string> {
  try {
    return (await readRegularFileAsync(path, FILE)).toString('utf8');
  } catch (error) {
    if (!(error instanceof TokenizerError) || error.code !== 'FILE_NOT_FOUND') throw error;
    const advice = "Nothing is downloaded: pass a folder with the model's tokenizer.json, or the path of that file";
    throw new TokenizerError(`${error.message}. ${advice}`, error);
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    // Reading it says what is wrong.
    return false;
  }
}

async function textIfThere(path: string): Promise<string | undefined> {
  try {
    return (await readRegularFileAsync(path, FILE)).toString('utf8');
  } catch (error) {
    if (error instanceof TokenizerError && error.code === 'FILE_NOT_FOUND') return undefined;
    throw error;
  }
}
