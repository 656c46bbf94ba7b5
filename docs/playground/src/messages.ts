// What the page and its worker say to each other.

import type { Methods } from './worker.js';

export interface Request {
  id: number;
  method: keyof Methods;
  args: unknown[];
}

/** Bytes under gzip of a vocabulary and its engine: those that are here, of all. */
export interface Progress {
  model: string;
  loaded: number;
  total: number;
}

export interface Facts {
  key: string;
  name: string;
  vocabularySize: number;
  modelKind: string;
  kernel: string;
  hasTemplate: boolean;
  /** Whether it has the tokens of ChatML. */
  hasChatMl: boolean;
}

export interface FileGiven {
  name: string;
  bytes: ArrayBuffer;
}

export interface TokensFound {
  ids: Uint32Array;
  offsets: Uint32Array;
  /** False for the beginning of a long text. */
  whole: boolean;
  density?: Float32Array;
}

export interface Stats {
  bytes: number;
  units: number;
}

export interface Details {
  id: number;
  hex: string[];
  special: boolean;
  fromByte?: number;
  toByte?: number;
}

export interface Message {
  role: string;
  content: string;
}

export interface ChatRequest {
  model: string;
  messages: Message[];
  /** Jinja; empty: that of the model. */
  template: string;
  addGenerationPrompt: boolean;
  /** The model of OpenAI whose API counts, in place of a template; empty: none. */
  billed: string;
}

export interface ChatAnswer {
  rendered: string;
  ids: Uint32Array;
  offsets: Uint32Array;
  origins: number[];
  perMessage: number[];
  ofTemplate: number;
  /** What the API counts, and of that, what it adds for the answer. Undefined with a template. */
  published: { tokens: number; estimated: boolean; reply: number } | undefined;
}

/** Ids as text. `same`: whether that text has these ids. */
export interface Decoded {
  text: string;
  same: boolean;
}

export interface SplitRequest {
  model: string;
  maxTokens: number;
  overlap: number;
  separators: '' | 'text' | 'markdown' | 'code';
  special: boolean;
}

export interface PartFound {
  start: number;
  end: number;
  tokens: number;
}

export interface DnaRequest {
  model: string;
  sequence: string;
  complement: boolean;
}

export interface DnaAnswer {
  text: string;
  ids: Uint32Array;
  offsets: Uint32Array;
  unknown: number;
  vocabularySize: number;
}
