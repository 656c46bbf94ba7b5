// Texts that a normalizer program knows (cartridges/FORMAT.md, section 14): user-defined symbols, and tokens of a Metaspace.

/** Undefined for none. */
export function symbolTable(texts: readonly string[]): Uint8Array | undefined {
  if (texts.length === 0) return undefined;
  const encoder = new TextEncoder();
  const symbols = [...new Set(texts)].map((text) => encoder.encode(text)).sort(compareBytes);
  const head = 4 * (1 + symbols.length);
  const table = new Uint8Array(head + symbols.reduce((sum, { length }) => sum + length, 0));
  const view = new DataView(table.buffer);
  view.setUint32(0, symbols.length, true);
  let end = 0;
  symbols.forEach((symbol, index) => {
    table.set(symbol, head + end);
    end += symbol.length;
    view.setUint32(4 * (1 + index), end, true);
  });
  return table;
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const least = Math.min(a.length, b.length);
  for (let i = 0; i < least; i++) if (a[i] !== b[i]) return (a[i] as number) - (b[i] as number);
  return a.length - b.length;
}
