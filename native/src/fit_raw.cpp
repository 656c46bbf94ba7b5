#include "fit_raw.h"

#include <algorithm>

namespace crayon {

namespace {

// Text that is checked at once: at least, and for each token.
constexpr u64 kLeastChecked = 16 * 1024, kCheckedPerToken = 16;
// Text that is read at once: at least, and for each token that still fits.
constexpr u64 kLeastRead = 256, kReadPerToken = 4;
// A piece is open for so long, and for each token of the limit.
constexpr u64 kLeastOpen = 1024, kOpenPerToken = 16;
// So many tries are one token apart; then the steps double.
constexpr u32 kSingleSteps = 8;

class RawFit {
public:
    RawFit(Encoder& encoder, const Fit::Text& text, u32 start, u32 limit) : encoder_(encoder), text_(text), start_(start), limit_(limit) {}

    Status cut(u32 overlap, Fit::Part* part) {
        *part = {start_, 0, start_, false};
        bool is_over = limit_ == 0;
        if (is_over && text_.last && start_ == text_.length) return {};
        if (!is_over) {
            if (Status status = encode(&is_over, &part->more); !status.ok() || part->more) return status;
        }
        part->end = text_.length;
        part->tokens = count();
        if (is_over) {
            if (Status status = choose_end(part); !status.ok()) return status;
        }
        part->overlap_begin = part->end;
        if (overlap == 0 || part->end == start_) return {};
        const u32 first = count() - std::min(overlap, count());
        part->overlap_begin = first < count() ? boundary_from(begin_of(first), part->end) : part->end;
        return {};
    }

private:
    u32 count() const { return static_cast<u32>(offsets_.size() / 2); }
    u32 begin_of(u32 token) const { return start_ + offsets_[2 * token]; }

    // The tokens of the text up to the limit, and the place after these. `over`: there are more.
    Status encode(bool* over, bool* more) {
        offsets_.clear();
        encoder_.restart(start_);
        u32 seen = start_;
        for (u64 open = kLeastOpen + kOpenPerToken * limit_;;) {
            const u64 wanted = std::max({kLeastRead, kReadPerToken * (limit_ - count()), u64{seen - start_} / 2});
            const u32 length = static_cast<u32>(std::min<u64>(wanted, text_.length - seen));
            const bool last = text_.last && seen + length == text_.length;
            if (Status status = encoder_.feed_utf8(text_.bytes + seen, length, last); !status.ok()) return status;
            seen += length;
            if (Status status = read(limit_); !status.ok()) return status;
            if (count() == limit_) {
                // Is there another one? It says where the text of the others ends.
                const Status status = read(limit_ + 1);
                *over = count() > limit_ || !status.ok();
                if (count() > limit_) end_ = begin_of(limit_);
                if (!status.ok()) end_ = static_cast<u32>(status.position);
                offsets_.truncate(size_t{2} * limit_);
                if (*over) return {};
            }
            if (last) return {};
            *more = seen == text_.length;
            if (*more) return {};
            // A piece, or a run of marks, that is much longer than what fits is cut by the tokens of its beginning.
            if (seen - encoder_.position() < open) continue;
            open *= 2;
            if (Status status = encode_alone(seen); !status.ok()) return status;
            *over = count() > limit_;
            if (*over) {
                end_ = begin_of(limit_);
                offsets_.truncate(size_t{2} * limit_);
                return {};
            }
            offsets_.clear();
            encoder_.restart(start_);
            seen = start_;
        }
    }

    // Reads what is ready, up to `most` tokens in all.
    Status read(u32 most) {
        for (Encoder::Read read{0, true}; read.more && count() < most;) {
            constexpr u32 kRoom = 1024;
            const u32 room = std::min(kRoom, most - count());
            const size_t size = offsets_.size();
            if (!ids_.resize(room) || !offsets_.resize(size + 2 * room)) return Status::out_of_memory();
            const Status status = encoder_.read_with_offsets(ids_.data(), offsets_.data() + size, room, CRAYON_UNIT_BYTES, &read);
            offsets_.truncate(size + (status.ok() ? 2 * read.count : 0));
            if (!status.ok()) return status;
        }
        return {};
    }

