// What an entry of the package brings for its tokenizers. Types only.

import type { Adapt } from './adaptation.js';
import type { Background, JobOptions } from '../engine/background.js';
import type { Chat } from './chat.js';
import type { EngineTokenizer, Policy } from '../engine/engine.js';
import type { Template } from './template.js';
import type { UnsharedUint32Array } from '../base/typed-arrays.js';

/** A call that waits for the background. What it needs does not change with the tokenizer. */
export interface Call {
  engine: EngineTokenizer;
  background: Background;
  policy: Policy;
  /** Of a text; the background knows nothing of it. */
  template: Template;
  job: JobOptions;
  /** Those that can be forbidden. */
  specialIds: ReadonlyMap<string, number>;
}

/**
 * The ids of a part of a file.
 *
 * @example
 * ```ts
 * for await (const part of tokenizer.encodeFile('hello.txt')) {
 *   const { ids, byteOffset }: FileTokens = part;
 *   ids; // Uint32Array [24912, 2375]
 *   byteOffset; // 0
 * }
 * ```
 */
export interface FileTokens {
  /** Those that follow the ids of the part before. */
  ids: UnsharedUint32Array;
  /** Where the first of them begins in the file, in bytes. */
  byteOffset: number;
}

/** The tokens of a part of a file, which may be none. */
export interface FilePart {
  /** None if they are only counted. */
  ids: UnsharedUint32Array;
  tokens: number;
  /** Where they begin and end, in bytes. */
  begin: number;
  end: number;
}

/** How a file is encoded. */
export interface Reading {
  /** Without ids. */
  counting: boolean;
  /** Bytes to encode at a time; chosen by the background if it is undefined. */
  window?: number | undefined;
  /** Whether to map the file; where it is undefined, if it cannot shrink. */
  mmap?: boolean | undefined;
}

/** The function that the user has called, where stacks begin. */
export type Entry = (...args: never[]) => unknown;

/** A file, a window at a time. A wrong path is an error at once, all others come with the first part. */
type ReadFile<Part> = (path: unknown, call: Call, reading: Reading, entry: Entry) => AsyncGenerator<Part, void, undefined>;

/** The files of a host that has some. */
export interface Files {
  parts: ReadFile<FilePart>;
  /** What of this the caller of `encodeFile` gets. */
  tokens: ReadFile<FileTokens>;
}

/** What the tokenizers of an entry use. */
export interface Host {
  /** The background of an engine; undefined if it has none, and the thread encodes in turns. */
  backgroundOf?(engine: EngineTokenizer): Background | undefined;
  /** Releases that background: its jobs are rejected. */
  end?(engine: EngineTokenizer): void;
  files?: Files;
  /** Adapts vocabularies. */
  adapt?: Adapt;
  /** Loads what renders chats. */
  chat?(): Promise<Chat>;
}
