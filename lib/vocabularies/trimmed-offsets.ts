// Offsets without the leading and trailing white space of tokens, if a tokenizer.json's post-processor asks for that
// (`trim_offsets`): the same as in Hugging Face tokenizers.

import type { Description, EngineTokenizer, OffsetUnit, Policy, TokensWithOffsets } from '../engine/engine.js';

/** As in a cartridge's metadata (cartridges/FORMAT.md, section 4); the second one keeps a space at the beginning of the text. */
export type Trimming = 'spaces' | 'all but a first space';

type Metadata = Readonly<Record<string, unknown>>;

/** The numbers of spaces at the beginning and the end of a token. */
interface Spaces {
  before: number;
  after: number;
}

const NOT_OWN = 0xffffffff;
const NO_SPACES: Spaces = { before: 0, after: 0 };
/** White space, and the letter that represents a space, which counts as one in texts. */
const SPACE = /[\p{White_Space}\u0120]/u;
/** The same where U+2581 stands for spaces. */
const SPACE_BESIDE_MARKS = /(?! )[\p{White_Space}\u0120]/u;
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Trims the offsets of one vocabulary. */
export class OffsetTrimmer {
  readonly #trimmings: readonly Trimming[];
  /** Of the general path: it knows what the normalizer has made of the text of a token. */
  readonly #engine: EngineTokenizer | undefined;
  readonly #space: RegExp;
  /** As the file spells a token. */
  readonly #textOf: (id: number) => string;
  /** Added tokens that may have spaces: the matched text determines how many. */
  readonly #added: ReadonlySet<number>;
  /** By id: determined once. */
  readonly #known = new Map<number, Spaces>();

  /** Without a decoder, tokens are byte-level. */
  constructor(trimmings: readonly Trimming[], { decoder, generalPath }: Metadata, { addedTokens }: Description, engine: EngineTokenizer) {
    const { form, texts } = Object(decoder ?? { form: 'byte-level' }) as Readonly<Record<string, unknown>>;
    // Of ByteLevel's letters, only one stands for white space.
    this.#space = form === 'byte-level' ? / / : form === 'marked' ? SPACE_BESIDE_MARKS : SPACE;
    this.#textOf = (id) => String(Object(texts)[id] ?? utf8.decode(engine.tokenBytes(id)));
    this.#engine = generalPath === undefined ? undefined : engine;
    this.#trimmings = trimmings;
    const mayHaveSpaces = addedTokens.filter(({ text, strips }) => strips || spacesIn(text) !== NO_SPACES);
    this.#added = new Set(mayHaveSpaces.map(({ id }) => id));
  }

  /** Changes the offsets in place. `text`: the encoded text. `policy`: that it was encoded with. */
  trim(tokens: TokensWithOffsets, text: string | Uint8Array, unit: OffsetUnit, policy: Policy): TokensWithOffsets {
    const spaces = this.#engine?.encodeWithOffsets(text, 'spaces', policy).offsets;
    for (const trimming of this.#trimmings) this.#trimOnce(tokens, text, unit, trimming, spaces);
    return tokens;
  }

  #trimOnce(
    tokens: TokensWithOffsets,
    text: string | Uint8Array,
    unit: OffsetUnit,
    trimming: Trimming,
    spaces: Uint32Array | undefined,
  ): void {
    const { ids, offsets } = tokens;
    let positions: CharacterPositions | undefined;
    for (let index = 0; index < ids.length; index++) {
      const id = ids[index] as number;
      const counted = spaces && { before: spaces[2 * index] as number, after: spaces[2 * index + 1] as number };
      const isOwn = counted !== undefined && counted.before !== NOT_OWN;
      const known = isOwn
        ? counted.before + counted.after === 0
          ? NO_SPACES
          : counted
        : !counted && this.#added.has(id)
          ? undefined
          : this.#spacesOf(id);
      if (known === NO_SPACES) continue;
      const [start, end] = [offsets[2 * index] as number, offsets[2 * index + 1] as number];
      positions ??= unit === 'utf16' ? new Utf16Positions(text) : new BytePositions(text);
      const { before, after } = known ?? spacesIn(positions.text(start, end));
      // The space added before the text is not part of it; an actual one there is treated as that.
      const isKept = before === 1 && trimming === 'all but a first space' && (index === 0 || start === 0);
      const from = positions.after(start, isKept ? 0 : before, end);
      offsets[2 * index] = from;
      offsets[2 * index + 1] = positions.before(end, after, from);
    }
  }

  #spacesOf(id: number): Spaces {
    let spaces = this.#known.get(id);
    if (!spaces) this.#known.set(id, (spaces = spacesIn(this.#textOf(id), this.#space)));
    return spaces;
  }
}

/** The positions of the characters of a text. */
interface CharacterPositions {
  text(start: number, end: number): string;
  /** The position `characters` characters after another, but at most `end`. */
  after(position: number, characters: number, end: number): number;
  /** The position `characters` characters before another, but at least `start`. */
  before(position: number, characters: number, start: number): number;
}

class Utf16Positions implements CharacterPositions {
  readonly #text: string;

  constructor(text: string | Uint8Array) {
    this.#text = typeof text === 'string' ? text : new TextDecoder('utf-8', { ignoreBOM: true }).decode(text);
  }

  text(start: number, end: number): string {
    return this.#text.slice(start, end);
  }

  after(position: number, characters: number, end: number): number {
    // Tokens that are inside of a stripped run would each walk to its end.
    if (characters >= end - position) return end;
    let at = position;
    for (; characters > 0 && at < end; characters--) at += (this.#text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
    return Math.min(at, end);
  }

  before(position: number, characters: number, start: number): number {
    let at = position;
    for (; characters > 0 && at > start; characters--) at -= (this.#text.codePointAt(at - 2) ?? 0) > 0xffff ? 2 : 1;
    return Math.max(at, start);
  }
}

class BytePositions implements CharacterPositions {
  readonly #bytes: Uint8Array;
  /** How many characters are between two positions, of the last walk to an end: tokens inside of a stripped run do not repeat it. */
  #walked = { from: 0, end: 0, characters: 0 };

  constructor(text: string | Uint8Array) {
    this.#bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  }

  text(start: number, end: number): string {
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(this.#bytes.subarray(start, end));
  }

  after(position: number, characters: number, end: number): number {
    const walked = this.#walked;
    if (end === walked.end && position >= walked.from && position < end) {
      for (; walked.from < position; walked.from++) if (!this.#isInside(walked.from)) walked.characters--;
      if (characters >= walked.characters) return end;
    }
    let at = position;
    let left = characters;
    for (; left > 0 && at < end; left--)
      do at++;
      while (this.#isInside(at));
    if (at >= end && end > walked.end) this.#walked = { from: position, end, characters: characters - left };
    return Math.min(at, end);
  }

  before(position: number, characters: number, start: number): number {
    let at = position;
    for (; characters > 0 && at > start; characters--)
      do at--;
      while (this.#isInside(at));
    return Math.max(at, start);
  }

  #isInside(at: number): boolean {
    return ((this.#bytes[at] ?? 0) & 0xc0) === 0x80;
  }
}

function spacesIn(text: string, space = SPACE): Spaces {
  let before = 0;
  while (space.test(text.charAt(before))) before++;
  let after = 0;
  while (space.test(text.charAt(text.length - 1 - after))) after++;
  return before + after === 0 ? NO_SPACES : { before, after };
}
