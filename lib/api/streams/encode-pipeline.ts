// The three stages of CRAYON's pipeline as one stream: each text is normalized, encoded, and returned as a record.
//
// The buffer pool and the per-thread cache are the engine's here, and the bounded queues the stream's. Stages overlap when
// encoding happens on other threads or in slices: meanwhile the next texts are normalized.

import { type EncodeOptions, policyOf } from '../arguments.js';
import { backgroundInTurns } from '../../engine/encode-in-slices.js';
import type { EngineTokenizer, Policy } from '../../engine/engine.js';
import { type FromCallSite, TokenizerError, unexpected } from '../../base/errors.js';
import { failureInText } from '../text-failures.js';
import { retain, release } from '../../engine/retiring.js';
import { checkOptionNames, optionNames } from '../../base/option-objects.js';
import { type Template, templateOf } from '../id-template.js';
import type { UnsharedUint32Array } from '../../base/typed-arrays.js';
import type { Vocabulary } from '../../vocabularies/vocabulary.js';
import { checkWebStreams, type Outlet, type Steps, transformStream } from './transform.js';

/**
 * Options of {@link Tokenizer.encodePipeline}.
 *
 * @example
 * ```ts
 * const options: PipelineOptions = { normalize: 'NFC' };
 * for await (const { inputIds } of ReadableStream.from(['cafe\u0301']).pipeThrough(tokenizer.encodePipeline(options))) {
 *   tokenizer.decode(inputIds); // 'caf\u00e9'
 * }
 * ```
 */
export interface PipelineOptions extends EncodeOptions {
  /**
   * Compose characters first (`'NFC'`): `e` and a combining accent become `é`. Uses the host's `normalize` and so its
   * Unicode version (`process.versions.unicode` in Node): newer characters stay as they are, all others are the same in
   * every version. Default: texts are encoded as they are.
   */
  normalize?: 'NFC' | undefined;
}

/**
 * A text for {@link Tokenizer.encodePipeline}, with the id for its record.
 *
 * @example
 * ```ts
 * const text: PipelineText<string> = { id: 'greeting', text: 'hello world' };
 * for await (const record of ReadableStream.from([text]).pipeThrough(tokenizer.encodePipeline<string>())) {
 *   record; // { id: 'greeting', inputIds: Uint32Array [24912, 2375], length: 2 }
 * }
 * ```
 */
export interface PipelineText<Id> {
  /** Any value; defaults to the index of the text in the stream. */
  id?: Id;
  text: string;
}

/**
 * The record that {@link Tokenizer.encodePipeline} makes of a text.
 *
 * @example
 * ```ts
 * const records: EncodedText<number>[] = [];
 * for await (const record of ReadableStream.from(['hello world']).pipeThrough(tokenizer.encodePipeline<number>())) {
 *   records.push(record);
 * }
 * records; // [{ id: 0, inputIds: Uint32Array [24912, 2375], length: 2 }]
 * ```
 */
export interface EncodedText<Id> {
  id: Id;
  inputIds: UnsharedUint32Array;
  /** The number of ids. */
  length: number;
}

const PIPELINE_OPTIONS = optionNames<PipelineOptions>({ special: true, addSpecialTokens: true, normalize: true });

/** Encodes a long text without blocking the thread, with checked options; undefined if it cannot. */
export type EncodeLater = (text: string, options: EncodeOptions) => Promise<UnsharedUint32Array> | undefined;

/** The most texts encoded at a time. */
const MOST = 4;
/** Shorter texts, in UTF-16 units, are encoded immediately. */
const AT_ONCE = 8 * 1024;
/** Matches any text that might compose. ASCII and other characters below the combining ones never do. */
const MAY_COMPOSE = /[\u0300-\uffff]/;

export function encodePipeline<Id>(
  vocabulary: Vocabulary,
  options: PipelineOptions | undefined,
  later: EncodeLater,
  explained: FromCallSite,
): TransformStream<string | PipelineText<Id>, EncodedText<Id | number>> {
  checkWebStreams('encodePipeline');
  if (options !== undefined) checkOptionNames(options, PIPELINE_OPTIONS);
  // A copy: the caller may change them before the texts arrive.
  const { normalize, special, addSpecialTokens } = options ?? {};
  if (normalize !== undefined && normalize !== 'NFC') throw unexpected("'NFC'", 'normalize', normalize);
  const encodeOptions: EncodeOptions = { special: Array.isArray(special) ? [...special] : special, addSpecialTokens };
  const policy = policyOf(encodeOptions, vocabulary);
  const template = templateOf(encodeOptions, vocabulary);
  const { engine, specialIds } = vocabulary;
  const encoding = {
    engine,
    specialIds,
    policy,
    template,
    normalizes: normalize === 'NFC',
    later: (text: string) => later(text, encodeOptions),
  };
  return transformStream(new Pipeline<Id>(encoding), explained);
}

