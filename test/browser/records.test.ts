// readFasta and readFastq in browsers: from fetch, Blobs and streams, and from gzip with several members, which
// DecompressionStream does not support.

import { describe, expect, it } from 'vitest';
import { TokenizerError } from 'crayon-tokenizer';
import { readFasta, readFastq, type RecordSource } from 'crayon-tokenizer/dna';

const FILE = `>a first\n${'ACGTN'.repeat(30_000)}\nacgt\n>b\nGG\n`;
const EXPECTED = [
  { name: 'a', description: 'first', sequence: `${'ACGTN'.repeat(30_000)}acgt`, index: 0, byteOffset: 0 },
  { name: 'b', description: '', sequence: 'GG', index: 1, byteOffset: 150_015 },
];

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

async function gzip(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

describe('records', () => {
  it('come from blobs, streams, responses and URLs', async () => {
    const blob = new Blob([FILE]);
    const url = URL.createObjectURL(blob);
    const sources: RecordSource[] = [
      blob,
      blob.stream(),
      new Response(FILE),
      fetch(url),
      url,
      new URL(url),
      [FILE],
      new TextEncoder().encode(FILE),
    ];
    for (const source of sources) expect(await all(readFasta(source, { text: true }))).toEqual(EXPECTED);
  });

  it('come from gzip, with several members too', async () => {
    const parts = [FILE.slice(0, 100), '', FILE.slice(100, 70_000), FILE.slice(70_000)];
    const members = await Promise.all(parts.map(gzip));
    expect(await all(readFasta(new Blob(members), { text: true }))).toEqual(EXPECTED);
    expect(await all(readFasta(await gzip(FILE), { text: true }))).toEqual(EXPECTED);
    for (const damage of [(bytes: Uint8Array) => bytes.subarray(0, -3), (bytes: Uint8Array) => bytes.with(60, bytes[60]! ^ 1)]) {
      await expect(all(readFasta(damage(await gzip(FILE))))).rejects.toThrow(TokenizerError);
    }
  });

  it('of FASTQ, and windows', async () => {
    const [read] = await all(readFastq(['@r x\nACGT\n+\nII#I\n']));
    expect(read).toMatchObject({ name: 'r', description: 'x', quality: new TextEncoder().encode('II#I') });
    const windows = await all(readFasta([FILE], { window: 100_000, partial: 'drop' }));
    expect(windows.map(({ name, start, sequence }) => [name, start, sequence.length])).toEqual([['a', 0, 100_000]]);
    await expect(all(readFastq(['@a\nAC\n+\nI\n']))).rejects.toMatchObject({ code: 'INVALID_RECORD', position: 9 });
  });
});
