// A worker of an edge network: modules and data are imported, nothing is fetched, and no bytes may be compiled.

import { Tokenizer, useWasm } from 'crayon-tokenizer';
import cartridge from 'crayon-tokenizer/cartridges/o200k_base.slim.cray';
import core from 'crayon-tokenizer/core.wasm';
import { TEXT } from './answers.js';

useWasm(core);
let tokenizer;

export default {
  async fetch() {
    tokenizer ??= Tokenizer.load(cartridge);
    const { encode, backend } = await tokenizer.then((ready) => ({ encode: (text) => ready.encode(text), backend: ready.backend }));
    return Response.json({ ids: [...encode(TEXT)], backend: backend.kind, kernel: backend.kernel });
  },
};
