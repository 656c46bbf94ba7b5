import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { modelExports } from '../scripts/model-entries.mjs';
import { ONLY_LONG } from './selections.mjs';
import { SHARE } from './share.js';

// The tests use the built package by name, like its users.
const project = fileURLToPath(new URL('..', import.meta.url));

// The same tests with WebAssembly's entries in place of the package's: CRAYON_TEST_ENTRY=wasm.
const entry = process.env.CRAYON_TEST_ENTRY ?? 'index';
const ENTRIES: Record<string, string> = entry === 'wasm' ? { index: 'wasm', dna: 'wasm/dna' } : {};

declare module 'vitest' {
  interface ProvidedContext {
    /** The default backend of tokenizers. */
    backend: 'native' | 'wasm';
  }
}

/** The module paths that the package exports, and their files for an `import` in Node. */
function exportedModules() {
  const { name, exports } = JSON.parse(readFileSync(`${project}package.json`, 'utf8'));
  const own = Object.entries(ENTRIES).map(([from, to]) => ({
    find: new RegExp(from === 'index' ? `^${name}$` : `^${name}/${from}$`),
    replacement: `${project}dist/node/${to}.js`,
  }));
  const all = Object.entries<{ default?: string } | null>({ ...modelExports(), ...exports })
    .map(([path, conditions]) => ({ path, target: conditions?.default }))
    .filter(({ target }) => target !== undefined)
    // As Node does: the longest pattern that fits.
    .sort((one, other) => other.path.length - one.path.length)
    .map(({ path, target }) => ({
      find: new RegExp(`^${name}${path.slice(1).replace('*', '(.+)')}$`),
      replacement: `${project}${target!.slice(2).replace('*', '$1')}`,
    }));
  return [...own, ...all];
}

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  resolve: {
    alias: exportedModules(),
  },
  test: {
    include: ['**/*.test.ts'],
    setupFiles: ['equality.ts'],
    provide: { backend: entry === 'wasm' ? 'wasm' : 'native' },
    // The first four have their own configurations.
    exclude: ['browser/**', 'hosts/**', 'playground/**', 'site/**', ...(SHARE === 1 ? [] : ONLY_LONG)],
    // Generous, to allow for busy machines: speed limits are measured in CPU time.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // The tests' worker threads load the addon themselves; separate processes keep one test file's addon out of another's.
    pool: 'forks',
    // Node imports what is built, as in a user's program: Vite would rewrite it once, and every access to an import be slower. Vitest
    // adds the members of a default export to what it does not rewrite; those of gpt-tokenizer differ from its exports.
    server: { deps: { external: [/\/dist\/node\/(?!gpt-tokenizer\/)/] } },
  },
});
