// The compiler in WebAssembly: the module `build`, instantiated once per job, whose memory is released with it.

import type { WasmModule } from '../../vocabularies/open/source.js';
import type { Compiler } from '../../engine/compiler.js';
import { compilerOn } from '../../engine/compiler.js';
import { openCartridge } from '../../vocabularies/open/open-tokenizer.js';
import { Arena } from './arena.js';
import { WasmCore } from './core.js';
import { cartridgesIn } from './functions/cartridges.js';
import { compilerIn } from './functions/compiler.js';

/** Compiles with the module `build`. */
export function wasmCompiler(module: WasmModule): Compiler {
  return compilerOn(() => {
    const core = new WasmCore(module);
    const arena = new Arena(core);
    const engine = Object.assign(arena, cartridgesIn(arena), compilerIn(arena));
    return {
      engine,
      withCartridge(source, dat, use) {
        if (typeof source === 'string') throw new Error(`WebAssembly opens no files: ${source}`);
        const cartridge = openCartridge(engine, source, 0, dat);
        return cartridge < 0 ? engine.failure() : use(cartridge);
      },
    };
  });
}
