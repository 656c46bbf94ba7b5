// Texts and ids that arrive in chunks.

import { fromCaller, fromCallSite } from '../../base/errors.js';
import type { UnsharedUint32Array } from '../../base/typed-arrays.js';
import { type EncodeOptions, policyOf } from '../arguments.js';
import type { DecodeStream, decodeStream } from '../streams/decode-stream.js';
import { type EncodedText, type EncodeLater, encodePipeline, type PipelineOptions, type PipelineText } from '../streams/encode-pipeline.js';
import { encodeStream } from '../streams/encode-stream.js';
import type { StreamDecoder } from '../streams/stream-decoder.js';
import { StreamEncoder } from '../streams/stream-encoder.js';
import type { DecodedToken, DecodeStreamOptions } from '../streams/token-texts.js';
import { templateOf } from '../template.js';
import { DecodingTokenizer } from './decoding.js';
import { engineOf, vocabularyOf } from './open-tokenizer.js';

/** The code for streams of ids, which the drop-ins leave out, too. */
interface StreamDecoders {
  StreamDecoder: typeof StreamDecoder;
  decodeStream: typeof decodeStream;
}

let streamDecoders: StreamDecoders | undefined;

/** Enables `streamDecoder` and `decodeStream`. */
export function useStreamDecoders(module: StreamDecoders): void {
  streamDecoders = module;
}

/** An open vocabulary that also encodes and decodes streams. */
export class StreamingTokenizer extends DecodingTokenizer {
  /**
   * Encodes a text that arrives in chunks, synchronously: `push` returns the ids that are ready, `end` the rest; together they
   * equal one `encode` of the whole text. `encodeStream` is built on it. For short chunks, callbacks and loops that do not
   * need a web stream run several times as fast with this.
   *
   * The encoder keeps the current vocabulary, whatever `swap` does later; after the tokenizer's `close`, calls throw
   * (`CLOSED`).
   *
   * @example
   * ```ts
   * const encoder = tokenizer.streamEncoder({ special: 'allow' });
   * const ids: number[] = [];
   * for (const chunk of ['hello wor', 'ld<|endof', 'text|>']) ids.push(...encoder.push(chunk));
   * ids.push(...encoder.end());
   * ids; // [24912, 2375, 199999]
   * ```
   */
  streamEncoder(options?: EncodeOptions): StreamEncoder {
    try {
      return this.#streamEncoder(options);
    } catch (error) {
      throw fromCaller(error, StreamingTokenizer.prototype.streamEncoder);
    }
  }

  /**
   * Decodes ids that arrive in chunks, synchronously: `push` returns the complete text so far, `end` the incomplete rest;
   * together they equal one `decode` of all ids. `decodeStream` is built on it. It holds back text that later ids may still
   * change: for most vocabularies, an incomplete character. It keeps the current vocabulary, like `streamEncoder`.
   *
   * With `stop` the text ends before a stop sequence, which `stopped` tells. With `perToken` the results are the texts that
   * single tokens complete.
   *
   * @example
   * ```ts
   * const decoder = tokenizer.streamDecoder();
   * let text = '';
   * for (const id of tokenizer.encode('né 😀')) text += decoder.push(id);
   * text += decoder.end();
   * text; // 'né 😀'
   * tokenizer.streamDecoder({ perToken: true }).push(2375); // [{ id: 2375, text: ' world', start: 0, end: 6 }]
   * ```
   */
  streamDecoder(options: DecodeStreamOptions & { perToken: true }): StreamDecoder<DecodedToken[]>;
  streamDecoder(options?: DecodeStreamOptions & { perToken?: false | undefined }): StreamDecoder;
  streamDecoder(options?: DecodeStreamOptions): StreamDecoder<string | DecodedToken[]>;
  streamDecoder(options?: DecodeStreamOptions): StreamDecoder<string | DecodedToken[]> {
    try {
      return this.#streamDecoder(options);
    } catch (error) {
      throw fromCaller(error, StreamingTokenizer.prototype.streamDecoder);
    }
  }

