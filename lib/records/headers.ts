// The header of a record as text.

const BLANK = /[ \t]+/g;
/** Up to this length a loop is faster than a TextDecoder. */
const SHORT = 48;
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

export interface Header {
  name: string;
  description: string;
}

/** `name`: the first word; `description`: what follows it, without the blanks between. */
export function headerOf(bytes: Uint8Array): Header {
  const text = textOf(bytes);
  BLANK.lastIndex = 0;
  const first = BLANK.exec(text);
  if (!first) return { name: text, description: '' };
  const begin = first.index === 0 ? BLANK.lastIndex : 0;
  const blank = begin === 0 ? first : BLANK.exec(text);
  if (!blank) return { name: text.slice(begin), description: '' };
  return { name: text.slice(begin, blank.index), description: text.slice(blank.index + blank[0].length) };
}

/** UTF-8; what is none becomes U+FFFD. */
export function textOf(bytes: Uint8Array): string {
  const { length } = bytes;
  if (length > SHORT) return decoder.decode(bytes);
  let text = '';
  for (let i = 0; i < length; i++) {
    const byte = bytes[i] as number;
    if (byte >= 0x80) return decoder.decode(bytes);
    text += String.fromCharCode(byte);
  }
  return text;
}
