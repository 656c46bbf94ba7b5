// Tests of batches on a device run on the emulated one; where CRAYON_TEST_GPU_PLUGIN names the plugin of another, on that. Whatever
// needs faults, or memory of a few KiB, is skipped there.
import { describe, it } from 'vitest';

export const HARDWARE = process.env.CRAYON_TEST_GPU_PLUGIN || undefined;

export const itEmulated = it.skipIf(HARDWARE);
export const describeEmulated = describe.skipIf(HARDWARE);
