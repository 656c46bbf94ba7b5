#include "batches.h"

#include <cstring>

#include "plugin/pipeline.h"

namespace crayon::gpu::test {

namespace {

u64 number_at(const std::string& bytes, u64 i, u32 width) {
    u64 value = 0;
    std::memcpy(&value, bytes.data() + i * width, width);
    return value;
}

}  // namespace

Outcome run(EmulatedState& state, const DeviceModel& model, const crayon_gpu_batch& batch, u32 chunk_size) {
    EmulatedDevice device(state);
    Pipeline<EmulatedDevice> pipeline(device, model);
    pipeline.set_chunk_size(chunk_size);
    Outcome outcome;
    outcome.status = pipeline.count(batch, &outcome.result);
    if (outcome.status != CRAYON_GPU_OK || outcome.result.failure) return outcome;
    const bool is_matrix = batch.output == CRAYON_GPU_MATRIX, is_text = batch.output == CRAYON_GPU_BYTES;
    const u64 count = is_matrix ? outcome.result.rows * outcome.result.columns : outcome.result.count;
    const u32 width = is_text ? 1 : batch.id_width;
    std::string ids(count * width, '\xA5');
    std::vector<u64> offsets(batch.document_count + 1, kNowhere);
    outcome.mask.assign(is_matrix ? count : 0, 7);
    const crayon_gpu_destination to = {sizeof to, 0, ids.data(), offsets.data(), outcome.mask.data()};
    outcome.status = pipeline.fetch(to, &outcome.result);
    if (outcome.status != CRAYON_GPU_OK) return outcome;
    EXPECT_EQ(offsets.front(), 0u);
    EXPECT_EQ(offsets.back(), outcome.result.count);
    if (is_text) outcome.text = ids;
    if (is_matrix) {
        for (u64 i = 0; i < count; ++i) outcome.ids.push_back(number_at(ids, i, width));
    } else {
        for (u64 row = 0; row < batch.document_count; ++row) {
            outcome.rows.emplace_back();
            for (u64 i = offsets[row]; i < offsets[row + 1]; ++i) {
                outcome.rows.back().push_back(batch.output == CRAYON_GPU_IDS ? number_at(ids, i, width) : 0);
            }
        }
    }
    return outcome;
}

}  // namespace crayon::gpu::test
