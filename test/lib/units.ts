// Hugging Face counts code points; JavaScript counts UTF-16 units.

/** The offset in UTF-16 units of each code point and of the end. */
export function unitsOf(text: string): number[] {
  const offsets = [0];
  for (const character of text) offsets.push(offsets.at(-1)! + character.length);
  return offsets;
}
