// Used by the generated modules `crayon-tokenizer/gpt-tokenizer/model/NAME` and `…/models`.

import { GptEncoding } from './gpt-encoding.js';
import { type ModelName, specOf } from './model-specs.js';

export { callsFunctions, encodingOf, isChatModel, MODEL_NAMES, specOf } from './model-specs.js';

/** The API for a model, as its module exports it. */
export function apiOfModel(name: ModelName): GptEncoding {
  return GptEncoding.getEncodingApiForModel(name, undefined, specOf(name));
}
