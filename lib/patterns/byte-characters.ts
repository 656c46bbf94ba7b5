// ByteLevel's characters for bytes, as in GPT-2: each is visible.

/** The code point for each byte: its own if visible, else one from U+0100 on. */
export const BYTE_CHARACTERS: readonly number[] = (() => {
  let next = 0x100;
  const isVisible = (byte: number) => (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad);
  return Array.from({ length: 256 }, (_, byte) => (isVisible(byte) ? byte : next++));
})();
