// The text that each token of a stream completes, up to the first stop sequence. Ids are decoded one by one, which tells what each of
// them completes. Held back is only the end of the text that may begin a stop sequence; it equals the beginning of the sequence, so that
// no copy is needed.

import type { DecodingRun } from '../../vocabularies/metadata.js';
import { outOfRange, TokenizerError, unexpected } from '../../base/errors.js';
import { checkedBoolean, optionNames } from '../../base/option-objects.js';
import { hasLoneSurrogate } from '../../base/text-encodings.js';
import { checkedStrings, type DecodeOptions } from '../arguments.js';

/** Small, since a server may have an automaton for each of many streams: the children of a node are a list. */
interface Node {
  /** A sequence with this beginning, and the length of the beginning. */
  readonly sequence: string;
  readonly depth: number;
  /** The last unit of the beginning. */
  readonly unit: number;
  /** The parent's next child. */
  readonly sibling: Node | undefined;
  child: Node | undefined;
  /** The node of the longest proper end of this beginning that is itself a beginning. */
  fallback: Node | undefined;
  /** The longest sequence that ends here. */
  found: string | undefined;
}

function nodeOf(sequence: string, depth: number, sibling: Node | undefined): Node {
  return { sequence, depth, unit: sequence.charCodeAt(depth - 1), sibling, child: undefined, fallback: undefined, found: undefined };
}

function childOf(node: Node, unit: number): Node | undefined {
  let child = node.child;
  while (child && child.unit !== unit) child = child.sibling;
  return child;
}

/**
 * Finds the first of several sequences in a text that arrives in parts: the automaton of Aho and Corasick over UTF-16 units. A node
 * stands for the beginning of a sequence, and after each unit the automaton is in the node of the longest beginning that the text ends
 * with. So its depth says how much of the text's end may still become a sequence.
 */
class StopFinder {
  readonly #root = nodeOf('', 0, undefined);
  #node = this.#root;
  /** By the low byte of a unit: whether a sequence may begin with it. Most units are dismissed by this. */
  readonly #begins = new Uint8Array(256);

  /** None of the sequences is empty. */
  constructor(sequences: readonly string[]) {
    for (const sequence of sequences) this.#add(sequence);
    this.#link();
  }

  /** The end of the text that may begin a sequence. */
  get pending(): string {
    const { sequence, depth } = this.#node;
    return sequence.slice(0, depth);
  }

  /**
   * Reads the next part of the text, up to the first unit that completes a sequence. Of several that end there the longest is
   * found. Undefined if there is none.
   */
  read(part: string): { sequence: string; end: number } | undefined {
    let node = this.#node;
    for (let at = 0; at < part.length; at++) {
      const unit = part.charCodeAt(at);
      if (node === this.#root && this.#begins[unit & 0xff] === 0) continue;
      node = this.#after(node, unit);
      if (node.found !== undefined) return { sequence: node.found, end: at + 1 };
    }
    this.#node = node;
    return undefined;
  }

  #after(from: Node, unit: number): Node {
    for (let node: Node | undefined = from; node; node = node.fallback) {
      const next = childOf(node, unit);
      if (next) return next;
    }
    return this.#root;
  }

  #add(sequence: string): void {
    let node = this.#root;
    this.#begins[sequence.charCodeAt(0) & 0xff] = 1;
    for (let at = 0; at < sequence.length; at++) {
      const unit = sequence.charCodeAt(at);
      node = childOf(node, unit) ?? (node.child = nodeOf(sequence, at + 1, node.child));
    }
    node.found = sequence;
  }

  /** Breadth first: a node's fallback is not as deep as the node. */
  #link(): void {
    const nodes = [this.#root];
    for (const node of nodes) {
      for (let child = node.child; child; child = child.sibling) {
        child.fallback = node.fallback ? this.#after(node.fallback, child.unit) : this.#root;
        child.found ??= child.fallback.found;
        nodes.push(child);
      }
    }
  }
}

/**
 * Options of {@link Tokenizer.streamDecoder} and {@link Tokenizer.decodeStream}.
 *
 * @example
 * ```ts
 * const options: DecodeStreamOptions = { stop: ['\nUser:'], skipSpecialTokens: true };
 * const decoder = tokenizer.streamDecoder(options);
 * decoder.push(tokenizer.encode('hello\nUser: and')); // 'hello'
 * ```
 */
export interface DecodeStreamOptions extends DecodeOptions {
  /**
   * Texts that end the stream, wherever tokens begin and end. The text before the first of them is the result; `stopped` says
   * which it was, and where. Text is held back only while it may begin one. The stream ends with the first character that
   * completes a sequence; of several that end there, the longest counts.
   */
  stop?: readonly string[] | undefined;
  /** Results are the texts that single tokens complete, as a list of {@link DecodedToken}. Default false: strings. */
  perToken?: boolean | undefined;
}

export const DECODE_STREAM_OPTIONS = optionNames<DecodeStreamOptions>({ skipSpecialTokens: true, stop: true, perToken: true });

