// The table of vocabularies: tokens, what they mean for a text of that kind, and what it costs by the visitor's prices.

import { isLoaded, onProgress, progressInWords } from './client.js';
import { byId, make, number } from './dom.js';
import type { Facts, Stats } from './messages.js';
import { defaultPrice, ENCODINGS, type Encoding, FIRST, PRICES_OF, windowOf } from './models.js';
import { isImported } from './remembered.js';
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

/** What is counted without being asked for, once the first tokens are there: on a slow or metered line, nothing else. */
const line = (navigator as { connection?: { saveData?: boolean; effectiveType?: string } }).connection;
const COMPARED = line?.saveData || /2g|3g/.test(line?.effectiveType ?? '') ? [FIRST] : [FIRST, 'cl100k_base'];
const KEY = 'crayon-prices';

export class Comparison {
  readonly #options: ComparisonOptions;
  readonly #rows: Row[] = [];
  readonly #prices = new Map<string, number | undefined>();
  #stats: Stats = { bytes: 0, units: 0 };
  #words: number | undefined;
  /** Changes with the text, so that late answers are known. */
  #text = 0;

  constructor(options: ComparisonOptions) {
    this.#options = options;
    byId('prices-date').textContent = PRICES_OF;
    for (const [model, price] of Object.entries(stored())) this.#prices.set(model, price);
    for (const encoding of ENCODINGS) this.#push(encoding, COMPARED.includes(encoding.key));
    onProgress(({ model }) => {
      if (this.#rows.some(({ encoding, isOn }) => isOn && encoding.key === model)) this.#draw();
    });
  }

  add({ key, name }: Facts): void {
    if (this.#rows.some(({ encoding }) => encoding.key === key)) return;
    this.#push({ key, name, models: ['your file'], kilobytes: 0 }, true);
  }

  shared(): Pick<Shared, 'compared' | 'prices'> {
    const on = this.#rows.filter(({ isOn, encoding }) => isOn && !isImported(encoding.key)).map(({ encoding }) => encoding.key);
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

  /** The text has changed: what was counted is not of it. */
  clear(): void {
    this.#text++;
    if (this.#rows.every(({ tokens }) => tokens === undefined)) return;
    for (const row of this.#rows) row.tokens = undefined;
    this.#draw();
  }

  /** The number of words, which is known later than the rest. */
  setWords(words: number): void {
    this.#words = words;
    this.#draw();
  }

  /** Counts with each vocabulary that is chosen, until `isCurrent` says that the text is another one. */
  async refresh(stats: Stats, shownTokens: number, isCurrent: () => boolean): Promise<void> {
    this.#stats = stats;
    this.#words = undefined;
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
    const of = this.#text;
    try {
      const tokens = await this.#options.count(row.encoding.key);
      if (of !== this.#text) return;
      row.tokens = tokens;
      delete row.failure;
    } catch (error) {
      if (of === this.#text) row.failure = (error as Error).message;
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
    const cell = (className: string, label: string, ...children: (Node | string)[]) => {
      const made = make('td', { className }, ...children);
      // What the column's head says where the table is a list.
      made.dataset.label = label;
      return made;
    };
    element.append(
      head,
      cell('n tokens', 'Tokens'),
      cell('n per', 'Chars/token'),
      cell('n words', 'Tokens/word'),
      cell('model', 'Model', models),
      cell('window', 'Of its window', make('meter', { max: 1 }), make('span')),
      cell('n', '$ per million', price),
      cell('n cost', 'This text'),
    );
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
      const waiting =
        failure ??
        (isOn ? (isLoaded(encoding.key) ? '…' : progressInWords(encoding.key)) : encoding.kilobytes > 0 ? `${encoding.kilobytes} KB` : '–');
      cells('tokens').replaceChildren(...(known === undefined ? [waiting] : [bar, make('b', { textContent: number(known) })]));
      cells('per').textContent = known ? (this.#stats.units / known).toFixed(2) : '–';
      cells('words').textContent = known && this.#words ? (known / this.#words).toFixed(2) : '–';
      const [meter, share] = cells('window').children as unknown as [HTMLMeterElement, HTMLElement];
      const holds = windowOf(model);
      meter.hidden = holds === undefined || known === undefined;
      meter.value = holds ? Math.min(1, (known ?? 0) / holds) : 0;
      meter.ariaLabel = `Share of the window of ${model}`;
      element.classList.toggle('over', holds !== undefined && (known ?? 0) > holds);
      share.textContent = holds === undefined ? '–' : known === undefined ? number(holds) : `${percent(known / holds)} of ${number(holds)}`;
      cells('cost').textContent = known === undefined || value === undefined ? '–' : dollars((known * value) / 1e6);
    }
  }
}

function percent(share: number): string {
  if (share === 0) return '0 %';
  return share < 0.0001 ? '< 0.01 %' : `${(share * 100).toFixed(share < 0.1 ? 2 : 0)} %`;
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
