// A template's output in pieces, so that a later render can take pieces over.

import { checkLength } from '../budget.js';
import { type Str, TextBuilder } from '../values/str.js';

/** Text that was written together, and the end of each run of one origin, with the origin, alternating. Never changes. */
export interface Piece {
  readonly text: string;
  readonly runs: readonly number[];
}

export class PiecedOutput extends TextBuilder {
  #closed: Piece[] = [];
  #length = 0;
  #open = new TextBuilder();

  override add(str: Str): void {
    this.#open.add(str);
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
    this.#open = new TextBuilder();
    this.#add({ text, runs });
  }

  /** The caller may change the list. */
  pieces(): Piece[] {
    this.#close();
    return this.#closed;
  }
}
