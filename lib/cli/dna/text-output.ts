// The ids of sequences on standard output: a line for each record, or JSON.
//
// A record may turn out to be damaged at its end, so its text is held back until it is complete: in memory, or in a
// temporary file if it is long. Memory does not grow with a record, and nothing of a damaged one is written.

import type { Model } from './model.js';
import type { DnaEncodeGiven, FileChecks, FileEnding, IdOutput } from './output.js';
import { IdStream } from './sequence-ids.js';
import type { SequencePart } from './read-sequences.js';
import { Spill } from './spill.js';
import type { Unknowns } from './unknown.js';
import { write } from '../output/standard-streams.js';

/** Characters to write at a time, and the most to hold of a record in memory. */
const FULL = 256 * 1024;

/** What is written around ids. */
interface Form {
  separator: string;
  begin: string;
  beginFile(file: string, isFirst: boolean): string;
  /** `isFirst`: in its file. */
  beginRecord(name: string, isFirst: boolean): string;
  endRecord: string;
  endFile(ending: FileEnding): string;
  end: string;
}

/** The format of `crayon encode`. */
const LINES: Form = {
  separator: ' ',
  begin: '',
  beginFile: () => '',
  beginRecord: () => '',
  endRecord: '\n',
  endFile: () => '',
  end: '',
};

/** A single JSON object. */
function jsonOf(model: string): Form {
  return {
    separator: ',',
    begin: `{"model":${JSON.stringify(model)},"files":[`,
    beginFile: (file, isFirst) => `${isFirst ? '' : ','}{"file":${JSON.stringify(file)},"records":[`,
    beginRecord: (name, isFirst) => `${isFirst ? '' : ','}{"name":${JSON.stringify(name)},"ids":[`,
    endRecord: ']}',
    endFile: ({ unknowns, damaged: damagedRecords, rejected: rejectedRecords, error }) =>
      `],${JSON.stringify({ ...unknowns.facts(), damagedRecords, rejectedRecords, error }).slice(1)}`,
    end: ']}\n',
  };
}

export class TextOutput implements IdOutput {
  readonly isOne = false;
  readonly #ids: IdStream;
  readonly #form: Form;
  #unknowns: Unknowns | undefined;
  /** Text of complete records. */
  #text: string;
  /** Text of the unfinished record. */
  #held = '';
  #spill: Spill | undefined;
  #files = 0;
  /** Complete records of the file. */
  #records = 0;
  #isWhole = false;
  #isFirst = true;

  constructor({ specialTokens = false, reverseComplement = false, json }: DnaEncodeGiven, model: Model) {
    this.#ids = new IdStream(model, { type: 'int32', specialTokens, reverseComplement });
    this.#form = json ? jsonOf(model.dna.name) : LINES;
    this.#text = this.#form.begin;
  }

  async start(): Promise<void> {}

  begin(file: string, { unknowns }: FileChecks): void {
    this.#unknowns = unknowns;
    this.#text += this.#form.beginFile(file, this.#files++ === 0);
    this.#records = 0;
  }

  *take(part: SequencePart): Generator<void> {
    const { separator, beginRecord, endRecord } = this.#form;
    if (part.begins) {
      this.#held = beginRecord(part.name, this.#records === 0);
      this.#isFirst = true;
    }
    for (const ids of this.#ids.of(part, this.#unknowns as Unknowns)) {
      if (ids.length === 0) continue;
      this.#held += `${this.#isFirst ? '' : separator}${ids.join(separator)}`;
      this.#isFirst = false;
      if (this.#held.length >= FULL) yield;
    }
    if (!part.ends) return;
    this.#held += endRecord;
    this.#records++;
    this.#isWhole = true;
    if (this.#spill?.isUsed) yield;
    else this.#release();
    if (this.#text.length >= FULL) yield;
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
  }

  async end(ending: FileEnding): Promise<void> {
    await this.leave();
    this.#text += this.#form.endFile(ending);
    await this.#write();
  }

  async finish(): Promise<string> {
    return this.#form.end;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#spill?.[Symbol.asyncDispose]();
  }

  /** The record is complete: its held text may be written. */
  #release(): void {
    this.#text += this.#held;
    this.#held = '';
    this.#isWhole = false;
  }

  async #write(): Promise<void> {
    const text = this.#text;
    this.#text = '';
    if (text !== '') await write(text);
  }
}
