// Encodes a sequence to ids.
#include <algorithm>
#include <cstring>

#include "dna/dna.h"

namespace crayon {

using layout::DnaTail;
using layout::DnaUnit;
using layout::kNone;

namespace {

constexpr u32 kChunk = 2048;  // bases whose digits are packed at a time

Status unknown_base(u64 position) { return {CRAYON_UNKNOWN_BASE, 0, position}; }

}  // namespace

// Writes ids of any width, or only counts them. Counts the unknown ids it writes.
class Dna::Writer {
public:
    Writer(Output output, u32 unknown_id)
        : at_(output.ids), width_(output.width), capacity_left_(output.count), capacity_(output.count), unknown_id_(unknown_id) {}

    u32 capacity_left() const { return capacity_left_; }
    u32 count() const { return capacity_ - capacity_left_; }
    u32 unknown() const { return unknown_; }
    // Whether `count` more ids fit. Once they do not, the writer is full.
    bool has_capacity(u32 count) {
        full_ = full_ || capacity_left_ < count;
        return capacity_left_ >= count;
    }
    bool full() const { return full_; }
    // The index of the width in tables of functions.
    u32 which() const { return width_ == 8 ? 3 : width_ / 2; }
    u8* at() { return at_; }
    bool counts() const { return at_ == nullptr; }
    void moved(u32 count) {
        if (at_) at_ += size_t{count} * width_;
        capacity_left_ -= count;
    }
    void put(u32 id) {
        if (at_) store(id);
        unknown_ += id == unknown_id_;
        moved(1);
    }
    void add_unknown(size_t count) { unknown_ += static_cast<u32>(count); }
    // Counts unknown ids among the next ones, which a kernel has already written.
    void count_unknown(u32 count) {
        if (!at_) return;
        switch (width_) {
            case 1:
                return add_unknown(equal<u8>(count));
            case 2:
                return add_unknown(equal<u16>(count));
            case 4:
                return add_unknown(equal<u32>(count));
            default:
                return add_unknown(equal<u64>(count));
        }
    }

private:
    template <class Id>
    size_t equal(u32 count) const {
        size_t equal = 0;
        for (u32 i = 0; i < count; ++i) {
            Id id;
            std::memcpy(&id, at_ + i * sizeof(Id), sizeof(Id));
            equal += id == unknown_id_;
        }
        return equal;
    }
    // Copies a fixed size, which does not need a call.
    void store(u32 id) {
        const u64 wide = id;
        switch (width_) {
            case 1:
                *at_ = static_cast<u8>(id);
                break;
            case 2:
                std::memcpy(at_, &wide, 2);
                break;
            case 4:
                std::memcpy(at_, &wide, 4);
                break;
            default:
                std::memcpy(at_, &wide, 8);
        }
    }

