/**
 * The same API as `crayon-tokenizer/dna`, with the engine in WebAssembly in Node too. Both entries have the same types.
 *
 * @example
 * ```ts
 * import { DnaTokenizer } from 'crayon-tokenizer/wasm/dna';
 *
 * using dna = DnaTokenizer.loadSync('hyenadna');
 * dna.encode('ACGTN'); // Int32Array [7, 8, 9, 10, 11]
 * ```
 *
 * @module crayon-tokenizer/wasm/dna
 */

import type { DiscoverOptions } from './dna/discover.js';
import { discover, DnaTokenizer as OpenDna, load, loadSync } from './dna/dna-tokenizer.js';
import type { DnaLoadOptions, DnaSource } from './dna/dna-sources.js';
import type { UpstreamEncode } from './dna/upstream.js';
import { dnaNodeEntry } from './dna-node-entry.js';
import { onlyWasm } from './vocabularies/open/load-options.js';

export * from './dna-exports.js';

const entry = /* @__PURE__ */ dnaNodeEntry({ kindOf: onlyWasm });

export const { packBases, readFasta, readFastq, reverseComplement, unpackBases } = entry;

export class DnaTokenizer extends OpenDna {
  static load(source: DnaSource, options?: DnaLoadOptions): Promise<DnaTokenizer> {
    return load(DnaTokenizer, entry.host, source, options);
  }

  static loadSync(source: DnaSource, options?: DnaLoadOptions): DnaTokenizer {
    return loadSync(DnaTokenizer, entry.host, source, options);
  }

  static discover(encodeFn: UpstreamEncode | object, options?: DiscoverOptions): Promise<DnaTokenizer> {
    return discover(DnaTokenizer, entry.host, encodeFn, options);
  }
}
