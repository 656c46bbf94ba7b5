// Exports of every entry for DNA, apart from its DnaTokenizer.

export type { PackBases, ReverseComplement, UnpackBases } from './dna/bases.js';
export type { BatchesOptions, DnaBatch, DnaDeviceBatch, DnaRecord } from './dna/batches.js';
export type { DiscoverOptions } from './dna/discover.js';
export type { DnaDeviceMatrix, DnaMatrix, MaskArray, MaskType } from './dna/matrix.js';
export type { DnaDiscovery, DnaFallback, DnaLoadOptions, DnaSource } from './dna/dna-sources.js';
export type { DnaBatchAsyncOptions, DnaBatchOptions, DnaEncodeOptions, DnaIdArray, DnaIdType, DnaResident } from './dna/dna-options.js';
export type { DnaName } from './dna/presets.js';
export type { UpstreamEncode, UpstreamIds } from './dna/upstream.js';
export type { DnaIds, DnaPolicies, DnaVocabulary, LetterPolicy } from './dna/dna-vocabulary.js';
export { type BatchSource, embed, type EmbedOptions, type EmbedProgress } from './dna/embed/embed.js';
export type { OnnxOutput, OnnxSession } from './dna/embed/onnx-session.js';
export type { Embedded, RowValues } from './dna/embed/row-values.js';
export type { RecordOptions, WindowOptions } from './dna/records/record-options.js';
export type { ReadFasta, ReadFastq } from './dna/records/read-records.js';
export type { FastaRecord, FastqRecord, SequenceWindow } from './dna/records/record.js';
export type { RecordSource } from './dna/records/sources.js';
export { useDnaWasm } from './hosts/module/modules.js';
