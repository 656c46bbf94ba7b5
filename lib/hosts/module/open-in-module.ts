// Opens cartridges in instances.

import { CACHE_BYTES } from '../../engine/host-tokenizer.js';
import type { EngineTokenizer } from '../../engine/engine.js';
import { descriptionOf } from '../../engine/description.js';
import { openTokenizer } from '../../vocabularies/open/open-tokenizer.js';
import { openFailed } from '../../vocabularies/open/open-failed.js';
import type { WasmModule } from '../../vocabularies/open/source.js';
import { WasmCore } from './core.js';
import { engineIn, type WasmOptions, WasmTokenizer } from './module-tokenizer.js';
import { wasmKernels } from './module.js';

const METADATA_SECTION = 1;
/** In the metadata, of a decoder's pattern (lib/vocabularies/decode/decoder-spec.ts); quotes of a text in JSON have backslashes. */
const A_PROGRAM = '"Program":[';

/** Opens a cartridge from its bytes, which are copied, in a new instance. `path`: the file of the bytes, if any. */
export function openWasm(module: WasmModule, bytes: Uint8Array, options: WasmOptions, path?: string): EngineTokenizer {
  const core = new WasmCore(module, options.host);
  const engine = engineIn(core);
  const about = { name: path ?? bytes, head: () => bytes, kernels: wasmKernels };
  const open = openTokenizer(engine, bytes, options, about);
  if (!options.dna) {
    const cacheBytes = Math.min(options.cacheBytes ?? CACHE_BYTES.page, CACHE_BYTES.page);
    engine.tokenizerCacheLimit(open.tokenizer, Math.max(cacheBytes, 1));
  }
  if (!('crayon_regex_matches' in core.engine) && descriptionOf(engine, open).metadata.includes(A_PROGRAM)) {
    const sentence = 'its decoder has a pattern, which this build of the engine cannot match';
    const failure = { code: 'FEATURE_MISSING', sentence, section: METADATA_SECTION, position: 0 } as const;
    throw openFailed(failure, { ...about, source: about.name, kernel: '', view: undefined, views: () => [] });
  }
  return new WasmTokenizer(core, open, options);
}
