// The ids of sequences on standard output: a line for each record, or JSON. A record may turn out to be damaged at its end, so nothing
// of it is written until it is complete.

import type { Model } from './model.js';
import type { LeftOutOfFile } from './left-out.js';
import type { EncodeDnaOptions, FileChecks, IdOutput } from './output.js';
import { type IdsOfPart, idStream } from './sequence-ids.js';
import type { SequencePart } from './read-sequences.js';
import type { Unknowns } from './letter-policies.js';
import { write } from '../output/terminal.js';

/** Characters to write at a time. */
const FULL = 256 * 1024;

/** What is written around ids. */
interface Form {
  separator: string;
  begin: string;
  beginFile(file: string, isFirst: boolean): string;
  /** `isFirst`: in its file. */
  beginRecord(name: string, isFirst: boolean): string;
  endRecord: string;
  endFile(left: LeftOutOfFile, error: string | undefined): string;
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
function jsonOf(model: string, skipDamaged: boolean): Form {
  return {
    separator: ',',
    begin: `{"model":${JSON.stringify(model)},"files":[`,
    beginFile: (file, isFirst) => `${isFirst ? '' : ','}{"file":${JSON.stringify(file)},"records":[`,
    beginRecord: (name, isFirst) => `${isFirst ? '' : ','}{"name":${JSON.stringify(name)},"ids":[`,
    endRecord: ']}',
    endFile: ({ unknowns, damaged, rejected }, error) => {
      const records = skipDamaged && { damagedRecords: damaged.count, rejectedRecords: rejected.count };
      return `],${JSON.stringify({ ...unknowns?.facts(), ...records, error }).slice(1)}`;
    },
    end: ']}\n',
  };
}

export class TextOutput implements IdOutput {
  readonly isOne = false;
  readonly #idsOf: IdsOfPart;
  readonly #form: Form;
  #unknowns: Unknowns | undefined;
  /** Text of complete records, and of the unfinished one: a long text is in several strings, since a string has at most 2^29 units. */
  #texts: string[];
  #record: string[] = [];
  #files = 0;
  /** Complete records of the file. */
  #records = 0;
  #isFirst = true;

  constructor({ specialTokens = false, reverseComplement = false, skipDamaged = false, json }: EncodeDnaOptions, model: Model) {
    this.#idsOf = idStream(model, { type: 'int32', specialTokens, reverseComplement });
    this.#form = json ? jsonOf(model.dna.name, skipDamaged) : LINES;
    this.#texts = [this.#form.begin];
  }

  begin(file: string, { unknowns }: FileChecks): void {
    this.#unknowns = unknowns;
    append(this.#texts, this.#form.beginFile(file, this.#files++ === 0));
    this.#records = 0;
  }

  *take(part: SequencePart): Generator<void> {
    const { separator, beginRecord, endRecord } = this.#form;
    if (part.begins) {
      this.#record = [beginRecord(part.name, this.#records === 0)];
      this.#isFirst = true;
    }
    for (const ids of this.#idsOf(part, this.#unknowns as Unknowns)) {
      if (ids.length === 0) continue;
      append(this.#record, `${this.#isFirst ? '' : separator}${ids.join(separator)}`);
      this.#isFirst = false;
    }
    if (!part.ends) return;
    append(this.#record, endRecord);
    for (const text of this.#record) append(this.#texts, text);
    this.#record = [];
    this.#records++;
    if ((this.#texts[0] as string).length >= FULL) yield;
  }

  async flush(): Promise<void> {
    for (const text of this.#texts.splice(0)) if (text !== '') await write(text);
  }

  async leave(): Promise<void> {
    this.#record = [];
  }

  async end(left: LeftOutOfFile, error: string | undefined): Promise<void> {
    await this.leave();
    append(this.#texts, this.#form.endFile(left, error));
    await this.flush();
  }

  async finish(): Promise<string> {
    return this.#form.end;
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

/** Adds text to the last of some strings, or behind it once it is long enough to be written. */
function append(texts: string[], text: string): void {
  const last = texts.at(-1);
  if (last === undefined || last.length >= FULL) texts.push(text);
  else texts[texts.length - 1] = last + text;
}
