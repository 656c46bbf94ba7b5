import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// The package as other programs use it: packed, installed elsewhere, bundled, and run in its hosts. Nothing here reads the
// sources.
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  test: {
    include: ['*.test.ts'],
    globalSetup: ['hosts.ts'],
    // Generous, to allow for busy machines: speed limits are measured in CPU time.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    pool: 'forks',
    fileParallelism: false, // see scripts/tiers.mjs
  },
});
