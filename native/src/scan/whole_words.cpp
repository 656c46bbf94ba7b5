#include "scan/whole_words.h"

#include <algorithm>
#include <cstring>

#include "base/utf8.h"

namespace crayon {

namespace {

// The last four bytes before text[to]; `before` holds those before text[from].
u32 bytes_before(u32 before, const u8* text, size_t from, size_t to) {
    for (size_t i = to - std::min<size_t>(to - from, 4); i < to; ++i) before = before << 8 | text[i];
    return before;
}

}  // namespace

void WholeWords::restart() {
    before_ = 0;
    undecided_ = kNowhere;
    passed_.clear();
    gone_ = 0;
}

bool WholeWords::find(AddedSearch& tokens, const Text& text, AddedSearch::Found* found) {
    for (Text rest = text;;) {
        *found = tokens.find(rest);
        if (!found->token || !(found->token->flags & layout::kSingleWord)) return true;
        const size_t begin = found->position, end = begin + found->token->length;
        bool open = false;
        const bool is_before = is_before_word(text.bytes + end, text.size - end, &open);
        if (open && !text.last) {
            found->token = nullptr;
            return true;
        }
        if (!is_before && !is_after_word(bytes_before(before_, text.bytes, text.from, begin))) return true;
        if (passed_.size() > gone_ && passed_.back().end == text.origin + begin) {
            passed_.back().end = text.origin + end;
        } else if (!passed_.push_back({text.origin + begin, text.origin + end})) {
            return false;
        }
        rest.from = end;
    }
}

void WholeWords::advance(const Text& text, size_t at, bool decided) {
    before_ = bytes_before(before_, text.bytes, text.from, at);
    undecided_ = decided ? kNowhere : text.origin + at;
}

bool WholeWords::holds(u64 position) const {
    if (position >= undecided_) return true;
    const Passed* const next = std::upper_bound(passed_.begin() + gone_, passed_.end(), position,
                                                [](u64 at, const Passed& each) { return at < each.end; });
    return next != passed_.end() && next->begin <= position;
}

void WholeWords::drop_before(u64 position) {
    while (gone_ < passed_.size() && passed_[gone_].end <= position) ++gone_;
    if (gone_ == 0 || 2 * gone_ < passed_.size()) return;
    const size_t left = passed_.size() - gone_;
    std::memmove(passed_.data(), passed_.data() + gone_, left * sizeof(Passed));
    passed_.truncate(left);
    gone_ = 0;
}

// The length of the character at bytes[0, 4) if it is a word character, else 0.
u32 WholeWords::word_character(const u8* bytes) const {
    const Character character = decode_character(bytes);
    size_t from = 0, to = characters_.size();
    while (from < to) {
        const size_t middle = (from + to) / 2;
        const auto [first, last] = characters_[middle];
        if (character.code_point < first) {
            to = middle;
        } else if (character.code_point > last) {
            from = middle + 1;
        } else {
            return character.length;
        }
    }
    return 0;
}

bool WholeWords::is_after_word(u32 before) const {
    u8 bytes[4] = {};
    for (u32 length = 1; length <= 4; ++length, before >>= 8) {
        std::memmove(bytes + 1, bytes, 3);
        bytes[0] = static_cast<u8>(before);
        if (!is_continuation(bytes[0])) return word_character(bytes) == length;
    }
    return false;
}

bool WholeWords::is_after_word(const u8* text, size_t from, size_t at) const {
    return is_after_word(bytes_before(0, text, from, at));
}

bool WholeWords::is_before_word(const u8* text, size_t length) const {
    bool open;
    return is_before_word(text, length, &open);
}

// `open`: that depends on the text after text[length].
bool WholeWords::is_before_word(const u8* text, size_t length, bool* open) const {
    u8 bytes[4] = {};
    std::memcpy(bytes, text, std::min<size_t>(length, 4));
    const size_t whole = 1 + (bytes[0] >= 0xC2) + (bytes[0] >= 0xE0) + (bytes[0] >= 0xF0);
    *open = length < whole;
    return length > 0 && word_character(bytes) > 0;
}

}  // namespace crayon
