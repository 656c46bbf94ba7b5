// Tests of device batches run on the emulated device, or on another one if CRAYON_TEST_GPU_PLUGIN names its plugin. Tests
// that need faults, or memory of a few KiB, are skipped there.
import { describe, it } from 'vitest';

export const HARDWARE = process.env.CRAYON_TEST_GPU_PLUGIN || undefined;

export const itEmulated = it.skipIf(HARDWARE);
export const describeEmulated = describe.skipIf(HARDWARE);
