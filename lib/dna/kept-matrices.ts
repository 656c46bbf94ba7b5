// Matrices that stay on a device: their columns, and their data besides ids. Not in pages, which have no devices.

import { untilAborted } from '../base/abort.js';
import type { DeviceBatch } from '../engine/device-batch.js';
import { notKept } from '../engine/devices.js';
import { textAt, type TextRows } from '../engine/text-rows.js';
import type { UnsharedUint32Array } from '../base/typed-arrays.js';
import type { DnaEngine, KeptJob } from './engine.js';
import { failureInSequence, type SequenceAt } from './failures.js';
import { type AnyDeviceMatrix, flagsOf, type Keeper, longestRow, ownRows, sumOf } from './matrix-maker.js';
import type { BatchShape } from './options.js';
import { rowsOf } from './sequences.js';

export function keptMatrices(engine: DnaEngine, shape: BatchShape, name: string): Keeper {
  const jobOf = (rows: TextRows): [KeptJob, UnsharedUint32Array] => {
    const { type, mask, device } = shape;
    const unknown = new Uint32Array(rows.offsets.length - 1);
    const columns = shape.length ?? longestRow(engine, rows, shape.around);
    const maskType = mask === 'none' ? undefined : mask === 'ids' ? type : mask;
    const job = engine.keptJob?.({ rows, columns, flags: flagsOf(shape, engine), type, mask: maskType, unknown, device });
    if (!job) throw notKept(`devices have no kernels for ${name}`);
    return [job, unknown];
  };
  const explained = (error: unknown, textOf: SequenceAt) => failureInSequence(error, textOf, { ...shape, engine, name });
  return {
    keep(texts) {
      const rows = shape.reverseComplement ? ownRows(texts, engine, shape)[0] : rowsOf(texts, engine);
      try {
        const [job, unknown] = jobOf(rows);
        try {
          return matrixOf(job.run(), unknown);
        } finally {
          job.release();
        }
      } catch (error) {
        throw explained(error, (row) => textAt(texts, row));
      }
    },
    async keepLater(texts, signal) {
      const [rows, textOf] = ownRows(texts, engine, shape);
      try {
        const [job, unknown] = jobOf(rows);
        try {
          return matrixOf(await untilAborted(signal, job.done(), () => job.release()), unknown);
        } finally {
          job.release();
        }
      } catch (error) {
        throw explained(error, textOf);
      }
    },
    begin(rows) {
      const [job, unknown] = jobOf(rows);
      job.start();
      return { finish: () => job.done().then((batch) => matrixOf(batch, unknown)), release: () => job.release() };
    },
  };
}

function matrixOf(batch: DeviceBatch, unknownPerRow: UnsharedUint32Array): AnyDeviceMatrix {
  return Object.assign(batch, { unknown: sumOf(unknownPerRow), unknownPerRow }) as AnyDeviceMatrix;
}
