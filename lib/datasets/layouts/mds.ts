// MosaicML's MDS (streaming/base/format/mds): shards of samples with a column input_ids, and index.json.

import { bytesOf, widthOf } from '../formats.js';
import { type NewLayout, wholeDocuments } from './layout.js';

const COLUMN = 'input_ids';
/** As MDSWriter has it by default. */
const SIZE_LIMIT = 2 ** 26;
/** A sample's offset in its file has 32 bits. */
const GROUP = 8 * 1024 * 1024;

export const mds: NewLayout = async ({ dtype }, output) => {
  const width = widthOf(dtype);
  const config = {
    column_encodings: [`ndarray:${dtype}`],
    column_names: [COLUMN],
    column_sizes: [null],
    compression: null,
    format: 'mds',
    hashes: [],
    size_limit: SIZE_LIMIT,
    version: 2,
  };
  const configText = Buffer.from(asPython(config));
  const shards: object[] = [];
  let samples: Buffer[] = [];
  let size = 0;
  const overhead = () => 4 + 4 * (samples.length + 1) + configText.length;
  const writeShard = async () => {
    const basename = `shard.${String(shards.length).padStart(5, '0')}.mds`;
    const file = await output.create(basename);
    const offsets = new Uint32Array(samples.length + 1);
    offsets[0] = overhead();
    samples.forEach((sample, index) => (offsets[index + 1] = (offsets[index] as number) + sample.length));
    await file.append(bytesOf(Uint32Array.of(samples.length)));
    await file.append(bytesOf(offsets));
    await file.append(configText);
    for (let first = 0; first < samples.length; first += 4096) await file.append(Buffer.concat(samples.slice(first, first + 4096)));
    const bytes = offsets[samples.length] as number;
    const { size_limit, version, ...first } = config;
    const raw_data = { basename, bytes, hashes: {} };
    shards.push({ ...first, raw_data, samples: samples.length, size_limit, version, zip_data: null });
    samples = [];
    size = 0;
  };
  const take = async (ids: Buffer, lengths: Uint32Array) => {
    let at = 0;
    for (const length of lengths) {
      const sample = sampleOf(ids.subarray(at, at + length * width), length);
      at += length * width;
      if (samples.length > 0 && size + sample.length + overhead() + 4 > SIZE_LIMIT) await writeShard();
      samples.push(sample);
      size += sample.length;
    }
  };
  return wholeDocuments(width, GROUP, take, async () => {
    if (samples.length > 0) await writeShard();
    const index = await output.create('index.json');
    await index.append(Buffer.from(asPython({ shards, version: 2 })));
  });
};

/** A sample: the size of its column, then an array of one dimension (NDArray in encodings.py), whose shape is as narrow as it fits. */
function sampleOf(ids: Buffer, length: number): Buffer {
  const shapeWidth = length < 2 ** 8 ? 1 : length < 2 ** 16 ? 2 : 4;
  const sample = Buffer.allocUnsafe(4 + 1 + shapeWidth + ids.length);
  sample.writeUInt32LE(sample.length - 4);
  sample.writeUInt8((1 << 2) | Math.log2(shapeWidth), 4);
  sample.writeUIntLE(length, 5, shapeWidth);
  sample.set(ids, 5 + shapeWidth);
  return sample;
}

/** JSON with the white space of Python's. No string here has brackets or line feeds. */
function asPython(value: object): string {
  return JSON.stringify(value, null, 1)
    .replace(/([{[])\n\s*/g, '$1')
    .replace(/\n\s*([}\]])/g, '$1')
    .replace(/,\n\s*/g, ', ');
}
