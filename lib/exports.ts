// Exports of every package entry, apart from its Tokenizer.

export type { DecodeOptions, DeviceDecodeOptions, EncodeOptions, OffsetOptions, SpecialPolicy, TokenIds } from './tokenizer/arguments.js';
export type { Adaptation, AdaptedToken, AdaptOptions, Observed } from './tokenizer/adaptation.js';
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
export type { EncodeChatOptions, EncodedChat, HarmonyOptions, RenderChatOptions, TemplateMessage } from './tokenizer/chat.js';
export type { Conversation } from './tokenizer/conversation.js';
export type { BudgetEvent, ConversationBudget, ConversationOptions } from './tokenizer/conversation-options.js';
export type { KeepMessage, TrimmedMessages, TrimOptions } from './tokenizer/trimming.js';
export type { CompileProgress } from './compile/job.js';
export type { CompileOptions, Pretokenizer, TokenList } from './compile/options.js';
export type { SplitPattern } from './compile/split-pattern.js';
export type { PackBases, ReverseComplement, UnpackBases } from './dna/bases.js';
export type { BatchesOptions, DnaBatch, DnaDeviceBatch, DnaRecord } from './dna/batches.js';
export type { DiscoverOptions } from './dna/discover.js';
export type { DnaDiscovery } from './dna/discovery.js';
export type { DnaFallback } from './dna/opened.js';
export type { DnaLoadOptions } from './dna/load-options.js';
export type { DnaDeviceMatrix, DnaMatrix, MaskArray, MaskType } from './dna/matrix.js';
export type { DnaSource } from './dna/open.js';
export type { DnaBatchAsyncOptions, DnaBatchOptions, DnaEncodeOptions, DnaIdArray, DnaIdType, DnaResident } from './dna/options.js';
export type { DnaName } from './dna/presets.js';
export type { UpstreamEncode, UpstreamIds } from './dna/upstream.js';
export type { DnaIds, DnaPolicies, DnaVocabulary, LetterPolicy } from './dna/vocabulary.js';
export { type BatchSource, embed, type EmbedOptions, type EmbedProgress } from './embed/embed.js';
export type { OnnxOutput, OnnxSession } from './embed/onnx-session.js';
export type { Embedded, RowValues } from './embed/row-values.js';
export type { DeviceBatch, DeviceTensor, DlpackTensor } from './engine/device-batch.js';
export type { DeviceName } from './engine/devices.js';
export type { MemoryUse, OffsetUnit, TokensWithOffsets } from './engine/engine.js';
export { type StatusCode, TokenizerError } from './base/errors.js';
export type { SplitAsyncOptions, SplitOptions, TextPart, TruncateOptions } from './tokenizer/fitting.js';
export type { Separators } from './tokenizer/fitting.js';
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
export type { UnknownUnit } from './open/unknown.js';
export type { PaddedBatch, PadOptions } from './engine/padding.js';
export { PrefixCache, type PrefixCacheOptions, type PrefixCacheStats } from './tokenizer/prefix/prefix-cache.js';
export type { EncodedPair, PaddedPairs, PairBatchOptions, PairOptions } from './tokenizer/pair.js';
export type { LateSource, Source } from './open/source.js';
export type { RecordOptions, WindowOptions } from './records/options.js';
export type { ReadFasta, ReadFastq } from './records/read-records.js';
export type { FastaRecord, FastqRecord, SequenceWindow } from './records/record.js';
export type { RecordSource } from './records/sources.js';
export type { TrainedCartridgeOptions, TrainedVocabulary } from './train/trained.js';
export type { TrainOptions, TrainProgress } from './train/options.js';
export type { TrainFilePart, TrainSource } from './train/texts.js';
export type { EncodedText, PipelineOptions, PipelineText } from './tokenizer/streams/encode-pipeline.js';
export type { DecodeStream } from './tokenizer/streams/decode-stream.js';
export type { StreamDecoder } from './tokenizer/streams/stream-decoder.js';
export type { DecodedToken, DecodeStreamOptions, StopMatch } from './tokenizer/streams/token-texts.js';
export type { StreamEncoder } from './tokenizer/streams/stream-encoder.js';
export type { TextChange } from './engine/edited-text.js';
export type { DocumentOptions, TextDocument } from './tokenizer/text-document.js';
export type { TextRows } from './engine/text-rows.js';
export { TokenBatch } from './tokenizer/token-batch.js';
export type { VocabularyToken } from './vocabulary/tokens.js';
export type { Backend } from './tokenizer/api/open-tokenizer.js';
export type {
  UnsharedBigInt64Array,
  UnsharedInt32Array,
  UnsharedUint32Array,
  UnsharedUint8Array,
} from './base/typed-arrays.js';
export { useDnaWasm, useWasm } from './wasm/modules.js';
export type { WasmModule, WasmSource } from './open/wasm-source.js';
