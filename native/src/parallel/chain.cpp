#include "parallel/chain.h"

#include <algorithm>

namespace crayon {

namespace {

constexpr u64 kWindow = 64 * 1024;
// Enough for the pretokenizers, which look 72 bytes ahead, and for a few pieces.
constexpr u64 kBeyond = 256;
// Chains that meet at all mostly do so within 30 bytes; the maximum for random starts in ordinary text was 77.
constexpr u64 kFirstSearched = 64, kSearched = 256;
// A chain without pretokenizer stops at the ends of pieces of up to 4.5 KiB (scan/unjoined.h), though it has one after each
// token.
constexpr u64 kFarthest = 8 * 1024;

// Walks a chain, stop by stop.
class Steps {
public:
    Steps(Encoder& encoder, const RowText& text, u64 begin) : encoder_(encoder), text_(text), fed_(begin), at_(begin) {}

    // Visits more safe split points, up to the first at or after `end`, or fewer if the text ends. splits() has the first
    // position and all visited ones.
    Status walk(u64 end) {
        encoder_.resume(at_);
        fed_ = at_;
        if (splits_.empty() && !splits_.push_back({at_, 0})) return Status::out_of_memory();
        while (at_ < end) {
            const u64 before = at_;
            if (Status status = step(); !status.ok()) return status;
            if (at_ > before) continue;
            if (fed_ == text_.size || fed_ - at_ > kFarthest) return {};
            const u64 more = std::min(kBeyond, text_.size - fed_);
            const bool last = text_.last && fed_ + more == text_.size;
            if (Status status = encoder_.feed_utf8(text_.bytes + fed_, more, last); !status.ok()) return status;
            fed_ += more;
        }
        return {};
    }
    Buffer<SplitPoint>& splits() { return splits_; }
    Buffer<u32>& ids() { return ids_; }

private:
    // Reads one piece or added token, if it is decided.
    Status step() {
        const Tokenizer& tokenizer = encoder_.tokenizer();
        const size_t begin = ids_.size();
        encoder_.stop_reading_at(at_ + 1);
        Encoder::Read read;
        do {
            const size_t size = ids_.size();
            if (!ids_.resize(size + kLeastCapacity)) return Status::out_of_memory();
            const Status status = encoder_.read_marked(ids_.data() + size, kLeastCapacity, &read);
            ids_.truncate(size + read.count);
            if (!status.ok()) return status;
        } while (read.more);
        const u64 end = encoder_.position();
        if (end == at_) return {};
        // For longest match without a pretokenizer, each token ends at a safe split point. That matters where every byte is
        // a token: the pieces of two chains may be pairs in different phases (scan/unjoined.h).
        const bool is_uncut = tokenizer.ends_at_tokens();
        u64 position = at_;
        for (size_t i = begin; i < ids_.size(); ++i) {
            position += tokenizer.token_length(ids_[i]);
            ids_[i] = tokenizer.without_mark(ids_[i]);
            if (is_uncut && i + 1 < ids_.size() && !splits_.push_back({position, i + 1})) return Status::out_of_memory();
        }
        at_ = end;
        return splits_.push_back({end, ids_.size()}) ? Status{} : Status::out_of_memory();
    }

    static constexpr u32 kLeastCapacity = 256;

    Encoder& encoder_;
    const RowText text_;
    u64 fed_, at_;
    Buffer<u32> ids_;
    Buffer<SplitPoint> splits_;
};

// A failure ends a chain; the safe split points before it count.
bool only_ends_chain(const Status& status) {
    return status.ok() || status.code == CRAYON_UNKNOWN_CHARACTER || status.code == CRAYON_SPECIAL_FORBIDDEN;
}

}  // namespace

Status IdSink::read(Encoder& encoder) {
    for (;;) {
        Encoder::Read read;
        if (counts_) {
            if (Status status = encoder.count(0xFFFFFFFF, &read); !status.ok()) return status;
            count_ += read.count;
        } else {
            const size_t size = ids_.size();
            if (ids_.capacity() - size < kLeastCapacity && !ids_.reserve(size + std::max(size / 2, 16 * kLeastCapacity))) {
                return Status::out_of_memory();
            }
            const size_t capacity = std::min<size_t>(ids_.capacity() - size, 0xFFFFFFFF);
            if (Status status = encoder.read(ids_.data() + size, static_cast<u32>(capacity), &read); !status.ok()) {
                return status;
            }
            (void)ids_.resize(size + read.count);  // within the capacity
        }
        if (!read.more) return {};
    }
}

Status encode_range(Encoder& encoder, const RowText& text, const Range& range, const std::atomic<bool>& abandoned, IdSink& sink,
                    u64* end) {
    encoder.resume(range.begin);
    *end = range.begin;
    u64 fed = range.begin, window = 0;
    do {
        if (abandoned.load(std::memory_order_relaxed)) return {CRAYON_CANCELLED};
        if (fed < range.target) {
            window = std::min(kWindow, range.target - fed);
        } else {
            window = std::min(window == 0 || fed == range.target ? kBeyond : 2 * window, text.size - fed);
            encoder.stop_reading_at(range.target);
        }
        const bool last = text.last && fed + window == text.size;
        Status status = encoder.feed_utf8(text.bytes + fed, window, last);
        fed += window;
        if (status.ok()) status = sink.read(encoder);
        *end = status.ok() ? encoder.position() : status.position;
        if (!status.ok()) return status;
    } while (*end < range.target && fed < text.size && (fed < range.target || fed - range.target < range.reach));
    sink.drop(encoder.ids_beyond_position());  // they are read again, from the safe split point on
    return {};
}

Status list_split_points(Encoder& encoder, const RowText& text, u64 begin, u64 end, Buffer<SplitPoint>& splits,
                         Buffer<u32>& ids) {
    Steps steps(encoder, text, begin);
    if (Status status = steps.walk(end); !only_ends_chain(status)) return status;
    splits = std::move(steps.splits());
    ids = std::move(steps.ids());
    return {};
}

bool find_common(const Buffer<SplitPoint>& a, const Buffer<SplitPoint>& b, SplitPoint* of_a, SplitPoint* of_b, u32 least) {
    u32 count = 0;
    for (size_t i = 0, j = 0; i < a.size() && j < b.size() && count < least;) {
        if (a[i].position == b[j].position) {
            if (count++ == 0) {
                *of_a = a[i];
                *of_b = b[j];
            }
        }
        a[i].position < b[j].position ? ++i : ++j;
    }
    return count >= least;
}

Status find_meeting(Encoder& encoder, const RowText& text, u64 first, u64 second, Buffer<u32>& gap, Meeting* meeting) {
    *meeting = {};
    if (first - second > kFarthest) return {};
    Steps ahead(encoder, text, first), behind(encoder, text, second);
    for (u64 searched = kFirstSearched; searched <= kSearched; searched *= 4) {
        if (Status status = ahead.walk(first + searched); !only_ends_chain(status)) return status;
        if (Status status = behind.walk(first + searched); !only_ends_chain(status)) return status;
        SplitPoint split = {}, other = {};
        if (!find_common(ahead.splits(), behind.splits(), &split, &other)) continue;
        *meeting = {true, split.position, other.ids};
        return gap.append(ahead.ids().data(), split.ids) ? Status{} : Status::out_of_memory();
    }
    return {};
}

}  // namespace crayon
