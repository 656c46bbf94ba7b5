/**
 * The names of encodings and models, and the chat format of each chat model.
 *
 * @example
 * ```ts
 * import { chatModelParams, encodingNames, modelToEncodingMap } from 'crayon-tokenizer/gpt-tokenizer/mapping';
 * import type { ChatModelName, ChatParameters, ModelName } from 'crayon-tokenizer/gpt-tokenizer/mapping';
 *
 * const model: ModelName = 'text-embedding-3-small';
 * const chatModel: ChatModelName = 'gpt-4o';
 * modelToEncodingMap[model]; // 'cl100k_base'
 * modelToEncodingMap[chatModel]; // 'o200k_base'
 * const parameters: ChatParameters = chatModelParams[chatModel];
 * parameters; // { messageSeparator: '', roleSeparator: '<|im_sep|>' }
 * encodingNames.length; // 7
 * ```
 *
 * @module crayon-tokenizer/gpt-tokenizer/mapping
 */

import type { EncodingName } from '../../vocabularies/models.js';
import { type ChatParameters, chatParametersOf } from './chat-format.js';
import { CHAT_MODELS } from './model-data.js';
import { type ChatModelName, encodingOf, MODEL_NAMES, type ModelName } from './model-specs.js';

export type { EncodingName } from '../../vocabularies/models.js';
export type { ChatParameters } from './chat-format.js';
export type { ChatModelName, ModelName } from './model-specs.js';

/** The name of the encoding. */
export const gpt2 = 'gpt2';
/** The name of the encoding. */
export const r50k_base = 'r50k_base';
/** The name of the encoding. */
export const p50k_base = 'p50k_base';
/** The name of the encoding. */
export const p50k_edit = 'p50k_edit';
/** The name of the encoding. */
export const cl100k_base = 'cl100k_base';
/** The name of the encoding. */
export const o200k_base = 'o200k_base';
/** The name of the encoding. */
export const o200k_harmony = 'o200k_harmony';

export { DEFAULT_ENCODING } from './model-specs.js';

/** Every encoding. */
export const encodingNames = [
  gpt2,
  p50k_base,
  r50k_base,
  p50k_edit,
  cl100k_base,
  o200k_base,
  o200k_harmony,
] as const satisfies EncodingName[];

/** The encoding of each model. */
export const modelToEncodingMap = Object.fromEntries(MODEL_NAMES.map((model) => [model, encodingOf(model)])) as Record<
  ModelName,
  EncodingName
>;

/** The chat format of each model that has one. */
export const chatModelParams = Object.fromEntries(CHAT_MODELS.map((model) => [model, chatParametersOf(model)])) as Record<
  ChatModelName,
  ChatParameters
>;
