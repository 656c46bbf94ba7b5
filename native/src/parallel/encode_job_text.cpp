// The text of a job: set at once, or appended while threads work on its beginning.
#include <algorithm>
#include <cstring>

#include "parallel/encode_job.h"
#include "platform/mapped_text.h"

namespace crayon {

Status EncodeJob::set_text(const u8* bytes, u64 size, bool last) {
    if (phase_ != Phase::kNew || ended_ || size_ > 0) return {CRAYON_INVALID_ARGUMENT};
    if (!row_ends_.push_back(size)) return Status::out_of_memory();
    bytes_ = bytes;
    size_ = size;
    ended_ = true;
    open_ended_ = !last;
    return {};
}

Status EncodeJob::map_text(int descriptor, u64 begin, u32 length, bool last) {
    OwnedBytes mapped;
    u32 offset = 0;
    if (Status status = crayon::map_text(descriptor, begin, length, &mapped, &offset); !status.ok()) return status;
    if (Status status = set_text(mapped.data() + offset, length, last); !status.ok()) return status;
    mapped_ = std::move(mapped);
    return {};
}

Status EncodeJob::set_rows(const u8* bytes, const u32* offsets, u32 rows) {
    if (phase_ != Phase::kNew || ended_ || size_ > 0) return {CRAYON_INVALID_ARGUMENT};
    for (u32 i = 0; i < rows; ++i) {
        if (offsets[i] > offsets[i + 1]) return {CRAYON_INVALID_ARGUMENT, 0, i};
    }
    if (!row_ends_.resize(size_t{rows} + 1)) return Status::out_of_memory();
    for (u32 i = 0; i <= rows; ++i) row_ends_[i] = offsets[i];
    bytes_ = bytes;
    size_ = row_ends_.back();
    ended_ = true;
    return {};
}

Status EncodeJob::reserve(u64 bytes) {
    if (phase_ != Phase::kNew || ended_ || bytes > ~u64{0} / 2) return {CRAYON_INVALID_ARGUMENT};
    const u64 capacity = bytes + Utf16Windows::capacity_for(0) + Utf16Windows::kPadding;
    if (capacity != static_cast<size_t>(capacity) || !owned_.reserve(static_cast<size_t>(capacity)))
        return Status::out_of_memory();
    bytes_ = owned_.data();
    reserved_ = std::max(reserved_, bytes);
    return {};
}

Status EncodeJob::reserve_text(u64 bytes) {
    if (ended_) return {CRAYON_INVALID_ARGUMENT};
    if (size_ + bytes <= reserved_) return {};
    // Threads may be reading it.
    if (pool) return {CRAYON_TEXT_TOO_LONG};
    return reserve(std::max(size_ + bytes, 2 * reserved_));
}

// Adds the bytes written after the text to it.
Status EncodeJob::publish(u64 bytes, bool last, Mutex* mutex) {
    if (mutex) mutex->lock();
    size_ += bytes;
    Status status;
    if (last && !row_ends_.push_back(size_)) fail(status = Status::out_of_memory(), row_count());
    if (mutex) mutex->unlock();
    return status;
}

Status EncodeJob::append_utf8(const u8* bytes, u32 length, bool last, Mutex* mutex) {
    if (Status status = reserve_text(length); !status.ok()) return status;
    if (length) std::memcpy(owned_.data() + size_, bytes, length);
    return publish(length, last, mutex);
}

Status EncodeJob::append_utf16(const u16* units, u32 length, bool last, Mutex* mutex) {
    if (Status status = reserve_text(3 * u64{length}); !status.ok()) return status;
    if (!owned_.data()) {
        if (Status status = reserve(0); !status.ok()) return status;
    }
    const size_t written = utf16_.convert(tokenizer_.kernel(), units, length, last, owned_.data() + size_);
    return publish(written, last, mutex);
}

// The same for whole rows.
Status EncodeJob::publish_rows(Buffer<u64>& ends, Mutex* mutex) {
    if (ends.empty()) return {};
    if (mutex) mutex->lock();
    size_ = ends.back();
    const bool ok = row_ends_.append(ends.data(), ends.size());
    if (mutex) mutex->unlock();
    return ok ? Status{} : Status::out_of_memory();
}

Status EncodeJob::append_rows(const u8* bytes, const u32* offsets, u32 rows, Mutex* mutex) {
    Buffer<u64> ends;
    if (!ends.resize(rows)) return Status::out_of_memory();
    for (u32 i = 0; i < rows; ++i) {
        if (offsets[i] > offsets[i + 1]) return {CRAYON_INVALID_ARGUMENT, 0, i};
        ends[i] = size_ + (offsets[i + 1] - offsets[0]);
    }
    const u32 length = offsets[rows] - offsets[0];
    if (Status status = reserve_text(length); !status.ok()) return status;
    if (length) std::memcpy(owned_.data() + size_, bytes + offsets[0], length);
    return publish_rows(ends, mutex);
}

Status EncodeJob::append_rows_utf16(const u16* units, const u32* lengths, u32 rows, Mutex* mutex) {
    Buffer<u64> ends;
    u64 total = 0;
    for (u32 i = 0; i < rows; ++i) total += lengths[i];
    if (!ends.resize(rows)) return Status::out_of_memory();
    if (Status status = reserve_text(3 * total); !status.ok()) return status;
    u64 end = size_;
    for (u32 i = 0; i < rows; ++i) {
        end += utf16_.convert(tokenizer_.kernel(), units, lengths[i], true, owned_.data() + end);
        units += lengths[i];
        ends[i] = end;
    }
    return publish_rows(ends, mutex);
}

Status EncodeJob::end_text(Mutex* mutex) {
    if (ended_) return {CRAYON_INVALID_ARGUMENT};
    size_t rest = 0;  // a high surrogate without the other half
    if (owned_.data()) rest = utf16_.convert(tokenizer_.kernel(), nullptr, 0, true, owned_.data() + size_);
    if (Status status = publish(rest, size_ + rest > row_ends_.back(), mutex); !status.ok()) return status;
    if (mutex) mutex->lock();
    ended_ = true;
    if (pool) close_if_done();
    if (mutex) mutex->unlock();
    return {};
}

}  // namespace crayon
