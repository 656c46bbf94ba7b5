// The files beside a model's vocabulary, which describe its chats, its special tokens and its name where the vocabulary does not.

import { basename, dirname, join, resolve } from 'node:path';

import { type ImportedChat, nameInConfig, readChatConfig } from './chat-config.js';
import { JsonNode } from './json-node.js';
import { type Composed, composedOfMerges } from './vocab-json.js';
import { BERT, type BertConfig, bertConfigOf, isBertVocabulary, tokenizerJsonOf } from './vocab-txt.js';
import { readTokenLines } from '../open/token-list.js';
import { type NamedTokens, namedTokensOf } from './token-roles.js';
import { type FileKind, readRegularFileAsync } from '../../io/regular-file.js';
import { utf8Text } from '../../base/text-encodings.js';
import { TokenizerError } from '../../base/errors.js';

const VOCABULARY: FileKind = { noun: 'a file of a model', maxBytes: 2 ** 29 };
/** Published ones have up to 200 KB. */
const CONFIG: FileKind = { noun: 'a configuration of a model', maxBytes: 2 ** 24 };

/** Those that say which tokens a vocabulary has, and how it normalizes. */
export const CONFIGURATIONS = ['tokenizer_config.json', 'special_tokens_map.json'] as const;

/** Folder names that do not identify a model, including a commit in Hugging Face's cache. */
const ANY_MODEL = /^(?:models?|tokenizers?|onnx|assets|files|dist|data|public|main|snapshots|[0-9a-f]{40})$/i;

/** The content of these files. */
export interface ModelFiles {
  /** Undefined without such files or templates. */
  chat: ImportedChat | undefined;
  /** Undefined if no file defines them. */
  namedTokens: NamedTokens | undefined;
  /** Undefined if no file defines it. */
  bert: BertConfig | undefined;
  /** The model's name. Undefined if there is no configuration beside the vocabulary. */
  name: string | undefined;
  /** Why the files cannot be read. */
  problem?: TokenizerError;
}

/** `path`: the vocabulary's. */
export async function modelFiles(path: string): Promise<ModelFiles> {
  const at = (file: string) => join(dirname(path), file);
  const [configFile, mapFile] = CONFIGURATIONS.map(at) as [string, string];
  let name: string | undefined;
  let namedTokens: NamedTokens | undefined;
  let bert: BertConfig | undefined;
  try {
    const text = await textIfThere(configFile);
    if (text !== undefined) name = nameOfFolder(path);
    const config = text === undefined ? undefined : rootOf(text, configFile);
    name = nameInConfig(config) ?? name;
    bert = bertConfigOf(config);
    const map = await textIfThere(mapFile);
    namedTokens = namedTokensOf(config, map === undefined ? undefined : rootOf(map, mapFile));
    const jinja = await textIfThere(at('chat_template.jinja'));
    const template = jinja === undefined ? undefined : { text: jinja, path: at('chat_template.jinja') };
    return { chat: readChatConfig(config, template), namedTokens, bert, name };
  } catch (error) {
    if (!(error instanceof TokenizerError)) throw error;
    return { chat: undefined, namedTokens, bert, name, problem: error };
  }
}

/**
 * What a vocab.json says with the files of its model beside it; undefined for other files, and without a merges.txt. `config`: in place of the
 * tokenizer_config.json.
 */
export async function composedAt(path: string, bytes: Uint8Array, config?: object | false): Promise<Composed | undefined> {
  if (!/^vocab\.json$/i.test(basename(path))) return undefined;
  const beside = (name: string) => textIfThere(join(dirname(path), name));
  const merges = await beside('merges.txt');
  if (merges === undefined) return undefined;
  const names = [...CONFIGURATIONS, 'added_tokens.json', 'config.json'];
  const texts = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await beside(name)])));
  if (config !== undefined) texts['tokenizer_config.json'] = config ? JSON.stringify(config) : undefined;
  return composedOfMerges(utf8Text(bytes, path), path, { ...texts, 'merges.txt': merges });
}

/** The text of a tokenizer.json: of the file, or one that says the same as a vocab.json or a vocab.txt; and what the model's class adds. */
export async function jsonOfVocabulary(path: string): Promise<{ text: string; config?: object }> {
  const bytes = await readRegularFileAsync(path, VOCABULARY);
  const text = utf8Text(bytes, path);
  const composed = await composedAt(path, bytes);
  if (composed) return { text: JSON.stringify(composed.json), config: composed.config };
  if (basename(path) !== 'vocab.txt') return { text };
  const tokens = readTokenLines(text);
  if (!isBertVocabulary(tokens, path)) return { text };
  return { text: JSON.stringify(tokenizerJsonOf(tokens, (await modelFiles(path)).bert)), config: BERT };
}

/** The name of the vocabulary's folder, or of the nearest enclosing folder whose name is not generic. */
function nameOfFolder(path: string): string | undefined {
  for (let folder = dirname(resolve(path)); ; folder = dirname(folder)) {
    const name = basename(folder);
    if (name === '') return undefined;
    // Hugging Face's cache uses models--ORGANIZATION--NAME.
    if (!ANY_MODEL.test(name)) return name.replace(/^models--.+?--(?=.)/, '');
  }
}

async function textIfThere(path: string): Promise<string | undefined> {
  let bytes: Uint8Array;
  try {
    bytes = await readRegularFileAsync(path, CONFIG);
  } catch (error) {
    if (error instanceof TokenizerError && error.code === 'FILE_NOT_FOUND') return undefined;
    throw error;
  }
  return utf8Text(bytes, path);
}

function rootOf(json: string, path: string): JsonNode {
  try {
    const node = JsonNode.ofFile(json, path);
    node.object();
    return node;
  } catch (error) {
    const advice = 'to take the vocabulary without it, pass tokenizerConfig: false';
    throw error instanceof TokenizerError ? new TokenizerError(`${error.message}; ${advice}`, error) : error;
  }
}
