// The ids of sequences on standard output: a line for each record, or JSON.

import type { Model } from './dna-model.js';
import type { DnaEncodeGiven, IdOutput } from './dna-output.js';
import { IdStream } from './dna-sequence-ids.js';
import type { SequencePart } from './dna-sequences.js';
import { write } from './streams.js';

/** Characters that are written at a time. */
const FULL = 256 * 1024;

abstract class IdText implements IdOutput {
  readonly isOne = false;
  readonly #ids: IdStream;
  readonly #separator: string;
  protected text = '';
  /** The record has ids, and has not ended. */
  protected isWithin = false;

  constructor({ specialTokens = false, reverseComplement = false }: DnaEncodeGiven, model: Model, separator: string) {
    this.#ids = new IdStream(model, { type: 'int32', specialTokens, reverseComplement });
    this.#separator = separator;
  }

  async start(): Promise<void> {}

  abstract begin(file: string): void;
  protected abstract beginRecord(name: string): void;
  protected abstract endRecord(): void;

  *take(part: SequencePart): Generator<void> {
    if (part.begins) this.beginRecord(part.name);
    for (const ids of this.#ids.of(part)) {
      if (ids.length === 0) continue;
      this.text += `${this.isWithin ? this.#separator : ''}${ids.join(this.#separator)}`;
      this.isWithin = true;
      if (this.text.length >= FULL) yield;
    }
    if (part.ends) this.endRecord();
  }

  async flush(): Promise<void> {
    const { text } = this;
    this.text = '';
    if (text !== '') await write(text);
  }

  abstract end(error?: string): Promise<void>;
  abstract finish(): Promise<string>;

  async [Symbol.asyncDispose](): Promise<void> {}
}

/** As `crayon encode` writes them. */
export class IdLines extends IdText {
  constructor(given: DnaEncodeGiven, model: Model) {
    super(given, model, ' ');
  }

  begin(): void {}

  protected beginRecord(): void {
    this.isWithin = false;
  }

  protected endRecord(): void {
    this.text += '\n';
    this.isWithin = false;
  }

  async end(): Promise<void> {
    if (this.isWithin) this.endRecord(); // the failure is within a record
    await this.flush();
  }

  async finish(): Promise<string> {
    return '';
  }
}

/** One JSON object. */
export class IdsAsJson extends IdText {
  #files = 0;
  #records = 0;
  #isOpen = false;

  constructor(given: DnaEncodeGiven, model: Model) {
    super(given, model, ',');
    this.text = `{"model":${JSON.stringify(model.dna.name)},"files":[`;
  }

  begin(file: string): void {
    this.text += `${this.#files++ > 0 ? ',' : ''}{"file":${JSON.stringify(file)},"records":[`;
    this.#records = 0;
  }

  protected beginRecord(name: string): void {
    this.text += `${this.#records++ > 0 ? ',' : ''}{"name":${JSON.stringify(name)},"ids":[`;
    this.isWithin = false;
    this.#isOpen = true;
  }

  protected endRecord(): void {
    this.text += ']}';
    this.#isOpen = false;
  }

  async end(error?: string): Promise<void> {
    if (this.#isOpen) this.endRecord();
    this.text += error === undefined ? ']}' : `],"error":${JSON.stringify(error)}}`;
    await this.flush();
  }

  async finish(): Promise<string> {
    return ']}\n';
  }
}
