// The damaged records of a file: the first ones are named, the rest counted.

import type { Damage } from './sequences.js';
import { report } from '../failures.js';
import { counted } from '../output/fields.js';
import { InputError } from '../output/streams.js';

const MOST_NAMED = 100;

export class Damages {
  readonly #file: string;
  #known = 0;
  count = 0;
  /** The named ones. */
  readonly named: Omit<Damage, 'isLast'>[] = [];
  /** Why the rest of the file is not read. */
  error: string | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  readonly add = ({ isLast, ...damage }: Damage): void => {
    if (++this.count <= MOST_NAMED) {
      this.named.push(damage);
      report(this.#file, new InputError(damage.message));
    }
    if (isLast)
      this.error = report(
        this.#file,
        new InputError(`the rest of the file, from byte ${damage.byte}, could not be checked: no record in it is certain`),
      );
  };

  /** Whether there are any that this has not been called about. */
  isNew(): boolean {
    const isNew = this.count > this.#known;
    this.#known = this.count;
    return isNew;
  }

  /** Reports how many were not named. */
  end(): void {
    const more = this.count - MOST_NAMED;
    if (more > 0) report(this.#file, new InputError(`${counted(more, 'more record is', 'more records are')} damaged`));
  }
}
