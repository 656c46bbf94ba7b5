// Ids to bytes on a device: rows of ids, whose bytes come one row after the other. The device has the bytes of every id of the
// vocabulary, of added tokens too. A row may be divided between any two ids, so that slices are as large as they are to be.
#pragma once

#include "gpu/device_job.h"

namespace crayon {

class DecodeJob final : public DeviceJob {
public:
    // Row i is ids[offsets[i], offsets[i + 1]), in an array of `count` ids, which must stay until the job has run.
    // INVALID_ARGUMENT for offsets that do not ascend. A row with an id that no token has is refused (ROW_REFUSED), and so is one
    // with an id that becomes no bytes, which the engine knows.
    static Status create(Device& device, Tokenizer& tokenizer, bool skip_special, const u32* ids, u64 count, const u32* offsets,
                         u32 rows, DecodeJob** out);
    ~DecodeJob() override;
    DecodeJob* decoding() override { return this; }

    // When it has run: how many bytes there are, and their memory, once, for std::free; nullptr if there are none. As many more
    // may be read as make whole words of them.
    u64 byte_count() const { return byte_count_; }
    u8* detach_bytes() { return bytes_.detach(); }
    u64 row_count() const { return rows_; }
    // Where the bytes of each row end, after a zero: rows + 1. TEXT_TOO_LONG if that needs more than 32 bits.
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
    Buffer<u8> special_;  // 1: the id is to be left out
    const u32* ids_ = nullptr;
    Buffer<u32> offsets_;
    u64 rows_ = 0;

    u64 row_ = 0, at_ = 0;  // what is planned next: a row, and an id of it

    Buffer<u8> bytes_;
    u64 byte_count_ = 0;
    Buffer<u64> totals_;
};

}  // namespace crayon
