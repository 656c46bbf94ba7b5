#include "platform/cached_file_reader.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstring>

#include "platform/mapped_file.h"

namespace crayon {

namespace {

// Less takes more calls; the first use of each page of a larger buffer costs more than that.
constexpr u64 kFilled = 8 * BlockReader::kBlock;
constexpr u64 kBefore = 64;
constexpr u64 kLargePage = u64{1} << 21;
static_assert(kLargePage % kFilled == 0);

long page_faults() {
#ifdef RUSAGE_THREAD
    rusage usage = {};
    ::getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_minflt;
#else
    return 0;
#endif
}

void touch(const u8* byte) { static_cast<void>(*static_cast<const volatile u8*>(byte)); }

}  // namespace

const u8* CachedFileReader::block(u64 begin, u64 end) {
    if (begin % kLargePage == 0) is_copying_ = may_copy_ && !is_large_page(begin);
    if (is_copying_ && end > end_) is_copying_ = may_copy_ = fill(begin);
    return is_copying_ ? buffer_.data() + kBefore + (begin - begin_) : mapped_ + begin;
}

// Whether a fault at one place also maps a place far away. No system call says so.
bool CachedFileReader::is_large_page(u64 begin) const {
    const u64 middle = begin + kLargePage / 2;
    if (middle >= length_) return false;
    touch(mapped_ + begin);
    const long before = page_faults();
    touch(mapped_ + middle);
    return page_faults() == before;
}

bool CachedFileReader::fill(u64 begin) {
    if (buffer_.empty() && !buffer_.resize(kBefore + kFilled)) return false;
    const u8* before = begin == end_ ? buffer_.data() + (begin - begin_) : mapped_ + begin - kBefore;
    if (begin > 0) std::memcpy(buffer_.data(), before, kBefore);
    begin_ = begin;
    end_ = std::min(begin + kFilled, length_);
    return file_.read_cached(buffer_.data() + kBefore, begin, end_ - begin);
}

}  // namespace crayon
