// The card under a token view: id, bytes and offsets of the token that the pointer or the keyboard is at.

import { make, number } from './dom.js';
import { glyphsOf } from './glyphs.js';
import type { Details } from './messages.js';
import type { Unit } from './units.js';

const IDLE = 'Point at a token, or press Tab and the arrow keys, to see its id, bytes and offsets.';

export class Inspector {
  readonly #root: HTMLElement;
  #asked = 0;

  constructor(root: HTMLElement) {
    this.#root = root;
    this.clear();
  }

  clear(): void {
    this.#asked++;
    this.#root.replaceChildren(make('p', { textContent: IDLE }));
  }

  /** `count`: how many tokens there are. */
  async show(text: string, unit: Unit, count: number, details: Promise<Details[]>, extra = ''): Promise<void> {
    const asked = ++this.#asked;
    const found = await details;
    if (asked !== this.#asked) return;
    const { first, end, from, to } = unit;
    const shown = make('span', { className: 'text', innerHTML: glyphsOf(text.slice(from, to), false) });
    const many = end - first;
    const which =
      many === 1
        ? `token ${number(first + 1)} of ${number(count)}`
        : `tokens ${number(first + 1)} to ${number(end)} of ${number(count)}, which share a character`;
    const head = make('div', { className: 'what' }, shown, make('span', { textContent: which }));
    if (extra !== '') head.append(make('span', { textContent: extra }));
    // Many ids are a list that scrolls, also by keyboard.
    const list = make('div', { className: 'ids', tabIndex: 0, role: 'group', ariaLabel: 'Ids and bytes' });
    for (const { id, hex, special } of found) {
      const parts: (Node | string)[] = [make('span', { textContent: 'id ' }), make('code', { className: 'id', textContent: String(id) })];
      if (special) parts.push(' special');
      if (hex.length > 0) parts.push(' bytes ', make('code', { className: 'hex', textContent: hexOf(hex) }));
      list.append(make('span', {}, ...parts));
    }
    const places = [`UTF-16 ${number(from)}–${number(to)}`];
    const [fromByte, toByte] = [found[0]?.fromByte, found.at(-1)?.toByte];
    if (fromByte !== undefined && toByte !== undefined) places.push(`bytes ${number(fromByte)}–${number(toByte)}`);
    this.#root.replaceChildren(head, list, make('p', { className: 'places', textContent: `offsets: ${places.join(' · ')}` }));
  }
}

const SHOWN = 48;
const hexOf = (hex: string[]) => (hex.length > SHOWN ? `${hex.slice(0, SHOWN).join(' ')} … (${hex.length} bytes)` : hex.join(' '));
