// The text cut for retrieval: parts with their tokens, and what each repeats of the one before.

import { ask, load } from './client.js';
import { Count } from './count.js';
import { announce, byId, make, number, plural } from './dom.js';
import type { PartFound, SplitRequest } from './messages.js';

export interface SplitOptions {
  model(): string;
  special(): boolean;
  text(): string;
  /** Gives the worker the text. */
  synced(): void;
}

/** Parts that are in the page at first, and come with a press of the button. */
const AT_ONCE = 120;

export class SplitPanel {
  readonly #options: SplitOptions;
  readonly #count = new Count('split-count', 'part');
  #parts: PartFound[] = [];
  #shown = 0;
  #asked = 0;

  constructor(options: SplitOptions) {
    this.#options = options;
    for (const id of ['max-tokens', 'overlap', 'separators']) byId(id).addEventListener('input', () => void this.refresh());
    byId('more-parts').addEventListener('click', () => this.#more());
  }

  settings(): { maxTokens: number; overlap: number; separators: string } {
    const numberOf = (id: string) => Math.floor(Number(byId<HTMLInputElement>(id).value));
    return { maxTokens: numberOf('max-tokens'), overlap: numberOf('overlap'), separators: byId<HTMLSelectElement>('separators').value };
  }

  apply({ maxTokens, overlap, separators }: { maxTokens: number; overlap: number; separators: string }): void {
    byId<HTMLInputElement>('max-tokens').value = String(Number(maxTokens) || 40);
    byId<HTMLInputElement>('overlap').value = String(Number(overlap) || 0);
    byId<HTMLSelectElement>('separators').value = separators;
  }

  /** The text or the vocabulary has changed: these are not its parts. */
  clear(): void {
    this.#asked++;
    this.#count.wait(this.#options.model());
    byId('parts').replaceChildren();
    byId('more-parts').hidden = true;
  }

  async refresh(): Promise<void> {
    const asked = ++this.#asked;
    this.#count.wait(this.#options.model());
    const { maxTokens, overlap, separators } = this.settings();
    const list = byId('parts');
    const isWrong = !(maxTokens >= 1) || !(overlap >= 0) || overlap >= maxTokens;
    if (isWrong) {
      list.replaceChildren(make('li', { textContent: 'Choose at least one token per part, and an overlap below that.' }));
      byId('more-parts').hidden = true;
      this.#count.none();
      return;
    }
    try {
      await load(this.#options.model());
      if (asked !== this.#asked) return;
      this.#options.synced();
      const request: SplitRequest = {
        model: this.#options.model(),
        maxTokens,
        overlap,
        separators: separators as '',
        special: this.#options.special(),
      };
      const parts = await ask('split', request);
      if (asked !== this.#asked) return;
      this.#parts = parts;
      this.#shown = 0;
      list.replaceChildren();
      this.#count.show(parts.length);
      announce(plural(parts.length, 'part'));
      this.#more();
    } catch (error) {
      if (asked !== this.#asked) return;
      this.#count.none();
      byId('more-parts').hidden = true;
      list.replaceChildren(make('li', { textContent: (error as Error).message }));
    }
  }

  #more(): void {
    const text = this.#options.text();
    const end = Math.min(this.#parts.length, this.#shown + AT_ONCE);
    const items: HTMLElement[] = [];
    for (let index = this.#shown; index < end; index++) {
      const { start, end: behind, tokens } = this.#parts[index] as PartFound;
      const shared = Math.max(start, Math.min(behind, index > 0 ? (this.#parts[index - 1] as PartFound).end : start));
      const body = make('div', { className: 'body', dir: 'auto' });
      if (shared > start) body.append(make('mark', { textContent: text.slice(start, shared) }));
      body.append(text.slice(shared, behind));
      const meta = make(
        'div',
        { className: 'meta' },
        make('span', { textContent: `${number(index + 1)} · ${number(start)}–${number(behind)}` }),
        make('span', { textContent: plural(tokens, 'token') }),
      );
      items.push(make('li', {}, meta, body));
    }
    byId('parts').append(...items);
    this.#shown = end;
    const left = this.#parts.length - end;
    byId('more-parts').hidden = left === 0;
    byId('more-parts').textContent = `Show ${number(Math.min(left, AT_ONCE))} more of ${number(left)}`;
  }
}
