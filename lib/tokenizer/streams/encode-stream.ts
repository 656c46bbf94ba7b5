// Text that arrives in chunks, to ids. The engine's session does the work: it takes parts that end anywhere, and gives the
// ids that no further text can change.

import { SPECIAL_FORBID, textBytes } from '../arguments.js';
import { pause, SLICE, TURN } from '../pause.js';
import type { EngineTokenizer, Policy, TextSession } from '../engine.js';
import { unexpected } from '../errors.js';
import { failureInText } from '../failures.js';
import type { UnsharedUint32Array } from '../typed-arrays.js';
import { typedArrayKind } from '../views.js';
import type { Vocabulary } from '../vocabulary.js';
import type { Template } from '../template.js';
import { FedText } from './fed-text.js';
import { checkWebStreams, type Outlet, type Steps, transformStream } from './transform.js';

/** Sessions of streams that nobody reads or writes any more, without having ended them. Some edge workers have no registry. */
const forgotten =
  typeof FinalizationRegistry === 'function' ? new FinalizationRegistry<TextSession>((session) => session.end()) : undefined;

export function encodeStream(
  engine: EngineTokenizer,
  policy: Policy,
  vocabulary: Vocabulary,
  template: Template,
): TransformStream<string | Uint8Array, UnsharedUint32Array> {
  checkWebStreams('encodeStream');
  // The tokenizer may get another vocabulary before an error names a token of this one.
  const { specialIds } = vocabulary;
  const fed = policy === SPECIAL_FORBID || hasUnknownCharacters(engine, vocabulary) ? new FedText() : undefined;
  return transformStream(new Encoding(engine.begin(policy, false), specialIds, fed, template));
}

class Encoding implements Steps<string | Uint8Array, UnsharedUint32Array> {
  readonly #session: TextSession;
  readonly #specialIds: ReadonlyMap<string, number>;
  /** Undefined if no error is about a place in the text. */
  readonly #fed: FedText | undefined;
  /** An empty text of the kind that the chunks are of; undefined before the first one. */
  #empty: string | Uint8Array | undefined;
  /** The first half of a surrogate pair, at the end of a chunk. */
  #half = '';
  /** Milliseconds of work since other work of the thread had its turn. */
  #busy = 0;

  readonly #template: Template;
  #hasBegun = false;

  constructor(
    session: TextSession,
    specialIds: ReadonlyMap<string, number>,
    fed: FedText | undefined,
    template: Template,
  ) {
    this.#template = template;
    this.#session = session;
    this.#specialIds = specialIds;
    this.#fed = fed;
    forgotten?.register(this, session, this);
  }

  async write(chunk: string | Uint8Array, outlet: Outlet<UnsharedUint32Array>): Promise<void> {
    const text = this.#next(chunk);
    const { length } = text;
    for (let at = 0; at < length; ) {
      if (!outlet.isWanted) await outlet.wanted();
      if (outlet.isOver) return;
      this.#begin(outlet);
      const began = performance.now();
      let end = Math.min(at + SLICE, length);
      if (end < length && endsInHalf(text, end)) end--;
      this.#feed(typeof text === 'string' ? text.slice(at, end) : text.subarray(at, end), false, outlet);
      at = end;
      this.#busy += performance.now() - began;
      if (this.#busy < TURN) continue;
      await pause();
      this.#busy = 0;
    }
  }

  close(outlet: Outlet<UnsharedUint32Array>): void {
    this.#begin(outlet);
    this.#feed(this.#half || (this.#empty ?? ''), true, outlet);
    if (this.#template.suffix.length > 0) outlet.put(this.#template.suffix.slice());
  }

  release(): void {
    forgotten?.unregister(this);
    this.#session.end();
  }

  #begin(outlet: Outlet<UnsharedUint32Array>): void {
    if (!this.#hasBegun && this.#template.prefix.length > 0) outlet.put(this.#template.prefix.slice());
    this.#hasBegun = true;
  }

  /** The text to feed for a chunk, which ends with a character if it is a string. */
  #next(chunk: unknown): string | Uint8Array {
    const isString = typeof chunk === 'string';
    if (!isString && typedArrayKind(chunk) !== 'Uint8Array') throw unexpected('a string or a Uint8Array', 'chunk', chunk);
    this.#empty ??= isString ? '' : new Uint8Array(0);
    if (isString !== (typeof this.#empty === 'string')) {
      throw unexpected(`${isString ? 'a Uint8Array' : 'a string'}, as before,`, 'chunk', chunk);
    }
    if (!isString) return textBytes(chunk, 'chunk');
    const text = this.#half + chunk;
    this.#half = endsInHalf(text, text.length) ? text.slice(-1) : '';
    return this.#half === '' ? text : text.slice(0, -1);
  }

  #feed(part: string | Uint8Array, last: boolean, outlet: Outlet<UnsharedUint32Array>): void {
    this.#fed?.append(part);
    try {
      if (this.#session.feed(part, last) === 0) return;
    } catch (error) {
      if (!this.#fed) throw error;
      const { text, start } = this.#fed.kept();
      throw failureInText(error, text, { specialIds: this.#specialIds }, undefined, start);
    }
    this.#fed?.forget();
    outlet.put(this.#session.take());
  }
}

function endsInHalf(text: string | Uint8Array, end: number): boolean {
  return typeof text === 'string' && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
}

/** Whether a text may have a character that is an error. */
function hasUnknownCharacters(engine: EngineTokenizer, { description }: Vocabulary): boolean {
  if (description.model === 'bpe' || description.unknownId !== undefined) return false;
  for (let byte = 0; byte < 256; byte++) if (engine.idOf(Uint8Array.of(byte)) === undefined) return true;
  return false;
}
