// The libraries of Parquet, Arrow and zstd. Loaded on demand, by the ES modules and the CommonJS ones alike: one file for both, since
// they are large (scripts/bundle.mjs).

export { batchType, Column, field, int32, list, tableFromColumns, tableToIPC } from '@uwdata/flechette';
export { Decompress } from 'fzstd';
export { parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
export { compressors } from 'hyparquet-compressors';
export { ByteWriter, ParquetWriter } from 'hyparquet-writer';
