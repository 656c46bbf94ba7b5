// Version 2 files as CRAYON's own writers make them, in the plainest way: states are placed one by one, each at the first
// base where all its children fit.

const MAGIC = 0x59415243;

/** How the two existing writers begin: BASE of a state without children, and CHECK of the root. */
export type Convention = { unusedBase: number; rootCheck: number };
export const CONVENTIONS: Record<string, Convention> = {
  'unused base 0, root check -1': { unusedBase: 0, rootCheck: -1 },
  'unused base 1, root check 0': { unusedBase: 1, rootCheck: 0 },
};

interface State {
  children: Map<number, State>;
  id: number;
}

/** The bytes of a `.dat`; the first of equal tokens counts, and an empty one is no token. */
export function writeDat(tokens: readonly Uint8Array[], { unusedBase, rootCheck }: Convention): Uint8Array {
  const root: State = { children: new Map(), id: -1 };
  tokens.forEach((token, id) => {
    let state = root;
    for (const byte of token) {
      let next = state.children.get(byte);
      if (!next) state.children.set(byte, (next = { children: new Map(), id: -1 }));
      state = next;
    }
    if (token.length > 0 && state.id < 0) state.id = id;
  });
  const taken = new Set([0]);
  const rows = new Map<number, { base: number; check: number; value: number }>();
  rows.set(0, { base: unusedBase, check: rootCheck, value: -1 });
  const waiting: [number, State][] = [[0, root]];
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const [row, { children }] = next;
    if (children.size === 0) continue;
    let base = 1;
    while ([...children.keys()].some((byte) => taken.has(base + byte))) base++;
    rows.get(row)!.base = base;
    for (const [byte, state] of children) {
      taken.add(base + byte);
      rows.set(base + byte, { base: unusedBase, check: row, value: state.id });
      waiting.push([base + byte, state]);
    }
  }
  const count = Math.max(...taken) + 1;
  const words = new Int32Array(3 + 3 * count);
  words.set([MAGIC, 2, count]);
  for (let row = 0; row < count; row++) {
    const { base, check, value } = rows.get(row) ?? { base: unusedBase, check: -1, value: -1 };
    words[3 + row] = base;
    words[3 + count + row] = check;
    words[3 + 2 * count + row] = value;
  }
  return new Uint8Array(words.buffer);
}
