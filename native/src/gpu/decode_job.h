// Decodes ids to bytes on a device: rows of ids, whose bytes are written one row after another. The device has the bytes of
// every id of the vocabulary, including added tokens. A row may be divided between any two ids, so slices have the
// requested size.
#pragma once

#include "gpu/device_job.h"

namespace crayon {

class DecodeJob final : public DeviceJob {
public:
    // Row i is ids[offsets[i], offsets[i + 1]), in an array of `count` ids, which must stay valid until the job has run.
    // INVALID_ARGUMENT for offsets that do not ascend. ROW_REFUSED for a row with an id without a token, or with an id that
    // decodes to no bytes; the engine handles these.
    static Status create(Device& device, Tokenizer& tokenizer, bool skip_special, const u32* ids, u64 count, const u32* offsets,
                         u32 rows, DecodeJob** out);
    ~DecodeJob() override;
    DecodeJob* decoding() override { return this; }

    // After the run: the number of bytes, and their memory, handed over once, for std::free; nullptr if there are none.
    // Readable up to the next multiple of the word size.
    u64 byte_count() const { return byte_count_; }
    u8* detach_bytes() { return bytes_.detach(); }
    u64 row_count() const { return rows_; }
    // The end of each row's bytes, after a leading zero: rows + 1 values. TEXT_TOO_LONG if that needs more than 32 bits.
    Status row_offsets(u32* totals) const;

private:
    DecodeJob(Device& device, Tokenizer& tokenizer) : DeviceJob(device), tokenizer_(tokenizer) {}

    Status upload(crayon_gpu_model** model) override;
    Status plan(Lane& lane, u64 limit, bool* planned) override;
    void rewind(const Lane& lane) override;
    u64 matrix_bytes(const Lane& lane) const override;
    Status allocate_output(Lane& lane, crayon_gpu_destination* to) override;
    Status accept(Lane& lane) override;
    u64 row_of(const Lane& lane, u64 document) const override { return lane.first_row + document; }

    Status find_special();
    bool is_left_out(u32 id) const { return id < special_.size() && special_[id]; }

    Tokenizer& tokenizer_;
    bool skip_special_ = false;
    Buffer<u8> special_;  // 1: leave the id out
    const u32* ids_ = nullptr;
    Buffer<u32> offsets_;
    u64 rows_ = 0;

    u64 row_ = 0, at_ = 0;  // to be planned next: a row, and an id in it

    Buffer<u8> bytes_;
    u64 byte_count_ = 0;
    Buffer<u64> totals_;
};

}  // namespace crayon
