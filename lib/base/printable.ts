// Texts of files in messages.

/** What ends a line or makes a terminal act, and halves of pairs, which UTF-8 does not have. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** The text with escapes for control characters and line ends: errors of `JSON.parse` quote a part of a file as it is. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => {
    const escaped = JSON.stringify(character).slice(1, -1);
    return escaped === character ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}` : escaped;
  });
}
