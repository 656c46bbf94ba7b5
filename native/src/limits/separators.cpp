#include "limits/separators.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "limits/characters.h"
#include "limits/clusters.h"

namespace crayon {

namespace {

// Spaces, closing quotes or letters that are looked at beside a position; bytes of a line.
constexpr u32 kNear = 64;
constexpr size_t kMostLine = 1024;

using Boundary = bool (*)(const TextView& text, size_t at);

// Words between spaces.
constexpr char kAbbreviations[] =
    " mr mrs ms dr prof rev hon gen sen gov capt lt col sgt st mt vs fig figs eq cf approx hr nr bzw ca abb bspw sr sra ";
constexpr char kContinuing[] = " end else elif except finally catch rescue ensure ";

bool has_word(const char* list, const char* word, size_t length) {
    for (; *list; ++list) {
        if (*list == ' ' && std::strncmp(list + 1, word, length) == 0 && list[length + 1] == ' ') return true;
    }
    return false;
}

// The first position from `at` on that is past ASCII blanks.
size_t past_blanks(const TextView& text, size_t at) {
    const size_t end = at + kMostLine;
    while (at < end && is_ascii_blank(text.unit(at))) ++at;
    return at;
}

// Whether the line before the beginning of a line is empty.
bool follows_blank_line(const TextView& text, size_t line) {
    size_t at = line - 1;
    if (text.unit(at) == '\n' && text.unit(at - 1) == '\r') --at;
    const size_t least = at < kMostLine ? 0 : at - kMostLine;
    while (at > least && is_ascii_blank(text.unit(at - 1))) --at;
    return at == 0 || is_line_break(text.unit(at - 1));
}

// The beginning of a line that is not empty, and the same after an empty one.
bool is_line(const TextView& text, size_t at) {
    return is_line_begin(text.unit(at - 1), text.unit(at)) && !is_line_break(text.unit(at));
}
bool is_paragraph(const TextView& text, size_t at) {
    return is_line_begin(text.unit(at - 1), text.unit(at)) && !is_line_break(text.unit(past_blanks(text, at))) &&
           follows_blank_line(text, at);
}

size_t before_closers(const TextView& text, size_t at) {
    size_t end = at;
    for (u32 near = 0; near < kNear && is_closer(text.before(end)); ++near) end = text.boundary_up_to(end - 1);
    return end;
}

// Whether the full stop at `at` belongs to an initial ("J. Smith", "e.g."), a title, or the number of an item ("1.").
bool is_abbreviation(const TextView& text, size_t at) {
    char word[kNear + 1];
    u32 length = 0;
    bool is_number = true;
    size_t begin = at;
    for (; begin > 0 && length < kNear; --begin) {
        const u32 unit = text.unit(begin - 1);
        if (!is_digit(unit)) {
            if (!is_ascii_letter(unit)) break;
            is_number = false;
        }
        word[kNear - ++length] = static_cast<char>(unit | 0x20);
    }
    if (length == 0 || (begin > 0 && text.unit(begin - 1) >= 0x80)) return false;
    if (is_number) {
        for (u32 near = 0; near < kNear && begin > 0 && is_ascii_blank(text.unit(begin - 1)); ++near) --begin;
        return length <= 3 && (begin == 0 || is_line_break(text.unit(begin - 1)));
    }
    if (length == 1) return true;
    return has_word(kAbbreviations, word + kNear - length, length);
}

// Whether a sentence ends at `end`; the text after it begins past spaces, at `at`.
bool ends_sentence(const TextView& text, size_t end, size_t at) {
    const size_t stop_end = before_closers(text, end);
    const u32 stop = text.before(stop_end);
    if (!is_stop(stop)) return false;
    if (is_unspaced_stop(stop)) return true;
    // "e.g. this", "“Really?” she said"
    size_t next = at;
    for (u32 near = 0; near < kNear && is_space(text.after(next)); ++near) next = text.character_end(next);
    if (is_lower_case(text.after(next))) return false;
    return stop != '.' || !is_abbreviation(text, stop_end - 1);
}

// The end of a sentence: before the space that follows, or after the line break.
bool is_sentence(const TextView& text, size_t at) {
    const u32 before = text.unit(at - 1), after = text.unit(at);
    if (is_line_break(before)) {
        if (is_line_break(after)) return false;
        size_t end = at;
        for (u32 near = 0; near < kNear && end > 0; ++near, --end) {
            const u32 unit = text.unit(end - 1);
            if (!is_ascii_blank(unit) && !is_line_break(unit)) break;
        }
        return ends_sentence(text, end, at);
    }
    if (after < 0x80 && before < 0x80) return is_blank(after) && !is_blank(before) && ends_sentence(text, at, at);
    const u32 next = text.after(at), last = text.before(at);
    if (is_blank(next)) return !is_space(last) && ends_sentence(text, at, at);
    // Without a space.
    if (!is_unspaced_stop(last) && !is_closer(last)) return false;
    if (is_non_starter(next) || is_line_break(next) || is_stop(next)) return false;
    return is_unspaced_stop(text.before(before_closers(text, at)));
}

// The end of a word, before spaces; in scripts without spaces, between characters that do not belong together.
bool is_word(const TextView& text, size_t at) {
    const u32 before = text.unit(at - 1), after = text.unit(at);
    if (is_line_break(before)) return is_line_begin(before, after) && !is_line_break(after);
    if (before < 0x80 && after < 0x80) return is_blank(after) && !is_blank(before);
    const u32 next = text.after(at), last = text.before(at);
    if (is_blank(next)) return !is_space(last);
    if (!(is_unspaced(next) || is_unspaced(last)) || is_space(last) || is_non_starter(next) || is_opener(last)) return false;
    if (is_hiragana(next) && (is_han(last) || is_hiragana(last))) return false;  // inflections
    if (is_katakana(next) && is_katakana(last)) return false;
    return is_between_clusters(text, at);
}

// Where a word meets punctuation: for text without spaces, such as URLs.
bool is_word_edge(const TextView& text, size_t at) {
    const u32 next = text.after(at), last = text.before(at);
    return is_word_character(next) != is_word_character(last) && !is_space(last) && is_between_clusters(text, at);
}

// The rank of the first of these boundaries that a position is; they rank from `least` on, and below `below`.
template <Boundary... kLevels>
u32 level_of(const TextView& text, size_t at, u32 least, u32 below) {
    u32 level = least;
    const bool found = ((level < below && (kLevels(text, at) || (++level, false))) || ...);
    return found ? level : Separators::kNone;
}
constexpr auto level_of_text = level_of<is_paragraph, is_sentence, is_line, is_word, is_word_edge>;
constexpr auto level_in_fence = level_of<is_paragraph, is_line, is_word, is_word_edge>;
constexpr auto level_in_paragraph = level_of<is_sentence, is_line, is_word, is_word_edge>;
constexpr auto level_in_line = level_of<is_word, is_word_edge>;

// --- programs ---
//
//   1  a blank line, then a line that is not indented        4  a blank line, then one that is indented further
//   2  not indented, behind a line that is, or that closes   5  less indented than the line before, or behind a line
//   3  a blank line, then a line of the first indentation       that closes a block
//                                                            6  any line
//
// A line that closes a block, or continues one (`else`), belongs to the part before: it is rank 6.

constexpr u32 kFirstIndentation = 4, kInsideLines = 7;

u32 indentation_of(const TextView& text, size_t line, size_t content) {
    u32 columns = 0;
    for (size_t at = line; at < content; ++at) columns += text.unit(at) == '\t' ? kTab : 1;
    return columns;
}

bool is_of_word(u32 unit) {
    return is_digit(unit) || is_ascii_letter(unit) || unit == '_' || (unit >= 0x80 && unit != TextView::kNone);
}

// Whether a line begins with a closing bracket, or with a word that continues a block.
bool closes_block(const TextView& text, size_t content) {
    const u32 unit = text.unit(content);
    if (unit == ')' || unit == ']' || unit == '}') return true;
    size_t length = 0;
    while (length < kNear && is_of_word(text.unit(content + length))) ++length;
    return length > 0 && has_word(kContinuing, reinterpret_cast<const char*>(text.bytes) + content, length);
}

size_t begin_of_line_before(const TextView& text, size_t line) {
    size_t at = line - 1;
    if (text.unit(at) == '\n' && text.unit(at - 1) == '\r') --at;
    const size_t least = at < kMostLine ? 0 : at - kMostLine;
    while (at > least && !is_line_break(text.unit(at - 1))) --at;
    return at;
}

u32 rank_of_code(const TextView& text, size_t at, u32 below) {
    if (is_line_begin(text.unit(at - 1), text.unit(at))) {
        const size_t content = past_blanks(text, at);
        const u32 first = text.unit(content);
        if (first != TextView::kNone && !is_line_break(first)) {
            if (closes_block(text, content)) return 6;
            const u32 indentation = indentation_of(text, at, content);
            if (follows_blank_line(text, at)) return indentation == 0 ? 1 : indentation <= kFirstIndentation ? 3 : 4;
            const size_t before = begin_of_line_before(text, at), content_before = past_blanks(text, before);
            const u32 indentation_before = indentation_of(text, before, content_before);
            const bool is_behind_block =
                indentation_before > indentation || (indentation_before == indentation && closes_block(text, content_before));
            return !is_behind_block ? 6 : indentation == 0 ? 2 : 5;
        }
    }
    return level_in_line(text, at, kInsideLines, below);
}

}  // namespace

Status Separators::set(const crayon_part_form& form) {
    const bool has_list = form.count == 0 || (form.separators && form.numbers);
    if (form.cuts > CRAYON_CUT_LISTED || !has_list) return {CRAYON_INVALID_ARGUMENT};
    kind_ = form.cuts;
    longest_ = 0;
    listed_.clear();
    if (kind_ != CRAYON_CUT_LISTED) return {};
    u32 begin = 0;
    for (u32 i = 0; i < form.count; ++i) {
        const Listed each = {begin, form.numbers[2 * i], form.numbers[2 * i + 1], kNone};
        if (each.length == 0 || each.length > form.length - begin || each.cut > each.length) return {CRAYON_INVALID_ARGUMENT};
        begin += each.length;
        longest_ = std::max<size_t>(longest_, each.length);
        if (!listed_.push_back(each)) return Status::out_of_memory();
    }
    std::fill(std::begin(first_), std::end(first_), kNone);
    for (u32 i = form.count; i-- > 0;) {
        Listed& each = listed_[i];
        const u8* const bytes = form.separators + each.begin;
        u32& first = first_[each.cut > 0 ? key_before(bytes[each.cut - 1]) : key_after(bytes[0])];
        each.next = std::exchange(first, i);
    }
    return bytes_.assign(form.separators, begin) ? Status{} : Status::out_of_memory();
}

// The first listed string of a key that is around a position.
u32 Separators::listed_at(const TextView& text, size_t at, u32 key, u32 below) const {
    for (u32 i = first_[key]; i < below && i != kNone; i = listed_[i].next) {
        const auto [begin, length, cut, next] = listed_[i];
        if (at < cut || text.size - (at - cut) < length) continue;
        if (std::memcmp(text.bytes + at - cut, bytes_.data() + begin, length) == 0) return i;
    }
    return kNone;
}

bool Separators::any() const { return kind_ != CRAYON_CUT_ANYWHERE; }

bool Separators::read(const TextView& text, u64 origin, size_t begin, bool last) {
    if (kind_ != CRAYON_CUT_MARKDOWN) return true;
    markdown_.forget(origin + begin);
    return markdown_.read(text, origin, last);
}

u32 Separators::rank(const TextView& text, u64 origin, size_t at, u32 below) {
    switch (kind_) {
        case CRAYON_CUT_TEXT:
            return level_of_text(text, at, 0, below);
        case CRAYON_CUT_CODE: {
            const u32 rank = rank_of_code(text, at, below);
            return rank < below ? rank : kNone;
        }
        case CRAYON_CUT_MARKDOWN: {
            // Between the cuts of blocks, the text is a single paragraph or fence.
            if (const u32 rank = markdown_.rank(origin + at); rank != MarkdownCuts::kNoCut) return rank < below ? rank : kNone;
            if (markdown_.is_below_heading(origin + at)) return kNone;
            return ends_in_fence_ ? level_in_fence(text, at, MarkdownCuts::kInsideBlocks, below)
                                  : level_in_paragraph(text, at, MarkdownCuts::kInsideBlocks, below);
        }
        default: {
            const u32 count = static_cast<u32>(listed_.size());
            u32 listed = listed_at(text, at, key_before(text.bytes[at - 1]), below);
            if (at < text.size) listed = std::min(listed, listed_at(text, at, key_after(text.bytes[at]), below));
            return listed != kNone ? listed : level_in_line(text, at, count, below);
        }
    }
}

const MarkdownCuts::Range* Separators::block_around(u64 at) const {
    return kind_ == CRAYON_CUT_MARKDOWN ? markdown_.block_around(at) : nullptr;
}

}  // namespace crayon
