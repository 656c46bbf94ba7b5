// In a cartridge, the bytes of a token that ends a word (`end_of_word_suffix` of BPE) end with 0xFF, a byte that no text has.

export const WORD_END = 0xff;

/** Reads the bytes of a token; `textOf` reads those before the mark. */
export function markedText(bytes: Uint8Array, suffix: string, textOf: (bytes: Uint8Array) => string): string {
  const ends = suffix !== '' && bytes.at(-1) === WORD_END;
  return `${textOf(ends ? bytes.subarray(0, -1) : bytes)}${ends ? suffix : ''}`;
}
