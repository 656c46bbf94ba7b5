// Any chain of steps over tokens that arrive one by one. This is the general implementation: PieceRun handles the common
// chains in one pass.
//
// Steps up to the first one that merges all tokens into one (Fuse, ByteLevel) work on tokens, later steps on the text of
// that token.

import { Utf8Run } from '../../base/text-encodings.js';
import { byteLevelBytes } from './bytes.js';
import type { Step } from './decoder-spec.js';
import { type TextStage, textStage } from './text-stages.js';
import { type Next, type TokenStage, tokenStage } from './token-stages.js';

export interface Chain {
  onTokens: readonly Step[];
  /** The step that merges all tokens. */
  merge: 'ByteLevel' | 'Fuse' | undefined;
  onText: readonly Step[];
}

export function chainOf(steps: readonly Step[]): Chain {
  const at = steps.findIndex(({ type }) => type === 'Fuse' || type === 'ByteLevel');
  if (at < 0) return { onTokens: steps, merge: undefined, onText: [] };
  return { onTokens: steps.slice(0, at), merge: steps[at]!.type as 'ByteLevel' | 'Fuse', onText: steps.slice(at + 1) };
}

/** Steps on the text of the single token, which arrives in chunks. */
export class TextRun {
  readonly #stages: TextStage[];

  constructor(steps: readonly Step[], raw: boolean) {
    this.#stages = steps.map((step) => textStage(step, raw));
  }

  push(text: string): string {
    let chunk = text;
    for (let at = 0; at < this.#stages.length && chunk !== ''; at++) chunk = this.#stages[at]!.push(chunk);
    return chunk;
  }

  end(): string {
    let rest = '';
    for (const stage of this.#stages) rest = stage.push(rest) + stage.end();
    return rest;
  }
}

/** One text. `raw`: invalid UTF-8 bytes are kept as in bytes.ts. */
export class ChainRun {
  readonly #stages: TokenStage[];
  /** One function per stage; the last one collects the output. */
  readonly #next: Next[];
  readonly #text: TextRun;
  readonly #bytes: Utf8Run | undefined;
  #output = '';

  constructor({ onTokens, merge, onText }: Chain, raw: boolean) {
    this.#stages = onTokens.map((step) => tokenStage(step, raw));
    this.#text = new TextRun(onText, raw);
    this.#bytes = merge === 'ByteLevel' ? new Utf8Run() : undefined;
    const last: Next = (token) => {
      this.#output += this.#bytes ? this.#bytes.push(byteLevelBytes(token)) : token;
    };
    this.#next = [last];
    for (let at = this.#stages.length - 1; at >= 0; at--) {
      const [stage, next] = [this.#stages[at]!, this.#next[0]!];
      this.#next.unshift((token) => stage.push(token, next));
    }
  }

  push(token: string): void {
    this.#next[0]!(token);
  }

  /** Takes the output decided so far. */
  take(): string {
    const output = this.#output;
    this.#output = '';
    return this.#text.push(output);
  }

  end(): string {
    this.#stages.forEach((stage, at) => stage.end(this.#next[at + 1]!));
    if (this.#bytes) this.#output += this.#bytes.end();
    return this.take() + this.#text.end();
  }
}