    // Goes back from where the text has `limit` tokens to the end of a part that has no more of them alone.
    Status choose_end(Fit::Part* part) {
        Buffer<u32> ends = std::move(offsets_);
        u32 most = limit_ > 0 ? end_ : start_, tries = 0;
        for (u32 kept = limit_; kept > 0 && end_ > start_;) {
            u32 back = 1;
            if (is_boundary(end_)) {
                most = end_;
                if (Status status = encode_alone(end_); !status.ok()) return status;
                part->end = end_;
                part->tokens = count();
                if (count() <= limit_) return {};
                if (++tries > kSingleSteps) back = u32{1} << std::min(tries - kSingleSteps, 31u);
            }
            kept -= std::min(back, kept);
            if (kept > 0) end_ = start_ + ends[2 * kept];
        }
        return choose_character(most, part);
    }

    // No part that ends with a token of the text fits: goes by characters.
    Status choose_character(u32 most, Fit::Part* part) {
        u32 end = start_;
        do {
            const u32 next = character_end(end);
            if (Status status = encode_alone(next); !status.ok()) return status;
            if (count() > limit_) break;
            end = next;
        } while (end < most);
        part->end = end;
        part->tokens = count();  // of the first character, if that does not fit
        if (end == start_) return {};
        if (Status status = encode_alone(end); !status.ok()) return status;
        part->tokens = count();
        return {};
    }

    // The tokens of the part up to `end`, or one more than the limit.
    Status encode_alone(u32 end) {
        offsets_.clear();
        encoder_.restart(start_);
        if (Status status = encoder_.feed_utf8(text_.bytes + start_, end - start_, true); !status.ok()) return status;
        // All of a single character, so that an error can say how many it has.
        return read(end == character_end(start_) ? 0xFFFFFFFF : limit_ + 1);
    }

    u32 character_end(u32 at) const {
        u8 bytes[4] = {};
        const u32 left = std::min<u32>(4, text_.length - at);
        std::memcpy(bytes, text_.bytes + at, left);
        return at + std::min(decode_character(bytes).length, left);
    }
    bool is_boundary(u32 at) const {
        const auto continues = [&](u32 i) { return (text_.bytes[i] & 0xC0) == 0x80; };
        if (at == start_ || at == text_.length || !continues(at)) return true;
        u32 begin = at - 1;
        while (begin > start_ && continues(begin) && at - begin < 3) --begin;
        return character_end(begin) <= at;
    }
    u32 boundary_from(u32 at, u32 end) const {
        while (at < end && !is_boundary(at)) ++at;
        return at;
    }

    Encoder& encoder_;
    const Fit::Text text_;
    const u32 start_, limit_;
    u32 end_ = 0;  // where the first `limit` tokens end
    Buffer<u32> ids_, offsets_;
};

}  // namespace

Status fit(Encoder& encoder, const Fit::Text& text, u32 start, u32 limit, u32 overlap, Fit::Part* part) {
    const Nfc* const nfc = encoder.tokenizer().nfc();
    if (encoder.looks_around()) return RawFit(encoder, text, start, limit).cut(overlap, part);
    if (!nfc) return Fit(encoder, text).cut(start, limit, overlap, part);
    Encoder::Normal& normal = encoder.normal_text();
    const u8* const begin = text.bytes + start;
    const u8* const text_end = text.bytes + text.length;
    const bool is_known = normal.begin <= begin && begin < normal.end && normal.end <= text_end;
    if (!is_known) normal = {begin, begin};
    u64 wanted = kLeastChecked + kCheckedPerToken * limit;
    for (;; wanted *= 2) {
        bool is_end = false;
        const u64 known = static_cast<u64>(normal.end - begin);
        if (known < wanted) {
            const u32 from = static_cast<u32>(normal.end - text.bytes);
            const u32 end = static_cast<u32>(std::min<u64>(text.length, std::max<u64>(from, start + wanted)));
            const bool last = text.last && end == text.length;
            const Nfc::Checked checked = nfc->check(text.bytes, from, from, end, last);
            normal.end = text.bytes + checked.normal;
            is_end = end == text.length || checked.normal == from || checked.end > checked.normal;
        }
        const u32 length = static_cast<u32>(normal.end - text.bytes);
        if (length > start) {
            const Fit::Text decided = {text.bytes, length, text.last && length == text.length};
            const Status status = Fit(encoder, decided).cut(start, limit, overlap, part);
            if (!status.ok() || !part->more) return status;
        }
        if (is_end) break;
    }
    return RawFit(encoder, text, start, limit).cut(overlap, part);
}

}  // namespace crayon
