// Steps over tokens that arrive one by one. A stage holds back only what the next token may still change.

import { byteOf, tokensOfBrokenRun, tokensOfRun } from './bytes.js';
import { cleanedUp, replaceAllText, sentencePieceMap, type TokenMap, tokenMap } from './token-maps.js';
import type { Step } from './decoder-spec.js';

export type Next = (token: string) => void;

export interface TokenStage {
  push(token: string, next: Next): void;
  end(next: Next): void;
}

/** `raw`: invalid UTF-8 bytes stand for themselves. Not for steps that merge all tokens. */
export function tokenStage(step: Step, raw: boolean): TokenStage {
  const map = tokenMap(step);
  if (map) return new MapStage(map);
  switch (step.type) {
    case 'ByteFallback':
      return new ByteStage(raw);
    case 'BPEDecoder':
      return new SuffixStage(step.suffix);
    case 'CTC':
      return new CtcStage(step);
    case 'SentencePiece':
      return new SentencePieceStage(step, raw);
    default:
      throw new TypeError(`${step.type} makes one token of all`);
  }
}

class MapStage implements TokenStage {
  readonly #map: TokenMap;
  #first = true;

  constructor(map: TokenMap) {
    this.#map = map;
  }

  push(token: string, next: Next): void {
    const first = this.#first;
    this.#first = false;
    next(this.#map(token, first));
  }

  end(): void {}
}

class ByteStage implements TokenStage {
  readonly #raw: boolean;
  #run: number[] = [];

  constructor(raw: boolean) {
    this.#raw = raw;
  }

  push(token: string, next: Next): void {
    const byte = byteOf(token);
    if (byte >= 0) {
      this.#run.push(byte);
      return;
    }
    this.end(next);
    next(token);
  }

  end(next: Next): void {
    if (this.#run.length === 0) return;
    const tokens = tokensOfRun(this.#run, this.#raw);
    this.#run = [];
    for (const token of tokens) next(token);
  }
}

/** The end-of-word suffix becomes a space, except on the last token. */
class SuffixStage implements TokenStage {
  readonly #suffix: string;
  #held: string | undefined;

  constructor(suffix: string) {
    this.#suffix = suffix;
  }

  push(token: string, next: Next): void {
    if (this.#held !== undefined) next(replaceAllText(this.#held, this.#suffix, ' '));
    this.#held = token;
  }

  end(next: Next): void {
    if (this.#held !== undefined) next(replaceAllText(this.#held, this.#suffix, ''));
    this.#held = undefined;
  }
}

/** An empty token only ends a run of bytes. */
class SentencePieceStage implements TokenStage {
  readonly #step: Step & { type: 'SentencePiece' };
  readonly #map: TokenMap;
  readonly #raw: boolean;
  #leads = true;
  #run: number[] = [];

  constructor(step: Step & { type: 'SentencePiece' }, raw: boolean) {
    this.#step = step;
    this.#map = sentencePieceMap(step);
    this.#raw = raw;
  }

  push(token: string, next: Next): void {
    const byte = this.#step.bytes ? byteOf(token) : -1;
    if (byte >= 0) {
      this.#run.push(byte);
      return;
    }
    this.end(next);
    if (token === '') return;
    const text = this.#map(token, this.#leads);
    this.#leads = this.#leads && this.#step.strips === 'all';
    this.#put(text, next);
  }

  end(next: Next): void {
    if (this.#run.length === 0) return;
    const tokens = tokensOfBrokenRun(this.#run, this.#raw);
    this.#run = [];
    for (const token of tokens) this.#put(token, next);
  }

  #put(text: string, next: Next): void {
    if (text === '') return;
    this.#leads = false;
    next(text);
  }
}

class CtcStage implements TokenStage {
  readonly #step: Step & { type: 'CTC' };
  #before: string | undefined;

  constructor(step: Step & { type: 'CTC' }) {
    this.#step = step;
  }

  push(token: string, next: Next): void {
    if (token === this.#before) return;
    this.#before = token;
    const text = ofCtc(token, this.#step);
    if (text !== '') next(text);
  }

  end(): void {}
}

/** CTC's text for a token that does not repeat the previous one. */
export function ofCtc(token: string, { pad_token, word_delimiter_token, cleanup }: Step & { type: 'CTC' }): string {
  const text = replaceAllText(token, pad_token, '');
  return cleanup ? replaceAllText(cleanedUp(text), word_delimiter_token, ' ') : text;
}
