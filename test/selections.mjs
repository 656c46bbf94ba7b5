// The tests that `npm test` runs a second time, on something else: scripts/tiers.mjs says on what.

const inLib = (names) => names.map((name) => `test/lib/${name}.test.ts`);

const EXPORTS = [
  ...['api', 'bad-input', 'batch', 'dna', 'dna-parts', 'dna-records', 'dna-threads', 'errors', 'fitting', 'lifetime', 'loading', 'offsets'],
  ...['records', 'special', 'swap', 'train'],
];
const EXACTNESS = ['', '-blocks', '-code-points', '-crossings', '-fuzz', '-kernels', '-special', '-windows'].map((part) => `exactness${part}`);

/** What the addon exports: these run under the sanitizers, too. */
export const ADDON = inLib([...EXPORTS, 'addon', 'devices', 'ended-calls']);

/** The API: these run with WebAssembly in place of the addon, too. */
export const API = [
  ...inLib([
    ...EXPORTS.filter((name) => name !== 'loading'),
    ...EXACTNESS,
    ...['adapt', 'bpe-uncut', 'chat', 'dat', 'dna-batches', 'dna-discover', 'dna-dnabert2', 'dna-reference', 'encode-async', 'encode-pipeline'],
    ...['gunzip', 'hostile-input', 'long-text', 'longest-match', 'messages', 'models', 'nfc', 'options', 'pipelines', 'read-only'],
    ...['streams', 'streams-node'],
  ]),
  'test/chat/harmony.test.ts',
  'test/chat/masks.test.ts',
];
