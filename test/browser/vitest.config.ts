import { playwright } from '@vitest/browser-playwright';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { CHROMIUM_ARGUMENTS, chromiumPath } from '../../scripts/chromium.mjs';
import { corpora } from '../corpora.mjs';

const fileOf = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/** Tests of the API that need nothing from Node except its stand-ins here. */
const API_TESTS = [
  'api',
  'batch',
  'conversation',
  'encode-pipeline',
  'exactness-special',
  'exactness-windows',
  'fitting',
  'messages',
  'offsets',
  'special',
  'streams',
];

const texts = corpora() ?? [];

// The API tests again, on the browser build, in Chromium; and the ids of whole texts there.
export default defineConfig({
  root: fileOf('../..'),
  resolve: {
    alias: [
      { find: /^crayon-tokenizer$/, replacement: fileOf('../../dist/web/index.js') },
      { find: /^crayon-tokenizer\/dna$/, replacement: fileOf('../../dist/web/dna.js') },
      { find: /^tiktoken$/, replacement: fileOf('tiktoken.ts') },
      { find: /^node:vm$/, replacement: fileOf('vm.ts') },
    ],
  },
  define: {
    'process.env.CRAYON_FUZZ_SEED': JSON.stringify(process.env.CRAYON_FUZZ_SEED ?? '1'),
    'process.env.CRAYON_TEST_SHARE': JSON.stringify(process.env.CRAYON_TEST_SHARE ?? '1'),
  },
  // Prebundled, they would lose the modules beside them, and Vite would rebundle in the middle of a run.
  optimizeDeps: {
    exclude: ['tiktoken'],
    include: ['buffer', 'gpt-tokenizer/encodingParams/o200k_harmony'],
  },
  // Nothing changes while tests run; links in build/ lead a watcher through the whole machine.
  server: { watch: null, fs: { allow: [fileOf('../..'), ...new Set(texts.map(({ path, name }) => path.slice(0, -name.length)))] } },
  test: {
    name: 'chromium',
    include: [...API_TESTS.map((name) => `test/lib/${name}.test.ts`), 'test/browser/*.test.ts'],
    setupFiles: [fileOf('globals.ts')],
    // Generous, to allow for busy machines: speed limits are measured in CPU time.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    provide: {
      backend: 'wasm',
      corpora: texts.map(({ name, path, bytes }) => ({ name, path, bytes })),
    },
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      // On few cores, pages running side by side would only wait for each other, with a reference of 100 MB each.
      fileParallelism: false,
      provider: playwright({
        launchOptions: {
          executablePath: chromiumPath(),
          // Shared memory requires isolated pages; tests pass it as one kind of bytes.
          args: [...CHROMIUM_ARGUMENTS, '--enable-features=SharedArrayBuffer'],
        },
      }),
      instances: [{ browser: 'chromium' }],
    },
  },
});
