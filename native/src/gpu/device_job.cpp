#include "gpu/device_job.h"

#include <algorithm>
#include <chrono>

namespace crayon {

namespace {

constexpr u32 kWait = 2;  // milliseconds to wait for one lane while others may become ready

u64 now_ms() {
    return static_cast<u64>(
        std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch()).count());
}

}  // namespace

Status DeviceJob::run(u64* row) {
    Status status = device_.begin();
    if (!status.ok()) return status;
    status = cancelled_ ? Status{CRAYON_CANCELLED} : upload(&model_);
    if (status.ok()) status = prepare();
    if (status.ok()) status = run_slices();
    drop_all();
    device_.end();
    *row = refused_row_;
    return status;
}

Status DeviceJob::run_slices() {
    limit_ = device_.slice_bytes();
    lane_count_ = std::min(device_.most_lanes(), kMostLanes);
    for (u32 i = 0; i < lane_count_; ++i) {
        const Status status = device_.lane(i, &lanes_[i]);
        if (!status.ok()) return status;
    }
    for (;;) {
        if (cancelled_) return {CRAYON_CANCELLED};
        Status status = fill();
        if (!status.ok()) return status;
        if (busy_ == 0) return complete();
        progress_.lanes = std::max<u64>(progress_.lanes, lane_count_);
        progress_.at_once = std::max<u64>(progress_.at_once, busy_);
        for (u32 i = 0; i < busy_ && status.ok(); ++i) status = advance(at(i));
        if (!status.ok()) return status;
        Lane& front = at(0);
        if (front.stage == Lane::Stage::kDone) {
            status = finish(front);
        } else {
            static_cast<void>(device_.api().wait(front.job, kWait));
            // The job's own limit has passed twice: it will not come back.
            if (now_ms() - front.began_ms > 2 * u64{device_.time_limit_ms()} + 1000) {
                busy_ = 0;
                return device_.abandon();
            }
        }
        if (!status.ok()) return status;
    }
}

// Gives a slice to every idle lane.
Status DeviceJob::fill() {
    while (!all_planned_ && busy_ < lane_count_) {
        Lane& lane = at(busy_);
        bool planned = false;
        Status status = plan(lane, limit_, &planned);
        // A status about rows of an earlier slice comes first.
        if (status.code == CRAYON_ROW_REFUSED && busy_ > 0) break;
        if (!status.ok()) return status;
        if (!planned) {
            all_planned_ = true;
            break;
        }
        u64 needed = 0;
        static_cast<void>(device_.api().needed_memory(model_, &lane.batch, &needed));
        needed += matrix_bytes(lane);
        const u64 length = lane.length() + matrix_bytes(lane);
        const bool is_divisible = lane.batch.document_count > 1 || length <= limit_;
        if (needed > device_.memory_budget() / lane_count_ && is_divisible && limit_ / 2 >= kLeastSlice) {
            rewind(lane);
            limit_ /= 2;
            continue;
        }
        if (lane_count_ == 1 && length >= too_large_) {
            return device_.refuse("the memory of the device, or its budget, is too small for a text");
        }
        lane.began_ms = now_ms();
        lane.result = {};
        lane.result.size = sizeof lane.result;
        const crayon_gpu_status submitted = device_.api().submit(lane.stream, model_, &lane.batch, &lane.job);
        if (submitted != CRAYON_GPU_OK) {
            lane.job = nullptr;
            return device_.status_of(submitted);
        }
        lane.stage = Lane::Stage::kCounting;
        lane.status = CRAYON_GPU_OK;
        ++busy_;
    }
    return {};
}

// Moves a lane from counting to fetching, and from there to the end.
Status DeviceJob::advance(Lane& lane) {
    if (lane.stage == Lane::Stage::kDone) return {};
    const crayon_gpu_api& api = device_.api();
    lane.status = api.poll(lane.job);
    if (lane.status == CRAYON_GPU_PENDING) return {};
    if (lane.status == CRAYON_GPU_OK && lane.stage == Lane::Stage::kCounting) {
        lane.status = api.result(lane.job, &lane.result);
        if (lane.status == CRAYON_GPU_OK && lane.result.failure == CRAYON_GPU_NO_FAILURE) {
            crayon_gpu_destination to = {};
            to.size = sizeof to;
            if (!lane.row_offsets.resize(lane.batch.document_count + 1)) return Status::out_of_memory();
            to.row_offsets = lane.row_offsets.data();
            if (const Status status = allocate_output(lane, &to); !status.ok()) return status;
            lane.status = api.fetch(lane.job, &to);
            if (lane.status == CRAYON_GPU_OK) {
                lane.stage = Lane::Stage::kFetching;
                return {};
            }
        }
    }
    lane.stage = Lane::Stage::kDone;
    return {};
}

// For the first lane, whose turn it is.
Status DeviceJob::finish(Lane& lane) {
    if (lane.status == CRAYON_GPU_OUT_OF_DEVICE_MEMORY) return shrink(lane);
    if (lane.status != CRAYON_GPU_OK) return device_.status_of(lane.status);
    if (lane.result.failure != CRAYON_GPU_NO_FAILURE) return refuse_row(row_of(lane, lane.result.failed_document));
    const Status status = accept(lane);
    note(lane);
    device_.api().job_release(lane.job);
    lane.job = nullptr;
    lane.stage = Lane::Stage::kIdle;
    first_ = (first_ + 1) % lane_count_;
    --busy_;
    return status;
}

void DeviceJob::note(Lane& lane) {
    static_cast<void>(device_.api().result(lane.job, &lane.result));
    ++progress_.slices;
    progress_.matrices += lane.batch.output == CRAYON_GPU_MATRIX;
    progress_.copy_in_ns += lane.result.copy_in_ns;
    progress_.compute_ns += lane.result.compute_ns;
    progress_.copy_out_ns += lane.result.copy_out_ns;
}

Status DeviceJob::shrink(Lane& lane) {
    ++progress_.retries;
    const u64 length = lane.length() + matrix_bytes(lane);
    if (lane_count_ == 1) {
        too_large_ = length;
        if (limit_ / 2 < kLeastSlice) return device_.status_of(lane.status);
    }
    limit_ = std::max(std::min(limit_, length) / 2, kLeastSlice);
    rewind(lane);
    Lane* const first = lanes_[0];
    drop_all();
    device_.drop_lanes();
    lanes_[0] = first;
    lane_count_ = 1;
    first_ = 0;
    all_planned_ = false;
    return {};
}

// The lanes before it first: a stream does its jobs in order, but lanes do not wait for each other.
void DeviceJob::drop_all() {
    for (u32 i = 0; i < busy_; ++i) device_.api().cancel(at(i).job);
    for (; busy_ > 0; --busy_, first_ = (first_ + 1) % lane_count_) {
        Lane& lane = at(0);
        device_.api().job_release(lane.job);
        lane.job = nullptr;
        lane.stage = Lane::Stage::kIdle;
    }
}

}  // namespace crayon
