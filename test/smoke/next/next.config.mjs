import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('.', import.meta.url));

export default {
  // The addon and the vocabularies are files.
  serverExternalPackages: ['crayon-tokenizer'],
  // A server with the files that it needs and no others.
  output: 'standalone',
  outputFileTracingRoot: root,
  turbopack: { root },
};
