// Opens a resolved source with the addon: files are mapped, bytes are copied.

import { readDat } from '../../vocabularies/open/dat.js';
import { type Cartridge, datOf, outOfArchive } from '../../vocabularies/open/sources-in-node.js';
import { checkNoUnknownId, type LoadOptions } from '../../vocabularies/open/load-options.js';
import type { EngineTokenizer } from '../../engine/engine.js';
import { openNative } from './addon-tokenizer.js';

/** `dna`: the cartridge must be a DNA one; otherwise it must not be. */
export function openNativeFile({ source, view, model }: Cartridge, options: LoadOptions, dna = false): EngineTokenizer {
  const kernel = options.kernel ?? process.env.CRAYON_FORCE_KERNEL;
  const beside = datOf(source, options);
  if (!beside) checkNoUnknownId(options);
  const dat = beside && readDat(beside);
  return openNative(outOfArchive(source), { ...options, kernel, view: options.view ?? view, model, dat, dna });
}
