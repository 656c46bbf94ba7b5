// The records of a file that a model or a policy rejects: the first ones are named, the rest counted.

import type { BaseError } from './failures.js';
import { report } from '../failures.js';
import { counted } from '../output/fields.js';
import { InputError } from '../output/streams.js';

const MOST_NAMED = 100;

/** A record, and its first rejected base, both counted from 1. */
export interface Rejection {
  record: number;
  name: string;
  /** Undefined if it does not concern a particular base. */
  base: number | undefined;
  message: string;
}

export class Rejections {
  readonly #file: string;
  readonly #model: string;
  count = 0;
  readonly named: Rejection[] = [];

  constructor(file: string, model: string) {
    this.#file = file;
    this.#model = model;
  }

  add(error: BaseError | InputError): void {
    if (++this.count > MOST_NAMED) return;
    report(this.#file, error);
    if (!('recordName' in error)) return;
    const { record, recordName, base, message } = error;
    this.named.push({ record, name: recordName, base, message });
  }

  /** Reports how many were not named. */
  end(): void {
    const more = this.count - MOST_NAMED;
    if (more > 0)
      report(this.#file, new InputError(`${counted(more, 'more record has', 'more records have')} bases that ${this.#model} rejects`));
  }
}
