/** The required ids of a text, from a tokenizer's reference; kept between runs, like those of texts/references.mjs. */
import fs from 'node:fs';
import path from 'node:path';

import { sha256 } from '../../test/corpora.mjs';
import { cacheFolder } from '../texts/references.mjs';

export class References {
  #tokenizer;
  #loaded = new Map();

  /** @param {import('./tokenizers.mjs').Row} tokenizer */
  constructor(tokenizer) {
    this.#tokenizer = tokenizer;
  }

  /** @param {string} text @param {{ hasLongPieces?: boolean }} [options] @returns {Promise<Uint32Array>} */
  async idsOf(text, { hasLongPieces = false } = {}) {
    const { name, by } = this.#tokenizer;
    const kind = hasLongPieces && this.#tokenizer.ofLongPieces ? 'ofLongPieces' : 'reference';
    const file = path.join(cacheFolder(), `${name}-${sha256(text).slice(0, 32)}-${sha256(`${kind} ${by}`).slice(0, 8)}.ids`);
    if (!fs.existsSync(file)) {
      const ids = Uint32Array.from(await (await this.#load(kind)).encode(text));
      const staging = `${file}.${process.pid}`;
      fs.writeFileSync(staging, new Uint8Array(ids.buffer, ids.byteOffset, ids.byteLength));
      fs.renameSync(staging, file);
    }
    const bytes = fs.readFileSync(file);
    return new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  }

  #load(kind) {
    if (!this.#loaded.has(kind)) this.#loaded.set(kind, this.#tokenizer[kind]());
    return this.#loaded.get(kind);
  }
}

/** Whether two lists of ids are equal. @param {ArrayLike<number>} ids @param {Uint32Array} expected */
export function areEqual(ids, expected) {
  if (ids.length !== expected.length) return false;
  for (let index = 0; index < ids.length; index++) if (ids[index] !== expected[index]) return false;
  return true;
}
