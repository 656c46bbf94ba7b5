#include "platform/cached_file_reader.h"

#include <algorithm>
#include <cstring>

#include "platform/mapped_file.h"

namespace crayon {

namespace {

// Less takes more calls; the first use of each page of a larger buffer costs more than that.
constexpr u64 kFilled = 8 * BlockReader::kBlock;
constexpr u64 kBefore = 64;

}  // namespace

const u8* CachedFileReader::read(u64 begin, u64 end) {
    if (uses_buffer_ && end > end_) uses_buffer_ = fill(begin);
    return uses_buffer_ ? buffer_.data() + kBefore + (begin - begin_) : mapped_ + begin;
}

bool CachedFileReader::fill(u64 begin) {
    if (begin == 0 && !buffer_.resize(kBefore + kFilled)) return false;
    if (begin > 0) std::memcpy(buffer_.data(), buffer_.data() + (begin - begin_), kBefore);
    begin_ = begin;
    end_ = std::min(begin + kFilled, length_);
    return file_.read_cached(buffer_.data() + kBefore, begin, end_ - begin);
}

}  // namespace crayon
