// Batches for the kernels, on the emulated device, and what comes out.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "emulated/device.h"
#include "generate_text.h"
#include "plugin/model.h"
#include "share.h"

namespace crayon::gpu::test {

using crayon::test::Random;

// Each test runs with both kinds of warps and in several orders.
struct Order {
    u32 warp_size;
    u64 seed;
};
inline Order order_of(u64 number) { return {number % 2 ? 64u : 32u, number / 2}; }

struct Documents {
    std::string bytes;
    std::vector<u64> offsets = {0};

    Documents() = default;
    explicit Documents(const std::vector<std::string>& each) {
        for (const std::string& one : each) add(one);
    }
    void add(const std::string& one) {
        bytes += one;
        offsets.push_back(bytes.size());
    }
    u64 count() const { return offsets.size() - 1; }
    std::string operator[](u64 i) const { return bytes.substr(offsets[i], offsets[i + 1] - offsets[i]); }

    crayon_gpu_batch batch(u32 output, u32 id_width) const {
        crayon_gpu_batch batch{};
        batch.size = sizeof batch;
        batch.output = output;
        batch.bytes = reinterpret_cast<const std::uint8_t*>(bytes.data());
        batch.offsets = offsets.data();
        batch.document_count = count();
        batch.id_width = id_width;
        return batch;
    }
};

using Rows = std::vector<std::vector<u64>>;  // ids of each document

struct Outcome {
    crayon_gpu_status status = CRAYON_GPU_OK;
    crayon_gpu_result result{};
    Rows rows;
    std::vector<u64> ids;  // of a matrix, all of them
    std::vector<u8> mask;
    std::string text;  // decoded
};

inline void expect_rows(const Outcome& outcome, const Rows& rows) {
    ASSERT_EQ(outcome.status, CRAYON_GPU_OK);
    ASSERT_EQ(outcome.result.failure, CRAYON_GPU_NO_FAILURE);
    ASSERT_EQ(outcome.rows.size(), rows.size());
    for (u64 i = 0; i < rows.size(); ++i) ASSERT_EQ(outcome.rows[i], rows[i]) << "row " << i;
}

// Where to write what a result has counted; `write` fills it, and what comes out is arranged in the outcome.
void fetch(const crayon_gpu_batch& batch, Outcome& outcome,
           const std::function<crayon_gpu_status(const crayon_gpu_destination&)>& write);

// The tables on the emulated device, and on that of hardware where there is one: hardware.h. What `run` then gives is the
// same on both.
DeviceModel upload(EmulatedDevice& device, const crayon_gpu_tables& tables);

// In batches.cpp, which is compiled once: it has every kernel.
Outcome run(EmulatedState& state, const DeviceModel& model, const crayon_gpu_batch& batch, u32 chunk_size = 0);

// A state with a recorder, and what it must not have found.
class Watched {
public:
    explicit Watched(Order order = {32, 1}) { state.machine = {order.warp_size, order.seed, &recorder}; }
    ~Watched() {
        EXPECT_EQ(recorder.race_count(), 0u);
        for (const std::string& race : recorder.races()) ADD_FAILURE() << "a race: " << race;
    }
    Recorder recorder;
    EmulatedState state;
};

}  // namespace crayon::gpu::test
