// What a package entry provides for its tokenizers, and how it loads them: `Tokenizer.load` and `loadSync` are the same on every host.

import type { Decoders } from '../vocabularies/metadata.js';
import { atCaller } from '../base/errors.js';
import type { Work } from '../base/time-slices.js';
import type { UnsharedUint32Array } from '../base/typed-arrays.js';
import type { Background, JobOptions } from '../engine/background.js';
import type { EngineTokenizer, Policy } from '../engine/engine.js';
import type { LoadOptions } from '../vocabularies/open/load-options.js';
import type { LateSource, Source } from '../vocabularies/open/source.js';
import type { Adapt } from './adaptation.js';
import type { ChatCall, ChatText, EncodedChat } from './chat-options.js';
import type { BudgetOptions, CountingOptions } from './conversation-options.js';
import type { Conversation } from './conversation.js';
import type { Template } from './id-template.js';
import type { DocumentOptions, TextDocument } from './text-document.js';

/** A call waiting for the background. Its data does not change with the tokenizer. */
export interface Call {
  engine: EngineTokenizer;
  background: Background;
  policy: Policy;
  /** For the text; the background ignores it. */
  template: Template;
  job: JobOptions;
  /** Tokens that can be forbidden. */
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
  /** These follow the ids of the previous part. */
  ids: UnsharedUint32Array;
  /** Byte offset in the file at which the first of them begins. */
  byteOffset: number;
}

/** The tokens of a part of a file; may be empty. */
export interface FilePart {
  /** Empty when only counting. */
  ids: UnsharedUint32Array;
  tokens: number;
  /** Their byte range. */
  begin: number;
  end: number;
}

/** How a file is encoded. */
export interface Reading {
  /** Count without producing ids. */
  counting: boolean;
  /** Bytes to encode at a time; if undefined, the background chooses. */
  window?: number | undefined;
  /** Whether to map the file; if undefined, only if it cannot shrink. */
  mmap?: boolean | undefined;
}

/** The function that the user called, where stacks begin. */
export type Entry = (...args: never[]) => unknown;

/** Reads a file one window at a time. A wrong path throws immediately; all other errors come with the first part. */
type ReadFile<Part> = (path: unknown, call: Call, reading: Reading, entry: Entry) => AsyncGenerator<Part, void, undefined>;

/** File access, on hosts that have it. */
export interface Files {
  parts: ReadFile<FilePart>;
  /** What the caller of `encodeFile` gets. */
  tokens: ReadFile<FileTokens>;
}

/** Opens a source, synchronously where the host can. `before`: the engine to be replaced. */
export type Open = (
  source: Source | LateSource,
  options: LoadOptions | undefined,
  before?: EngineTokenizer,
) => EngineTokenizer | Promise<EngineTokenizer>;

/** Opens a text that is edited. */
export type OpenDocument = (engine: EngineTokenizer, text: unknown, options: DocumentOptions | undefined) => TextDocument;

/** Renders and encodes chats, in steps of about a millisecond. */
export interface Chat {
  /** A conversation without messages. `counting`: by the rules of `countMessages`, without a template. */
  converse(call: ChatCall, budget: BudgetOptions, counting: CountingOptions | undefined): Promise<Conversation>;
  rendering(call: ChatCall): Work<string>;
  /** The text whose ids, with special tokens allowed, are the chat's; undefined if the chat needs several texts or another policy. */
  plainText(call: ChatCall): Work<string | undefined>;
  encoding(call: ChatCall): Work<UnsharedUint32Array>;
  /** The text to encode; undefined if no text has the ids. Throws what `encoding` throws for the messages, the tools and the template. */
  text(call: ChatCall): Work<ChatText | undefined>;
  /** The ids, and any extras the request asks for. */
  describing(call: ChatCall): Work<EncodedChat>;
}

/** What an entry's tokenizers use. */
export interface Host extends Decoders {
  open: Open;
  /** The background of an engine; undefined if there is none and the thread encodes in slices. */
  backgroundOf?(engine: EngineTokenizer): Background | undefined;
  /** Releases that background and rejects its jobs. */
  end?(engine: EngineTokenizer): void;
  files?: Files;
  /** Adapts vocabularies. */
  adapt?: Adapt;
  /** Loads the chat renderer. */
  chat?(): Promise<Chat>;
  /** Undefined while no tokenizer of a page has been loaded for documents. */
  readonly openDocument?: OpenDocument | undefined;
}

/** What an entry opens vocabularies with. */
export interface Loading {
  /** Opens an available source synchronously. */
  openSync(source: Source, options?: LoadOptions): EngineTokenizer;
  host: Host;
}

/** The class of an entry, whose methods these are. */
interface Loaded<T> {
  new (engine: EngineTokenizer, host: Host): T;
  load(source: Source | LateSource, options?: LoadOptions): Promise<T>;
  loadSync(source: Source, options?: LoadOptions): T;
}

export function load<T>(Class: Loaded<T>, { host }: Loading, source: Source | LateSource, options?: LoadOptions): Promise<T> {
  return atCaller(Class.load, async () => new Class(await host.open(source, options), host));
}

export function loadSync<T>(Class: Loaded<T>, { host, openSync }: Loading, source: Source, options?: LoadOptions): T {
  return atCaller(Class.loadSync, () => new Class(openSync(source, options), host));
}
