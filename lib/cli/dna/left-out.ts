// What an output lacks: records that are damaged, or that a model or a policy rejects; and its unknown ids.

import type { BaseError } from './dna-failures.js';
import type { FileEnding } from './output.js';
import type { Damage } from './read-sequences.js';
import { factsOfAll, type UnknownFacts, type Unknowns } from './unknown.js';
import { InputError } from '../command-errors.js';
import { report } from '../report-failures.js';
import { counted } from '../output/fields.js';

const MOST_NAMED = 100;

/** Records of a file that are left out: the first ones are named, the rest counted. */
abstract class LeftOutRecords<T> {
  count = 0;
  readonly named: T[] = [];

  constructor(protected readonly file: string) {}

  /** `named`: undefined if it is not known which record it is. */
  protected addOne(error: InputError, named: T | undefined): void {
    if (++this.count > MOST_NAMED) return;
    report(this.file, error);
    if (named !== undefined) this.named.push(named);
  }

  /** Reports how many were not named. */
  end(): void {
    const more = this.count - MOST_NAMED;
    if (more > 0) report(this.file, new InputError(this.inWords(more)));
  }

  protected abstract inWords(more: number): string;
}

export class Damages extends LeftOutRecords<Omit<Damage, 'isLast'>> {
  #known = 0;
  /** Why the rest of the file is not read. */
  error: string | undefined;

  readonly add = ({ isLast, ...damage }: Damage): void => {
    this.addOne(new InputError(damage.message), damage);
    if (!isLast) return;
    const rest = `the rest of the file, from byte ${damage.byte}, could not be checked: no record in it is certain`;
    this.error = report(this.file, new InputError(rest));
  };

  /** Whether there are any that this has not been called about. */
  isNew(): boolean {
    const isNew = this.count > this.#known;
    this.#known = this.count;
    return isNew;
  }

  protected inWords(more: number): string {
    return `${counted(more, 'more record is', 'more records are')} damaged`;
  }
}

/** A record, and its first rejected base, both counted from 1. */
export interface Rejection {
  record: number;
  name: string;
  /** Undefined if it does not concern a particular base. */
  base: number | undefined;
  message: string;
}

export class Rejections extends LeftOutRecords<Rejection> {
  constructor(
    file: string,
    readonly model: string,
  ) {
    super(file);
  }

  add(error: BaseError | InputError): void {
    const { record, recordName, base, message } = error as BaseError;
    this.addOne(error, 'recordName' in error ? { record, name: recordName, base, message } : undefined);
  }

  protected inWords(more: number): string {
    return `${counted(more, 'more record has', 'more records have')} bases that ${this.model} rejects`;
  }
}

/** Sums over all files. */
export class LeftOut {
  readonly #unknowns: Unknowns[] = [];
  /** Undefined if none may be left out. */
  #damaged: number | undefined;
  #rejected: number | undefined;

  add({ unknowns, damaged, rejected }: FileEnding): void {
    this.#unknowns.push(unknowns);
    if (damaged !== undefined) this.#damaged = (this.#damaged ?? 0) + damaged;
    if (rejected !== undefined) this.#rejected = (this.#rejected ?? 0) + rejected;
  }

  facts(): UnknownFacts & { damagedRecords?: number | undefined; rejectedRecords?: number | undefined } {
    return { ...factsOfAll(this.#unknowns), damagedRecords: this.#damaged, rejectedRecords: this.#rejected };
  }

  /** Text to append to the report of the output. */
  inWords(): string {
    const damaged = this.#damaged ? [counted(this.#damaged, 'damaged record')] : [];
    const rejected = this.#rejected ? [counted(this.#rejected, 'rejected record')] : [];
    const all = [...damaged, ...rejected];
    return all.length > 0 ? `; ${all.join(' and ')} left out` : '';
  }
}
