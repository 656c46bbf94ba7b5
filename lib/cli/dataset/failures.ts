// Exit codes of `crayon dataset`, by which schedulers decide whether to try again.

import { DatasetError } from '../../dataset/index.js';
import { TokenizerError } from '../../base/errors.js';
import { EXIT_FAILED, EXIT_USAGE } from '../exit-codes.js';
import { UsageError } from '../usage-error.js';
import { OutputError, tellFailure } from '../output/standard-streams.js';

/** Failed, and worth another try. */
const EXIT_RETRY = 3;

/** Runs a command; reports its failure, and returns the exit code. */
export async function exitCodeOf(work: () => Promise<void>): Promise<number> {
  try {
    await work();
    return 0;
  } catch (error) {
    const isUsage =
      error instanceof UsageError || ((error instanceof TypeError || error instanceof RangeError) && error.message.startsWith('expected '));
    const isFull = error instanceof OutputError && error.code !== 'EPIPE';
    if (!(isUsage || isFull || error instanceof DatasetError || error instanceof TokenizerError)) throw error;
    tellFailure(error.message);
    if (isUsage) return EXIT_USAGE;
    return isFull || (error instanceof DatasetError && error.worthAnotherTry) ? EXIT_RETRY : EXIT_FAILED;
  }
}
