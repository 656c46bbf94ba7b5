/**
 * What a file of ELF, with 64 bits and little-endian, says that it needs.
 */
import fs from 'node:fs';

const PROGRAM_DYNAMIC = 2;
const PROGRAM_LOAD = 1;
const NEEDED = 1n;
const STRINGS = 5n;
const VERSIONS = 0x6ffffffen;
const VERSION_COUNT = 0x6fffffffn;
const ENTRY_BYTES = 16;

/** By itself, or from glibc 2.34 on: what others have moved to. */
const LIBC = 'libc.so.6';
const PARTS_OF_LIBC = /^lib(?:c|dl|pthread)\.so\.\d$|^ld-linux-/;

/**
 * Takes the libraries of glibc out of those that a file needs, so that it is for musl as well. Every process that loads an addon
 * has them: Node, Bun, Deno and Electron are linked with them, and with musl it is all one. musl knows that `libc.so.6` means
 * itself, but not the loader of glibc; and Bun on musl refuses files that name any of them, whether they would load or not.
 *
 * Versions of functions stay, as glibc has several of some. It asserts that the library which a version is of has been loaded,
 * and `libpthread` and `libdl` need not be since 2.34: all are said to be of `libc.so.6`, which has every version that they have.
 * (The library where a function is found is not compared.)
 * @param {string} file
 * @returns {string[]} what it does not need any more
 */
export function forgetLibc(file) {
  const bytes = fs.readFileSync(file);
  const segments = segmentsOf(bytes);
  const dynamic = segments.find(({ type }) => type === PROGRAM_DYNAMIC);
  if (dynamic === undefined) throw new Error(`${file} is not linked dynamically`);
  const entries = [];
  for (let at = dynamic.offset; at < dynamic.offset + dynamic.size; at += ENTRY_BYTES)
    entries.push({ tag: bytes.readBigInt64LE(at), value: bytes.readBigUInt64LE(at + 8) });
  const valueOf = (wanted) => Number(entries.find(({ tag }) => tag === wanted)?.value ?? 0);
  const strings = offsetOf(segments, valueOf(STRINGS));
  const nameAt = (offset) => bytes.toString('latin1', strings + offset, bytes.indexOf(0, strings + offset));
  const forgotten = entries.filter(({ tag, value }) => tag === NEEDED && PARTS_OF_LIBC.test(nameAt(Number(value))));
  if (forgotten.length === 0) return [];

  // The others move up; entries of zeros end the table.
  const kept = entries.filter((entry) => !forgotten.includes(entry));
  bytes.fill(0, dynamic.offset, dynamic.offset + dynamic.size);
  kept.forEach(({ tag, value }, index) => {
    bytes.writeBigInt64LE(tag, dynamic.offset + index * ENTRY_BYTES);
    bytes.writeBigUInt64LE(value, dynamic.offset + index * ENTRY_BYTES + 8);
  });

  const libc = forgotten.find(({ value }) => nameAt(Number(value)) === LIBC);
  if (libc === undefined) throw new Error(`${file} needs no ${LIBC}`);
  let at = offsetOf(segments, valueOf(VERSIONS));
  for (let left = valueOf(VERSION_COUNT); left > 0; left--) {
    // 16 bits each: version, count; 32 bits each: name of the library, first version of it, next library.
    if (/^lib(?:dl|pthread)\./.test(nameAt(bytes.readUInt32LE(at + 4)))) bytes.writeUInt32LE(Number(libc.value), at + 4);
    at += bytes.readUInt32LE(at + 12);
  }
  fs.writeFileSync(file, bytes);
  return forgotten.map(({ value }) => nameAt(Number(value)));
}

/** The program headers. @param {Buffer} bytes */
function segmentsOf(bytes) {
  if (bytes.toString('latin1', 0, 6) !== '\x7fELF\x02\x01') throw new Error('not a file of ELF with 64 bits, little-endian');
  const [table, size, count] = [Number(bytes.readBigUInt64LE(0x20)), bytes.readUInt16LE(0x36), bytes.readUInt16LE(0x38)];
  return Array.from({ length: count }, (_, index) => {
    const at = table + index * size;
    const [offset, address, , length] = [0, 1, 2, 3].map((field) => Number(bytes.readBigUInt64LE(at + 8 + field * 8)));
    return { type: bytes.readUInt32LE(at), offset, address, size: length };
  });
}

/** Where in the file an address is. */
function offsetOf(segments, address) {
  const segment = segments.find((each) => each.type === PROGRAM_LOAD && address >= each.address && address < each.address + each.size);
  if (segment === undefined) throw new Error('an address that is not in the file');
  return address - segment.address + segment.offset;
}
