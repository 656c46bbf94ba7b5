// Character classes that decide where a text is cut.
//
// They are fixed lists rather than \p{…} or Intl.Segmenter: those follow the host's Unicode version, and a text must be
// cut at the same positions everywhere.

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const ZERO_WIDTH_JOINER = 0x200d;

/** Whether a unit or character ends a line. */
export function isLineBreak(code: number): boolean {
  return code === NEWLINE || code === RETURN;
}

/** Whether a line begins here, after a line break. */
export function isLineStart(before: number, after: number): boolean {
  return before === NEWLINE || (before === RETURN && after !== NEWLINE);
}

/** An ASCII space or tab, which is the same in any unit. */
export function isAsciiBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0x09 || unit === 0x0b || unit === 0x0c;
}

/** Spaces at which a line may break. Excludes no-break spaces. */
export function isBlank(code: number): boolean {
  if (code < 0x80) return isAsciiBlank(code);
  return (
    (code >= 0x2000 && code <= 0x200b && code !== 0x2007) ||
    code === 0x3000 ||
    code === 0x1680 ||
    code === 0x205f ||
    code === 0x2028 ||
    code === 0x2029
  );
}

export function isSpace(code: number): boolean {
  return isLineBreak(code) || isBlank(code);
}

const setOf = (characters: string) => new Set(Array.from(characters, (character) => character.codePointAt(0) as number));

const STOPS = setOf('.!?…‽؟۔');
/** Sentence ends that need no space after them: CJK, Indic, Tibetan, Khmer, Myanmar, Ethiopic. */
const UNSPACED_STOPS = setOf('。！？｡．‼⁇⁈⁉।॥།༎។៕။።፧');
const CLOSERS = setOf('"\')]}*_~`”’»›」』】）］｝〉》〕〗〙');
const OPENERS = setOf('([{“‘«‹「『【（［｛〈《〔〖〘');
/** Characters that may not begin a line in Japanese: small kana and marks that belong to the previous character. */
const NON_STARTERS = setOf('、，；：・ーぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ々〻ゝゞヽヾ％');

export const isUnspacedStop = (code: number) => UNSPACED_STOPS.has(code);
export const isStop = (code: number) => STOPS.has(code) || UNSPACED_STOPS.has(code);
export const isCloser = (code: number) => CLOSERS.has(code);
export const isOpener = (code: number) => OPENERS.has(code);
export const isNonStarter = (code: number) => NON_STARTERS.has(code) || isCloser(code) || isUnspacedStop(code);

const within = (code: number, first: number, last: number) => code >= first && code <= last;

export function isHan(code: number): boolean {
  return within(code, 0x4e00, 0x9fff) || within(code, 0x3400, 0x4dbf) || within(code, 0x20000, 0x3ffff) || within(code, 0xf900, 0xfaff);
}

export const isHiragana = (code: number) => within(code, 0x3040, 0x309f);
export const isKatakana = (code: number) => within(code, 0x30a0, 0x30ff) || within(code, 0x31f0, 0x31ff);

/** Characters of scripts without spaces, with the punctuation that they use. */
export function isUnspaced(code: number): boolean {
  if (code < 0x2e80) return false;
  return (
    within(code, 0x3000, 0x312f) ||
    within(code, 0x31f0, 0x31ff) ||
    isHan(code) ||
    within(code, 0x2e80, 0x2fdf) ||
    within(code, 0xff00, 0xff60)
  );
}

/** Lower case of the Latin, Greek and Cyrillic alphabets, limited to letters that often begin words. */
export function isLowerCase(code: number): boolean {
  if (code < 0x80) return within(code, 0x61, 0x7a);
  return (within(code, 0xdf, 0xff) && code !== 0xf7) || within(code, 0x3ac, 0x3ce) || within(code, 0x430, 0x45f);
}

export function isAsciiLetter(code: number): boolean {
  return within(code | 0x20, 0x61, 0x7a);
}

export const isDigit = (code: number) => within(code, 0x30, 0x39);

