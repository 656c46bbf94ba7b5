// Exports of every package entry, apart from its Tokenizer.

export type { DecodeOptions, DeviceDecodeOptions, EncodeOptions, OffsetOptions, SpecialPolicy, TokenIds } from './tokenizer/arguments.js';
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
} from './tokenizer/async-options.js';
export type { Adaptation, AdaptedToken, AdaptOptions, Observed } from './tokenizer/adaptation.js';
export type { EncodeChatOptions, EncodedChat, HarmonyOptions, RenderChatOptions, TemplateMessage } from './tokenizer/chat.js';
export type {
  BudgetEvent,
  BudgetingOptions,
  ConversationBudget,
  ConversationOptions,
  ModelConversationOptions,
} from './tokenizer/conversation-options.js';
export type { Conversation } from './tokenizer/conversation.js';
export type { KeepMessage, TrimmedMessages, TrimOptions } from './tokenizer/trimming.js';
export type { CompileProgress } from './import/job.js';
export type { CompileOptions, Pretokenizer, TokenList } from './import/compile-cartridge.js';
export type { SplitPattern } from './compile/split-pattern.js';
export type { DeviceBatch, DeviceTensor, DlpackTensor } from './engine/device-batch.js';
export type { Backend, DeviceName } from './engine/devices.js';
export type { MemoryUse, OffsetUnit, TokensWithOffsets } from './engine/engine.js';
export { type StatusCode, TokenizerError } from './base/errors.js';
export type { Separators, SplitAsyncOptions, SplitOptions, TextPart, TruncateOptions } from './tokenizer/fitting.js';
export type { Healing, HealingOptions, PrefixOptions } from './tokenizer/healing.js';
export type { FileTokens } from './tokenizer/host.js';
export type {
  ChatMessage,
  ChatTool,
  ContentPart,
  CountMessagesOptions,
  FunctionDefinition,
  MessageEstimate,
  ToolCall,
} from './tokenizer/messages/request.js';
export {
  type BuiltInName,
  type EncodingName,
  encodingForModel,
  type ModelName,
  type ProfileName,
} from './vocabulary/models.js';
export type { LoadOptions } from './open/load-options.js';
export type { UnknownUnit } from './open/dat.js';
export type { PaddedBatch, PadOptions } from './engine/padding.js';
export { PrefixCache, type PrefixCacheOptions, type PrefixCacheStats } from './tokenizer/prefix-cache.js';
export type { EncodedPair, PaddedPairs, PairBatchOptions, PairOptions } from './tokenizer/pair.js';
export type { LateSource, Source } from './open/source.js';
export type { TrainedCartridgeOptions, TrainedVocabulary } from './train/trained.js';
export type { TrainOptions } from './train/options.js';
export type { TrainProgress } from './train/session.js';
export type { TrainFilePart, TrainSource } from './train/texts.js';
export type { EncodedText, PipelineOptions, PipelineText } from './tokenizer/streams/encode-pipeline.js';
export type { DecodeStream, StreamDecoder } from './tokenizer/streams/stream-decoder.js';
export type { DecodedToken, DecodeStreamOptions, StopMatch } from './tokenizer/streams/token-texts.js';
export type { StreamEncoder } from './tokenizer/streams/stream-encoder.js';
export type { TextChange } from './engine/edited-text.js';
export type { DocumentOptions, TextDocument } from './tokenizer/text-document.js';
export type { TextRows } from './engine/text-rows.js';
export { TokenBatch } from './tokenizer/token-batch.js';
export type { VocabularyToken } from './vocabulary/vocabulary.js';
export type {
  UnsharedBigInt64Array,
  UnsharedInt32Array,
  UnsharedUint32Array,
  UnsharedUint8Array,
} from './base/typed-arrays.js';
export { useWasm } from './wasm/modules.js';
export type { WasmModule, WasmSource } from './open/source.js';
