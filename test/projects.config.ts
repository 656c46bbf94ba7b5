import { defineConfig } from 'vitest/config';

/** What the addon exports, the tests that also run under the sanitizers. */
const ADDON = ['api', 'bad-input', 'batch', 'dna', 'dna-parts', 'dna-records', 'dna-threads', 'errors', 'fitting', 'lifetime', 'loading', 'offsets', 'records', 'special', 'swap', 'train'];

const EXACTNESS = ['', '-blocks', '-code-points', '-crossings', '-fuzz', '-kernels', '-special', '-windows'].map((part) => `exactness${part}`);

/** The tests of the API. */
const API = [
  ...ADDON.filter((name) => name !== 'loading'),
  ...EXACTNESS,
  ...['adapt', 'bpe-uncut', 'chat', 'dat', 'dna-batches', 'dna-discover', 'dna-dnabert2', 'dna-reference', 'encode-async', 'encode-pipeline'],
  ...['gunzip', 'hostile-input', 'long-text', 'longest-match', 'messages', 'models', 'nfc', 'options', 'pipelines', 'read-only'],
  ...['streams', 'streams-node'],
];

const inLib = (names: string[]) => names.map((name) => `lib/${name}.test.ts`);

// The tests that `npm test` runs a second time, on something else: scripts/tiers.mjs says on what.
export default defineConfig({
  test: {
    projects: [
      { extends: './vitest.config.ts', test: { name: 'wasm-api', include: [...inLib(API), 'chat/harmony.test.ts', 'chat/masks.test.ts'] } },
      { extends: './vitest.config.ts', test: { name: 'addon-asan', include: inLib([...ADDON, 'addon', 'devices', 'ended-calls']) } },
    ],
  },
});
