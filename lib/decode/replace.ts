// Replacing every occurrence of a text, as Rust does it.

export function replaceAllText(text: string, what: string, by: string): string {
  if (what !== '') return text.includes(what) ? text.split(what).join(by) : text;
  // Nothing is found at the beginning, at the end and between characters.
  return by === '' ? text : [by, ...[...text].map((character) => character + by)].join('');
}
