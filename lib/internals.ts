// What this project's tests and benchmarks use besides the public API. Not in the package.

export { clearProgress, Progress, Steps } from './cli/output/progress.js';
export { packTokens } from './compile/tokens.js';
export { withHiddenTokens } from './import/character-bpe.js';
export { openRanks } from './compile/open-ranks.js';
export { PATTERNS } from './compile/scanner.js';
export { decoderOf } from './decode/decoder.js';
export { dnaEngineOf } from './dna/dna-tokenizer.js';
export { presetNamed } from './dna/presets.js';
export { partsOf } from './dna/vocabulary.js';
export { decoderSpecOf, decoderStepsOf } from './import/decoder.js';
export { JsonNode } from './import/json-node.js';
export { native } from './native/addon.js';
export { JsonTexts } from './native/json-texts.js';
export { deviceProgress, type DeviceSettings, keptBytes, useEmulatedDevice } from './native/devices.js';
export { IdleTimer } from './native/idle-timer.js';
export { nativeCompiler } from './native/compiler.js';
export { compileRegex } from './patterns/regex.js';
export { bytesOfText } from './open/embedded-bytes.js';
export { gunzipInNode } from './gzip/gunzip-in-node.js';
export { gunzipInPage } from './gzip/gunzip-in-page.js';
export { inflated } from './gzip/gzip.js';
export type { ByteSource } from './records/sources.js';
export { ENCODINGS, PROFILES } from './vocabulary/models.js';
export { partsOfFile } from './tokenizer/background.js';
export { engineOf, hostOf, vocabularyOf } from './tokenizer/tokenizer.js';
export type { WorkerAnswer, WorkerRequest } from './wasm/worker-messages.js';
export { type WorkerHandle, WorkerPool } from './wasm/worker-pool.js';
