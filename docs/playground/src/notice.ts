// A line above everything: what went wrong, or what can be undone. It closes.

import { byId } from './dom.js';

let act: (() => void) | undefined;

export interface Action {
  label: string;
  run(): void;
}

/** Undefined: nothing. */
export function notify(text: string | undefined, action?: Action): void {
  const button = byId('notice-action');
  act = action?.run;
  byId('notice').hidden = text === undefined;
  byId('notice-text').textContent = text ?? '';
  button.hidden = action === undefined;
  button.textContent = action?.label ?? '';
}

byId('notice-close').addEventListener('click', () => notify(undefined));
byId('notice-action').addEventListener('click', () => {
  const run = act;
  notify(undefined);
  run?.();
});
