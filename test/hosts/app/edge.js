// A worker in an edge network: modules and data are imported, nothing is fetched, and compiling bytes is forbidden.

import { Tokenizer, useWasm } from 'crayon-tokenizer';
import { DnaTokenizer, readFasta, reverseComplement, useDnaWasm } from 'crayon-tokenizer/dna';
import cartridge from 'crayon-tokenizer/cartridges/o200k_base.slim.cray';
import core from 'crayon-tokenizer/core.wasm';
import dnaModule from 'crayon-tokenizer/dna.wasm';
import { streamedIds, TEXT } from './answers.js';

useWasm(core);
useDnaWasm(dnaModule);
let tokenizer;

export default {
  async fetch() {
    tokenizer ??= Tokenizer.load(cartridge);
    const ready = await tokenizer;
    const records = [];
    for await (const record of readFasta(['>a\nACGT\n>b\nacgtN\n'], { text: true })) records.push(record.sequence);
    const dna = (await DnaTokenizer.load('nt-v3', { lowerCase: 'normalize' })).encodeBatch(records, { mask: 'none' });
    const complement = reverseComplement('AACG'.repeat(1000));
    return Response.json({
      dna: [...dna.ids].join(' '),
      complement,
      ids: ready.encode(TEXT).join(' '),
      streamed: await streamedIds(ready),
      backend: ready.backend,
    });
  },
};
