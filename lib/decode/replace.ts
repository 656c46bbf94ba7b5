// Replaces every occurrence of a text, like Rust.

export function replaceAllText(text: string, what: string, by: string): string {
  if (what !== '') return text.includes(what) ? text.split(what).join(by) : text;
  // An empty text matches at the beginning, at the end and between characters.
  return by === '' ? text : [by, ...[...text].map((character) => character + by)].join('');
}
