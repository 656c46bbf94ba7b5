// Elements of the page, by id and made.

export function byId<E extends HTMLElement = HTMLElement>(id: string): E {
  const element = document.getElementById(id);
  if (!element) throw new Error(`The page has no #${id}.`);
  return element as E;
}

export function make<K extends keyof HTMLElementTagNameMap>(
  name: K,
  properties: Partial<HTMLElementTagNameMap[K]> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

const integer = new Intl.NumberFormat('en');
export const number = (value: number) => integer.format(value);
export const plural = (count: number, word: string) => `${number(count)} ${word}${count === 1 ? '' : 's'}`;

export function bytesInWords(bytes: number): string {
  if (bytes < 1000) return plural(bytes, 'byte');
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} KB` : `${(bytes / 1_000_000).toFixed(2)} MB`;
}

let spokenLater: ReturnType<typeof setTimeout> | undefined;

/** Tells screen readers, once nothing has changed for a moment. */
export function announce(text: string): void {
  clearTimeout(spokenLater);
  spokenLater = setTimeout(() => {
    byId('status').textContent = text;
  }, 700);
}
