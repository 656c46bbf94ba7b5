#include "train/counter.h"

#include <algorithm>
#include <cstring>

namespace crayon::train {

namespace {

constexpr size_t kPart = 64 << 10;       // a longer part is taken in chunks of this size, which stay in a cache
constexpr size_t kMaxText = 0xFFFFFF00;  // ends of pieces have 32 bits
constexpr u32 kEnds = 1024;
static_assert(kScanPadding >= WordCounts::kPadding);

}  // namespace

// Makes room for `more` bytes.
Status Counter::open(size_t more) {
    if (more > kMaxText - size_) return {CRAYON_TEXT_TOO_LONG};
    const size_t needed = size_ + more + kScanPadding;
    if (needed > text_.capacity() && !text_.reserve(std::max(needed, 2 * text_.capacity()))) {
        return Status::out_of_memory();
    }
    return {};
}

// Counts the pieces that end in the text so far.
Status Counter::close(bool last) {
    std::memset(text_.data() + size_, 0, kScanPadding);
    if (pretokenizer_ != layout::kNoPretokenizer) {
        u32 ends[kEnds];
        size_t begin = 0;
        const ScanFunction scan = kernel_.scan(pretokenizer_);
        while (scan_.start < size_) {
            const u32 count = scan(scan_, text_.data(), size_, last, ends, kEnds);
            if (count == 0) break;
            if (Status status = count_pieces(begin, ends, count); !status.ok()) return status;
            begin = ends[count - 1];
        }
        drop(begin);
    } else if (last && size_ > 0) {
        const u32 end = static_cast<u32>(size_);
        if (Status status = count_pieces(0, &end, 1); !status.ok()) return status;
        drop(size_);
    }
    if (last) {
        size_ = 0;
        scan_.restart(0);
        if (text_.capacity() > 16 * kPart) text_ = Buffer<u8>();
    }
    return {};
}

void Counter::drop(size_t length) {
    if (length == 0) return;
    std::memmove(text_.data(), text_.data() + length, size_ - length);
    size_ -= length;
    scan_.rebase(length);
}

Status Counter::count_pieces(size_t begin, const u32* ends, u32 count) {
    if (!words_.add_pieces(text_.data(), begin, ends, count)) return Status::out_of_memory();
    pieces_ += count;
    bytes_ += ends[count - 1] - begin;
    return {};
}

Status Counter::feed(const u8* bytes, size_t length, bool last) {
    do {
        const size_t part = std::min(length, kPart);
        if (Status status = open(part); !status.ok()) return status;
        if (part) std::memcpy(text_.data() + size_, bytes, part);
        size_ += part;
        bytes += part;
        length -= part;
        if (Status status = close(last && length == 0); !status.ok()) return status;
    } while (length > 0);
    return {};
}

Status Counter::take(Counter& other) {
    if (!words_.take(other.words_)) return Status::out_of_memory();
    pieces_ += other.pieces_;
    bytes_ += other.bytes_;
    other.pieces_ = other.bytes_ = 0;
    return {};
}

}  // namespace crayon::train
