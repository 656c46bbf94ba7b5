// Rows of a job as files hold them: EncodeJob::write_rows.
#include <cstring>
#include <limits>

#include "parallel/encode_job.h"

namespace crayon {

namespace {

// Writes integers back to back.
template <class Integer>
class RowSink {
public:
    RowSink(const crayon_row_form& form, void* out, u32* lengths)
        : form_(form), out_(static_cast<Integer*>(out)), lengths_(lengths) {}

    void begin() {
        begun_ = out_;
        write(form_.before, form_.before_count);
    }
    void write(const u32* ids, u64 count) {
        if constexpr (sizeof(Integer) == sizeof(u32)) {
            if (count > 0) std::memcpy(out_, ids, count * sizeof(u32));
        } else {
            for (u64 i = 0; i < count; ++i) out_[i] = static_cast<Integer>(ids[i]);
        }
        out_ += count;
    }
    void end() {
        write(form_.after, form_.after_count);
        *lengths_++ = static_cast<u32>(out_ - begun_);
    }

private:
    const crayon_row_form& form_;
    Integer* out_;
    Integer* begun_ = nullptr;
    u32* lengths_;
};

// A part continues the row of the part before it, unless it begins one.
template <class Integer>
void write_slice(const Slice& slice, RowSink<Integer>& sink) {
    const u32* ids = slice.ids.data();
    if (slice.is_part) {
        if (slice.begins_row) sink.begin();
        sink.write(slice.gap.data(), slice.gap_size);
        sink.write(ids + slice.skipped, slice.counted - slice.skipped);
        if (slice.ends_row) sink.end();
        return;
    }
    for (const u64 count : slice.row_counts) {
        sink.begin();
        sink.write(ids, count);
        sink.end();
        ids += count;
    }
}

}  // namespace

Status EncodeJob::write_rows(const crayon_row_form& form, void* out, u64 capacity, u32* lengths) {
    if (phase_ != Phase::kDone || failed_ || counts_ || is_taken_ || !gathered_.empty()) return {CRAYON_INVALID_ARGUMENT};
    const u64 around = u64{form.before_count} + form.after_count;
    if (total_ > std::numeric_limits<u32>::max() || row_count() * around > std::numeric_limits<u32>::max() - total_) {
        return {CRAYON_TEXT_TOO_LONG};
    }
    if ((total_ + row_count() * around) * form.width > capacity) return {CRAYON_INVALID_ARGUMENT};
    is_taken_ = true;
    const auto write_all = [&](auto sink) {
        for (const Slice* slice : slices_) write_slice(*slice, sink);
    };
    if (form.width == sizeof(u16)) {
        write_all(RowSink<u16>(form, out, lengths));
    } else {
        write_all(RowSink<u32>(form, out, lengths));
    }
    return {};
}

void EncodeJob::reuse_buffers() {
    if (!spare_buffers) return;
    for (Slice* slice : slices_) spare_buffers->put(slice->ids);
}

}  // namespace crayon
