// A matrix of base sequences on a device, as written by Dna::encode_rows.
#pragma once

#include "dna/dna.h"
#include "gpu/device_job.h"

namespace crayon {

class MatrixJob final : public DeviceJob {
public:
    // The arrays of the matrix must stay valid until the job has run, except the offsets; `size`: its length in bytes. A
    // matrix that stays on the device has neither ids nor a mask here. DEVICE_UNSUPPORTED without rows or columns,
    // INVALID_ARGUMENT for offsets that do not ascend.
    static Status create(Device& device, const Dna& dna, const Dna::Matrix& matrix, u64 size, MatrixJob** out);
    ~MatrixJob() override { dna_.release(); }
    u32 kept_width() const override { return matrix_.width; }

private:
    MatrixJob(Device& device, const Dna& dna, const Dna::Matrix& matrix) : DeviceJob(device), dna_(dna), matrix_(matrix) {
        dna.retain();
    }

    Status upload(crayon_gpu_model** model) override;
    Status prepare() override;
    Status plan(Lane& lane, u64 limit, bool* planned) override;
    void rewind(const Lane& lane) override { row_ = lane.first_row; }
    u64 matrix_bytes(const Lane& lane) const override { return lane.batch.document_count * row_bytes(); }
    Status allocate_output(Lane& lane, crayon_gpu_destination* to) override;
    Status accept(Lane& lane) override;
    u64 row_of(const Lane& lane, u64 document) const override { return lane.first_row + document; }

    void count_unknown(Lane& lane);
    // Of a slice's row, on the device.
    u64 row_bytes() const { return matrix_.columns * (u64{matrix_.width} + (matrix_.mask || kept_.mask_width() ? 1 : 0)); }
    u64 around() const {
        return (matrix_.flags & CRAYON_DNA_TEMPLATE) ? dna_.view().before.size() + dna_.view().after.size() : 0;
    }

    const Dna& dna_;
    const Dna::Matrix matrix_;
    Buffer<u32> offsets_;
    u64 row_ = 0;
    u32 starts_[layout::kByteValues];
};

}  // namespace crayon
