// What every entry of the package exports beside its Tokenizer.

export type { DecodeOptions, EncodeOptions, OffsetOptions, SpecialPolicy, TokenIds } from './arguments.js';
export type { CompileProgress } from './compile-job.js';
export type { CompileOptions, TokenList } from './compile-options.js';
export type { OffsetUnit, TokensWithOffsets } from './backend.js';
export { type StatusCode, TokenizerError } from './errors.js';
export type { SplitOptions, TruncateOptions } from './fitting.js';
export type {
  ChatMessage,
  ChatTool,
  ContentPart,
  CountMessagesOptions,
  FunctionDefinition,
} from './messages.js';
export { type EncodingName, encodingForModel, type ProfileName } from './models.js';
export type { LateSource } from './late-source.js';
export type { LoadOptions } from './load-options.js';
export type { PaddedBatch, PadOptions } from './padding.js';
export type { Source } from './sources.js';
export type { TextRows } from './text-rows.js';
export { TokenBatch } from './token-batch.js';
export type { Backend } from './tokenizer.js';
export { useWasm, type WasmSource } from './wasm-loader.js';
export type { WasmModule } from './wasm-module.js';
