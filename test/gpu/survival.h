// What jobs of every model survive: a device that fails at any point, and one with little memory.
#pragma once

#include <functional>

#include "batches.h"
#include "plugin/batch_sizes.h"

namespace crayon::gpu::test {

using Upload = std::function<DeviceModel(EmulatedDevice&)>;
// Of a job that has succeeded.
using ExpectRows = std::function<void(const Outcome&)>;

// Documents are encoded, or the job fails and says why, whichever allocation, copy or launch fails. It takes more than
// `least` of each.
inline void expect_survives_faults(const Upload& upload, const Documents& documents, u32 least, const ExpectRows& expect_rows) {
    for (u32 Faults::*fault : {&Faults::allocation, &Faults::copy, &Faults::launch, &Faults::lost}) {
        for (u32 number = 1;; ++number) {
            EmulatedState model_state, state;
            EmulatedDevice device(model_state);
            const DeviceModel model = upload(device);
            state.faults.*fault = number;
            const Outcome outcome = run(state, model, documents.batch(CRAYON_GPU_IDS, 4), 64);
            EXPECT_EQ(state.used.load(), 0u);
            if (outcome.status == CRAYON_GPU_OK) {
                EXPECT_GT(number, least);
                expect_rows(outcome);
                break;
            }
            EXPECT_EQ(state.lost == CRAYON_GPU_OK, fault == &Faults::allocation);
            ASSERT_LT(number, 200u);
        }
    }
}

// Any memory is enough, or it is said that it is not.
inline void expect_survives_little_memory(const Upload& upload, const Documents& documents, const ExpectRows& expect_rows) {
    const crayon_gpu_batch batch = documents.batch(CRAYON_GPU_IDS, 8);
    EmulatedState model_state;
    EmulatedDevice device(model_state);
    const DeviceModel model = upload(device);
    const u64 enough = most_memory(model, batch);
    u64 failed = 0;
    for (u64 memory = 1000; memory < 2 * enough; memory = memory * 5 / 4) {
        EmulatedState state;
        state.memory = memory;
        const Outcome outcome = run(state, model, batch, 64);
        if (outcome.status == CRAYON_GPU_OK) {
            expect_rows(outcome);
        } else {
            EXPECT_EQ(outcome.status, CRAYON_GPU_OUT_OF_DEVICE_MEMORY);
            EXPECT_LT(memory, enough);
            ++failed;
        }
    }
    EXPECT_GT(failed, 0u);
}

}  // namespace crayon::gpu::test
