import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// The playground of the documentation: built, served, and used like a visitor would.
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  resolve: {
    alias: [
      { find: /^crayon-tokenizer$/, replacement: fileURLToPath(new URL('../../dist/node/index.js', import.meta.url)) },
      { find: /^crayon-tokenizer\/dna$/, replacement: fileURLToPath(new URL('../../dist/node/dna.js', import.meta.url)) },
    ],
  },
  test: {
    include: ['*.test.ts'],
    // Generous, to allow for busy machines.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    pool: 'forks',
    fileParallelism: false,
  },
});
