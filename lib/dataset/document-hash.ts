// 64 bits of hash of a document's ids, to count duplicates: equal ids have equal hashes, and of ten billion others a few by
// chance. Two lanes of MurmurHash3 (Appleby, 2008), x86_32, with different seeds and without the length at the end.

const [C1, C2] = [0xcc9e2d51 | 0, 0x1b873593];
const [D1, D2] = [0x239b961b, 0xab0e9789 | 0];

/** Writes the hash of ids[from, to) to two elements of `hashes`. */
export function documentHash(ids: Uint16Array | Uint32Array, from: number, to: number, hashes: Uint32Array, at: number): void {
  let a = 0x9747b28c | 0;
  let b = 0x38b34ae5;
  for (let index = from; index < to; index++) {
    const id = ids[index] as number;
    const x = Math.imul(id, C1);
    a ^= Math.imul((x << 15) | (x >>> 17), C2);
    a = (Math.imul((a << 13) | (a >>> 19), 5) + 0xe6546b64) | 0;
    const y = Math.imul(id, D1);
    b ^= Math.imul((y << 16) | (y >>> 16), D2);
    b = (Math.imul((b << 17) | (b >>> 15), 5) + 0x561ccd1b) | 0;
  }
  a ^= to - from;
  b ^= to - from;
  hashes[at] = mixed((a + b) | 0);
  hashes[at + 1] = mixed(b);
}

function mixed(value: number): number {
  let h = value ^ (value >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