/**
 * A token of a stream, and the text that it completes.
 *
 * @example
 * ```ts
 * const decoder = tokenizer.streamDecoder({ perToken: true });
 * const tokens: DecodedToken[] = decoder.push([24912, 2375]);
 * tokens[1]; // { id: 2375, text: ' world', start: 5, end: 11 }
 * ```
 */
export interface DecodedToken {
  /** The id; undefined for text that only the end of the stream decides. */
  id: number | undefined;
  /** Text of this token, and of tokens before it that was held back until now. Empty if the token completes none. */
  text: string;
  /** Where `text` is in the text of the stream, in UTF-16 units. */
  start: number;
  end: number;
}

/**
 * The stop sequence that ended a stream.
 *
 * @example
 * ```ts
 * const decoder = tokenizer.streamDecoder({ stop: ['o w', '!'] });
 * decoder.push([24912, 2375, 0]); // 'hell'
 * const stopped: StopMatch | undefined = decoder.stopped;
 * stopped; // { sequence: 'o w', start: 4, end: 7, ids: 2 }
 * ```
 */
export interface StopMatch {
  sequence: string;
  /** Where it is in the text of the stream, in UTF-16 units. */
  start: number;
  end: number;
  /** How many ids were read, including the one that completed it. */
  ids: number;
}

/** What a stream does with its tokens. */
interface TokenwiseOptions {
  stop: readonly string[] | undefined;
  perToken: boolean;
}

/** Checks the options. Undefined if texts are only joined. */
export function tokenwiseOf({ stop, perToken }: DecodeStreamOptions): TokenwiseOptions | undefined {
  const sequences = stop === undefined ? undefined : checkedStop(stop);
  const checked = { stop: sequences, perToken: checkedBoolean(perToken, 'perToken') };
  return sequences || checked.perToken ? checked : undefined;
}

/** Undefined if the list is empty. */
function checkedStop(stop: unknown): string[] | undefined {
  if (!Array.isArray(stop)) throw unexpected('a list of strings', 'stop', stop);
  const sequences = checkedStrings(stop, 'stop', (sequence, name) => {
    if (sequence === '') throw outOfRange('a string that is not empty', name, sequence);
    // Half a character is in no decoded text, and a match would cut the character in two.
    if (hasLoneSurrogate(sequence)) throw outOfRange('a string without lone surrogates', name, sequence);
  });
  return sequences.length === 0 ? undefined : sequences;
}

export class TokenTexts {
  readonly #run: DecodingRun;
  readonly #perToken: boolean;
  readonly #finder: StopFinder | undefined;
  readonly #one = new Uint32Array(1);
  /** Ids read. */
  #ids = 0;
  /** Units of text that have been decided. */
  #decided = 0;
  #stopped: StopMatch | undefined;

  constructor(run: DecodingRun, { stop, perToken }: TokenwiseOptions) {
    this.#run = run;
    this.#perToken = perToken;
    this.#finder = stop && new StopFinder(stop);
  }

  get stopped(): StopMatch | undefined {
    return this.#stopped;
  }

  /** An id without a token is an error with its index in `ids`. After a stop, nothing is read. */
  push(ids: Uint32Array): string | DecodedToken[] {
    const tokens: DecodedToken[] = [];
    let text = '';
    for (let index = 0; index < ids.length && !this.#stopped; index++) {
      const decided = this.#decide(this.#textOf(ids, index), false);
      if (this.#perToken) tokens.push(this.#token(ids[index], decided));
      else text += decided;
    }
    return this.#perToken ? tokens : text;
  }

  end(): string | DecodedToken[] {
    const rest = this.#stopped ? '' : this.#decide(this.#run.end(), true);
    if (!this.#perToken) return rest;
    return rest === '' ? [] : [this.#token(undefined, rest)];
  }

  #textOf(ids: Uint32Array, index: number): string {
    this.#one[0] = ids[index] as number;
    try {
      const text = this.#run.push(this.#one);
      this.#ids++;
      return text;
    } catch (error) {
      if (!(error instanceof TokenizerError && error.code === 'INVALID_ID')) throw error;
      throw new TokenizerError('', { code: error.code, position: index });
    }
  }

  /** Adds a part of the text and returns what is decided: all before a stop, else all that cannot begin one. */
  #decide(part: string, isLast: boolean): string {
    const text = this.#finder ? this.#beforeStop(this.#finder, part, isLast) : part;
    this.#decided += text.length;
    return text;
  }

  #beforeStop(finder: StopFinder, part: string, isLast: boolean): string {
    const held = finder.pending;
    const match = finder.read(part);
    let decided = held.length + part.length;
    if (match) {
      const { sequence } = match;
      decided = held.length + match.end - sequence.length;
      const start = this.#decided + decided;
      this.#stopped = { sequence, start, end: start + sequence.length, ids: this.#ids };
    } else if (!isLast) decided -= finder.pending.length;
    // Neither is joined to be cut: what is held back may be long, and this is done for each token.
    return decided < held.length ? held.slice(0, decided) : held + part.slice(0, decided - held.length);
  }

  /** `text`: what has just been decided. */
  #token(id: number | undefined, text: string): DecodedToken {
    return { id, text, start: this.#decided - text.length, end: this.#decided };
  }
}
