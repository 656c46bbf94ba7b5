// The section of the general path (cartridges/FORMAT.md, section 15): a tokenizer.json as words and strings.

/** Numbers of layout/general.h. */
export const GENERAL_MODELS = { BPE: 1, WordPiece: 2, Unigram: 3, WordLevel: 4 } as const;
/** By the kinds of steps. */
export const NORMALIZERS = {
  bert: 1,
  'strip-accents': 2,
  strip: 3,
  nfc: 4,
  nfd: 5,
  nfkc: 6,
  nfkd: 7,
  lowercase: 8,
  replace: 9,
  prepend: 10,
  precompiled: 11,
  'byte-level': 12,
  nmt: 13,
} as const;
export const PRETOKENIZERS = {
  BertPreTokenizer: 32,
  ByteLevel: 33,
  CharDelimiterSplit: 34,
  Metaspace: 35,
  Whitespace: 36,
  WhitespaceSplit: 37,
  Digits: 38,
  Punctuation: 39,
  Split: 40,
  UnicodeScripts: 41,
  FixedLength: 42,
} as const;
export const BEHAVIORS = ['Removed', 'Isolated', 'MergedWithPrevious', 'MergedWithNext', 'Contiguous'] as const;
export const IS_REGEX = 8;
export const INVERTS = 16;

/** A text, bytes, or rows of `rowLength` words. */
export type GeneralPart = string | Uint8Array | { words: Uint32Array; rowLength: number };

export interface GeneralStep {
  kind: number;
  flags?: number;
  first?: GeneralPart | undefined;
  second?: GeneralPart | undefined;
}

export interface GeneralTokenizer {
  model: keyof typeof GENERAL_MODELS;
  hasUnknown?: boolean;
  fuseUnknown?: boolean;
  byteFallback?: boolean;
  ignoreMerges?: boolean;
  /** Of a word. */
  mostCharacters?: number;
  prefix?: string;
  suffix?: string;
  /** Left, right and result of each, by rank. */
  merges?: Uint32Array;
  /** By id. */
  scores?: Float64Array;
  normalizers: GeneralStep[];
  preTokenizers: GeneralStep[];
}

const HEAD = 64;
const ROW = 24;
const ALIGNMENT = 8;

export function generalSection(tokenizer: GeneralTokenizer): Uint8Array {
  const { model, normalizers, preTokenizers, mostCharacters = 0, prefix, suffix, merges, scores } = tokenizer;
  const steps = [...normalizers, ...preTokenizers];
  const parts: { at: number; bytes: Uint8Array }[] = [];
  let end = HEAD + ROW * steps.length;
  const put = (bytes: Uint8Array, count: number): [offset: number, length: number] => {
    if (count === 0) return [0, 0];
    const at = Math.ceil(end / ALIGNMENT) * ALIGNMENT;
    parts.push({ at, bytes });
    end = at + bytes.length;
    return [at, count];
  };
  const putPart = (part: GeneralPart = ''): [number, number] => {
    if (typeof part === 'string' || part instanceof Uint8Array) {
      const bytes = typeof part === 'string' ? new TextEncoder().encode(part) : part;
      return put(bytes, bytes.length);
    }
    return put(bytesOf(part.words), part.words.length / part.rowLength);
  };
  const flags = [tokenizer.hasUnknown, tokenizer.fuseUnknown, tokenizer.byteFallback, tokenizer.ignoreMerges];
  const rows = steps.map(({ kind, flags = 0, first, second }) => [kind, flags, ...putPart(first), ...putPart(second)]);
  const head = [
    ...[GENERAL_MODELS[model], flags.reduce((all, flag, bit) => all | (flag ? 1 << bit : 0), 0)],
    ...[steps.length, normalizers.length, mostCharacters, 0, 0, 0],
    ...[...putPart(prefix), ...putPart(suffix)],
    ...put(bytesOf(merges ?? new Uint32Array()), (merges?.length ?? 0) / 3),
    ...put(bytesOf(scores ?? new Float64Array()), scores?.length ?? 0),
  ];
  const section = new Uint8Array(end);
  const words = new DataView(section.buffer);
  [...head, ...rows.flat()].forEach((word, index) => words.setUint32(4 * index, word, true));
  for (const { at, bytes } of parts) section.set(bytes, at);
  return section;
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array | Float64Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
