// A batch on a device: slice after slice, several in flight at once, each in a lane.
//
//   plan ─▶ submit: copied in, counted ─▶ fetch: ids written, copied out ─▶ accept, in the order of the batch
//
// A slice that does not fit in device memory is planned again, half as large and with one lane; the work on later slices is
// dropped. A batch is done as a whole or not at all: after any failure, none of its results may be used.
//
// One thread runs a job; any thread may cancel it.
#pragma once

#include <atomic>

#include "gpu/device.h"
#include "gpu/device_memory.h"

namespace crayon {

class DecodeJob;
class TextJob;

class DeviceJob {
public:
    virtual ~DeviceJob() { device_.release(); }
    DeviceJob(const DeviceJob&) = delete;
    DeviceJob& operator=(const DeviceJob&) = delete;

    // DEVICE_UNAVAILABLE, DEVICE_FAILED (the device says why), DEVICE_UNSUPPORTED, CANCELLED, OUT_OF_MEMORY. ROW_REFUSED:
    // row `*row` has an error, or the device does not handle it; the rows before it have no error.
    Status run(u64* row);
    void cancel() { cancelled_ = true; }

    // Statistics for tests and measurements: slices, retries for lack of memory, lanes, the most slices in flight at once,
    // slices that came as matrices; and the device's stages by its own clock: nanoseconds summed over slices, which
    // overlap.
    struct Progress {
        u64 slices = 0, retries = 0, lanes = 0, at_once = 0, matrices = 0, copy_in_ns = 0, compute_ns = 0, copy_out_ns = 0;
    };
    const Progress& progress() const { return progress_; }
    virtual TextJob* texts() { return nullptr; }
    virtual DecodeJob* decoding() { return nullptr; }
    // Keeps the job's matrix on the device, if requested before the job runs.
    KeptMatrix& device_matrix() { return kept_; }
    const KeptMatrix& device_matrix() const { return kept_; }
    // Bytes per id of that matrix; 0: the job has none.
    virtual u32 kept_width() const { return 0; }
    u32 device_index() const { return device_.index(); }

protected:
    explicit DeviceJob(Device& device) : device_(device) { device.retain(); }

    virtual Status upload(crayon_gpu_model** model) = 0;
    // Allocates memory that outlives the job, before its first slice.
    virtual Status prepare() { return {}; }
    // Fills a lane with the next rows, about `limit` bytes of device input and output; false if nothing is left.
    virtual Status plan(Lane& lane, u64 limit, bool* planned) = 0;
    // Everything planned from that lane on is planned again.
    virtual void rewind(const Lane& lane) = 0;
    // Bytes of the result on the device beyond those the plugin knows of.
    virtual u64 matrix_bytes(const Lane&) const { return 0; }
    // Allocates the result, whose size is known by now.
    virtual Status allocate_output(Lane& lane, crayon_gpu_destination* to) = 0;
    virtual Status accept(Lane& lane) = 0;
    // Called once all slices have been accepted.
    virtual Status complete() { return {}; }
    // The row of a document in the lane.
    virtual u64 row_of(const Lane& lane, u64 document) const = 0;

    const std::atomic<bool>& cancelled() const { return cancelled_; }
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
    u64 too_large_ = ~u64{0};  // a slice that ran out of memory with a single lane
    Lane* lanes_[kMostLanes] = {};
    u32 lane_count_ = 0, first_ = 0, busy_ = 0;
    bool all_planned_ = false;
    u64 refused_row_ = 0;
    Progress progress_;
};

}  // namespace crayon
