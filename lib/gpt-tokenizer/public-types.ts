// The types that come with every encoding and model.

export type {
  ChatCompletionArrayProperty,
  ChatCompletionBooleanProperty,
  ChatCompletionFunctionCallOption,
  ChatCompletionFunctionDefinition,
  ChatCompletionFunctionParameters,
  ChatCompletionFunctionProperty,
  ChatCompletionFunctionType,
  ChatCompletionNullProperty,
  ChatCompletionNumberProperty,
  ChatCompletionObjectProperty,
  ChatCompletionRequest,
  ChatCompletionStringProperty,
} from './chat-completion.js';
export type { ChatMessage, ChatMessageFunctionCall, EncodeChatOptions, HarmonyTerminator } from './chat.js';
export type { EncodingName } from '../vocabulary/models.js';
export type { ModelName } from './model-specs.js';
export type { ModelSpec, PriceData } from './model-types.js';
export type { EncodeOptions } from './special-tokens.js';
