// A number of tokens, parts or ids: shown only beside what it is the number of. Until then it is an ellipsis, and while a vocabulary is on
// its way, how much of that is here.

import { isLoaded, onProgress, progressInWords } from './client.js';
import { byId, number } from './dom.js';

const counts: Count[] = [];

export class Count {
  readonly #number: HTMLElement;
  readonly #word: HTMLElement;
  readonly #name: string;
  #model: string | undefined;

  /** `id`: of the element; that of the word behind it ends with `-word`. */
  constructor(id: string, name: string) {
    this.#number = byId(id);
    this.#word = byId(`${id}-word`);
    this.#name = name;
    counts.push(this);
  }

  show(count: number): void {
    this.#write(number(count), `${this.#name}${count === 1 ? '' : 's'}`);
  }

  /** There is nothing to count. */
  none(): void {
    this.#write('–', `${this.#name}s`);
  }

  /** What is to be counted has changed. `model`: the vocabulary that counts it, which may not be here yet. */
  wait(model?: string): void {
    this.#write('…', model === undefined || isLoaded(model) ? `${this.#name}s` : progressInWords(model), model);
  }

  progressed(model: string): void {
    if (this.#model === model) this.wait(model);
  }

  #write(value: string, word: string, model?: string): void {
    this.#model = model;
    if (this.#number.textContent !== value) this.#number.textContent = value;
    if (this.#word.textContent !== word) this.#word.textContent = word;
    copyOnPhone();
  }
}

onProgress(({ model }) => {
  for (const each of counts) each.progressed(model);
});

/** On phones the count of the tab that is open stays in sight, above everything that scrolls. */
export function copyOnPhone(): void {
  const heading = document.querySelector('[role="tabpanel"]:not([hidden]) .count');
  byId('headline').textContent = heading?.textContent?.trim() ?? '';
}
