// A model's files: from a folder, or as their contents.

import { modelAt } from '#host';
import { isJson } from '../../vocabularies/open/foreign.js';
import { TokenizerError, unexpected } from '../../base/errors.js';
import { bytesOf } from '../../base/views.js';
import type { AddedToken } from '../encodings/token-names.js';
import { beginningOfJson, eachMember, endOf, jsonFault, kindAt, passSpace } from '../../base/json-text.js';
import type { ModelConfig } from './config.js';

/** The content of a file: its bytes, its text, or what `JSON.parse` made of it. */
export type FileContent = string | ArrayBuffer | Uint8Array | Readonly<Record<string, unknown>>;

/**
 * The files of a model, by their names.
 *
 * @example
 * ```ts
 * import type { FileContent, ModelFiles } from 'crayon-tokenizer/transformers';
 *
 * const config: FileContent = { model_max_length: 512 };
 * const fetched = async (folder: string): Promise<ModelFiles> => ({
 *   'tokenizer.json': await (await fetch(`${folder}/tokenizer.json`)).arrayBuffer(),
 *   'tokenizer_config.json': config,
 * });
 * ```
 */
export interface ModelFiles {
  'tokenizer.json'?: FileContent | undefined;
  /** In its place, the cartridge that `crayon compile` or `compileCartridge` made of it: a page then compiles nothing. */
  'tokenizer.cray'?: ArrayBuffer | Uint8Array | undefined;
  'tokenizer_config.json'?: FileContent | undefined;
  'special_tokens_map.json'?: FileContent | undefined;
  /** A text, or its bytes. */
  'chat_template.jinja'?: string | ArrayBuffer | Uint8Array | undefined;
}

const BESIDE = ['tokenizer_config.json', 'special_tokens_map.json', 'chat_template.jinja'] as const;

/** A model's files, read. */
export interface ReadModel extends ModelConfig {
  /** What `Tokenizer.load` takes. */
  vocabulary: string | Uint8Array;
  /** The text of tokenizer.json; undefined if the vocabulary is a cartridge. */
  vocabularyText: (() => string) | undefined;
}

/** The files of a folder, of a path or URL, or as they were passed. Throws a TypeError for anything else. */
export async function readModel(source: string | URL | ModelFiles | ArrayBuffer | Uint8Array): Promise<ReadModel> {
  if (typeof source === 'string' || source instanceof URL) {
    const { vocabulary, text, vocabularyText, files, config } = await modelAt(source, BESIDE);
    const model = configOf(files, text);
    return { vocabulary, vocabularyText, ...model, config: config ? { ...config, ...model.map, ...model.config } : model.config };
  }
  const bytes = bytesOf(source, 'source');
  if (bytes) return readModel({ [isJson(bytes) ? 'tokenizer.json' : 'tokenizer.cray']: bytes });
  const { 'tokenizer.json': file, 'tokenizer.cray': cartridge } = Object(source) as ModelFiles;
  if (cartridge !== undefined && cartridge !== null) {
    const bytes = bytesOf(cartridge, 'tokenizer.cray');
    if (!bytes) throw unexpected('the bytes of a cartridge', 'tokenizer.cray', cartridge);
    return { vocabulary: bytes, vocabularyText: undefined, ...configOf(source as ModelFiles, undefined) };
  }
  if (file === undefined || file === null) {
    throw unexpected("the path of a folder or of a tokenizer.json, its bytes, or an object with 'tokenizer.json'", 'source', source);
  }
  const text = textOf(file, 'tokenizer.json');
  const vocabularyText = () => text;
  return { vocabulary: new TextEncoder().encode(text), vocabularyText, ...configOf(source as ModelFiles, text) };
}

function configOf(files: Readonly<Record<string, unknown>> | ModelFiles, vocabulary: string | undefined): ModelConfig {
  const parsed = (name: (typeof BESIDE)[number]) => {
    const content = (files as Record<string, unknown>)[name];
    return content === undefined || content === null ? undefined : objectOf(content, name);
  };
  const jinja = files['chat_template.jinja'];
  return {
    config: parsed('tokenizer_config.json'),
    map: parsed('special_tokens_map.json'),
    file: vocabulary === undefined ? { added: [] } : fileOf(vocabulary),
    template: jinja === undefined || jinja === null ? undefined : textOf(jinja, 'chat_template.jinja'),
  };
}

function textOf(content: unknown, name: string): string {
  if (typeof content === 'string') return content;
  if (content instanceof ArrayBuffer || ArrayBuffer.isView(content)) return new TextDecoder().decode(content as Uint8Array);
  if (name.endsWith('.json') && typeof content === 'object') return JSON.stringify(content);
  throw unexpected('a text or its bytes', name, content);
}

function objectOf(content: unknown, name: string): Readonly<Record<string, unknown>> {
  const text = textOf(content, name);
  const from = beginningOfJson(text, name);
  if (kindAt(text, from) === 'object') return JSON.parse(text.slice(from)) as Record<string, unknown>;
  throw new TokenizerError(`cannot read ${name}: it is not an object in JSON; pass the file of this name that the model comes with`, {
    code: 'CORRUPT_STRUCTURE',
  });
}

/** `padding`, `truncation` and `added_tokens`: of a large file, nothing else is parsed. */
function fileOf(text: string): ModelConfig['file'] {
  const from = passSpace(text, text.startsWith('\ufeff') ? 1 : 0);
  // What is wrong with the vocabulary is said where it is opened.
  if (jsonFault(text, from) || kindAt(text, from) !== 'object') return { added: [] };
  const members: Record<string, unknown> = {};
  eachMember(text, from, (key, at) => {
    if (key !== 'padding' && key !== 'truncation' && key !== 'added_tokens') return;
    const value: unknown = JSON.parse(text.slice(at, endOf(text, at)));
    if (value !== null) members[key] = value;
  });
  const { added_tokens = [], ...rest } = members;
  return { ...rest, added: added_tokens as AddedToken[] };
}
