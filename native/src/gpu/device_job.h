// A batch on a device: slice after slice, several on their way at once, each in a lane.
//
//   plan ─▶ submit: copied in, counted ─▶ fetch: ids written, copied out ─▶ accept, in the order of the batch
//
// A slice that does not fit in the memory of the device is planned again, half as large, and with one lane; the work at
// those after it is dropped. A batch is done as a whole or not at all: whatever goes wrong, nothing of it may be used.
//
// One thread runs a job; any may cancel it.
#pragma once

#include <atomic>

#include "gpu/device.h"
#include "gpu/kept_matrix.h"

namespace crayon {

class DecodeJob;
class TextJob;

class DeviceJob {
public:
    virtual ~DeviceJob() { device_.release(); }
    DeviceJob(const DeviceJob&) = delete;
    DeviceJob& operator=(const DeviceJob&) = delete;

    // DEVICE_UNAVAILABLE, DEVICE_FAILED (the device says why), DEVICE_UNSUPPORTED, CANCELLED, OUT_OF_MEMORY. ROW_REFUSED: a row
    // has an error, or is none of the device's business; `*row` says which, and those before it have no error.
    Status run(u64* row);
    void cancel() { cancelled_ = true; }

    // How it went, for tests and measurements: slices, retries because of memory, lanes, the most slices on their way at once,
    // slices that came as matrices; and what the device was at, by its clock: nanoseconds of all slices, which overlap.
    struct Progress {
        u64 slices = 0, retries = 0, lanes = 0, at_once = 0, matrices = 0, copy_in_ns = 0, compute_ns = 0, copy_out_ns = 0;
    };
    const Progress& progress() const { return progress_; }
    virtual TextJob* texts() { return nullptr; }
    virtual DecodeJob* decoding() { return nullptr; }
    // Has the matrix of the job stay on the device, if it is wanted before the job runs.
    KeptMatrix& kept() { return kept_; }
    const KeptMatrix& kept() const { return kept_; }
    // Bytes of an id of that matrix; 0: the job has none.
    virtual u32 kept_width() const { return 0; }
    u32 device_index() const { return device_.index(); }

protected:
    explicit DeviceJob(Device& device) : device_(device) { device.retain(); }

    virtual Status upload(crayon_gpu_model** model) = 0;
    // Room for what outlives the job, before its first slice.
    virtual Status prepare() { return {}; }
    // Fills a lane with what comes next, about `limit` bytes of the device's input and output; false if nothing is left.
    virtual Status plan(Lane& lane, u64 limit, bool* planned) = 0;
    // What has been planned from that lane on is planned again.
    virtual void rewind(const Lane& lane) = 0;
    // Bytes that the result takes on the device besides what the plugin knows of.
    virtual u64 matrix_bytes(const Lane&) const { return 0; }
    // Room for the result, which has been counted.
    virtual Status allocate_output(Lane& lane, crayon_gpu_destination* to) = 0;
    virtual Status accept(Lane& lane) = 0;
    // When all slices have been accepted.
    virtual Status complete() { return {}; }
    // The row of a document of the lane.
    virtual u64 row_of(const Lane& lane, u64 document) const = 0;

    bool is_cancelled() const { return cancelled_; }
    Status refuse_row(u64 row) {
        refused_row_ = row;
        return {CRAYON_ROW_REFUSED};
    }
    Device& device_;
    KeptMatrix kept_;

private:
    static constexpr u64 kLeastSlice = 4 * 1024;

    Status run_slices();
    Status fill();
    Status advance(Lane& lane);
    Status finish(Lane& lane);
    void note(Lane& lane);
    Status shrink(Lane& lane);
    void drop_all();
    Lane& at(u32 index) { return *lanes_[(first_ + index) % lane_count_]; }

    std::atomic<bool> cancelled_{false};
    crayon_gpu_model* model_ = nullptr;
    u64 limit_ = 0;
    u64 too_large_ = ~u64{0};  // a slice for which one lane alone had no memory
    Lane* lanes_[kMostLanes] = {};
    u32 lane_count_ = 0, first_ = 0, busy_ = 0;
    bool all_planned_ = false;
    u64 refused_row_ = 0;
    Progress progress_;
};

}  // namespace crayon
