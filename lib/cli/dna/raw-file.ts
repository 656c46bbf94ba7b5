// The ids of sequences as raw arrays, one sequence after another, and an index of where each begins.

import { ByteQueue } from './byte-queue.js';
import { checkType, type Model } from './model.js';
import type { LeftOut } from './left-out.js';
import { type EncodeDnaOptions, type FileChecks, ID_BYTES, ID_TYPES, type IdOutput } from './output.js';
import { type IdsOfPart, idStream } from './sequence-ids.js';
import type { SequencePart } from './read-sequences.js';
import type { Unknowns } from './letter-policies.js';
import { counted } from '../output/fields.js';
import { OutputFile } from '../output/output-file.js';

/** Bytes to write at a time. */
const FULL = 1024 * 1024;

/** The name of the index of a file. */
export function indexOf(output: string): string {
  return `${output}.index.tsv`;
}

export class RawFile implements IdOutput {
  readonly isOne = true;
  readonly #options: EncodeDnaOptions;
  readonly #model: Model;
  readonly #idsOf: IdsOfPart;
  #ids: OutputFile | undefined;
  #index: OutputFile | undefined;
  /** Bytes not yet written. */
  readonly #bytes = new ByteQueue();
  #lines = 'name\tfirst\tids\n';
  /** The start of the current sequence. */
  #first = 0;
  #total = { ids: 0, records: 0, bases: 0 };
  /** The totals of complete records. */
  #whole = { ...this.#total };
  #unknowns: Unknowns | undefined;

  constructor(options: EncodeDnaOptions, model: Model) {
    const { type, specialTokens = false, reverseComplement = false } = options;
    checkType(model, type);
    this.#options = options;
    this.#model = model;
    this.#idsOf = idStream(model, { type: ID_TYPES[type], specialTokens, reverseComplement });
  }

  async start(): Promise<void> {
    const { output } = this.#options;
    this.#ids = await OutputFile.create(output as string);
    this.#index = await OutputFile.create(indexOf(output as string));
  }

  begin(_file: string, { unknowns }: FileChecks): void {
    this.#unknowns = unknowns;
  }

  *take(part: SequencePart): Generator<void> {
    const total = this.#total;
    if (part.begins) this.#first = total.ids;
    total.bases += part.bytes.length;
    for (const ids of this.#idsOf(part, this.#unknowns as Unknowns)) {
      this.#bytes.add(new Uint8Array(ids.buffer, ids.byteOffset, ids.byteLength));
      total.ids += ids.length;
      if (this.#bytes.length >= FULL) yield;
    }
    if (!part.ends) return;
    total.records++;
    this.#lines += `${part.name}\t${this.#first}\t${total.ids - this.#first}\n`;
    this.#whole = { ...total };
    if (this.#lines.length >= FULL) yield;
  }

  async flush(): Promise<void> {
    await this.#ids?.append(this.#bytes.view);
    await this.#index?.append(this.#lines);
    this.#bytes.clear();
    this.#lines = '';
  }

  async leave(): Promise<void> {
    this.#total = { ...this.#whole };
    const length = this.#total.ids * ID_BYTES[this.#options.type];
    const written = this.#ids?.length ?? 0;
    this.#bytes.cut(Math.max(0, length - written));
    await this.#ids?.cut(length);
  }

  async finish(left: LeftOut): Promise<string> {
    const { output, type, json } = this.#options;
    await this.flush();
    for (const file of [this.#ids, this.#index]) await file?.finish();
    const { ids, records, bases } = this.#total;
    const index = indexOf(output as string);
    const model = this.#model.dna.name;
    if (json) return `${JSON.stringify({ file: output, index, model, type, ids, records, bases, ...left.facts() })}\n`;
    return `${output}: ${counted(ids, 'id')} as ${type}, of ${counted(bases, 'base')} in ${counted(records, 'record')}, for ${model}${left.inWords()}\n`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const file of [this.#ids, this.#index]) await file?.[Symbol.asyncDispose]();
  }
}
