// The ids of DNA by a literal reading of the rules, one base after the other: the tests' expectations.

/** What letters become first: `undefined` is an error. */
type Letters = (letter: string) => string | undefined;

export interface NaiveRules {
  /** The ids of single letters. */
  ids: Record<string, number>;
  unknown?: number | undefined;
  /** Letters without an id form unknown words, which white space separates. */
  words?: boolean;
  /** K-mers: the letters in the order of their digits, and a k-mer's id by its index. */
  k?: number;
  digits?: string;
  kmer?: (index: number) => number | undefined;
  stride?: boolean;
  /** The first letter of a sequence. */
  starts?: Record<string, number>;
  tail?: 'single' | 'pad' | 'drop';
  pad?: number;
  side?: 'left' | 'right';
  before?: number[];
  after?: number[];
  letters?: Letters;
}

const CODES = 'RYSWKMBDHV';
const keep: Letters = (letter) => letter;
/** The policies of the options. */
export function lettersBy({ lowerCase = 'keep', ambiguous = 'keep', n = 'keep' }: Record<string, string | undefined>): Letters {
  return (given) => {
    let letter = given;
    if (letter >= 'a' && letter <= 'z') {
      if (lowerCase === 'reject') return undefined;
      if (lowerCase === 'normalize') letter = letter.toUpperCase();
    }
    if (CODES.includes(letter.toUpperCase())) {
      if (ambiguous === 'reject') return undefined;
      if (ambiguous === 'normalize') letter = 'N';
    }
    return letter.toUpperCase() === 'N' && n === 'reject' ? undefined : letter;
  };
}

const strict = lettersBy({ lowerCase: 'reject', ambiguous: 'reject' });
const HYENA: NaiveRules = { ids: { A: 7, C: 8, G: 9, T: 10, N: 11 }, unknown: 6, pad: 4, side: 'left', after: [1] };
const NT = { k: 6, digits: 'ATCG', unknown: 0, words: true, pad: 1, before: [3], letters: strict } as const;

/** As published (copied independently of the project's tables). */
export const MODELS: Record<string, NaiveRules> = {
  hyenadna: HYENA,
  caduceus: { ...HYENA, letters: lettersBy({ lowerCase: 'normalize' }) },
  'nt-v1': { ...NT, before: [3], ids: { A: 4100, T: 4101, C: 4102, G: 4103, N: 4104 }, kmer: (index) => 4 + index },
  'nt-v2': { ...NT, before: [3], ids: { A: 4102, T: 4103, C: 4104, G: 4105, N: 4106 }, kmer: (index) => 6 + index },
  'nt-v3': { ids: { A: 6, T: 7, C: 8, G: 9, N: 10 }, unknown: 0, pad: 1, letters: strict },
  gpn: { ids: { A: 3, C: 4, G: 5, T: 6 }, unknown: 2, pad: 0, letters: lettersBy({ lowerCase: 'normalize' }) },
  evo2: { ids: Object.fromEntries(Array.from({ length: 256 }, (_, byte) => [String.fromCharCode(byte), byte])), pad: 1 },
};

/** The ids, or the byte without an id. */
export type NaiveIds = number[] | { bad: number };

/** The ids of a sequence of bytes, without the special ids around it. */
export function encodeNaively(rules: NaiveRules, sequence: Uint8Array): NaiveIds {
  const { letters = keep, k, digits = '', stride = false } = rules;
  const text = [...sequence].map((byte) => letters(String.fromCharCode(byte)));
  const ids: number[] = [];
  const bad = text.findIndex((letter) => letter === undefined);
  if (stride) {
    if (bad >= 0) return { bad };
    for (let at = 0; at + (k as number) <= text.length; at++) {
      const id = kmerId(rules, text.slice(at, at + (k as number)) as string[]) ?? rules.unknown;
      if (id === undefined) return { bad: at };
      ids.push(id);
    }
    return ids;
  }
  const single = (at: number): boolean => {
    const letter = text[at] as string;
    const id = (at === 0 ? (rules.starts ?? rules.ids) : rules.ids)[letter] ?? rules.unknown;
    if (id !== undefined) ids.push(id);
    return id !== undefined;
  };
  const isUnnamed = (at: number) => rules.words && text[at] !== undefined && rules.ids[text[at] as string] === undefined;
  const isSpace = (at: number) => /[\t-\r\x1c- ]/.test(text[at] as string);
  for (let at = 0; at < text.length; ) {
    if (text[at] === undefined) return { bad: at };
    if (isUnnamed(at)) {
      const begin = at;
      while (at < text.length && isUnnamed(at) && isSpace(at) === isSpace(begin)) at++;
      if (!isSpace(begin)) ids.push(rules.unknown as number);
      continue;
    }
    let end = at;
    while (k && end < text.length && text[end] !== undefined && digits.includes(text[end] as string)) end++;
    if (end === at) {
      if (!single(at)) return { bad: at };
      at++;
      continue;
    }
    for (; at + (k as number) <= end; at += k as number) {
      const id = kmerId(rules, text.slice(at, at + (k as number)) as string[]);
      if (id !== undefined) ids.push(id);
      else for (let i = at; i < at + (k as number); i++) if (!single(i)) return { bad: i };
    }
    if (at < end && rules.tail === 'pad') ids.push(rules.pad as number);
    if (at < end && (rules.tail ?? 'single') === 'single') for (let i = at; i < end; i++) if (!single(i)) return { bad: i };
    at = end;
  }
  return ids;
}

function kmerId({ digits = '', kmer }: NaiveRules, letters: string[]): number | undefined {
  let index = 0;
  for (const letter of letters) {
    const digit = digits.indexOf(letter);
    if (digit < 0) return undefined;
    index = index * digits.length + digit;
  }
  return kmer?.(index);
}

/** A row of this many ids, and which of them are not padding. */
export function rowNaively(rules: NaiveRules, body: number[], length: number, side: 'left' | 'right', around: boolean) {
  const { before = [], after = [], pad } = rules;
  const room = length - (around ? before.length + after.length : 0);
  const kept = body.slice(0, Math.max(0, room));
  const row = around ? [...before, ...kept, ...after] : kept;
  const gap = new Array<number>(length - row.length).fill(pad as number);
  const [zeros, ones] = [gap.map(() => 0), row.map(() => 1)];
  return side === 'left' ? { ids: [...gap, ...row], mask: [...zeros, ...ones] } : { ids: [...row, ...gap], mask: [...ones, ...zeros] };
}

/** The reverse complement. */
export function complementNaively(sequence: string): string | undefined {
  const others: Record<string, string> = {};
  for (const pair of ['AT', 'CG', 'RY', 'KM', 'BV', 'DH', 'SS', 'WW', 'NN']) {
    const [a, b] = pair as unknown as [string, string];
    others[a] = b;
    others[b] = a;
  }
  others.U = 'A';
  let out = '';
  for (const letter of sequence) {
    const other = others[letter.toUpperCase()];
    if (other === undefined) return undefined;
    out = (letter === letter.toUpperCase() ? other : other.toLowerCase()) + out;
  }
  return out;
}
