// The ids of sequences on standard output: a line for each record, or JSON.
//
// A record may turn out to be damaged at its end, so its text is held back until it is complete: in memory, or in a
// temporary file if it is long. Memory does not grow with a record, and nothing of a damaged one is written.

import type { Model } from './model.js';
import type { DnaEncodeGiven, FileChecks, FileEnding, IdOutput } from './output.js';
import { IdStream } from './sequence-ids.js';
import type { SequencePart } from './sequences.js';
import type { Unknowns } from './unknown.js';
import { Spill } from '../output/spill.js';
import { write } from '../output/standard-streams.js';

/** Characters to write at a time, and the most to hold of a record in memory. */
const FULL = 256 * 1024;

abstract class IdText implements IdOutput {
  readonly isOne = false;
  readonly #ids: IdStream;
  #unknowns: Unknowns | undefined;
  readonly #separator: string;
  /** Text of complete records. */
  protected text = '';
  /** Text of the unfinished record. */
  #held = '';
  #spill: Spill | undefined;
  #hasBegun = false;
  #isWhole = false;
  #isFirst = true;

  constructor({ specialTokens = false, reverseComplement = false }: DnaEncodeGiven, model: Model, separator: string) {
    this.#ids = new IdStream(model, { type: 'int32', specialTokens, reverseComplement });
    this.#separator = separator;
  }

  async start(): Promise<void> {}

  begin(_file: string, { unknowns }: FileChecks): void {
    this.#unknowns = unknowns;
  }

  /** The text before a record's ids, and after them. */
  protected abstract beginning(name: string): string;
  protected abstract readonly ending: string;
  /** Nothing has been written of the latest record begun. */
  protected abstract forget(): void;
  protected abstract endingOfFile(ending: FileEnding): string;

  *take(part: SequencePart): Generator<void> {
    if (part.begins) {
      this.#hasBegun = true;
      this.#held = this.beginning(part.name);
      this.#isFirst = true;
    }
    for (const ids of this.#ids.of(part, this.#unknowns as Unknowns)) {
      if (ids.length === 0) continue;
      this.#held += `${this.#isFirst ? '' : this.#separator}${ids.join(this.#separator)}`;
      this.#isFirst = false;
      if (this.#held.length >= FULL) yield;
    }
    if (!part.ends) return;
    this.#held += this.ending;
    this.#isWhole = true;
    this.#hasBegun = false;
    if (this.#spill?.isUsed) yield;
    else this.#release();
    if (this.text.length >= FULL) yield;
  }

  async flush(): Promise<void> {
    await this.#write();
    if (this.#isWhole) {
      await this.#spill?.writeOut();
      this.#release();
      await this.#write();
    } else if (this.#held.length >= FULL) {
      this.#spill ??= await Spill.create();
      await this.#spill.append(this.#held);
      this.#held = '';
    }
  }

  async leave(): Promise<void> {
    this.#held = '';
    this.#spill?.clear();
    if (this.#hasBegun) this.forget();
    this.#hasBegun = false;
  }

  async end(ending: FileEnding): Promise<void> {
    await this.leave();
    this.text += this.endingOfFile(ending);
    await this.#write();
  }

  abstract finish(): Promise<string>;

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#spill?.[Symbol.asyncDispose]();
  }

  /** The record is complete: its held text may be written. */
  #release(): void {
    this.text += this.#held;
    this.#held = '';
    this.#isWhole = false;
  }

  async #write(): Promise<void> {
    const { text } = this;
    this.text = '';
    if (text !== '') await write(text);
  }
}

/** In the format of `crayon encode`. */
export class IdLines extends IdText {
  constructor(given: DnaEncodeGiven, model: Model) {
    super(given, model, ' ');
  }

  protected beginning(): string {
    return '';
  }

  protected readonly ending = '\n';

  protected forget(): void {}

  protected endingOfFile(): string {
    return '';
  }

  async finish(): Promise<string> {
    return '';
  }
}

/** A single JSON object. */
export class IdsAsJson extends IdText {
  #files = 0;
  #records = 0;

  constructor(given: DnaEncodeGiven, model: Model) {
    super(given, model, ',');
    this.text = `{"model":${JSON.stringify(model.dna.name)},"files":[`;
  }

  override begin(file: string, checks: FileChecks): void {
    super.begin(file, checks);
    this.text += `${this.#files++ > 0 ? ',' : ''}{"file":${JSON.stringify(file)},"records":[`;
    this.#records = 0;
  }

  protected beginning(name: string): string {
    return `${this.#records++ > 0 ? ',' : ''}{"name":${JSON.stringify(name)},"ids":[`;
  }

  protected readonly ending = ']}';

  protected forget(): void {
    this.#records--;
  }

  protected endingOfFile({ unknowns, damaged: damagedRecords, rejected: rejectedRecords, error }: FileEnding): string {
    return `],${JSON.stringify({ ...unknowns.facts(), damagedRecords, rejectedRecords, error }).slice(1)}`;
  }

  async finish(): Promise<string> {
    return ']}\n';
  }
}
