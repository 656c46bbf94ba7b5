// Random patterns over Oniguruma's own syntax, and texts for them.

import type { Random } from '../fuzz/random.mjs';

const LETTERS = Array.from('abcAsSkKſßéifﬀ12²._ -\n\r한\u0301👍🇩');
const SETS = String.raw`\s \S \d \w \W \h \R \p{L} \p{Lu} \P{N} \p{M} \p{^L} \p{Word} \p{Han}`.split(' ');
const ASSERTIONS = String.raw`^ $ \A \z \Z \b \B \G`.split(' ');
const QUANTIFIERS = '* * * + + ? ? {2} {1,2} {0,3} {2,} {,2} {3,1} {0} {1} {2,5} {4,12} {0,11} {12} {11,}'.split(' ');
const REFERENCES = String.raw`\1 \2`.split(' ');
const MEMBERS =
  String.raw`a b c s ß é 1 k \n - _ ﬀ ² a-c 0-9 a-z A-Z à-ÿ \x{61}-\x{63} --~ 一-龥 \x00-\x7f \u0080-\u00ff \u0300-\u036f`.split(' ');
const BRACKETS = '[:alpha:] [:^space:] [:punct:] [:upper:] [:word:]'.split(' ');
const SCRAPS =
  String.raw`( ) [ ] { } ? * + | \ ^ $ - && , < > 1 a x p{ k< g< : = ! # (? (?< (?~ \x \x{ \u00 \0 \12 \c \M- [: :] \p \o{ ~ ' \xe2\x82\xac`.split(
    ' ',
  );

/** Which constructs a pattern may have, besides those that any may have. */
export interface Constructs {
  references?: boolean;
  /** It mostly begins with something like .* */
  begins?: boolean;
  /** Parts are lost and doubled, so that many are refused. */
  damaged?: boolean;
}

export class PatternGenerator {
  constructor(
    readonly random: Random,
    readonly constructs: Constructs,
  ) {}

  pattern(): string {
    const { random, constructs } = this;
    const flags = random.chance(0.12) ? random.pick(['(?i)', '(?m)', '(?mi)']) : '';
    let pattern = flags + (constructs.begins && random.chance(0.8) ? this.#beginning() : this.#alternatives(random.integer(1, 4)));
    if (constructs.damaged) pattern = this.#damaged(pattern);
    return pattern;
  }

  text(): string {
    const { random } = this;
    let last = random.pick(LETTERS);
    return Array.from({ length: Math.floor((random.integer(0, 100) / 100) ** 2 * 24) }, () => {
      if (random.chance(0.6)) last = random.chance(0.5) ? random.pick('abc ') : random.pick(LETTERS);
      return last;
    }).join('');
  }

  #alternatives(depth: number): string {
    let text = this.#sequence(depth);
    while (this.random.chance(0.25)) text += `|${this.#sequence(depth)}`;
    return text;
  }

  #sequence(depth: number): string {
    const { random } = this;
    if (depth > 0 && random.chance(0.07)) return '';
    let text = '';
    for (let left = random.integer(0, 3) + 1; left > 0; --left) {
      text += this.#atom(depth);
      if (random.chance(0.35)) text += this.#quantifier();
      if (random.chance(0.03)) text += this.#quantifier();
    }
    return text;
  }

  #quantifier(): string {
    return this.random.pick(QUANTIFIERS) + this.random.pick(['', '', '', '', '?', '+']);
  }

  #atom(depth: number): string {
    const { random, constructs } = this;
    const inner = () => this.#alternatives(depth - 1);
    const kinds: [weight: number, make: () => string][] = [
      [34, () => this.#letter()],
      [8, () => this.#class(2)],
      [4, () => '.'],
      [8, () => random.pick(SETS)],
      [6, () => random.pick(ASSERTIONS)],
      [1, () => '(?:)'],
    ];
    if (depth > 0) {
      kinds.push(
        [4, () => `(?:${inner()})`],
        [6, () => `(${inner()})`],
        [3, () => `(?>${inner()})`],
        [4, () => `(?${random.pick('=!')}${inner()})`],
        [5, () => `(?<${random.pick('=!')}${this.#behind(depth)})`],
        [4, () => `(?${random.pick(['i', 'm', 'i-m', '-i', 'mi'])}:${inner()})`],
        [2, () => `(?${random.pick(['i', 'm', '-i'])})`],
      );
    }
    if (constructs.references) kinds.push([4, () => random.pick(REFERENCES)]);
    let chosen = random.below(kinds.reduce((sum, [weight]) => sum + weight, 0));
    return kinds.find(([weight]) => (chosen -= weight) < 0)![1]();
  }

  #behind(depth: number): string {
    const { random } = this;
    if (random.chance(0.5))
      return random.pick(['a', '[ab]', String.raw`\s`, 'a|bc', 'ab', '(?:a|b)c', 'a{2}', 'a|b', '(a)', String.raw`\ba`]);
    return random.chance(0.7) ? this.#sequence(0) : this.#alternatives(Math.min(depth - 1, 1));
  }

  /** What the reference takes for the beginning of a text or line. */
  #beginning(): string {
    const { random } = this;
    const zero = () =>
      random.pick([
        ...ASSERTIONS,
        '',
        '',
        '',
        '(?=a)',
        `(?=${this.#sequence(1)})`,
        '(?!b)',
        '(?<=a)',
        '(?<!a)',
        '()',
        '(?:b?)',
        '(a)?',
        'a?',
      ]);
    const dots = ['.*', '.+', '(.*)', '(?:.+)', '.*+', '.{2,}', '.*?', '(?:.*a)+', '(?m:.*)', '(?-m:.+)', '(?>.*)'];
    const one = () =>
      zero() +
      zero() +
      random.pick(dots) +
      this.#sequence(2) +
      random.pick(['', String.raw`\z`, '$', String.raw`\Z`, '(?!a)', String.raw`\1`]);
    return random.chance(0.2) ? `${one()}|${one()}` : one();
  }

  #letter(): string {
    const letter = this.random.pick(LETTERS);
    if (letter === '\n') return this.random.pick([String.raw`\n`, '\n', String.raw`\x0a`]);
    return letter === '.' || (letter === '-' && this.random.chance(0.5)) ? `\\${letter}` : letter;
  }

  #class(depth: number): string {
    const { random } = this;
    const members = Array.from({ length: random.integer(1, 3) }, () => {
      const kind = random.integer(0, 9);
      if (kind < 5) return random.pick(MEMBERS);
      if (kind < 7) return random.pick(SETS.slice(0, 6));
      if (kind === 7) return random.pick(BRACKETS);
      if (kind === 8) return depth > 0 ? this.#class(depth - 1) : 'a';
      return `&&${random.pick(['a-m', '[^b]', String.raw`\w`])}`;
    });
    return `[${random.chance(0.3) ? '^' : ''}${members.join('')}]`;
  }

  #damaged(pattern: string): string {
    const { random } = this;
    const parts = Array.from(pattern);
    for (let left = random.integer(1, 3); left > 0; --left) {
      const at = random.integer(0, parts.length);
      if (random.chance(0.4)) parts.splice(at, 1);
      else parts.splice(at, random.integer(0, 1), random.pick(SCRAPS));
    }
    return parts.join('');
  }
}