    u8* at_;
    u32 width_, capacity_left_, capacity_;
    u32 unknown_id_, unknown_ = 0;
    bool full_ = false;
};

Status Dna::encode(const u8* bytes, u32 length, u32 flags, Output output, Part* part) const {
    Writer out(output, view_.unknown_id);
    u32 position = 0;
    const auto encode_unit = rules_.unit == DnaUnit::kBytes   ? &Dna::encode_bytes
                             : rules_.unit == DnaUnit::kKmers ? &Dna::encode_kmers
                                                              : &Dna::encode_stride_1;
    const Status status = (this->*encode_unit)(bytes, length, flags, &out, &position);
    *part = {position, out.count(), out.unknown(), status.ok() && out.full()};
    return status;
}

Status Dna::encode_bytes(const u8* bytes, u32 length, u32 flags, Writer* out, u32* position) const {
    const u32 end = std::min(length, out->capacity_left());
    u32 at = 0;
    if (end > 0 && !view_.start_ids.empty() && (flags & CRAYON_DNA_CONTINUED) == 0) {
        const u32 id = start_id(bytes[0]);
        if (id == kNone) return unknown_base(0);
        out->put(id);
        at = 1;
    }
    if (has_id_map_) {
        const Mapped mapped = kernel_.map[out->which()](id_map_, bytes + at, end - at, out->at());
        out->add_unknown(mapped.counted);
        out->moved(static_cast<u32>(mapped.length));
        at += static_cast<u32>(mapped.length);
    } else {
        for (; at < end && ids_[bytes[at]] != kNone; ++at) out->put(ids_[bytes[at]]);
    }
    *position = at;
    if (at < end) return unknown_base(at);
    static_cast<void>(out->has_capacity(length - at));
    return {};
}

// The number of digits at the start of bytes[0, count); if all are digits, also the index they form.
u32 Dna::digits_at(const u8* bytes, u32 count, u32* index) const {
    u32 sum = 0, digits = 0;
    for (; digits < count && digits_[bytes[digits]] < rules_.digit_count; ++digits) {
        sum = sum * rules_.digit_count + digits_[bytes[digits]];
    }
    *index = sum;
    return digits;
}

Status Dna::encode_kmers(const u8* bytes, u32 length, u32 flags, Writer* out, u32* position) const {
    u8 packed[kChunk / 4 + kPackedPadding];
    u32 at = 0;
    for (Status status; at < length; *position = at) {
        if (length - at >= rules_.k && has_two_bits(bytes[at])) {
            const u32 count = std::min(length - at, kChunk);
            const u32 digits = static_cast<u32>(kernel_.pack_high_first(two_bits_, bytes + at, count, packed));
            if (const u32 kmers = std::min(digits / rules_.k, out->capacity_left()); kmers > 0) {
                if (!out->counts()) kernel_.kmers[out->which()](packed, kmers_, kmers, out->at());
                if (kernels_have_unknown_) out->count_unknown(kmers);
                out->moved(kmers);
                at += kmers * rules_.k;
                continue;
            }
        }
        const u32 before = at;
        status = encode_one(bytes, length, flags, out, &at);
        if (!status.ok()) return status;
        if (at == before) break;
    }
    *position = at;
    return {};
}

// Encodes the next item at a position outside any k-mer: a k-mer, a byte, or the rest of a part. The position does not move
// if there is no room, or if more bytes are needed to decide.
Status Dna::encode_one(const u8* bytes, u32 length, u32 flags, Writer* out, u32* position) const {
    const u32 at = *position, k = rules_.k;
    u32 index = 0;
    const u32 digits = digits_at(bytes + at, std::min(k, length - at), &index);
    u32 singles = 1;
    if (digits == 0 && (digits_[bytes[at]] == kSpace || digits_[bytes[at]] == kInWord)) {
        encode_word(bytes, length, flags, out, position);
        return {};
    }
    if (digits == k) {
        if (const u32 id = kmer_id(index); id != kNone) {
            if (!out->has_capacity(1)) return {};
            out->put(id);
            *position = at + k;
            return {};
        }
        singles = k;  // all at once: the next call would read the rest as the start of another k-mer
        if ((flags & CRAYON_DNA_TRUNCATE) && !out->has_capacity(k))
            singles = std::max(1u, out->capacity_left());  // there is no next call
    } else if (digits > 0) {
        if (at + digits == length && (flags & CRAYON_DNA_UNFINISHED)) return {};
        if (rules_.tail != DnaTail::kSingle) {
            const bool pads = rules_.tail == DnaTail::kPad;
            if (pads && !out->has_capacity(1)) return {};
            if (pads) out->put(rules_.pad_id);
            *position = at + digits;
            return {};
        }
        singles = std::max(1u, std::min(digits, out->capacity_left()));
    }
    if (!out->has_capacity(singles)) return {};
    for (u32 i = 0; i < singles; ++i) {
        const u32 id = ids_[bytes[at + i]];
        if (id == kNone) return unknown_base(at + i);
        out->put(id);
        *position = at + i + 1;
    }
    return {};
}

// Spaces have no id; a word of unknown bytes has one, written where it ends: until then its last byte stays unread.
void Dna::encode_word(const u8* bytes, u32 length, u32 flags, Writer* out, u32* position) const {
    const u8 kind = digits_[bytes[*position]];
    u32 end = *position + 1;
    while (end < length && digits_[bytes[end]] == kind) ++end;
    if (kind == kInWord) {
        if (end == length && (flags & CRAYON_DNA_UNFINISHED)) {
            *position = length - 1;
            return;
        }
        if (!out->has_capacity(1)) return;
        out->put(view_.unknown_id);
    }
    *position = end;
}

Status Dna::encode_stride_1(const u8* bytes, u32 length, u32 flags, Writer* out, u32* position) const {
    const u32 k = rules_.k, end = length < k ? 0 : length - k + 1;
    u8 packed[kChunk / 4 + kPackedPadding];
    u32 at = 0;
    for (; at < end && out->has_capacity(1); *position = at) {
        if (has_two_bits(bytes[at + k - 1])) {  // otherwise none of the next k k-mers is possible
            const u32 count = std::min(length - at, kChunk);
            const u32 digits = static_cast<u32>(kernel_.pack_high_first(two_bits_, bytes + at, count, packed));
            if (digits >= k) {
                const u32 kmers = std::min(digits - k + 1, out->capacity_left());
                kernel_.kmers[out->which()](packed, kmers_, kmers, out->at());
                if (kernels_have_unknown_) out->count_unknown(kmers);
                out->moved(kmers);
                at += kmers;
                continue;
            }
        }
        u32 index = 0, id = view_.unknown_id;
        const u32 digits = digits_at(bytes + at, k, &index);
        if (digits == k && kmer_id(index) != kNone) {
            id = kmer_id(index);
        } else {
            for (u32 i = 0; i < k; ++i) {
                if (digits_[bytes[at + i]] == kRejected) return unknown_base(at + i);
            }
        }
        if (id == kNone) return unknown_base(digits == k ? at : at + digits);
        out->put(id);
        ++at;
    }
    // No k-mer begins in the last k - 1 bytes unless more follow.
    *position = at < end || (flags & CRAYON_DNA_UNFINISHED) ? at : length;
    return {};
}

Status Dna::count(const u8* bytes, u32 length, u32* count) const {
    Part part;
    if (rules_.unit == DnaUnit::kKmers) {
        const Status status = encode(bytes, length, 0, {nullptr, least_width_, kNone}, &part);
        *count = part.count;
        return status;
    }
    u8 ids[4096];
    u32 flags = 0;
    *count = 0;
    for (u64 at = 0;; at += part.position, flags = CRAYON_DNA_CONTINUED) {
        const Output output = {ids, least_width_, static_cast<u32>(sizeof ids) / least_width_};
        Status status = encode(bytes + at, static_cast<u32>(length - at), flags, output, &part);
        status.position += at;
        if (!status.ok()) return status;
        *count += part.count;
        if (!part.more) return {};
    }
}

}  // namespace crayon