  /**
   * A stream from chunks of text to ids, which equal one `encode` of the whole text wherever chunks end, even inside a
   * character or a special token. Chunks are strings or bytes, not both. Ids are emitted when no further text can change
   * them, at most 72 bytes later. Short chunks are gathered up to 256 units; when the source pauses, they are encoded within
   * one turn of the event loop. Besides one chunk, memory is bounded by the longest piece and the longest special token. A
   * large chunk is encoded in slices as the reader wants ids, so that the thread can do other work in between.
   *
   * Like `TextDecoderStream`, it is an object with a `writable` and a `readable`, for `pipeThrough` or Node's
   * `stream.pipeline`. It keeps the current vocabulary, whatever `swap` does later; the tokenizer's `close` ends it with an
   * error (`CLOSED`). Error positions are relative to the whole text, in units of the chunks; the `write` of a faulty short
   * chunk may already have succeeded.
   *
   * @example
   * ```ts
   * const { body } = new Response('hello world');
   * const ids: number[] = [];
   * for await (const chunk of body!.pipeThrough(tokenizer.encodeStream())) ids.push(...chunk);
   * ids; // [24912, 2375]
   * ```
   */
  encodeStream(options?: EncodeOptions): TransformStream<string | Uint8Array, UnsharedUint32Array> {
    try {
      return encodeStream(() => this.#streamEncoder(options), fromCallSite(StreamingTokenizer.prototype.encodeStream));
    } catch (error) {
      throw fromCaller(error, StreamingTokenizer.prototype.encodeStream);
    }
  }

  /**
   * A stream from ids, single or in lists, to text, which equals one `decode` of all ids. An incomplete character waits
   * for the next id; if it is never completed, it becomes U+FFFD. An id without a token is an error (`INVALID_ID`) with
   * its index in the whole stream. It keeps the current vocabulary, like `encodeStream`.
   *
   * With `stop` the output ends before a stop sequence, which `stopped` tells, and the source is cancelled. With `perToken` the
   * chunks are the texts that single tokens complete.
   *
   * @example
   * ```ts
   * let text = '';
   * const ids = ReadableStream.from([24912, [2375]]);
   * for await (const part of ids.pipeThrough(tokenizer.decodeStream())) text += part;
   * text; // 'hello world'
   * ```
   */
  decodeStream(options: DecodeStreamOptions & { perToken: true }): DecodeStream<DecodedToken>;
  decodeStream(options?: DecodeStreamOptions & { perToken?: false | undefined }): DecodeStream;
  decodeStream(options?: DecodeStreamOptions): DecodeStream<string> | DecodeStream<DecodedToken>;
  decodeStream(options?: DecodeStreamOptions): DecodeStream<string> | DecodeStream<DecodedToken> {
    try {
      return this.#streams.decodeStream(() => this.#streamDecoder(options), fromCallSite(StreamingTokenizer.prototype.decodeStream));
    } catch (error) {
      throw fromCaller(error, StreamingTokenizer.prototype.decodeStream);
    }
  }

  /**
   * A stream from texts to records, such as the lines of a dataset: each text is normalized (if `normalize` is set),
   * encoded, and returned as `{ id, inputIds, length }`, in order. A text is a string, whose id is its index in the stream,
   * or `{ id, text }`. Up to four long texts are encoded at a time, like `encodeAsync`, while the next ones are normalized;
   * short texts are encoded immediately.
   *
   * An error about a text has the text's index as `row`, and its position in the normalized text. The stream keeps the
   * current vocabulary, like `encodeStream`.
   *
   * @example
   * ```ts
   * const texts = ReadableStream.from(['hello world', { id: 'e-acute', text: 'e\u0301' }]);
   * const records = texts.pipeThrough(tokenizer.encodePipeline({ normalize: 'NFC' })).getReader();
   * (await records.read()).value; // { id: 0, inputIds: Uint32Array [24912, 2375], length: 2 }
   * (await records.read()).value; // { id: 'e-acute', inputIds: Uint32Array [377], length: 1 }
   * ```
   */
  encodePipeline<Id = unknown>(options?: PipelineOptions): TransformStream<string | PipelineText<Id>, EncodedText<Id | number>> {
    try {
      const engine = engineOf(this);
      const { encodeAsync } = this as { encodeAsync?: (...call: Parameters<EncodeLater>) => Promise<UnsharedUint32Array> };
      const later: EncodeLater = (text, own) => (engineOf(this) === engine ? encodeAsync?.call(this, text, own) : undefined);
      const explained = fromCallSite(StreamingTokenizer.prototype.encodePipeline);
      return encodePipeline<Id>(engine, options, vocabularyOf(this), later, explained);
    } catch (error) {
      throw fromCaller(error, StreamingTokenizer.prototype.encodePipeline);
    }
  }

  #streamEncoder(options: EncodeOptions | undefined): StreamEncoder {
    const policy = policyOf(options, vocabularyOf(this));
    return new StreamEncoder(engineOf(this), policy, vocabularyOf(this), templateOf(options, vocabularyOf(this)));
  }

  #streamDecoder(options: DecodeStreamOptions | undefined): StreamDecoder<string | DecodedToken[]> {
    return new this.#streams.StreamDecoder(engineOf(this), options, vocabularyOf(this));
  }

  get #streams(): StreamDecoders {
    if (streamDecoders) return streamDecoders;
    throw new Error("streams of ids need what decodes them: import 'crayon-tokenizer' instead");
  }
}