/** How texts are encoded. It does not change with the tokenizer. */
interface Encoding {
  engine: EngineTokenizer;
  specialIds: ReadonlyMap<string, number>;
  policy: Policy;
  template: Template;
  normalizes: boolean;
  later(text: string): Promise<UnsharedUint32Array> | undefined;
}

class Pipeline<Id> implements Steps<string | PipelineText<Id>, EncodedText<Id | number>> {
  /** Texts so far. */
  #count = 0;
  /** Texts being encoded or waiting for an earlier one, oldest first. */
  readonly #running: Promise<void>[] = [];

  constructor(private readonly encoding: Encoding) {
    retain(encoding.engine);
  }

  write(chunk: string | PipelineText<Id>, outlet: Outlet<EncodedText<Id | number>>): void | Promise<void> {
    const row = this.#count++;
    const { id, text } = checkedText<Id>(chunk, row);
    const normal = this.encoding.normalizes && MAY_COMPOSE.test(text) ? text.normalize('NFC') : text;
    if (normal.length <= AT_ONCE && this.#running.length === 0) {
      outlet.put(record(id, this.#encode(normal, row)));
      return;
    }
    const encoding = normal.length <= AT_ONCE ? undefined : this.#encodeLong(normal, row);
    const done = this.#putBehind(this.#running.at(-1), id, () => encoding ?? this.#encode(normal, row), outlet);
    encoding?.catch(() => undefined); // if an earlier one fails first, nobody else handles this rejection
    done.catch((error) => outlet.fail(error));
    this.#running.push(done);
    if (this.#running.length >= MOST) return this.#running[0];
  }

  async close(): Promise<void> {
    await this.#running.at(-1);
  }

  release(): void {
    release(this.encoding.engine);
  }

  async #putBehind(
    before: Promise<void> | undefined,
    id: Id | number,
    encode: () => UnsharedUint32Array | Promise<UnsharedUint32Array>,
    outlet: Outlet<EncodedText<Id | number>>,
  ): Promise<void> {
    await before;
    outlet.put(record(id, await encode()));
    this.#running.shift();
  }

  #encode(text: string, row: number): UnsharedUint32Array {
    const { engine, policy, template } = this.encoding;
    try {
      return template.around(engine.encode(text, policy));
    } catch (error) {
      throw failureInText(error, text, this.encoding, row);
    }
  }

  async #encodeLong(text: string, row: number): Promise<UnsharedUint32Array> {
    const elsewhere = this.encoding.later(text);
    if (elsewhere) return inRow(elsewhere, row);
    const { engine, policy, template } = this.encoding;
    try {
      return template.around(await backgroundInTurns(engine).encode(text, policy, {}));
    } catch (error) {
      throw failureInText(error, text, this.encoding, row);
    }
  }
}

/** Adds the index of the text to an error about it. */
async function inRow(encoding: Promise<UnsharedUint32Array>, row: number): Promise<UnsharedUint32Array> {
  try {
    return await encoding;
  } catch (error) {
    if (!(error instanceof TokenizerError) || error.code === 'CLOSED') throw error;
    const { code, position, message } = error;
    throw new TokenizerError(message.replace(/^the text /, `texts[${row}] `), { code, position, row });
  }
}

function checkedText<Id>(chunk: unknown, row: number): { id: Id | number; text: string } {
  if (typeof chunk === 'string') return { id: row, text: chunk };
  if (typeof chunk !== 'object' || chunk === null) throw unexpected('a string or { id, text }', `texts[${row}]`, chunk);
  const { id, text } = chunk as Partial<PipelineText<Id>>;
  if (typeof text !== 'string') throw unexpected('a string', `texts[${row}].text`, text);
  return { id: id === undefined ? row : id, text };
}

function record<Id>(id: Id, inputIds: UnsharedUint32Array): EncodedText<Id> {
  return { id, inputIds, length: inputIds.length };
}
