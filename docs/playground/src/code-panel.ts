// The card with the program of what the page shows.

import { type CodeHost, codeOf, type CodeState } from './code.js';
import { byId } from './dom.js';

export class CodePanel {
  readonly #state: () => CodeState;
  readonly #panel = byId<HTMLDetailsElement>('code');

  constructor(state: () => CodeState) {
    this.#state = state;
    this.#panel.addEventListener('toggle', () => this.draw());
    for (const each of this.#panel.querySelectorAll('input')) each.addEventListener('change', () => this.draw());
    byId('copy-code').addEventListener('click', async () => {
      const button = byId('copy-code');
      try {
        await navigator.clipboard.writeText(byId('code-text').textContent ?? '');
        button.textContent = 'Copied';
      } catch {
        getSelection()?.selectAllChildren(byId('code-text'));
      }
      setTimeout(() => {
        button.textContent = 'Copy';
      }, 2000);
    });
  }

  draw(): void {
    if (!this.#panel.open) return;
    const host = this.#panel.querySelector<HTMLInputElement>('input:checked')?.value as CodeHost;
    byId('code-text').textContent = codeOf(this.#state(), host);
  }
}
