import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// The documentation site, built below build/test/site under another base than the root: scripts/tiers.mjs builds it first.
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  test: { include: ['*.test.ts'], testTimeout: 1_500_000, hookTimeout: 60_000, pool: 'forks' },
});
