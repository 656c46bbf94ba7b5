#include "batches.h"

#include <cstring>

#include "hardware.h"
#include "plugin/pipeline.h"

namespace crayon::gpu::test {

namespace {

u64 number_at(const std::string& bytes, u64 i, u32 width) {
    u64 value = 0;
    std::memcpy(&value, bytes.data() + i * width, width);
    return value;
}

}  // namespace

void fetch(const crayon_gpu_batch& batch, Outcome& outcome,
           const std::function<crayon_gpu_status(const crayon_gpu_destination&)>& write) {
    const bool is_matrix = batch.output == CRAYON_GPU_MATRIX, is_text = batch.output == CRAYON_GPU_BYTES;
    const u64 count = is_matrix ? outcome.result.rows * outcome.result.columns : outcome.result.count;
    const u32 width = is_text ? 1 : batch.id_width;
    std::string ids(count * width, '\xA5');
    std::vector<u64> offsets(batch.document_count + 1, kNowhere);
    outcome.mask.assign(is_matrix ? count : 0, 7);
    outcome.status = write({sizeof(crayon_gpu_destination), 0, ids.data(), offsets.data(), outcome.mask.data()});
    if (outcome.status != CRAYON_GPU_OK) return;
    EXPECT_EQ(offsets.front(), 0u);
    EXPECT_EQ(offsets.back(), outcome.result.count);
    if (is_text) outcome.text = ids;
    if (is_matrix) {
        for (u64 i = 0; i < count; ++i) outcome.ids.push_back(number_at(ids, i, width));
        return;
    }
    for (u64 row = 0; row < batch.document_count; ++row) {
        outcome.rows.emplace_back();
        for (u64 i = offsets[row]; i < offsets[row + 1]; ++i) {
            outcome.rows.back().push_back(batch.output == CRAYON_GPU_IDS ? number_at(ids, i, width) : 0);
        }
    }
}

DeviceModel upload(EmulatedDevice& device, const crayon_gpu_tables& tables) {
    const DeviceModel model = gpu::upload(device, tables);
    if (Hardware* const hardware = Hardware::here(); hardware && device.status() == CRAYON_GPU_OK) {
        hardware->upload(model, tables);
    }
    return model;
}

Outcome run(EmulatedState& state, const DeviceModel& model, const crayon_gpu_batch& batch, u32 chunk_size) {
    EmulatedDevice device(state);
    Pipeline<EmulatedDevice> pipeline(device, model);
    pipeline.set_chunk_size(chunk_size);
    Outcome outcome;
    outcome.status = pipeline.count(batch, &outcome.result);
    if (outcome.status == CRAYON_GPU_OK && !outcome.result.failure) {
        fetch(batch, outcome, [&](const crayon_gpu_destination& to) { return pipeline.fetch(to, &outcome.result); });
    }
    const bool is_faulty = outcome.status != CRAYON_GPU_OK && outcome.status != CRAYON_GPU_INVALID_ARGUMENT;
    if (Hardware* const hardware = Hardware::here(); hardware && !is_faulty) hardware->expect_same(model, batch, outcome);
    return outcome;
}

}  // namespace crayon::gpu::test
