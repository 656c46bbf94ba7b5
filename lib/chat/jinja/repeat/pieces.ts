// A template's output in pieces, so that a later render can take pieces over.

import { checkLength } from '../budget.js';
import { Output } from '../runtime/output.js';
import type { Origin } from '../values/origin.js';

/** Text that was written together, and the end of each run of one origin, with the origin, alternating. Never changes. */
export interface Piece {
  readonly text: string;
  readonly runs: readonly number[];
}

export class PiecedOutput extends Output {
  #closed: Piece[] = [];
  #length = 0;
  #open = new Output();

  override write(text: string, origin: Origin): void {
    this.#open.write(text, origin);
  }

  /** Appends pieces, none of them empty. `length`: of all their texts. */
  append(pieces: readonly Piece[], length: number): void {
    if (pieces.length === 0) return;
    this.#close();
    checkLength((this.#length += length));
    this.#closed = this.#closed.concat(pieces);
  }

  #add(piece: Piece): void {
    checkLength((this.#length += piece.text.length));
    this.#closed.push(piece);
  }

  #close(): void {
    if (this.#open.text === '') return;
    const { text, runs } = this.#open;
    this.#open = new Output();
    this.#add({ text, runs });
  }

  /** The caller may change the list. */
  pieces(): Piece[] {
    this.#close();
    return this.#closed;
  }
}
