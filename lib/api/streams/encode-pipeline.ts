// The three stages of CRAYON's pipeline as one stream: each text is normalized, encoded, and returned as a record. While other threads
// encode a long text, the next texts are normalized.

import { type EncodeOptions, policyOf } from '../arguments.js';
import { backgroundInTurns } from '../../engine/encode-in-slices.js';
import type { Host } from '../host.js';
import { type FromCallSite, unexpected } from '../../base/errors.js';
import { failureInText } from '../text-failures.js';
import { retain, release } from '../../engine/retiring.js';
import { optionNames } from '../../base/option-objects.js';
import { templateOf } from '../id-template.js';
import type { UnsharedUint32Array } from '../../base/typed-arrays.js';
import type { Vocabulary } from '../../vocabularies/vocabulary.js';
import { checkWebStreams, type Steps, transformStream } from './transform.js';

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

/** The most texts encoded at a time. */
const MAX_RUNNING = 4;
/** Shorter texts, in UTF-16 units, are encoded immediately. */
const AT_ONCE = 8 * 1024;
/** Matches any text that might compose. ASCII and other characters below the combining ones never do. */
const MAY_COMPOSE = /[\u0300-\uffff]/;

export function encodePipeline<Id>(
  host: Host,
  vocabulary: Vocabulary,
  options: PipelineOptions = {},
  explained: FromCallSite,
): TransformStream<string | PipelineText<Id>, EncodedText<Id | number>> {
  checkWebStreams('encodePipeline');
  const policy = policyOf(options, vocabulary, PIPELINE_OPTIONS);
  const { normalize } = options;
  if (normalize !== undefined && normalize !== 'NFC') throw unexpected("'NFC'", 'normalize', normalize);
  const template = templateOf(options, vocabulary);
  const { engine, specialIds } = vocabulary;
  /** Texts so far. */
  let count = 0;
  /** Texts being encoded or waiting for an earlier one, oldest first. */
  const running: Promise<void>[] = [];

  function encode(text: string, row: number): UnsharedUint32Array {
    try {
      return template.around(engine.encode(text, policy));
    } catch (error) {
      throw failureInText(error, text, { specialIds }, row);
    }
  }

  async function encodeLong(text: string, row: number): Promise<UnsharedUint32Array> {
    // The host ends the background of an engine that the tokenizer no longer has.
    const background = (vocabulary.engine === engine && host.backgroundOf?.(engine)) || backgroundInTurns(engine);
    try {
      return template.around(await background.encode(text, policy, {}));
    } catch (error) {
      throw failureInText(error, text, { specialIds }, row);
    }
  }

  const steps: Steps<string | PipelineText<Id>, EncodedText<Id | number>> = {
    write(chunk, outlet) {
      const row = count++;
      const { id, text } = checkedText<Id>(chunk, row);
      const normal = normalize === 'NFC' && MAY_COMPOSE.test(text) ? text.normalize('NFC') : text;
      const isShort = normal.length <= AT_ONCE;
      if (isShort && running.length === 0) return outlet.put(record(id, encode(normal, row)));
      const encoding = isShort ? undefined : encodeLong(normal, row);
      encoding?.catch(() => undefined); // if an earlier one fails first, nobody else handles this rejection
      const before = running.at(-1);
      const done = (async () => {
        await before;
        outlet.put(record(id, await (encoding ?? encode(normal, row))));
        running.shift();
      })();
      done.catch((error) => outlet.fail(error));
      running.push(done);
      if (running.length >= MAX_RUNNING) return running[0];
    },
    async close() {
      await running.at(-1);
    },
    release: () => release(engine),
  };
  retain(engine);
  return transformStream(steps, explained);
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
