// Encodes a sequence to a row of a matrix: with the ids before and after it, truncated to fit, and padded.
#include <algorithm>
#include <cstring>

#include "dna/dna.h"

namespace crayon {

using layout::kNone;

namespace {

template <class Id>
void fill(u8* ids, u32 count, u32 id) {
    const Id value = static_cast<Id>(id);
    for (u32 i = 0; i < count; ++i) std::memcpy(ids + size_t{i} * sizeof(Id), &value, sizeof(Id));
}

void fill(u8* ids, u32 count, u32 id, u32 width) {
    switch (width) {
        case 1:
            std::memset(ids, static_cast<int>(id), count);
            break;
        case 2:
            fill<u16>(ids, count, id);
            break;
        case 4:
            fill<u32>(ids, count, id);
            break;
        default:
            fill<u64>(ids, count, id);
    }
}

void put(std::span<const u32> ids, u32 width, u8* out) {
    for (const u32 id : ids) {
        fill(out, 1, id, width);
        out += width;
    }
}

}  // namespace

Status Dna::encode_row(const u8* bytes, u32 length, u32 flags, Padding padding, Output output, u8* mask,
                       RowCounts* counts) const {
    const bool wraps = (flags & CRAYON_DNA_TEMPLATE) != 0;
    const std::span<const u32> before = wraps ? view_.before : std::span<const u32>(),
                               after = wraps ? view_.after : std::span<const u32>();
    const u32 around = static_cast<u32>(before.size() + after.size()), columns = output.count, width = output.width;
    if (around > columns) return {CRAYON_TEXT_TOO_LONG};

    // The end of byte ids is known in advance. K-mer ids are moved into place.
    u32 at = 0;
    if (padding == Padding::kLeft && rules_.unit == layout::DnaUnit::kBytes && length < columns - around) {
        at = columns - around - length;
    }
    u8* const row = output.ids;
    const auto address_of = [&](u64 column) { return row + column * width; };
    Part part;
    Status status =
        encode(bytes, length, flags & CRAYON_DNA_TRUNCATE, {address_of(at + before.size()), width, columns - around - at}, &part);
    if (status.ok() && part.more && (flags & CRAYON_DNA_TRUNCATE) == 0) status = {CRAYON_TEXT_TOO_LONG};
    if (!status.ok()) return status;

    const u32 total = part.count + around;
    *counts = {total, part.unknown};
    if (padding == Padding::kLeft && at + total < columns) {
        std::memmove(address_of(columns - total + before.size()), address_of(before.size()), size_t{part.count} * width);
        at = columns - total;
    }
    put(before, width, address_of(at));
    put(after, width, address_of(u64{at} + before.size() + part.count));
    if (padding != Padding::kNone && total < columns) {
        if (rules_.pad_id == kNone) return {CRAYON_INVALID_ARGUMENT};
        fill(address_of(padding == Padding::kLeft ? 0 : total), columns - total, rules_.pad_id, width);
    }
    if (mask) {
        std::memset(mask, 0, columns);
        std::memset(mask + at, 1, total);
    }
    return {};
}

Dna::Outcome Dna::encode_rows(const Matrix& matrix, u32 first, u32 last) const {
    Outcome outcome;
    for (u32 row = first; row < last; ++row) {
        const u32 begin = matrix.offsets[row], end = matrix.offsets[row + 1];  // read once: another thread may change them
        const size_t at = size_t{row} * matrix.columns;
        const Output output = {matrix.ids + at * matrix.width, matrix.width, matrix.columns};
        RowCounts counts;
        outcome.failed_row = row;
        outcome.status = end < begin || end > matrix.byte_count ? Status{CRAYON_INVALID_ARGUMENT}
                         : matrix.counts                        ? count(matrix.bytes + begin, end - begin, matrix.counts + row)
                                         : encode_row(matrix.bytes + begin, end - begin, matrix.flags, matrix.padding, output,
                                                      matrix.mask ? matrix.mask + at : nullptr, &counts);
        if (!outcome.status.ok()) break;
        outcome.longest = std::max(outcome.longest, counts.ids);
        if (matrix.unknown) matrix.unknown[row] = counts.unknown;
    }
    return outcome;
}

u32 Dna::count_unknown(const u8* bytes, u32 length, u32 flags, u32 columns) const {
    const size_t around = (flags & CRAYON_DNA_TEMPLATE) ? view_.before.size() + view_.after.size() : 0;
    if (view_.unknown_id == kNone || around > columns) return 0;
    u8 ids[4096];
    const u32 capacity = static_cast<u32>(sizeof ids) / least_width_;
    u32 left = columns - static_cast<u32>(around), unknown = 0, position = 0;
    for (Part part; left > 0 && position < length;) {
        // At the end of the row, a k-mer's ids may be cut, but only if the flag allows it.
        const u32 how = (position > 0 ? CRAYON_DNA_CONTINUED : 0) | (left <= capacity ? flags & CRAYON_DNA_TRUNCATE : 0);
        if (!encode(bytes + position, length - position, how, {ids, least_width_, std::min(capacity, left)}, &part).ok())
            return 0;
        unknown += part.unknown;
        left -= part.count;
        position += part.position;
        if (!part.more || part.position == 0) break;  // too long for the row: an error
    }
    return unknown;
}

}  // namespace crayon
