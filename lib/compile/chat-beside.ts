// The files about chats beside the vocabulary of a model.

import { dirname, join } from 'node:path';

import { type ImportedChat, readChatConfig } from '../import/chat-config.js';
import { Place } from '../import/place.js';
import { type FileKind, readRegularFileAsync } from '../open/regular-file.js';
import { TokenizerError } from '../tokenizer/errors.js';

/** Published ones have up to 200 KB. */
const CONFIG: FileKind = { failure: 'cannot read', noun: 'a configuration of a model', most: 2 ** 24, mostInWords: '16 MiB' };

/** Undefined if there are none, or no template is in them. */
export async function chatBeside(path: string): Promise<ImportedChat | undefined> {
  const at = (name: string) => join(dirname(path), name);
  const config = at('tokenizer_config.json');
  const [json, jinja] = await Promise.all([textIfThere(config), textIfThere(at('chat_template.jinja'))]);
  return readChatConfig(json === undefined ? undefined : parsed(json, config), config, jinja);
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
    const advice = 'to load the vocabulary without it, pass tokenizerConfig: false';
    throw new Place(undefined, '', path).error(`it is no JSON (${(cause as Error).message}); ${advice}`, 'CORRUPT_STRUCTURE');
  }
}
