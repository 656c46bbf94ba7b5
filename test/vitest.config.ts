import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// The tests see the package as its users do: by name, built.
const project = fileURLToPath(new URL('..', import.meta.url));

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  resolve: {
    alias: [
      { find: /^crayon-tokenizer$/, replacement: `${project}dist/index.js` },
      { find: /^crayon-tokenizer\/(.+)$/, replacement: `${project}dist/$1.js` },
    ],
  },
  test: {
    include: ['**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Worker threads of the tests load the addon themselves; processes keep one test file's addon out of another's.
    pool: 'forks',
  },
});
