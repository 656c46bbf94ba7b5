// The ids around a text with `addSpecialTokens`: the beginning and end that the model was trained with.

import { TokenizerError } from '../base/errors.js';
import type { EncodeOptions } from './arguments.js';
import type { BatchIds, TokensWithOffsets } from '../engine/engine.js';
import type { UnsharedUint32Array } from '../base/typed-arrays.js';
import type { Vocabulary } from '../vocabularies/vocabulary.js';

export class Template {
  /** The number of ids around a text. */
  readonly size: number;

  constructor(
    readonly prefix: UnsharedUint32Array,
    readonly suffix: UnsharedUint32Array,
  ) {
    this.size = prefix.length + suffix.length;
  }

  around(ids: UnsharedUint32Array): UnsharedUint32Array {
    if (this.size === 0) return ids;
    const all = new Uint32Array(ids.length + this.size);
    all.set(this.prefix);
    all.set(ids, this.prefix.length);
    all.set(this.suffix, this.prefix.length + ids.length);
    return all;
  }

  /** They have no position in the text: from 0 to 0. */
  aroundWithOffsets({ ids, offsets }: TokensWithOffsets): TokensWithOffsets {
    if (this.size === 0) return { ids, offsets };
    const all = new Uint32Array(offsets.length + 2 * this.size);
    all.set(offsets, 2 * this.prefix.length);
    return { ids: this.around(ids), offsets: all };
  }

  /** Around each row. */
  aroundRows({ ids, totals }: BatchIds): BatchIds {
    if (this.size === 0) return { ids, totals };
    const rows = totals.length - 1;
    const ends = totals.map((total, row) => total + row * this.size);
    const all = new Uint32Array(ids.length + rows * this.size);
    for (let row = 0; row < rows; row++) {
      let at = ends[row] as number;
      all.set(this.prefix, at);
      at += this.prefix.length;
      const rowIds = ids.subarray(totals[row], totals[row + 1]);
      all.set(rowIds, at);
      all.set(this.suffix, at + rowIds.length);
    }
    return { ids: all, totals: ends };
  }
}

const NONE = new Template(new Uint32Array(0), new Uint32Array(0));

/** The template that a call's options ask for. The options are already checked. */
export function templateOf(options: EncodeOptions | undefined, { description, templates }: Vocabulary): Template {
  if (options?.addSpecialTokens !== true) return NONE;
  const { name, prefix, suffix } = description;
  if (templates.single.filter((piece) => 'seq' in piece).length !== 1) {
    const message = `${name} has no template for one text: the single of its post-processor must have the text once`;
    throw new TokenizerError(message, { code: 'INVALID_TEMPLATE' });
  }
  return prefix.length + suffix.length === 0 ? NONE : new Template(Uint32Array.from(prefix), Uint32Array.from(suffix));
}
