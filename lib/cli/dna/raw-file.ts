// The ids of sequences as raw arrays, one sequence after another, and an index of where each begins.

import { ByteQueue } from './byte-queue.js';
import { checkType, ID_BYTES, ID_TYPES, type Model } from './model.js';
import type { EncodeDnaOptions, IdOutput } from './output.js';
import { idStream } from './sequence-ids.js';
import type { Unknowns } from './letter-policies.js';
import { counted } from '../output/fields.js';
import { OutputFile } from '../output/output-file.js';

/** Bytes to write at a time. */
const FULL = 1024 * 1024;

/** The name of the index of a file. */
export function indexOf(output: string): string {
  return `${output}.index.tsv`;
}

export function rawFile(options: EncodeDnaOptions, model: Model): IdOutput {
  const { type, specialTokens = false, reverseComplement = false, json } = options;
  const output = options.output as string;
  const index = indexOf(output);
  checkType(model, type);
  const idsOf = idStream(model, { type: ID_TYPES[type], specialTokens, reverseComplement });
  let idsFile: OutputFile | undefined;
  let indexFile: OutputFile | undefined;
  /** Bytes not yet written. */
  const bytes = new ByteQueue();
  let lines = 'name\tfirst\tids\n';
  /** The start of the current sequence. */
  let first = 0;
  let total = { ids: 0, records: 0, bases: 0 };
  /** The totals of complete records. */
  let whole = { ...total };
  let unknowns: Unknowns | undefined;

  const result: IdOutput = {
    isOne: true,
    async start() {
      idsFile = await OutputFile.create(output);
      indexFile = await OutputFile.create(index);
    },
    begin(_file, checks) {
      unknowns = checks.unknowns;
    },
    *take(part) {
      if (part.begins) first = total.ids;
      total.bases += part.bytes.length;
      for (const ids of idsOf(part, unknowns as Unknowns)) {
        bytes.add(new Uint8Array(ids.buffer, ids.byteOffset, ids.byteLength));
        total.ids += ids.length;
        if (bytes.length >= FULL) yield;
      }
      if (!part.ends) return;
      total.records++;
      lines += `${part.name}\t${first}\t${total.ids - first}\n`;
      whole = { ...total };
      if (lines.length >= FULL) yield;
    },
    async flush() {
      await idsFile?.append(bytes.view);
      await indexFile?.append(lines);
      bytes.clear();
      lines = '';
    },
    async leave() {
      total = { ...whole };
      const length = total.ids * ID_BYTES[type];
      bytes.cut(Math.max(0, length - (idsFile?.length ?? 0)));
      await idsFile?.cut(length);
    },
    async finish(left) {
      await result.flush();
      for (const file of [idsFile, indexFile]) await file?.finish();
      const { ids, records, bases } = total;
      const { name } = model.dna;
      if (json) return `${JSON.stringify({ file: output, index, model: name, type, ids, records, bases, ...left.facts() })}\n`;
      return `${output}: ${counted(ids, 'id')} as ${type}, of ${counted(bases, 'base')} in ${counted(records, 'record')}, for ${name}${left.inWords()}\n`;
    },
    async [Symbol.asyncDispose]() {
      for (const file of [idsFile, indexFile]) await file?.[Symbol.asyncDispose]();
    },
  };
  return result;
}
