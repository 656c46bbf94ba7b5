// Shared code of the entries for DNA in Node: `crayon-tokenizer/dna`, whose engine is the addon or WebAssembly, and
// `crayon-tokenizer/wasm/dna`, which names no addon module.

import { packBasesOn, type PackBases, reverseComplementOn, type ReverseComplement, unpackBasesOn, type UnpackBases } from './dna/bases.js';
import type { OnBases } from './engine/dna-engine.js';
import type { DnaHost } from './dna/dna-sources.js';
import type { KindOf, LoadOptions } from './vocabularies/open/load-options.js';
import { cartridgeNamed, readJsonText, resolveSource } from './vocabularies/open/sources-in-node.js';
import { FASTA, FASTQ, type OpenParser } from './engine/record-parser.js';
import { type LoadRecords, type ReadFasta, type ReadFastq, readRecordsOn } from './dna/records/read-records.js';
import { checkSource } from './dna/records/sources.js';
import { basesInNode, compileWasmDnaFile, dnaModule, openWasmBpe, openWasmDnaFile } from './hosts/module/module-dna-in-node.js';

/** The parts of the addon that an entry uses. */
interface NativeDna extends Pick<DnaHost, 'compile' | 'openBpe'> {
  open: typeof openWasmDnaFile;
  /** Undefined without an addon. */
  bases: OnBases | undefined;
  records(): Promise<OpenParser>;
}

/** What an entry exports, and what its class opens vocabularies with. */
interface DnaNodeEntry {
  readFasta: ReadFasta;
  readFastq: ReadFastq;
  reverseComplement: ReverseComplement;
  packBases: PackBases;
  unpackBases: UnpackBases;
  host: DnaHost;
}

/** `native`: absent where the addon is never used. */
export function dnaNodeEntry({ native, kindOf }: { native?: NativeDna; kindOf: KindOf }): DnaNodeEntry {
  const nativeFor = (options: Pick<LoadOptions, 'backend'>) => (kindOf(options) === 'native' ? native : undefined);
  const loadRecords: LoadRecords = async () => {
    const { recordsInNode } = await import('./dna/records/records-in-node.js');
    return recordsInNode(async (options) => {
      const backend = nativeFor(options);
      if (backend) return backend.records();
      return (await import('./hosts/module/module-records.js')).wasmRecords(await dnaModule(options));
    });
  };
  const bases = native?.bases ?? basesInNode;
  return {
    readFasta: readRecordsOn(FASTA, loadRecords, checkSource),
    readFastq: readRecordsOn(FASTQ, loadRecords, checkSource),
    reverseComplement: reverseComplementOn(bases),
    packBases: packBasesOn(bases),
    unpackBases: unpackBasesOn(bases),
    host: {
      kind: kindOf({}),
      compile: (parts, options) => (nativeFor(options)?.compile ?? compileWasmDnaFile)(parts, options),
      open: (source, options, policies) => (nativeFor(options)?.open ?? openWasmDnaFile)(resolveSource(source), options, policies),
      openBpe: (vocabulary, options) => (nativeFor(options)?.openBpe ?? openWasmBpe)(vocabulary, options),
      builtIn: cartridgeNamed,
      readText: readJsonText,
    },
  };
}
