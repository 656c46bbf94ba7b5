// Steps after one that merges all tokens into one, whose text arrives in chunks. A stage holds back only what the next
// chunk may still change; if that may be everything, it waits for the end.

import { byteLevelBytes, byteOf, lossy, tokensOfRun } from './bytes.js';
import { endOf, replaceAllText, startOf, tokenMap } from './token-maps.js';
import type { Step } from './decoder-spec.js';
import { ofCtc } from './token-stages.js';

export interface TextStage {
  /** Takes a chunk, in whole characters, and returns the decided output. */
  push(text: string): string;
  end(): string;
}

/** Applies the step to the whole text, which is its only token. */
export function wholeText(step: Step, text: string, raw: boolean): string {
  switch (step.type) {
    case 'ByteFallback': {
      const byte = byteOf(text);
      return byte < 0 ? text : tokensOfRun([byte], raw).join('');
    }
    case 'BPEDecoder':
      return replaceAllText(text, step.suffix, '');
    case 'CTC':
      return ofCtc(text, step);
    case 'Fuse':
      return text;
    case 'ByteLevel':
      return lossy(byteLevelBytes(text));
    default:
      return tokenMap(step)!(text, true);
  }
}

export function textStage(step: Step, raw: boolean): TextStage {
  switch (step.type) {
    case 'Strip':
      return new StripStage(step);
    case 'Replace':
      return 'String' in step.pattern ? new ReplaceStage(step.pattern.String, step.content) : new WholeStage(step, raw);
    case 'BPEDecoder':
      return step.suffix === '' ? AS_IT_IS : new ReplaceStage(step.suffix, '');
    case 'Metaspace': {
      const map = tokenMap(step)!;
      return { push: (text) => map(text, true), end: () => '' };
    }
    case 'Fuse':
    case 'Join':
      return AS_IT_IS;
    default:
      return new WholeStage(step, raw);
  }
}

const AS_IT_IS: TextStage = { push: (text) => text, end: () => '' };

class WholeStage implements TextStage {
  readonly #step: Step;
  readonly #raw: boolean;
  #text = '';

  constructor(step: Step, raw: boolean) {
    this.#step = step;
    this.#raw = raw;
  }

  push(text: string): string {
    this.#text += text;
    return '';
  }

  end(): string {
    return wholeText(this.#step, this.#text, this.#raw);
  }
}

class StripStage implements TextStage {
  readonly #content: string;
  readonly #stop: number;
  /** How many characters may still be stripped at the start. */
  #start: number;
  /** Characters at the end that may be stripped. */
  #held = '';

  constructor({ content, start, stop }: Step & { type: 'Strip' }) {
    this.#content = content;
    this.#start = start;
    this.#stop = stop;
  }

  push(chunk: string): string {
    let text = chunk;
    if (this.#start > 0 && text !== '') {
      const from = startOf(text, this.#content, this.#start);
      this.#start = from === text.length ? this.#start - from / this.#content.length : 0;
      text = text.slice(from);
    }
    const end = endOf(text, this.#content, this.#stop);
    if (end > 0) {
      const decided = this.#held + text.slice(0, end);
      this.#held = text.slice(end);
      return decided;
    }
    this.#held += text;
    const sure = this.#held.length - this.#stop * this.#content.length;
    if (sure <= 0) return '';
    const decided = this.#held.slice(0, sure);
    this.#held = this.#held.slice(sure);
    return decided;
  }

  end(): string {
    return '';
  }
}

class ReplaceStage implements TextStage {
  readonly #what: string;
  readonly #by: string;
  /** A possible beginning of the text to replace. */
  #held = '';

  constructor(what: string, by: string) {
    this.#what = what;
    this.#by = by;
  }

  push(chunk: string): string {
    const text = this.#held + chunk;
    const what = this.#what;
    let output = '';
    let at = 0;
    for (let found = text.indexOf(what); found >= 0; found = text.indexOf(what, at)) {
      output += text.slice(at, found) + this.#by;
      at = found + what.length;
    }
    let from = Math.max(at, text.length - what.length + 1);
    while (!what.startsWith(text.slice(from))) from++;
    this.#held = text.slice(from);
    return output + text.slice(at, from);
  }

  end(): string {
    return this.#held;
  }
}
