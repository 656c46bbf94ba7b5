// The trainer in WebAssembly: the module `build`, with an instance for each training, whose memory is released with it.

import { trainerOn } from '../../engine/trainer.js';
import type { WasmModule } from '../../vocabularies/open/source.js';
import type { TrainerFactory } from '../../engine/trainer.js';
import { Arena } from './arena.js';
import { WasmCore } from './core.js';
import { trainerIn } from './functions/trainer.js';

export function wasmTrainer(module: WasmModule): TrainerFactory {
  return trainerOn(() => {
    const arena = new Arena(new WasmCore(module));
    return Object.assign(arena, trainerIn(arena));
  });
}
