// Written by scripts/embed.mjs into dist/: bytes as a string, for lib/embedded-bytes.ts.
declare const text: string;
export default text;
