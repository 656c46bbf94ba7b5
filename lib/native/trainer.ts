// The trainer backend in the addon.

import type { Trainer, TrainerFactory, TrainerSettings } from '../train/session.js';
import { failed, type Handle, native } from './addon.js';

const DOING = 'cannot train';
/** The parts of a result, in the order of the addon's numbers. */
const BYTES = 0;
const OFFSETS = 1;
const MERGES = 2;
const CHECKPOINT = 3;
/** The words of crayon_trainer_progress, and the index of the one that counts merges. */
const PROGRESS_WORDS = 10;
const MERGE_COUNT = 1;

/** Throws the loader's error if no addon loaded. */
export function nativeTrainer(): TrainerFactory {
  const { addon } = native();
  const checked = (answer: number) => {
    if (answer < 0) throw failed(DOING);
    return answer;
  };
  const training = (handle: Handle, resumed: boolean): Trainer => {
    const progress = new Uint32Array(PROGRESS_WORDS);
    const part = <T extends Uint8Array | Uint32Array>(number: number): T => {
      const found = addon.trainResult(handle, number);
      if (!found) throw failed(DOING);
      return found as T;
    };
    if (resumed) checked(addon.trainStart(handle, true));
    return {
      feed: (bytes, last) => void checked(addon.trainFeed(handle, bytes, last)),
      start: () => void checked(addon.trainStart(handle, false)),
      step: (work) => checked(addon.trainStep(handle, work, progress)) > 0,
      merges: () => progress[MERGE_COUNT] as number,
      learned: () => ({ bytes: part(BYTES), offsets: part(OFFSETS), merges: part(MERGES) }),
      save: () => part(CHECKPOINT),
      end: () => void addon.trainEnd(handle),
    };
  };
  return {
    begin: (settings, threads) => training(checked(addon.trainBegin(...plain(settings), threads)), false),
    resume: (checkpoint, threads) => training(checked(addon.trainResume(checkpoint, threads)), true),
  };
}

/** In the addon's form: numbers and bytes. */
function plain(settings: TrainerSettings) {
  const { vocabularySize, minFrequency, maxTokenLength, ties, flags, alphabet, scanner, reserved } = settings;
  const { pattern = new Uint8Array(0) } = settings;
  const numbers = Uint32Array.of(vocabularySize, minFrequency, maxTokenLength, ties, flags);
  const offsets = new Uint32Array(reserved.length + 1);
  reserved.forEach((token, i) => (offsets[i + 1] = (offsets[i] as number) + token.length));
  const bytes = new Uint8Array(offsets[reserved.length] as number);
  reserved.forEach((token, i) => bytes.set(token, offsets[i]));
  return [numbers, alphabet, new TextEncoder().encode(scanner), bytes, offsets, pattern] as const;
}
