// The characters that stand for bytes in a tokenizer.json.

/** The character that Hugging Face writes for a byte. */
export function byteCharacter(byte: number): string {
  const isVisible = (each: number) => (each > 0x20 && each < 0x7f) || (each > 0xa0 && each !== 0xad);
  if (isVisible(byte)) return String.fromCharCode(byte);
  return String.fromCharCode(0x100 + Array.from({ length: byte }, (_, each) => each).filter((each) => !isVisible(each)).length);
}
