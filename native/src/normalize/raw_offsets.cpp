#include "normalize/raw_offsets.h"

#include <algorithm>

#include "base/utf8.h"

namespace crayon {

// Moves to the character that begins at end_.
void RawOffsets::advance(const Text& text) {
    begin_ = end_;
    after_ += text.rewrites->removed_at(begin_, text.in_units);
    const Rewrites::Iterator row = text.rewrites->after(begin_);
    is_exact_ = !text.in_units && (!row || row->begin > begin_);
    if (!row || row->begin > begin_) {
        const size_t at = static_cast<size_t>(begin_ - text.offset);
        const Character character = decode_character(text.bytes + at);
        const u64 whole = std::min<u64>(character.length, text.size - at);
        // Next to an added token that splits a character, the rest of the character may be rewritten: its bytes are
        // characters there.
        const u64 length = !row ? whole : std::min(whole, row->begin - begin_);
        const u64 units = 1 + (character.code_point >= 0x10000);
        end_ = begin_ + length;
        from_ = after_;
        to_ = after_ + (text.in_units ? units : length);
        after_ = to_ - (text.in_units ? std::min(units, whole - length) : 0);
        return;
    }
    const Rewritten* const all = row->characters;
    const auto ends_after = [](u64 position, const Rewritten& each) { return position < each.end; };
    const Rewritten& row_change = *std::upper_bound(all, all + row->count, begin_ - row->begin, ends_after);
    end_ = row->begin + row_change.end;
    from_ = after_ + (text.in_units ? row_change.units_begin : row_change.raw_begin);
    to_ = after_ + (text.in_units ? row_change.units_end : row_change.raw_end);
    if (end_ == row->end) after_ += text.in_units ? row->units : row->raw_end - row->raw_begin;
}

void RawOffsets::skip(const DroppedText& dropped, const Text& text) {
    const u64 encoded = text.offset + text.encoded;
    if (token_ < text.offset) return;
    while (token_ < encoded && token_ >= end_) {  // else inside of a character, as byte tokens are
        const u32 length = dropped.at(text.bytes + (token_ - text.offset), static_cast<u32>(encoded - token_));
        if (length == 0) break;
        token_ += length;
    }
}

RawOffsets::Span RawOffsets::next(const Text& text, u64 length) {
    const u64 limit = text.offset + text.size;
    if (token_ < text.offset || end_ < text.offset) {
        // Tokens of a damaged cartridge may be shorter than their text; the missing text is gone, and is not counted.
        token_ = std::max(token_, text.offset);
        end_ = std::max(end_, text.offset);
        while (end_ < limit && is_continuation(text.bytes[end_ - text.offset])) ++end_;
        begin_ = end_;
        from_ = to_ = after_;
        is_exact_ = false;
    }
    const u64 begin = token_;
    const u64 end = token_ = std::min(begin + length, std::max(begin, text.offset + text.encoded));
    while (end_ <= begin && end_ < limit) advance(text);
    Span span;
    if (end_ <= begin) {
        span.begin = after_;  // no text
    } else {
        span.begin = is_exact_ ? from_ + (begin - begin_) : from_;
    }
    span.begin = std::max(span.begin, last_.begin);
    span.end = std::max(span.begin, last_.end);
    if (end == begin) return last_ = span;
    while (end_ < end && end_ < limit) advance(text);
    span.end = std::max(span.end, is_exact_ ? to_ - (end_ - end) : to_);
    return last_ = span;
}

}  // namespace crayon
