// Finds patterns of `crayon train` that match nothing: they split nothing, which nobody wants and nothing else shows.

import { Readable } from 'node:stream';

import { compileSplit } from '../../vocabularies/patterns/compile-pattern.js';
import { classOf, matchEnd } from '../../vocabularies/patterns/automaton.js';
import { textChunksOf } from './file-arguments.js';

/** Bytes of the texts to examine. */
const SAMPLE = 64 * 1024;

/** The beginning of the texts. */
export class TextSample {
  #chunks: Uint8Array[] = [];
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  get isFull(): boolean {
    return this.#bytes >= SAMPLE;
  }

  add(chunk: Uint8Array): void {
    if (this.isFull) return;
    const part = chunk.slice(0, SAMPLE - this.#bytes);
    this.#chunks.push(part);
    this.#bytes += part.length;
  }

  /** The same stream; keeps a copy of its beginning. */
  of(stream: Readable): Readable {
    const sample = this;
    async function* chunks() {
      for await (const chunk of stream) {
        sample.add(chunk as Uint8Array);
        yield chunk as Uint8Array;
      }
    }
    return Readable.from(chunks(), { objectMode: false });
  }

  /** Reads the beginnings of files, in order. */
  async read(files: readonly string[]): Promise<void> {
    for (const file of files) {
      if (this.isFull) return;
      for await (const chunk of textChunksOf(file)) {
        this.add(chunk);
        if (this.isFull) return;
      }
    }
  }

  /** The patterns without a match. */
  unmatched(patterns: readonly string[]): string[] {
    const characters = Array.from(Buffer.concat(this.#chunks).toString(), (character) => character.codePointAt(0) as number);
    return patterns.filter((pattern) => {
      const { automaton } = compileSplit({ pattern, behavior: 'Isolated', invert: false });
      const classes = characters.map((character) => classOf(automaton, character));
      return !classes.some((_, at) => matchEnd(automaton, classes, at) > at);
    });
  }
}
