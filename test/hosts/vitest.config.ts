import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// The package as other programs use it: packed, installed elsewhere, bundled, and run in the hosts it is for. Nothing
// here sees the sources.
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  test: {
    include: ['*.test.ts'],
    globalSetup: ['hosts.ts'],
    // Generous, for machines that do other work, too: what has to be fast is measured in time of the processor.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    pool: 'forks',
    fileParallelism: false, // see scripts/tiers.mjs
  },
});
