// The record parser in WebAssembly: the module `dna`. Instances are kept for the next file: a page keeps as many idle ones as were in
// use at the same time, at most a few.

import type { WasmModule } from '../../vocabularies/open/source.js';
import type { RecordFunctions } from '../../engine/functions.js';
import { recordsOn } from '../../engine/record-calls.js';
import type { OpenParser } from '../../engine/record-parser.js';
import { Arena } from './arena.js';
import { WasmCore } from './core.js';
import { recordsIn } from './functions/records.js';

const MOST_SPARE = 4;

type RecordInstance = Arena & RecordFunctions;

const spares = new WeakMap<WasmModule, RecordInstance[]>();

export function wasmRecords(module: WasmModule): OpenParser {
  const spare = spares.get(module) ?? [];
  spares.set(module, spare);
  return recordsOn(
    () => spare.pop() ?? instance(module),
    (engine) => void (engine.isAlive && spare.length < MOST_SPARE && spare.push(engine)),
  );
}

function instance(module: WasmModule): RecordInstance {
  const core = new WasmCore(module);
  const arena = new Arena(core);
  if ('crayon_records_create' in core.engine) return Object.assign(arena, recordsIn(arena));
  throw new TypeError('expected the module for DNA, crayon-tokenizer/dna.wasm, for wasm but received another one of the engine');
}
