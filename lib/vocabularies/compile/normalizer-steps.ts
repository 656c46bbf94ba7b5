// A normalizer program as a list of steps, in the form a compiler takes (cartridges/FORMAT.md).

/** A step of a normalizer program; each is applied to the previous step's result. */
export type NormalizerStep =
  | { kind: 'nfc' | 'nfd' | 'nfkc' | 'nfkd' | 'nmt' | 'lowercase' | 'strip-accents' | 'byte-level' }
  | { kind: 'strip'; left: boolean; right: boolean }
  | { kind: 'prepend'; text: string }
  | { kind: 'replace'; text: string; by: string }
  | { kind: 'replace-pattern'; pattern: Uint8Array; by: string }
  | { kind: 'bert'; cleanText: boolean; spacesCjk: boolean; stripAccents: boolean; lowercase: boolean }
  | { kind: 'precompiled'; charsmap: Uint8Array }
  | MetaspaceStep
  | SentencePieceStep;

/** The text transformation of a Metaspace pretokenizer. */
export interface MetaspaceStep {
  kind: 'metaspace';
  replacement: string;
  prepend: 'always' | 'first' | 'never';
  dropsWhitespace: boolean;
  /**
   * Added tokens matched between the previous steps and this one, in the cartridge's encoding of texts: a new segment
   * begins after each.
   */
  tokens?: Uint8Array | undefined;
  /** Whether these include the whitespace before them, and are tokens only where special ones are searched for. */
  takesWhitespace?: boolean;
}

/** The normalizer of a SentencePiece model, always the only step of its program. */
interface SentencePieceStep {
  kind: 'sentencepiece';
  charsmap: Uint8Array | undefined;
  /** User-defined symbols, in the cartridge's encoding. */
  symbols: Uint8Array | undefined;
  putsSpace: boolean;
  spaceBehind: boolean;
  collapsesSpaces: boolean;
  marksSpaces: boolean;
}

/** Numbers and flags in cartridges: native/include/crayon/layout/normalizer.h. */
const KINDS = {
  nfc: 1,
  nfd: 2,
  nfkc: 3,
  nfkd: 4,
  nmt: 5,
  lowercase: 6,
  'strip-accents': 7,
  'byte-level': 8,
  strip: 9,
  prepend: 10,
  replace: 11,
  'replace-pattern': 12,
  bert: 13,
  precompiled: 14,
  metaspace: 15,
  sentencepiece: 16,
} as const;
const PREPENDS = { never: 0, first: 2, always: 4 };
const HEAD = 16;
const ROW = 24;
const ALIGNMENT = 64;

const flag = (isSet: boolean, value: number) => (isSet ? value : 0);

/** The data that a step refers to, and its flags. */
export function partsOf(step: NormalizerStep): {
  flags?: number;
  first?: string | Uint8Array | undefined;
  second?: string | Uint8Array | undefined;
} {
  switch (step.kind) {
    case 'strip':
      return { flags: flag(step.left, 1) | flag(step.right, 2) };
    case 'prepend':
      return { first: step.text };
    case 'replace':
      return { first: step.text, second: step.by };
    case 'replace-pattern':
      return { first: step.pattern, second: step.by };
    case 'bert':
      return { flags: flag(step.cleanText, 1) | flag(step.spacesCjk, 2) | flag(step.stripAccents, 4) | flag(step.lowercase, 8) };
    case 'precompiled':
      return { first: step.charsmap };
    case 'metaspace':
      return {
        first: step.replacement,
        second: step.tokens,
        flags: flag(step.dropsWhitespace, 1) | PREPENDS[step.prepend] | flag(step.takesWhitespace === true, 8),
      };
    case 'sentencepiece': {
      const spaces = flag(step.putsSpace, 1) | flag(step.spaceBehind, 2);
      const flags = spaces | flag(step.collapsesSpaces, 4) | flag(step.marksSpaces, 8);
      return { first: step.charsmap, second: step.symbols, flags };
    }
    default:
      return {};
  }
}

/** The cartridge section. */
export function programBytes(steps: readonly NormalizerStep[]): Uint8Array {
  const encoder = new TextEncoder();
  const rows: number[][] = [];
  const parts: { at: number; bytes: Uint8Array }[] = [];
  let end = HEAD + ROW * steps.length;
  const put = (part: string | Uint8Array = ''): [offset: number, length: number] => {
    const bytes = typeof part === 'string' ? encoder.encode(part) : part;
    if (bytes.length === 0) return [0, 0];
    const at = typeof part === 'string' ? end : Math.ceil(end / ALIGNMENT) * ALIGNMENT;
    parts.push({ at, bytes });
    end = at + bytes.length;
    return [at, bytes.length];
  };
  for (const step of steps) {
    const { flags = 0, first, second } = partsOf(step);
    rows.push([KINDS[step.kind], flags, ...put(first), ...put(second)]);
  }
  const section = new Uint8Array(end);
  const view = new DataView(section.buffer);
  view.setUint32(0, steps.length, true);
  for (const [index, row] of rows.entries()) {
    for (const [field, value] of row.entries()) view.setUint32(HEAD + ROW * index + 4 * field, value, true);
  }
  for (const { at, bytes } of parts) section.set(bytes, at);
  return section;
}

// Texts that a normalizer program knows (cartridges/FORMAT.md, section 14): user-defined symbols, and tokens of a Metaspace.

/** Undefined for none. */
export function symbolTable(texts: readonly string[]): Uint8Array | undefined {
  if (texts.length === 0) return undefined;
  const encoder = new TextEncoder();
  const symbols = [...new Set(texts)].map((text) => encoder.encode(text)).sort(compareBytes);
  const head = 4 * (1 + symbols.length);
  const table = new Uint8Array(head + symbols.reduce((sum, { length }) => sum + length, 0));
  const view = new DataView(table.buffer);
  view.setUint32(0, symbols.length, true);
  let end = 0;
  symbols.forEach((symbol, index) => {
    table.set(symbol, head + end);
    end += symbol.length;
    view.setUint32(4 * (1 + index), end, true);
  });
  return table;
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const common = Math.min(a.length, b.length);
  for (let i = 0; i < common; i++) if (a[i] !== b[i]) return (a[i] as number) - (b[i] as number);
  return a.length - b.length;
}
