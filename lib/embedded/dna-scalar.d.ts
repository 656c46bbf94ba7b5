// Written by scripts/embed.mjs into dist/: bytes as strings, for lib/open/embedded-bytes.ts.
declare const text: readonly string[];
export default text;
