// A worker of an edge network: modules and data are imported, nothing is fetched, and no bytes may be compiled.

import { Tokenizer, useWasm } from 'crayon-tokenizer';
import cartridge from 'crayon-tokenizer/cartridges/o200k_base.slim.cray';
import core from 'crayon-tokenizer/core.wasm';
import { streamedIds, TEXT } from './answers.js';

useWasm(core);
let tokenizer;

export default {
  async fetch() {
    tokenizer ??= Tokenizer.load(cartridge);
    const ready = await tokenizer;
    return Response.json({ ids: ready.encode(TEXT).join(' '), streamed: await streamedIds(ready), backend: ready.backend });
  },
};