/** Word characters: letters, digits, marks, `_` and apostrophes; in other scripts, anything but punctuation. */
export function isWordCharacter(code: number): boolean {
  if (code < 0x80) return isAsciiLetter(code) || isDigit(code) || code === 0x5f || code === 0x27;
  if (code < 0xc0) return code === 0xaa || code === 0xb5 || code === 0xba;
  if (code === 0x2019) return true;
  return !within(code, 0x2000, 0x2bff) && !within(code, 0x3000, 0x303f) && !within(code, 0xff00, 0xff0f) && !within(code, 0x1f000, 0x1faff);
}

/**
 * Ranges of combining marks, vowel signs and other characters that extend a grapheme cluster; first and last of each,
 * ascending.
 */
const EXTENDING = [
  0x300, 0x36f, 0x483, 0x489, 0x591, 0x5bd, 0x5bf, 0x5c7, 0x610, 0x61a, 0x64b, 0x65f, 0x670, 0x670, 0x6d6, 0x6dc, 0x6df, 0x6e4, 0x6e7,
  0x6e8, 0x6ea, 0x6ed, 0x711, 0x711, 0x730, 0x74a, 0x7a6, 0x7b0, 0x7eb, 0x7f3, 0x816, 0x82d, 0x859, 0x85b, 0x898, 0x89f, 0x8ca, 0x8ff,
  0xe31, 0xe31, 0xe33, 0xe3a, 0xe47, 0xe4e, 0xeb1, 0xeb1, 0xeb3, 0xebc, 0xec8, 0xece, 0xf18, 0xf19, 0xf35, 0xf39, 0xf3e, 0xf3f, 0xf71,
  0xf84, 0xf86, 0xf87, 0xf8d, 0xfbc, 0x102b, 0x103e, 0x1056, 0x1059, 0x105e, 0x1060, 0x1062, 0x1064, 0x1067, 0x106d, 0x1071, 0x1074, 0x1082,
  0x108d, 0x1160, 0x11ff, 0x135d, 0x135f, 0x17b4, 0x17d3, 0x17dd, 0x17dd, 0x180b, 0x180f, 0x1ab0, 0x1aff, 0x1b00, 0x1b04, 0x1b34, 0x1b44,
  0x1dc0, 0x1dff, 0x200c, 0x200d, 0x20d0, 0x20ff, 0x302a, 0x302f, 0x3099, 0x309a, 0xa66f, 0xa672, 0xa674, 0xa67d, 0xa8e0, 0xa8f1, 0xd7b0,
  0xd7fb, 0xfe00, 0xfe0f, 0xfe20, 0xfe2f, 0xff9e, 0xff9f, 0x1f3fb, 0x1f3ff, 0xe0020, 0xe007f, 0xe0100, 0xe01ef,
];

/** Whether a character extends the one before: a mark, a vowel sign, a variation selector, a skin tone, a joiner. */
export function isExtending(code: number): boolean {
  if (code < 0x300) return false;
  // The Indic blocks, 128 characters each, have their marks at the same indices.
  if (code >= 0x900 && code <= 0xdff) {
    const index = code & 0x7f;
    return index <= 3 || (within(index, 0x3a, 0x4d) && index !== 0x3d) || within(index, 0x51, 0x57) || index === 0x62 || index === 0x63;
  }
  let low = 0;
  let high = EXTENDING.length / 2;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((EXTENDING[2 * middle + 1] as number) < code) low = middle + 1;
    else high = middle;
  }
  return code >= (EXTENDING[2 * low] ?? Infinity);
}

/** Whether a character pulls the next one into its cluster: a joiner, or a virama, which makes a conjunct. */
export function joinsNext(code: number): boolean {
  return code === ZERO_WIDTH_JOINER || (within(code, 0x900, 0xdff) && (code & 0x7f) === 0x4d);
}

/** Regional indicators, which form flags in pairs. */
export const isRegional = (code: number) => within(code, 0x1f1e6, 0x1f1ff);
