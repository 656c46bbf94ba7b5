// Hugging Face counts code points, and JavaScript UTF-16 units.

/** The offset in UTF-16 units of each code point, and that of the end. */
export function unitsOf(text: string): number[] {
  const offsets = [0];
  for (const character of text) offsets.push(offsets.at(-1)! + character.length);
  return offsets;
}
