// A device of hardware beside the emulated one. Where CRAYON_TEST_GPU_PLUGIN names a plugin, every batch of the tests of kernels
// also runs on its first device, whose result must be the same: `CRAYON_TEST_GPU_PLUGIN=…/crayon_gpu_cuda.so crayon_gpu_tests`.
#pragma once

#include <map>

#include "batches.h"

namespace crayon::gpu::test {

class Hardware {
public:
    // Null if no plugin is named. One that is named and cannot be used ends the tests.
    static Hardware* here();

    // Beside what the emulated device has of the same vocabulary.
    void upload(const DeviceModel& emulated, const crayon_gpu_tables& tables);
    // Fails the test if the device has another outcome than the emulated one.
    void expect_same(const DeviceModel& emulated, const crayon_gpu_batch& batch, const Outcome& expected);

private:
    explicit Hardware(const char* plugin);
    Outcome run(crayon_gpu_model* model, const crayon_gpu_batch& batch) const;
    crayon_gpu_status wait(crayon_gpu_job* job) const;

    const crayon_gpu_api* api_ = nullptr;
    crayon_gpu_context* context_ = nullptr;
    crayon_gpu_stream* stream_ = nullptr;
    std::map<const void*, crayon_gpu_model*> models_;  // by an address of the emulated one
    std::map<const void*, bool> is_refused_;           // likewise
};

}  // namespace crayon::gpu::test
