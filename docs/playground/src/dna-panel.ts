// A sequence of bases as models of genomes read it.

import { ask } from './client.js';
import { Count } from './count.js';
import { announce, byId, number, plural } from './dom.js';
import { Inspector } from './inspector.js';
import type { DnaAnswer } from './messages.js';
import { TokenView } from './view.js';

const SAMPLE = `ATGGTGCATCTGACTCCTGAGGAGAAGTCTGCCGTTACTGCCCTGTGGGGCAAGGTGAACGTGGATGAAGTTGGTGGTGAGGCCCTGGGCAGNTTGGTATCAAGG`;
const COLOUR_OF: Record<string, number> = { A: 2, C: 0, G: 4, T: 7 };

export class DnaPanel {
  readonly #view: TokenView;
  readonly #inspector = new Inspector(byId('dna-inspector'));
  readonly #count = new Count('dna-count', 'id');
  #answer: DnaAnswer | undefined;
  #asked = 0;

  constructor() {
    byId<HTMLTextAreaElement>('sequence').value = SAMPLE;
    this.#view = new TokenView(byId('dna-view'), {
      label: 'Ids of the sequence',
      colourOf: (token) => {
        const answer = this.#answer;
        const base = answer?.text[answer.offsets[2 * token] as number]?.toUpperCase() ?? '';
        return COLOUR_OF[base] ?? 9;
      },
      onUnit: (unit) => {
        const answer = this.#answer;
        if (!unit || !answer) return this.#inspector.clear();
        const details = Array.from(answer.ids.subarray(unit.first, unit.end), (id) => ({ id, hex: [], special: false }));
        void this.#inspector.show(answer.text, unit, answer.ids.length, Promise.resolve(details));
      },
    });
    byId('dna-view').classList.add('joined');
    for (const id of ['sequence', 'dna-model', 'complement']) byId(id).addEventListener('input', () => void this.refresh());
  }

  settings(): { model: string; sequence: string; complement: boolean } {
    return {
      model: byId<HTMLSelectElement>('dna-model').value,
      sequence: byId<HTMLTextAreaElement>('sequence').value,
      complement: byId<HTMLInputElement>('complement').checked,
    };
  }

  apply({ model, sequence, complement }: { model: string; sequence: string; complement?: boolean }): void {
    byId<HTMLInputElement>('complement').checked = complement === true;
    const list = byId<HTMLSelectElement>('dna-model');
    if ([...list.options].some(({ value }) => value === model)) list.value = model;
    if (typeof sequence === 'string') byId<HTMLTextAreaElement>('sequence').value = sequence;
  }

  async refresh(): Promise<void> {
    const asked = ++this.#asked;
    this.#count.wait(this.#answer ? undefined : 'dna');
    byId('dna-facts').textContent = '';
    try {
      const answer = await ask('dna', this.settings());
      if (asked !== this.#asked) return;
      this.#answer = answer;
      this.#view.setText(answer.text, { keepsPlace: true });
      this.#view.show(answer);
      const count = answer.ids.length;
      this.#count.show(count);
      const unknown = answer.unknown > 0 ? ` · ${plural(answer.unknown, 'unknown id')}` : '';
      const per = count > 0 ? ` · ${(answer.text.length / count).toFixed(2)} per id` : '';
      byId('dna-facts').textContent =
        `${plural(answer.text.length, 'letter')}${per}${unknown} · a vocabulary of ${number(answer.vocabularySize)}`;
      announce(plural(count, 'id'));
    } catch (error) {
      if (asked !== this.#asked) return;
      this.#answer = undefined;
      this.#count.none();
      byId('dna-facts').textContent = (error as Error).message;
      this.#view.setText('');
      this.#view.show({ ids: [], offsets: [] });
    }
  }
}
