// Record headers as text.

const SPACE = 0x20;
const TAB = 0x09;
/** Up to this length, passing bytes as arguments is faster than a TextDecoder. */
const SHORT = 64;
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

export interface Header {
  name: string;
  description: string;
}

/** `name`: the first word; `description`: the rest, without the blanks in between. */
export function headerOf(bytes: Uint8Array): Header {
  const { length } = bytes;
  let begin = 0;
  while (begin < length && isBlank(bytes[begin] as number)) begin++;
  let end = begin;
  while (end < length && !isBlank(bytes[end] as number)) end++;
  let rest = end;
  while (rest < length && isBlank(bytes[rest] as number)) rest++;
  return { name: textOf(bytes.subarray(begin, end)), description: rest < length ? textOf(bytes.subarray(rest)) : '' };
}

function isBlank(byte: number): boolean {
  return byte === SPACE || byte === TAB;
}

/** Decodes UTF-8; invalid bytes become U+FFFD. */
export function textOf(bytes: Uint8Array): string {
  const { length } = bytes;
  if (length > SHORT) return decoder.decode(bytes);
  let bits = 0;
  for (let i = 0; i < length; i++) bits |= bytes[i] as number;
  return bits < 0x80 ? String.fromCharCode.apply(null, bytes as unknown as number[]) : decoder.decode(bytes);
}
