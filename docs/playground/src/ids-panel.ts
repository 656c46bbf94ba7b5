// The ids of the text as a list, to copy; and other ids that a visitor writes there, as text.

import { ask, load } from './client.js';
import { announce, byId, number, plural } from './dom.js';
import { glyphsOf } from './glyphs.js';

export interface IdsOptions {
  model(): string;
  /** Makes a text the text of the page. */
  take(text: string): void;
}

/** Ids that the box shows; the button copies all. */
const SHOWN = 20_000;
const HINT = 'Write other ids here to see their text.';

export class IdsPanel {
  readonly #options: IdsOptions;
  readonly #panel = byId<HTMLDetailsElement>('ids-panel');
  readonly #box = byId<HTMLTextAreaElement>('ids');
  #ids: ArrayLike<number> = [];
  #decoded = '';
  #asked = 0;

  constructor(options: IdsOptions) {
    this.#options = options;
    this.#panel.addEventListener('toggle', () => this.show(this.#ids));
    this.#box.addEventListener('input', () => void this.#decode());
    byId('copy-ids').addEventListener('click', () => void this.#copy());
    byId('ids-to-text').addEventListener('click', () => options.take(this.#decoded));
  }

  /** Of the text that the page shows; none while they are not known. */
  show(ids: ArrayLike<number>): void {
    this.#ids = ids;
    this.#asked++;
    if (!this.#panel.open) return;
    this.#box.value = Array.from({ length: Math.min(SHOWN, ids.length) }, (_, at) => ids[at]).join(', ');
    this.#tell(ids.length > SHOWN ? `The first ${number(SHOWN)} of ${plural(ids.length, 'id')}; the button copies all. ${HINT}` : HINT);
  }

  #tell(facts: string, decoded?: string): void {
    byId('ids-facts').textContent = facts;
    byId('decoded').hidden = decoded === undefined;
    byId('ids-to-text').hidden = decoded === undefined;
    byId('decoded').innerHTML = decoded === undefined ? '' : glyphsOf(decoded, true);
    this.#decoded = decoded ?? '';
  }

  async #decode(): Promise<void> {
    const asked = ++this.#asked;
    const written = this.#box.value;
    const ids = Array.from(written.matchAll(/\d+/g), ([digits]) => Number(digits));
    const wrong = /[^\d\s,;[\]()]+/.exec(written)?.[0];
    if (wrong !== undefined) return this.#tell(`Ids are numbers, and ${JSON.stringify(wrong)} is none.`);
    const model = this.#options.model();
    try {
      await load(model);
      const { text, same } = await ask('decode', model, ids);
      if (asked !== this.#asked) return;
      const other = same ? '' : ' Encoding this text gives other ids.';
      this.#tell(`${plural(ids.length, 'id')}.${other}`, text);
    } catch (error) {
      if (asked === this.#asked) this.#tell((error as Error).message);
    }
  }

  async #copy(): Promise<void> {
    const button = byId('copy-ids');
    try {
      await navigator.clipboard.writeText(`[${Array.from(this.#ids).join(', ')}]`);
      button.textContent = 'Copied';
      announce(`${plural(this.#ids.length, 'id')} copied`);
    } catch {
      // A browser that does not let pages write has the list in the box.
      this.#box.select();
    }
    setTimeout(() => {
      button.textContent = 'Copy ids';
    }, 2000);
  }
}
