// The table of vocabularies: tokens, what they mean for a text of that kind, and what it costs by the visitor's prices.

import { byId, make, number } from './dom.js';
import type { Facts, Stats } from './messages.js';
import { defaultPrice, ENCODINGS, type Encoding, FIRST, PRICES_OF } from './models.js';
import type { Shared } from './share.js';

interface Row {
  encoding: Encoding;
  isOn: boolean;
  model: string;
  tokens: number | undefined;
  failure?: string;
  element: HTMLTableRowElement;
}

export interface ComparisonOptions {
  /** The vocabulary that the page shows, which has been counted already. */
  shown(): string;
  count(key: string): Promise<number>;
}

/** What is counted without being asked for, once the first tokens are there. */
const COMPARED = [FIRST, 'cl100k_base'];
const KEY = 'crayon-prices';

export class Comparison {
  readonly #options: ComparisonOptions;
  readonly #rows: Row[] = [];
  readonly #prices = new Map<string, number | undefined>();
  #stats: Stats = { words: 0, bytes: 0, units: 0 };

  constructor(options: ComparisonOptions) {
    this.#options = options;
    byId('prices-date').textContent = PRICES_OF;
    for (const [model, price] of Object.entries(stored())) this.#prices.set(model, price);
    for (const encoding of ENCODINGS) this.#push(encoding, COMPARED.includes(encoding.key));
  }

  add({ key, name }: Facts): void {
    this.#push({ key, name, models: ['your file'], kilobytes: 0 }, true);
  }

  shared(): Pick<Shared, 'compared' | 'prices'> {
    const on = this.#rows.filter(({ isOn, encoding }) => isOn && !encoding.key.startsWith('import:')).map(({ encoding }) => encoding.key);
    const own = [...this.#prices].filter(
      (entry): entry is [string, number] => entry[1] !== undefined && entry[1] !== defaultPrice(entry[0]),
    );
    return { compared: on, prices: own.length > 0 ? Object.fromEntries(own) : undefined };
  }

  apply({ compared, prices }: Shared): void {
    if (Array.isArray(compared)) for (const row of this.#rows) row.isOn = compared.includes(row.encoding.key);
    for (const [model, price] of Object.entries(prices ?? {})) if (Number.isFinite(price) && price >= 0) this.#prices.set(model, price);
    this.#draw();
  }

  /** Counts with each vocabulary that is chosen, until `isCurrent` says that the text is another one. */
  async refresh(stats: Stats, shownTokens: number, isCurrent: () => boolean): Promise<void> {
    this.#stats = stats;
    const shown = this.#options.shown();
    for (const row of this.#rows) {
      row.tokens = row.encoding.key === shown ? shownTokens : undefined;
      if (row.encoding.key === shown) row.isOn = true;
    }
    this.#draw();
    for (const row of this.#rows) {
      if (!row.isOn || row.tokens !== undefined) continue;
      await this.#count(row);
      if (!isCurrent()) return;
    }
  }

  async #count(row: Row): Promise<void> {
    try {
      row.tokens = await this.#options.count(row.encoding.key);
      delete row.failure;
    } catch (error) {
      row.failure = (error as Error).message;
    }
    this.#draw();
  }

  #push(encoding: Encoding, isOn: boolean): void {
    const element = make('tr');
    const row: Row = { encoding, isOn, model: encoding.models[0] as string, tokens: undefined, element };
    const box = make('input', { type: 'checkbox', checked: isOn, id: `on-${encoding.key}` });
    box.addEventListener('change', () => {
      row.isOn = box.checked;
      this.#draw();
      if (row.isOn && row.tokens === undefined) void this.#count(row);
    });
    const label = make('label', { htmlFor: box.id, textContent: ` ${encoding.name}`, className: 'check' });
    const models = make('select', { ariaLabel: `Model of ${encoding.name}` });
    models.append(...encoding.models.map((model) => make('option', { value: model, textContent: model })));
    models.addEventListener('change', () => {
      row.model = models.value;
      this.#draw();
    });
    const price = make('input', { type: 'number', min: '0', step: 'any', inputMode: 'decimal', placeholder: 'yours' });
    price.addEventListener('input', () => {
      this.#prices.set(row.model, price.value === '' ? undefined : Math.max(0, Number(price.value)));
      keep(this.#prices);
      this.#draw();
    });
    const head = make('th', { scope: 'row' }, box, label);
    const cell = (className: string, ...children: (Node | string)[]) => make('td', { className }, ...children);
    element.append(head, cell('n tokens'), cell('n per'), cell('n words'), cell('model', models), cell('n', price), cell('n cost'));
    this.#rows.push(row);
    byId('rows').append(element);
    this.#draw();
  }

  #priceOf(model: string): number | undefined {
    return this.#prices.has(model) ? this.#prices.get(model) : defaultPrice(model);
  }

  #draw(): void {
    const most = Math.max(1, ...this.#rows.map(({ isOn, tokens }) => (isOn ? (tokens ?? 0) : 0)));
    for (const { element, isOn, model, tokens, encoding, failure } of this.#rows) {
      const known = isOn ? tokens : undefined;
      element.classList.toggle('off', !isOn);
      (element.querySelector('input[type="checkbox"]') as HTMLInputElement).checked = isOn;
      const price = element.querySelector('input[type="number"]') as HTMLInputElement;
      const value = this.#priceOf(model);
      price.ariaLabel = `Dollars per million input tokens of ${model}`;
      if (document.activeElement !== price) price.value = value === undefined ? '' : String(value);
      const bar = make('span', { className: 'bar-cell', ariaHidden: 'true' });
      bar.style.width = `${known === undefined ? 0 : Math.round((known / most) * 64)}px`;
      const cells = (name: string) => element.querySelector(`.${name}`) as HTMLElement;
      const waiting = failure ?? (isOn ? '…' : encoding.kilobytes > 0 ? `${encoding.kilobytes} KB` : '–');
      cells('tokens').replaceChildren(...(known === undefined ? [waiting] : [bar, make('b', { textContent: number(known) })]));
      cells('per').textContent = known ? (this.#stats.units / known).toFixed(2) : '–';
      cells('words').textContent = known && this.#stats.words > 0 ? (known / this.#stats.words).toFixed(2) : '–';
      cells('cost').textContent = known === undefined || value === undefined ? '–' : dollars((known * value) / 1e6);
    }
  }
}

function dollars(amount: number): string {
  if (amount === 0) return '$0';
  return amount < 0.01 ? `$${amount.toPrecision(2)}` : `$${amount.toFixed(amount < 1 ? 4 : 2)}`;
}

function stored(): Record<string, number> {
  try {
    const prices: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    return typeof prices === 'object' && prices !== null ? (prices as Record<string, number>) : {};
  } catch {
    return {};
  }
}

function keep(prices: Map<string, number | undefined>): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(Object.fromEntries(prices)));
  } catch {
    // Kept for this visit.
  }
}
