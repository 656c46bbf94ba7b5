// Bytes as bgzip writes them: members of at most 64 KiB, each with its length in the extra field BC, then an empty member
// (SAM specification, section 4.1).

import zlib from 'node:zlib';

const BLOCK = 0xff00;

export function bgzip(bytes: Uint8Array, level = 6): Buffer {
  const blocks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += BLOCK) blocks.push(member(bytes.subarray(at, at + BLOCK), level));
  blocks.push(Buffer.from('1f8b08040000000000ff0600424302001b0003000000000000000000', 'hex'));
  return Buffer.concat(blocks);
}

function member(bytes: Uint8Array, level: number): Buffer {
  const data = zlib.deflateRawSync(bytes, { level });
  const header = Buffer.from('1f8b08040000000000ff06004243020000ff', 'hex');
  header.writeUInt16LE(header.length + data.length + 8 - 1, 16);
  const trailer = Buffer.alloc(8);
  // gzip itself computes the checksum and writes it after the data.
  zlib.gzipSync(bytes, { level: 1 }).subarray(-8).copy(trailer);
  return Buffer.concat([header, data, trailer]);
}
