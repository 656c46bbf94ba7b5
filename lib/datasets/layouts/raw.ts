// Ids with nothing between them: nanoGPT's train.bin, llm.c's and modded-nanogpt's shards, NumPy's arrays, datatrove's files.

import { bytesOf, widthOf } from '../formats.js';
import { sumOf } from '../receipts.js';
import { type Layout, type NewLayout, type OutputFile, sumsOf, totalOf } from './layout.js';

/** nanoGPT (data/openwebtext/prepare.py): NAME.bin, uint16. */
export const nanogpt: NewLayout = async ({ name }, output) => {
  const bin = await output.create(`${name}.bin`);
  return { documents: async () => undefined, ids: (part) => bin.append(part), finish: async () => undefined };
};

const LLMC_HEADER = 256;
/** The magic numbers and versions of llm.c (dev/data/data_common.py), for GPT-2 and for Llama 3. */
const LLMC = { uint16: [20240520, 1], uint32: [20240801, 7], int32: [] } as const;

/** llm.c and modded-nanogpt: NAME_000000.bin and so on, each with a header that says how many tokens it has. */
export const llmc: NewLayout = async ({ name, dtype, fileTokens }, output, receipts) => {
  const width = widthOf(dtype);
  let left = sumOf(receipts, 'tokens');
  let file: OutputFile | undefined;
  let files = 0;
  /** Bytes of the file that are still to come. */
  let room = 0;
  const begin = async () => {
    file = await output.create(`${name}_${String(files++).padStart(6, '0')}.bin`);
    const tokens = Math.min(left, fileTokens);
    left -= tokens;
    room = tokens * width;
    await file.append(bytesOf(Int32Array.of(...LLMC[dtype], tokens, ...new Array<number>(LLMC_HEADER - 3).fill(0))));
  };
  return {
    documents: async () => undefined,
    async ids(part) {
      for (let at = 0; at < part.length; ) {
        if (room === 0) await begin();
        const taken = part.subarray(at, at + room);
        await (file as OutputFile).append(taken);
        room -= taken.length;
        at += taken.length;
      }
    },
    finish: async () => {
      if (!file) await begin();
    },
  };
};

/** NumPy: NAME.npy has the ids, NAME_ends.npy where each document ends, in ids. */
export const npy: NewLayout = async ({ name, dtype }, output, receipts) => {
  const ids = await output.create(`${name}.npy`);
  const ends = await output.create(`${name}_ends.npy`);
  const descriptions = { uint16: '<u2', uint32: '<u4', int32: '<i4' };
  await ids.append(npyHeader(descriptions[dtype], sumOf(receipts, 'tokens')));
  await ends.append(npyHeader('<u8', sumOf(receipts, 'documents')));
  return idsAndEnds(ids, ends);
};

/** A file of the ids, and one of where each document ends, in ids. */
function idsAndEnds(ids: OutputFile, ends: OutputFile): Layout {
  let done = 0;
  return {
    async documents(lengths) {
      await ends.append(sumsOf(lengths, done, { scale: 1, inclusive: true }));
      done += totalOf(lengths);
    },
    ids: (part) => ids.append(part),
    finish: async () => undefined,
  };
}

/** A header of version 1.0 (numpy/lib/format.py), padded to 64 bytes. */
function npyHeader(description: string, length: number): Buffer {
  const text = `{'descr': '${description}', 'fortran_order': False, 'shape': (${length},), }`;
  const size = Math.ceil((10 + text.length + 1) / 64) * 64;
  const header = Buffer.alloc(size, ' ');
  header.write('\x93NUMPY\x01\x00', 'latin1');
  header.writeUInt16LE(size - 10, 8);
  header.write(text, 10, 'latin1');
  header.write('\n', size - 1, 'latin1');
  return header;
}

/** datatrove and nanotron (datatrove/pipeline/tokens/tokenizer.py): ids, where documents end, and whose ids they are. */
export const datatrove: NewLayout = async ({ name, dtype, tokenizer }, output, receipts) => {
  const ids = await output.create(`${name}.ds`);
  const ends = await output.create(`${name}.ds.index`);
  const metadata = await output.create(`${name}.ds.metadata`);
  const tokens = sumOf(receipts, 'tokens');
  await metadata.append(Buffer.from(`${tokenizer.name}|${widthOf(dtype)}\n${tokens}\n${inWords(tokens)}`));
  return idsAndEnds(ids, ends);
};

/** As the third line there: 1.23 GT. */
function inWords(tokens: number): string {
  const power = tokens < 1000 ? 0 : Math.min(5, Math.floor(Math.log10(tokens) / 3));
  return `${(tokens / 1000 ** power).toPrecision(3)} ${['', 'k', 'M', 'G', 'T', 'P'][power]}T`;
}
