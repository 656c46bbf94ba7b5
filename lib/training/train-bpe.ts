// trainBpe, the same on every host. This folder names no engine and no entry: entries pass the trainer.

import { atCaller } from '../base/errors.js';
import type { CheckedOptions, TrainOptions } from './train-options.js';
import type { TrainSource } from './training-texts.js';
import type { TrainedVocabulary } from './trained.js';

/** Trains on a host, with checked options. */
export type TrainOnHost = (source: TrainSource, options: CheckedOptions) => Promise<TrainedVocabulary>;

/** Public: see `trainBpe` of the entries. */
export type TrainBpe = (source: TrainSource, options: TrainOptions) => Promise<TrainedVocabulary>;

export function trainBpeOn(train: TrainOnHost): TrainBpe {
  return function trainBpe(source, options) {
    const work = async () => {
      // Most programs train nothing, so the first call loads the code.
      const { trainOptions, withScanner } = await import('./train-options.js');
      const checked = await withScanner(trainOptions(options));
      checked.signal?.throwIfAborted();
      return train(source, checked);
    };
    return atCaller(trainBpe, work, options);
  };
}
