// The layouts of all formats.

import type { DatasetFormat } from '../formats.js';
import { arrow } from './arrow.js';
import type { NewLayout } from './layout.js';
import { mds } from './mds.js';
import { megatron } from './megatron.js';
import { parquet } from './parquet.js';
import { datatrove, llmc, nanogpt, npy } from './raw.js';

export const LAYOUTS: Readonly<Record<DatasetFormat, NewLayout>> = { megatron, nanogpt, llmc, datatrove, mds, npy, arrow, parquet };
