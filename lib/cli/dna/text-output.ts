// The ids of sequences on standard output: a line for each record, or JSON. A record may turn out to be damaged at its end, so nothing
// of it is written until it is complete.

import type { Model } from './model.js';
import type { LeftOutOfFile } from './left-out.js';
import type { EncodeDnaOptions, IdOutput } from './output.js';
import { idStream } from './sequence-ids.js';
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

export function textOutput(
  { specialTokens = false, reverseComplement = false, skipDamaged = false, json }: EncodeDnaOptions,
  model: Model,
): IdOutput {
  const idsOf = idStream(model, { type: 'int32', specialTokens, reverseComplement });
  const { separator, begin, beginFile, beginRecord, endRecord, endFile, end } = json ? jsonOf(model.dna.name, skipDamaged) : LINES;
  let unknowns: Unknowns | undefined;
  /** Text of complete records, and of the unfinished one: a long text is in several strings, since a string has at most 2^29 units. */
  const texts = [begin];
  let record: string[] = [];
  let files = 0;
  /** Complete records of the file. */
  let records = 0;
  let isFirst = true;

  const output: IdOutput = {
    isOne: false,
    begin(file, checks) {
      unknowns = checks.unknowns;
      append(texts, beginFile(file, files++ === 0));
      records = 0;
    },
    *take(part) {
      if (part.begins) {
        record = [beginRecord(part.name, records === 0)];
        isFirst = true;
      }
      for (const ids of idsOf(part, unknowns as Unknowns)) {
        if (ids.length === 0) continue;
        append(record, `${isFirst ? '' : separator}${ids.join(separator)}`);
        isFirst = false;
      }
      if (!part.ends) return;
      append(record, endRecord);
      for (const text of record) append(texts, text);
      record = [];
      records++;
      if ((texts[0] as string).length >= FULL) yield;
    },
    async flush() {
      for (const text of texts.splice(0)) if (text !== '') await write(text);
    },
    async leave() {
      record = [];
    },
    async end(left, error) {
      record = [];
      append(texts, endFile(left, error));
      await output.flush();
    },
    finish: async () => end,
    async [Symbol.asyncDispose]() {},
  };
  return output;
}

/** Adds text to the last of some strings, or behind it once it is long enough to be written. */
function append(texts: string[], text: string): void {
  const last = texts.at(-1);
  if (last === undefined || last.length >= FULL) texts.push(text);
  else texts[texts.length - 1] = last + text;
}
