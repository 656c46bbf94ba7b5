// The alphabet in which Hugging Face, like GPT-2, writes bytes: each byte is a visible character.

/** The character of each byte: its own if it is visible, else one from U+0100 on. */
const CHARACTERS: readonly string[] = (() => {
  let next = 0x100;
  const isVisible = (byte: number) => (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad);
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(isVisible(byte) ? byte : next++));
})();

const BYTES = new Map(CHARACTERS.map((character, byte) => [character, byte]));

/** The bytes in the order of their characters, in which Hugging Face numbers them. */
export const ALPHABET: Uint8Array = Uint8Array.from(CHARACTERS.toSorted(), (character) => BYTES.get(character) as number);

/** Bytes as Hugging Face writes them. */
export function byteLevel(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at++) text += CHARACTERS[bytes[at] as number];
  return text;
}

/** The byte of each character, by its code; −1 if it stands for none. */
const BYTE_OF = Int16Array.from({ length: 0x144 }, (_, code) => BYTES.get(String.fromCharCode(code)) ?? -1);

/** The bytes that a text stands for if it is read as such; undefined if it has another character. */
export function bytesOfByteLevel(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array(text.length);
  return putByteLevel(text, bytes, 0) < 0 ? undefined : bytes;
}

/** Writes them; returns where they end, negative if there are none. */
export function putByteLevel(text: string, bytes: Uint8Array, at: number): number {
  for (let index = 0; index < text.length; index++) {
    const byte = BYTE_OF[text.charCodeAt(index)] ?? -1;
    if (byte < 0) return -1;
    bytes[at + index] = byte;
  }
  return at + text.length;
}
