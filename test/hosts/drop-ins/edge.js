// An edge worker, where compiling bytes is forbidden: the engine is an imported module.

import { useWasm } from 'crayon-tokenizer';
import core from 'crayon-tokenizer/core.wasm';
import { encode } from 'crayon-tokenizer/gpt-tokenizer/encoding/o200k_base';
import { Tiktoken } from 'crayon-tokenizer/js-tiktoken/lite';
import r50k_base from 'crayon-tokenizer/js-tiktoken/ranks/r50k_base';
import { TEXT } from './text.js';

useWasm(core);

export default {
  async fetch() {
    return Response.json({
      o200k_base: encode(TEXT, { allowedSpecial: 'all' }),
      r50k_base: new Tiktoken(r50k_base).encode(TEXT, 'all'),
    });
  },
};
