import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('.', import.meta.url));

export default {
  // The addon and the vocabularies are files.
  serverExternalPackages: ['crayon-tokenizer'],
  // A server with exactly the files it needs. Turbopack finds only scripts.
  output: 'standalone',
  outputFileTracingRoot: root,
  outputFileTracingIncludes: { '/node': ['./node_modules/crayon-tokenizer/{cartridges,prebuilds,dist/wasm}/**/*'] },
  turbopack: { root },
};
