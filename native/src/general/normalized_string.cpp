#include "general/normalized_string.h"

#include "base/whitespace.h"

namespace crayon::general {

// The reference finds the range of the normalized text whose alignments are all inside of the original: from the first that has a
// width on. Of a string without an original it is an empty one in front; of one in which nothing has a width, an empty one
// behind.
bool NormalizedString::whole(Range* range) const {
    if (original.begin == original.end) {
        *range = {0, 0};
        return true;
    }
    if (length == 0) return false;
    u32 begin = 0;
    while (begin < length && alignments[begin].width == 0) ++begin;
    *range = {begin, length};
    return true;
}

Transformation::Transformation(const NormalizedString& from, Range range, u32 removed, NormalizedText* to)
    : from_(from), to_(to), range_(range), at_(range.begin) {
    to->clear();
    // Room for as much again: most texts stay about as long.
    const size_t room = from.length + from.length / 8 + 16;
    status_ = to->bytes.reserve(room) && to->alignments.reserve(room) ? to->append(from.bytes, from.alignments, range.begin)
                                                                      : Status::out_of_memory();
    skip(removed);
}

// Characters beyond the range cannot be left out.
void Transformation::skip(u32 characters) {
    for (; characters > 0 && at_ < range_.end; --characters) at_ += character_at(from_.bytes + at_).length;
}

void Transformation::put_any(u32 code, int change) {
    if (!status_.ok()) return;
    Alignment align = Alignment::of(from_.original.begin, 0);
    if (change > 0) {
        if (at_ > from_.length)
            status_ = refused(from_.original.begin);
        else if (at_ > 0)
            align = from_.alignments[at_ - 1];
    } else {
        if (at_ >= from_.length)
            status_ = refused(from_.original.begin);
        else
            align = from_.alignments[at_];
        skip(static_cast<u32>(1 - change));
    }
    if (!status_.ok()) return;
    u8 bytes[4];
    const Alignment aligned[4] = {align, align, align, align};
    status_ = to_->append(bytes, aligned, put_character(code, bytes));
}

Status Transformation::finish() {
    if (!status_.ok()) return status_;
    return to_->append(from_.bytes + range_.end, from_.alignments + range_.end, from_.length - range_.end);
}

NormalizedText& Normalizing::next() { return texts_[string_.bytes == texts_[0].bytes.data() && !texts_[0].bytes.empty()]; }

bool Normalizing::is_aligned() const {
    Range range;
    return !string_.whole(&range) || (range.begin == 0 && range.end == string_.length);
}

Status Normalizing::lowercase() {
    if (keeps_all([](u32 code) { return code < 0x80 && code - 'A' >= 26; })) return {};
    return transform(0, [&](Transformation& to) {
        each_character(string_, [&](u32 code, u32, u32) {
            u32 lower[3];
            const u32 count = lowercase_of(code, lower);
            for (u32 i = 0; i < count; ++i) to.put(lower[i], i > 0);
        });
    });
}

// A text is normalized in ranges: NFC and the others look at no character across the beginning of one. A range of characters
// that may be moved or composed can be as long as the text.
Status Normalizing::form(UnicodeForm form) {
    constexpr size_t kLongest = 1024;
    constexpr u32 kFirstChanged = 0xA0;
    if (keeps_all([](u32 code) { return code < kFirstChanged; })) return {};
    Status status;
    const Status transformed = transform(0, [&](Transformation& to) {
        const auto flush = [&] {
            if (status.ok()) status = forms_.changes_of(form, characters_, scratch_);
            if (!status.ok()) return;
            for (const StepChange& each : scratch_.changes) to.put(each.code, each.change);
            characters_.clear();
        };
        characters_.clear();
        each_character(string_, [&](u32 code, u32, u32) {
            if (characters_.size() >= kLongest && !forms_.joins(form, code)) flush();
            if (!characters_.push_back({code, 0})) status = Status::out_of_memory();
        });
        flush();
    });
    return status.ok() ? transformed : status;
}

// Behind the first character of the text that is put in front, each comes from where the first of the string does. Of an empty
// text, that first one has no width any more.
Status Normalizing::prepend(const u8* text, u32 length) {
    if (string_.empty()) return {};
    const Character first = character_at(string_.bytes);
    return transform_range({0, first.length}, 0, [&](Transformation& to) {
        for (u32 at = 0; at < length;) {
            const Character c = character_at(text + at);
            to.put(c.code_point, at > 0);
            at += c.length;
        }
        to.put(first.code_point, 1);
    });
}

Status Normalizing::strip(bool left, bool right) {
    u32 begin = 0, end = 0, leading = 0;  // of what stays; and how many characters are before it
    bool is_leading = left;
    each_character(string_, [&](u32 code, u32, u32 after) {
        const bool is_space = is_whitespace(code);
        is_leading = is_leading && is_space;
        if (is_leading) {
            ++leading;
            begin = after;
        }
        if (!is_space || !right) end = after;
    });
    if (begin == 0 && end == string_.length) return {};
    return transform(leading, [&](Transformation& to) {
        each_character(string_, [&](u32 code, u32 at, u32) {
            if (at >= begin && at < end) to.put(code, 0);
        });
    });
}

}  // namespace crayon::general
