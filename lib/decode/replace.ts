// Replaces every occurrence of a text, like Rust, and every match of a pattern.

export function replaceAllText(text: string, what: string, by: string): string {
  if (what !== '') return text.includes(what) ? text.split(what).join(by) : text;
  // An empty text matches at the beginning, at the end and between characters.
  return by === '' ? text : [by, ...[...text].map((character) => character + by)].join('');
}

/** Replaces matches: begin and end of each, in bytes of UTF-8, in which a lone surrogate is U+FFFD (raw-bytes.ts). */
export function replaceMatches(text: string, matches: Uint32Array, by: string): string {
  let [made, at, byte, copied] = ['', 0, 0, 0];
  const unitAt = (wanted: number) => {
    while (byte < wanted) {
      const code = text.codePointAt(at)!;
      byte += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
      at += code < 0x10000 ? 1 : 2;
    }
    return at;
  };
  for (let i = 0; i < matches.length; i += 2) {
    made += text.slice(copied, unitAt(matches[i]!)) + by;
    copied = unitAt(matches[i + 1]!);
  }
  return made + text.slice(copied);
}
