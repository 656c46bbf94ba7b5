// WordPiece and Unigram: part of a word or piece does not encode to part of the whole's tokens. So for each part, the
// encoder reads the tokens of the text from the part's beginning until the limit is exceeded. A long piece has no tokens
// before it ends, so it is treated as ending where reading stopped. Members of Fit.
#include <algorithm>

#include "fit/fit.h"

namespace crayon {

namespace {

constexpr u32 kIdsAtOnce = 256;
// Bytes read at a time: the minimum, and per token.
constexpr u32 kLeastFed = 128, kFedPerToken = 6;
// Reading gives up after this many undecided bytes, plus this many per token.
constexpr u32 kLeastPatience = 1024, kPatiencePerToken = 32;
constexpr u32 kAll = 0xFFFFFFFF;

}  // namespace

// Fills ends_ with the token ends of the text up to `stop`, where it ends if `last`: up to one more than the limit. Stops
// when `patience` bytes after the last token have decided nothing. `read_to`: the end of the text read.
Status Fit::read_ends(u32 limit, u32 stop, bool last, u32 patience, u32* read_to) {
    u32 fed = start_, window = static_cast<u32>(std::min<u64>(kLeastFed + u64{kFedPerToken} * limit, 1 << 16));
    u32 ids[kIdsAtOnce];
    ends_.clear();
    cache_.restart(start_, nullptr);
    do {
        const u32 size = std::min(window, stop - fed);
        Status status = encoder_.feed_utf8(text_.bytes + fed, size, last && fed + size == stop);
        fed += size;
        cache_.work() += size;
        for (Encoder::Read read{0, true}; status.ok() && read.more && ends_.size() <= limit;) {
            if (!offsets_.resize(2 * kIdsAtOnce)) return Status::out_of_memory();
            status = encoder_.read_with_offsets(ids, offsets_.data(), kIdsAtOnce, CRAYON_UNIT_BYTES, &read);
            for (u32 i = 0; status.ok() && i < read.count; ++i) {
                if (!ends_.push_back(start_ + offsets_[2 * i + 1])) return Status::out_of_memory();
            }
        }
        *read_to = fed;
        if (!status.ok()) return status;
        const u32 settled = ends_.empty() ? start_ : ends_.back();
        if (fed - std::min(fed, settled) > patience) break;
        window = std::min(2 * window, u32{1} << 16);
    } while (ends_.size() <= limit && fed < stop);
    return {};
}

Status Fit::know_by_encoder(u32 limit, bool* over, Part* part) {
    known_ = nullptr;
    is_short_ = false;
    u32 stop = text_.length, read_to = start_;
    bool last = text_.last, is_cut = false;
    u64 patience = kLeastPatience + u64{kPatiencePerToken} * limit;
    for (;;) {
        const Status status = read_ends(limit, stop, last, static_cast<u32>(std::min<u64>(patience, kAll)), &read_to);
        if (!status.ok()) {
            // The tokens before the failure may be enough. (A failure is reported only if it is at one of these tokens.)
            if (status.code == CRAYON_OUT_OF_MEMORY || is_cut || status.position <= start_) return status;
            is_cut = true;
            last = false;
            stop = static_cast<u32>(std::min<u64>(status.position, stop));
            if (read_ends(limit, stop, last, kAll, &read_to).ok() && ends_.size() > limit) break;
            return status;
        }
        if (ends_.size() > limit || read_to == stop) break;
        // Treats the text as ending there.
        const u32 end = shortened(read_to - start_);
        if (end < text_.length) {
            if (Status alone = read_ends(limit, end, true, kAll, &read_to); !alone.ok()) return alone;
            is_short_ = ends_.size() > limit;
            if (is_short_) break;
        }
        patience = 2 * u64{read_to - start_};
    }
    *over = ends_.size() > limit;
    part->more = !*over && !text_.last;
    return {};
}

}  // namespace crayon
