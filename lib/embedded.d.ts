// `#embedded/NAME`: bytes as strings, for lib/vocabularies/open/embedded-bytes.ts. scripts/embed.mjs writes them to dist/embedded.
declare const text: readonly string[];
export default text;
