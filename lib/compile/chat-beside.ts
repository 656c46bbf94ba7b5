// The files beside the vocabulary of a model, which say of chats what the vocabulary does not, and whose it is.

import { basename, dirname, join, resolve } from 'node:path';

import { type ImportedChat, nameInConfig, readChatConfig } from '../import/chat-config.js';
import { Place } from '../import/place.js';
import { type FileKind, readRegularFileAsync } from '../open/regular-file.js';
import { TokenizerError } from '../tokenizer/errors.js';

/** Published ones have up to 200 KB. */
const CONFIG: FileKind = { failure: 'cannot read', noun: 'a configuration of a model', most: 2 ** 24, mostInWords: '16 MiB' };

/** Names of folders that are those of no model, or a commit in the cache of Hugging Face. */
const ANY_MODEL = /^(?:models?|tokenizers?|onnx|assets|files|dist|data|public|main|snapshots|[0-9a-f]{40})$/i;

/** What the files say. */
export interface ModelFiles {
  /** Undefined if there are none, or no template is in them. */
  chat: ImportedChat | undefined;
  /** The name of the model. Undefined if there is no configuration beside the vocabulary. */
  name: string | undefined;
  /** Why they cannot be read. */
  problem?: TokenizerError;
}

/** `path`: of the vocabulary. */
export async function modelFiles(path: string): Promise<ModelFiles> {
  const at = (name: string) => join(dirname(path), name);
  const config = at('tokenizer_config.json');
  let name: string | undefined;
  try {
    const json = await textIfThere(config);
    if (json !== undefined) name = nameOfFolder(path);
    const read = json === undefined ? undefined : parsed(json, config);
    name = nameInConfig(read) ?? name;
    return { chat: readChatConfig(read, config, await textIfThere(at('chat_template.jinja'))), name };
  } catch (error) {
    if (!(error instanceof TokenizerError)) throw error;
    return { chat: undefined, name, problem: error };
  }
}

/** The folder that a vocabulary is in, or the next one around it that is not called so for every model. */
function nameOfFolder(path: string): string | undefined {
  for (let folder = dirname(resolve(path)); ; folder = dirname(folder)) {
    const name = basename(folder);
    if (name === '') return undefined;
    // models--ORGANIZATION--NAME in the cache of Hugging Face.
    if (!ANY_MODEL.test(name)) return name.replace(/^models--.+?--(?=.)/, '');
  }
}

async function textIfThere(path: string): Promise<string | undefined> {
  try {
    const bytes = await readRegularFileAsync(path, CONFIG);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TokenizerError && error.code === 'FILE_NOT_FOUND') return undefined;
    throw error instanceof TokenizerError ? error : new Place(undefined, '', path).error('it is no UTF-8', 'CORRUPT_STRUCTURE');
  }
}

function parsed(json: string, path: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    const advice = 'to take the vocabulary without it, pass tokenizerConfig: false';
    throw new Place(undefined, '', path).error(`it is no JSON (${(cause as Error).message}); ${advice}`, 'CORRUPT_STRUCTURE');
  }
}
