// Exports of every package entry, apart from its Tokenizer.

export type { DecodeOptions, DeviceDecodeOptions, EncodeOptions, OffsetOptions, SpecialPolicy, TokenIds } from './api/arguments.js';
export type {
  AsyncBatchOptions,
  AsyncOptions,
  AsyncPaddedBatchOptions,
  AsyncResidentBatchOptions,
  BatchOptions,
  FileOptions,
  OverlapOptions,
  PaddedBatchOptions,
  ResidentBatchOptions,
} from './api/async-options.js';
export type { Adaptation, AdaptedToken, AdaptOptions, Observed } from './api/adaptation.js';
export type { EncodeChatOptions, EncodedChat, HarmonyOptions, RenderChatOptions, TemplateMessage } from './api/chat-options.js';
export type {
  BudgetEvent,
  BudgetingOptions,
  ConversationBudget,
  ConversationOptions,
  ModelConversationOptions,
} from './api/conversation-options.js';
export type { Conversation } from './api/conversation.js';
export type { KeepMessage, TrimmedMessages, TrimOptions } from './api/trimming.js';
export type { CompileProgress } from './vocabularies/import/compile-job.js';
export type { CompileOptions, Pretokenizer, TokenList } from './vocabularies/import/compile-cartridge.js';
export type { SplitPattern } from './vocabularies/compile/split-pattern.js';
export type { DeviceBatch, DeviceTensor, DlpackTensor } from './engine/device-batch.js';
export type { Backend, DeviceName } from './engine/devices.js';
export type { MemoryUse, OffsetUnit, TokensWithOffsets } from './engine/engine.js';
export { type StatusCode, TokenizerError } from './base/errors.js';
export type { Separators, SplitAsyncOptions, SplitOptions, TextPart, TruncateOptions } from './api/token-limits.js';
export type { Healing, HealingOptions, PrefixOptions } from './api/healing.js';
export type { FileTokens } from './api/host.js';
export type {
  ChatMessage,
  ChatTool,
  ClaudeMessage,
  ClaudeTool,
  ContentPart,
  CountMessagesOptions,
  FunctionDefinition,
  ToolCall,
} from './api/messages/request.js';
export {
  type BuiltInName,
  type EncodingName,
  encodingForModel,
  type ModelName,
  type ProfileName,
} from './vocabularies/models.js';
export type { LoadOptions } from './vocabularies/open/load-options.js';
export type { UnknownUnit } from './vocabularies/open/dat.js';
export type { PaddedBatch, PadOptions } from './engine/padding.js';
export { PrefixCache, type PrefixCacheOptions, type PrefixCacheStats } from './api/prefix-cache.js';
export type { EncodedPair, PaddedPairs, PairBatchOptions, PairOptions } from './api/pair.js';
export type { LateSource, Source } from './vocabularies/open/source.js';
export type { TrainedCartridgeOptions, TrainedVocabulary } from './training/trained.js';
export type { TrainOptions } from './training/train-options.js';
export type { TrainProgress } from './training/train-session.js';
export type { TrainFilePart, TrainSource } from './training/training-texts.js';
export type { EncodedText, PipelineOptions, PipelineText } from './api/streams/encode-pipeline.js';
export type { DecodeStream, StreamDecoder } from './api/streams/stream-decoder.js';
export type { DecodedToken, DecodeStreamOptions, StopMatch } from './api/streams/stream-token-texts.js';
export type { StreamEncoder } from './api/streams/stream-encoder.js';
export type { TextChange } from './engine/edited-text.js';
export type { DocumentOptions, TextDocument } from './api/text-document.js';
export type { TextRows, Texts } from './engine/text-rows.js';
export { TokenBatch } from './api/token-batch.js';
export type { VocabularyToken } from './vocabularies/vocabulary.js';
export type {
  UnsharedBigInt64Array,
  UnsharedInt32Array,
  UnsharedUint32Array,
  UnsharedUint8Array,
} from './base/typed-arrays.js';
export { useWasm } from './hosts/module/modules.js';
export type { WasmModule, WasmSource } from './vocabularies/open/source.js';
