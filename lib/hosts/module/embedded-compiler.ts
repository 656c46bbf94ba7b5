// The module that compiles and trains: the one that `useWasm` has set if it is `build.wasm`, else the one that is embedded in
// JavaScript, loaded when first needed.

import type { Compiler } from '../../engine/compiler.js';
import { bytesOfText } from '../../vocabularies/open/embedded-bytes.js';
import { wasmCompiler } from './module-compiler.js';
import type { WasmModule } from '../../vocabularies/open/source.js';
import type { TrainerFactory } from '../../engine/trainer.js';
import { explainPolicy, wasm } from './module.js';
import { chosenBuild } from './modules.js';
import { wasmTrainer } from './module-trainer.js';

let module: Promise<WasmModule> | undefined;

export async function embeddedCompiler(): Promise<Compiler> {
  return wasmCompiler(await embeddedModule());
}

export async function embeddedTrainer(): Promise<TrainerFactory> {
  return wasmTrainer(await embeddedModule());
}

/** The module is compiled once. */
function embeddedModule(): Promise<WasmModule> {
  module ??= load();
  module.catch(() => {
    module = undefined; // a retry may succeed
  });
  return module;
}

async function load(): Promise<WasmModule> {
  const chosen = await chosenBuild();
  if (chosen) return chosen;
  const { default: text } = await import('#embedded/build');
  try {
    return await wasm.compile(bytesOfText(text));
  } catch (error) {
    throw explainPolicy(error);
  }
}
