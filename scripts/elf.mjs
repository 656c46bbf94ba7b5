/**
 * What a file of ELF, with 64 bits and little-endian, says that it needs.
 */
import fs from 'node:fs';

const PROGRAM_DYNAMIC = 2;
const PROGRAM_LOAD = 1;
const NEEDED = 1n;
const STRINGS = 5n;
const ENTRY_BYTES = 16;

/**
 * Takes libraries out of those that a file needs. The loader itself is one of them where a function of it is called: glibc has
 * it in every process, by this name or not, and musl, whose loader has another name, finds none of this one.
 * @param {string} file @param {RegExp} name of libraries
 * @returns {string[]} those that it does not need any more
 */
export function forgetLibrary(file, name) {
  const bytes = fs.readFileSync(file);
  const segments = segmentsOf(bytes);
  const dynamic = segments.find(({ type }) => type === PROGRAM_DYNAMIC);
  if (dynamic === undefined) throw new Error(`${file} is not linked dynamically`);
  const entries = [];
  for (let at = dynamic.offset; at < dynamic.offset + dynamic.size; at += ENTRY_BYTES)
    entries.push({ tag: bytes.readBigInt64LE(at), value: bytes.readBigUInt64LE(at + 8) });
  const strings = offsetOf(segments, Number(entries.find(({ tag }) => tag === STRINGS)?.value));
  const nameAt = (offset) => bytes.toString('latin1', strings + offset, bytes.indexOf(0, strings + offset));
  const forgotten = entries.filter(({ tag, value }) => tag === NEEDED && name.test(nameAt(Number(value))));
  if (forgotten.length === 0) return [];

  // The others move up; entries of zeros end the table.
  const kept = entries.filter((entry) => !forgotten.includes(entry));
  bytes.fill(0, dynamic.offset, dynamic.offset + dynamic.size);
  kept.forEach(({ tag, value }, index) => {
    bytes.writeBigInt64LE(tag, dynamic.offset + index * ENTRY_BYTES);
    bytes.writeBigUInt64LE(value, dynamic.offset + index * ENTRY_BYTES + 8);
  });
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
