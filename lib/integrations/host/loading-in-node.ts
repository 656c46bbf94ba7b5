// How the drop-ins open vocabularies and load the files of a model in Node. Besides the entries, only this folder chooses a backend.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { TokenizerError } from '../../base/errors.js';
import { type FileKind, readRegularFileAsync } from '../../io/regular-file.js';
import { pathOf } from '../../io/text-file.js';
import type { Compiler } from '../../engine/compiler.js';
import { nativeCompiler } from '../../hosts/addon/addon-compiler.js';
import { kindInNode } from '../../hosts/kind-in-node.js';
import { wasmCompilerHere } from '../../hosts/module/modules-in-node.js';
import type { ChatAtOnce } from '../../api/chat-options.js';
import { vocabularyOf } from '../../api/tokenizer.js';
import { Tokenizer } from '../../index.js';
import type { Vocabulary } from '../../vocabularies/vocabulary.js';

export { Tokenizer };

const FILE: FileKind = { noun: 'a file of a model', maxBytes: 2 ** 29 };

/** Opens what `Tokenizer.loadSync` opens. */
export function open(source: string | Uint8Array): Vocabulary {
  return vocabularyOf(Tokenizer.loadSync(source));
}

/** Compiles on this thread. */
export function compiler(): Compiler {
  return kindInNode({}) === 'native' ? nativeCompiler() : wasmCompilerHere();
}

/** A model's files: a folder, or the path of its tokenizer.json. */
export async function modelAt(source: string | URL, beside: readonly string[]) {
  const location = pathOf(source);
  const path = (await isFolder(location)) ? vocabularyIn(location) : location;
  const { text, config } = await vocabularyAt(path);
  const texts = await Promise.all(beside.map((name) => textIfThere(join(dirname(path), name))));
  const files = Object.fromEntries(beside.map((name, index) => [name, texts[index]]));
  return {
    vocabulary: path,
    text,
    /** Read again where it is needed: most programs never ask. */
    vocabularyText: () => (config ? text : readFileSync(path, 'utf8')),
    files,
    /** What the class of an older model says where its files do not. */
    config,
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

/** As a tokenizer.json, or as older models have it. */
function vocabularyIn(folder: string): string {
  const files = ['tokenizer.json', 'vocab.json', 'vocab.txt'].map((name) => join(folder, name));
  return files.find((file) => existsSync(file)) ?? (files[0] as string);
}

async function vocabularyAt(path: string): Promise<{ text: string; config?: object }> {
  const { jsonOfVocabulary } = await import('../../vocabularies/import/chat-beside.js');
  try {
    return await jsonOfVocabulary(path);
  } catch (error) {
    if (!(error instanceof TokenizerError) || error.code !== 'FILE_NOT_FOUND') throw error;
    const advice =
      "Nothing is downloaded: pass a folder with the model's tokenizer.json, or the path of that file; set env.localModelPath for names";
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
