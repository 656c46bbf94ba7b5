// A sequence of bases as models of genomes read it.

import { ask } from './client.js';
import { announce, byId, number, plural } from './dom.js';
import { Inspector } from './inspector.js';
import type { DnaAnswer } from './messages.js';
import { TokenView } from './view.js';

const SAMPLE = `ATGGTGCATCTGACTCCTGAGGAGAAGTCTGCCGTTACTGCCCTGTGGGGCAAGGTGAACGTGGATGAAGTTGGTGGTGAGGCCCTGGGCAGNTTGGTATCAAGG`;
const COLOUR_OF: Record<string, number> = { A: 2, C: 0, G: 4, T: 7 };

export class DnaPanel {
  readonly #view: TokenView;
  readonly #inspector = new Inspector(byId('dna-inspector'));
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
        const hex = Array.from(answer.text.slice(unit.from, unit.to), (base) => base.charCodeAt(0).toString(16).padStart(2, '0'));
        const details = [{ id: answer.ids[unit.first] as number, hex, special: false, fromByte: unit.from, toByte: unit.to }];
        void this.#inspector.show(answer.text, unit, answer.ids.length, Promise.resolve(details));
      },
    });
    byId('dna-view').classList.add('joined');
    for (const id of ['sequence', 'dna-model', 'complement']) byId(id).addEventListener('input', () => void this.refresh());
  }

  settings(): { model: string; sequence: string } {
    return { model: byId<HTMLSelectElement>('dna-model').value, sequence: byId<HTMLTextAreaElement>('sequence').value };
  }

  apply({ model, sequence }: { model: string; sequence: string }): void {
    const list = byId<HTMLSelectElement>('dna-model');
    if ([...list.options].some(({ value }) => value === model)) list.value = model;
    if (typeof sequence === 'string') byId<HTMLTextAreaElement>('sequence').value = sequence;
  }

  async refresh(): Promise<void> {
    const asked = ++this.#asked;
    const { model, sequence } = this.settings();
    try {
      const answer = await ask('dna', { model, sequence, complement: byId<HTMLInputElement>('complement').checked });
      if (asked !== this.#asked) return;
      this.#answer = answer;
      this.#view.setText(answer.text, { keepsPlace: true });
      this.#view.show(answer);
      const count = answer.ids.length;
      byId('dna-count').textContent = number(count);
      const unknown = answer.unknown > 0 ? ` · ${plural(answer.unknown, 'unknown id')}` : '';
      const per = count > 0 ? ` · ${(answer.text.length / count).toFixed(2)} per id` : '';
      byId('dna-facts').textContent =
        `${plural(answer.text.length, 'letter')}${per}${unknown} · a vocabulary of ${number(answer.vocabularySize)}`;
      announce(plural(count, 'id'));
    } catch (error) {
      if (asked !== this.#asked) return;
      this.#answer = undefined;
      byId('dna-count').textContent = '–';
      byId('dna-facts').textContent = (error as Error).message;
      this.#view.setText('');
      this.#view.show({ ids: [], offsets: [] });
    }
  }
}
