// What an output lacks: records that are damaged, or that a model or a policy rejects; and its unknown ids.

import { BaseError } from './dna-failures.js';
import type { Damage } from './read-sequences.js';
import { factsOfAll, type Unknowns } from './letter-policies.js';
import { InputError } from '../command-errors.js';
import { report } from '../report-failures.js';
import { counted } from '../output/fields.js';

const MOST_NAMED = 100;

/** Records of a file that are left out: the first ones are named, the rest counted. */
class NamedRecords<T> {
  count = 0;
  readonly named: T[] = [];
  readonly #file: string;
  readonly #inWords: (more: number) => string;

  constructor(file: string, inWords: (more: number) => string) {
    this.#file = file;
    this.#inWords = inWords;
  }

  /** `record`: undefined if it is not known which record it is. */
  add(error: InputError, record: T | undefined): void {
    if (++this.count > MOST_NAMED) return;
    report(this.#file, error);
    if (record !== undefined) this.named.push(record);
  }

  /** Reports how many were not named. */
  end(): void {
    const more = this.count - MOST_NAMED;
    if (more > 0) report(this.#file, new InputError(this.#inWords(more)));
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

export class LeftOutOfFile {
  readonly damaged: NamedRecords<Omit<Damage, 'isLast'>>;
  readonly rejected: NamedRecords<Rejection>;
  /** Undefined without a model. */
  readonly unknowns: Unknowns | undefined;
  /** Why the rest of the file is not read. */
  error: string | undefined;
  readonly #file: string;
  #known = 0;

  constructor(file: string, unknowns: Unknowns | undefined) {
    this.#file = file;
    this.unknowns = unknowns;
    this.damaged = new NamedRecords(file, (more) => `${counted(more, 'more record is', 'more records are')} damaged`);
    const rejects = `bases that ${unknowns?.model} rejects`;
    this.rejected = new NamedRecords(file, (more) => `${counted(more, 'more record has', 'more records have')} ${rejects}`);
  }

  readonly addDamage = ({ isLast, ...damage }: Damage): void => {
    this.damaged.add(new InputError(damage.message), damage);
    if (!isLast) return;
    const rest = `the rest of the file, from byte ${damage.byte}, could not be checked: no record in it is certain`;
    this.error = report(this.#file, new InputError(rest));
  };

  /** Whether records have been damaged since the last call. */
  hasNewDamage(): boolean {
    const before = this.#known;
    this.#known = this.damaged.count;
    return this.#known > before;
  }

  addRejection(error: InputError): void {
    const isOfBase = error instanceof BaseError;
    const { message } = error;
    this.rejected.add(error, isOfBase ? { record: error.record, name: error.recordName, base: error.base, message } : undefined);
  }

  /** Reports what has not been named, and the unknown ids. */
  end(): void {
    this.damaged.end();
    this.rejected.end();
    this.unknowns?.report(this.#file);
  }
}

/** Sums over all files. */
export class LeftOut {
  readonly #unknowns: Unknowns[] = [];
  readonly #mayBeLeftOut: boolean;
  damaged = 0;
  rejected = 0;

  constructor(mayBeLeftOut: boolean) {
    this.#mayBeLeftOut = mayBeLeftOut;
  }

  add({ unknowns, damaged, rejected }: LeftOutOfFile): void {
    if (unknowns) this.#unknowns.push(unknowns);
    this.damaged += damaged.count;
    this.rejected += rejected.count;
  }

  facts() {
    const records = this.#mayBeLeftOut && { damagedRecords: this.damaged, rejectedRecords: this.rejected };
    return { ...factsOfAll(this.#unknowns), ...records };
  }

  /** Text to append to the report of the output. */
  inWords(): string {
    const damaged = this.damaged ? [counted(this.damaged, 'damaged record')] : [];
    const rejected = this.rejected ? [counted(this.rejected, 'rejected record')] : [];
    const all = [...damaged, ...rejected];
    return all.length > 0 ? `; ${all.join(' and ')} left out` : '';
  }
}
