#include "dna/dna_job.h"

#include "platform/large_pages.h"

namespace crayon {

namespace {

// Bytes read and written per task: a few tenths of a millisecond of work, many times the cost of handing it out.
constexpr u64 kSlice = 512 * 1024;

}  // namespace

// Bytes read and written for the rows from the next one to this one.
u64 DnaJob::bytes_to(u32 row) const {
    const u64 written = u64{row - next_row_} * matrix_.columns * (matrix_.width + (matrix_.mask ? 1 : 0));
    return matrix_.rows == 0 ? 0 : written + (matrix_.offsets[row] - matrix_.offsets[next_row_]);
}

Status DnaJob::start(u32, u64 slice_bytes) {
    if (started_) return {CRAYON_INVALID_ARGUMENT};
    started_ = true;
    slice_bytes_ = slice_bytes > 0 ? slice_bytes : kSlice;
    prefer_large_pages(matrix_.ids, matrix_.size());
    return {};
}

bool DnaJob::has_task(bool is_host) const { return started_ && !has_failed() && next_row_ < matrix_.rows && may_work(is_host); }

bool DnaJob::take(Task* task, bool is_host) {
    if (!has_task(is_host)) return false;
    const u32 first = next_row_;
    u32 last = first + 1;
    while (last < matrix_.rows && bytes_to(last + 1) <= slice_bytes_) ++last;
    *task = {Task::Kind::kRows, this, nullptr, {}, 0, {}, first, last, {}, bytes_to(last), false};
    next_row_ = last;
    count_taken(task, is_host);
    return true;
}

void DnaJob::run(Task& task, Encoder*) {
    const Dna::Outcome outcome = dna_.encode_rows(matrix_, static_cast<u32>(task.first), static_cast<u32>(task.last));
    task.status = outcome.status;
    if (!outcome.status.ok()) task.first = outcome.failed_row;
}

void DnaJob::complete(const Task& task) {
    count_completed(task);
    const bool is_cancelled = status_.code == CRAYON_CANCELLED;
    if (task.status.ok() || is_cancelled || (has_failed() && task.first > failed_row_)) return;
    status_ = task.status;
    failed_row_ = static_cast<u32>(task.first);
}

void DnaJob::cancel() {
    if (is_done()) return;
    status_ = {CRAYON_CANCELLED};
    failed_row_ = 0;
}

Status DnaJob::result(u64* row) const {
    *row = failed_row_;
    return status_;
}

}  // namespace crayon
