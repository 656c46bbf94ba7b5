// The denormalizer of a SentencePiece model, which changes decoded text as a normalizer changes text. The text arrives in parts: held
// back are the beginning of what the charsmap may know and, where spaces at the end are removed, those.

import { CharsmapRules } from './charsmap-rules.js';
import type { Step } from './spec.js';

type Denormalize = Step & { type: 'Denormalize' };

const MARK = '\u2581';

const known = new WeakMap<Denormalize, CharsmapRules>();

function rulesOf(step: Denormalize): CharsmapRules {
  let rules = known.get(step);
  if (!rules) known.set(step, (rules = new CharsmapRules(step.charsmap)));
  return rules;
}

export function denormalized(step: Denormalize, text: string): string {
  const run = new DenormalizeStage(step);
  return run.push(text) + run.end();
}

export class DenormalizeStage {
  readonly #step: Denormalize;
  readonly #rules: CharsmapRules;
  readonly #space: string;
  /** Text whose replacement depends on what follows. */
  #held = '';
  /** Spaces that are removed if nothing follows. */
  #spaces = '';
  #hasBegun = false;
  #followsSpace: boolean;

  constructor(step: Denormalize) {
    this.#step = step;
    this.#rules = rulesOf(step);
    this.#space = step.marksSpaces ? MARK : ' ';
    this.#followsSpace = step.collapsesSpaces;
  }

  push(part: string): string {
    return this.#take(this.#held + part, false);
  }

  end(): string {
    return this.#take(this.#held, true);
  }

  #take(text: string, isWhole: boolean): string {
    let made = '';
    let at = 0;
    while (at < text.length) {
      const replaced = this.#rules.at(text, at, isWhole);
      if (!replaced) break;
      at = replaced.end;
      made += this.#put(replaced.by);
    }
    this.#held = text.slice(at);
    return made;
  }

  #put(by: string): string {
    const { collapsesSpaces, putsSpace } = this.#step;
    if (collapsesSpaces && !this.#hasBegun && by === ' ') return '';
    const first = !this.#hasBegun && putsSpace ? this.#space : '';
    this.#hasBegun = true;
    const own = this.#followsSpace ? by.replace(/^ +/, '') : by;
    if (own !== '') this.#followsSpace = collapsesSpaces && own.endsWith(' ');
    const made = first + (this.#space === ' ' ? own : own.replaceAll(' ', this.#space));
    return collapsesSpaces ? this.#withoutLast(made) : made;
  }

  #withoutLast(made: string): string {
    const text = this.#spaces + made;
    let end = text.length;
    while (end > 0 && text[end - 1] === this.#space) end--;
    this.#spaces = text.slice(end);
    return text.slice(0, end);
  }
}
