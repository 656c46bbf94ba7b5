/**
 * The types of gpt-tokenizer's model data. Prices are US dollars per million tokens.
 *
 * @example
 * ```ts
 * import * as models from 'crayon-tokenizer/gpt-tokenizer/models';
 * import type {
 *   Endpoint,
 *   Feature,
 *   Modalities,
 *   Modality,
 *   ModelSpec,
 *   PriceData,
 *   Prices,
 *   SupportedTool,
 * } from 'crayon-tokenizer/gpt-tokenizer/modelTypes';
 *
 * const spec: ModelSpec = models['gpt-4o'];
 * const endpoint: Endpoint = 'chat_completions';
 * spec.supported_endpoints.includes(endpoint); // true
 * const feature: Feature = 'function_calling';
 * spec.supported_features?.includes(feature); // true
 * const tool: SupportedTool = 'web_search';
 * spec.supported_tools?.includes(tool); // undefined
 * const { input }: Modalities = spec.modalities;
 * const text: Modality = 'text';
 * input.includes(text); // true
 *
 * const prices: Prices = { input: 2.5, output: 10 };
 * const own: PriceData = { main: prices };
 * own.main?.output; // 10
 * ```
 *
 * @module crayon-tokenizer/gpt-tokenizer/modelTypes
 */

/** A kind of content. */
export type Modality = 'audio' | 'image' | 'text' | 'video';

/** What a model accepts and returns. */
export interface Modalities {
  input: Modality[];
  output: Modality[];
}

/** An API endpoint that serves a model. */
export type Endpoint =
  | 'assistants'
  | 'batch'
  | 'chat_completions'
  | 'completions'
  | 'embeddings'
  | 'fine_tuning'
  | 'image_edit'
  | 'image_generation'
  | 'moderation'
  | 'realtime'
  | 'realtime_transcription'
  | 'realtime_translation'
  | 'responses'
  | 'speech_generation'
  | 'transcription'
  | 'translation'
  | 'videos';

/** A feature of a model. */
export type Feature =
  | 'agents'
  | 'distillation'
  | 'evals'
  | 'file_search'
  | 'file_uploads'
  | 'fine_tuning'
  | 'function_calling'
  | 'image_generation'
  | 'image_input'
  | 'inpainting'
  | 'mcp'
  | 'predicted_outputs'
  | 'prompt_caching'
  | 'stored_completions'
  | 'streaming'
  | 'structured_outputs'
  | 'system_messages'
  | 'web_search';

/** A tool that a model can use. */
export type SupportedTool =
  | 'apply_patch'
  | 'code_interpreter'
  | 'computer_use'
  | 'file_search'
  | 'function_calling'
  | 'hosted_shell'
  | 'image_generation'
  | 'mcp'
  | 'skills'
  | 'tool_search'
  | 'web_search';

/** Dollars by the kind of token. */
export interface Prices {
  input?: number | undefined;
  output?: number | undefined;
  cached_input?: number | undefined;
  cached_output?: number | undefined;
}

/** Dollars through the main API and through the batch API. */
export interface PriceData {
  main?: Prices;
  batch?: Prices;
}

/** One model. */
export interface ModelSpec {
  name: string;
  slug?: string;
  performance?: number;
  latency?: number;
  modalities: Modalities;
  /** Tokens. */
  context_window?: number;
  max_input_tokens?: number;
  max_output_tokens?: number;
  knowledge_cutoff?: Date;
  supported_endpoints: Endpoint[];
  supported_features?: Feature[];
  supported_tools?: SupportedTool[];
  reasoning_tokens?: boolean;
  price_data?: PriceData;
  current_snapshot?: string;
  deprecated?: boolean;
}
