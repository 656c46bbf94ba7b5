#include "limits/markdown.h"

#include <algorithm>
#include <cstring>

#include "limits/characters.h"

namespace crayon {

namespace {

// Entries that will not be asked for again are dropped from here on.
constexpr size_t kMostOld = 4096;
constexpr u64 kUnknown = ~u64{0};

size_t run_of(const TextView& text, u32 mark, size_t at, size_t end) {
    size_t stop = at;
    while (stop < end && text.unit(stop) == mark) ++stop;
    return stop - at;
}

bool ends_line(u32 unit) { return unit == TextView::kNone || is_line_break(unit); }

// Three or more marks that open a fence; 0 for other lines.
size_t opens_fence(const TextView& text, const MarkdownCuts::Line& line) {
    const u32 mark = text.unit(line.content);
    if (mark != '`' && mark != '~') return 0;
    const size_t marks = run_of(text, mark, line.content, line.end);
    if (marks < 3) return 0;
    // ```code``` is a span.
    for (size_t at = line.content + marks; mark == '`' && at < line.end; ++at) {
        if (text.unit(at) == '`') return 0;
    }
    return marks;
}

// 1 to 6; 0 if it is not a heading.
u32 heading_level(const TextView& text, const MarkdownCuts::Line& line) {
    if (line.indentation >= 4) return 0;
    const size_t level = run_of(text, '#', line.content, line.end);
    const u32 after = text.unit(line.content + level);
    return level <= 6 && (is_ascii_blank(after) || ends_line(after)) ? static_cast<u32>(level) : 0;
}

// The mark of a line that consists only of it, a thematic break or a heading's underline; 0 for other lines.
u32 rule_mark(const TextView& text, const MarkdownCuts::Line& line) {
    const u32 mark = text.unit(line.content);
    if (mark != '-' && mark != '=' && mark != '*' && mark != '_') return 0;
    u32 marks = 0;
    for (size_t at = line.content; at < line.end; ++at) {
        const u32 unit = text.unit(at);
        marks += unit == mark;
        if (unit != mark && !is_ascii_blank(unit) && !is_line_break(unit)) return 0;
    }
    return marks >= 3 ? mark : 0;
}

// Whether a line begins with a list marker: `-`, `*`, `+`, `1.` or `1)`.
bool is_item(const TextView& text, const MarkdownCuts::Line& line) {
    size_t at = line.content;
    const u32 mark = text.unit(at);
    if (mark != '-' && mark != '*' && mark != '+') {
        while (is_digit(text.unit(at)) && at < line.content + 9) ++at;
        if (at == line.content || (text.unit(at) != '.' && text.unit(at) != ')')) return false;
    }
    const u32 after = text.unit(at + 1);
    return is_ascii_blank(after) || ends_line(after);
}

using Range = MarkdownCuts::Range;

// The first range of an ascending list that ends at or after a position; the end of the list if there is none. `near`: its
// index, if positions are asked for one after another.
const Range* first_from(const Buffer<Range>& list, u64 at, size_t near = 0) {
    const Range* first = list.begin() + near;
    if (near <= list.size() && (near == 0 || first[-1].end < at) && (near == list.size() || first->end >= at)) return first;
    first = list.begin();
    for (size_t count = list.size(); count > 0;) {
        const size_t half = count / 2;
        if (first[half].end < at) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return first;
}

void drop_before(Buffer<Range>& list, u64 at) { list.drop_front(static_cast<size_t>(first_from(list, at) - list.begin())); }

}  // namespace

void MarkdownCuts::restart() {
    read_ = 0;
    cuts_.clear();
    blocks_.clear();
    headings_.clear();
    kind_ = Kind::kNone;
    is_in_line_ = has_fence_ = is_apart_ = is_in_list_ = false;
}

bool MarkdownCuts::read(const TextView& text, u64 origin, bool last) {
    while (read_ < origin + text.size) {
        const size_t begin = static_cast<size_t>(read_ - origin);
        size_t end = begin;
        while (end < text.size && !is_line_break(text.bytes[end])) ++end;
        // Of CR LF, both belong to the line.
        const bool is_cut = end == text.size || (end + 1 == text.size && text.bytes[end] == '\r');
        if (is_cut && !last) {
            if (!is_in_line_ && text.size - begin < kLineHead) return true;
        } else {
            end += end + 1 < text.size && text.bytes[end] == '\r' && text.bytes[end + 1] == '\n';
            end = std::min(end + 1, text.size);
        }
        if (!is_in_line_) {
            Line line = {begin, begin, std::min(end, begin + kLineHead), 0};
            for (; line.content < line.end && is_ascii_blank(text.bytes[line.content]); ++line.content) {
                line.indentation += text.bytes[line.content] == '\t' ? kTab : 1;
            }
            if (!add_line(text, origin, line)) return false;
        }
        is_in_line_ = is_cut && !last;
        read_ = origin + end;
        if (is_in_line_) return true;
    }
    if (!last) return true;
    // The end of the text closes what is open.
    if (has_fence_ && !end_block(fence_, read_, true)) return false;
    if (!has_fence_ && kind_ == Kind::kTable && !end_block(table_, read_, false)) return false;
    has_fence_ = false;
    kind_ = kind_ == Kind::kTable ? Kind::kText : kind_;
    return true;
}

bool MarkdownCuts::add_line(const TextView& text, u64 origin, const Line& line) {
    const u64 begin = origin + line.begin;
    const u32 first = text.unit(line.content);
    if (has_fence_) {
        const size_t marks = run_of(text, fence_mark_, line.content, line.end);
        size_t after = line.content + marks;
        while (is_ascii_blank(text.unit(after))) ++after;
        if (marks < fence_marks_ || !ends_line(text.unit(after))) return true;
        has_fence_ = false;
        kind_ = Kind::kText;
        is_apart_ = true;
        return end_block(fence_, origin + line.end, true);
    }
    if (kind_ == Kind::kTable && first != '|') {
        if (!end_block(table_, begin, false)) return false;
        kind_ = Kind::kText;
        is_apart_ = true;
    }
    if (line.content == line.end || is_line_break(first)) {
        is_apart_ = true;
        return true;
    }
    const bool is_apart = is_apart_;
    const Kind before = kind_;
    is_apart_ = false;
    kind_ = Kind::kText;
    if (before == Kind::kHeading && !headings_.empty()) headings_.back().end = begin;
    bool added;
    if (const size_t marks = opens_fence(text, line); marks > 0) {
        has_fence_ = true;
        fence_ = begin;
        fence_mark_ = first;
        fence_marks_ = marks;
        added = add(begin, kBlock, before);
    } else if (first == '|') {
        if (before != Kind::kTable) table_ = begin;
        added = add(begin, before == Kind::kTable ? kRow : kBlock, before);
        kind_ = Kind::kTable;
    } else {
        added = add_text_line(text, origin, line, before, is_apart);
    }
    line_before_ = begin;
    return added;
}

bool MarkdownCuts::add_text_line(const TextView& text, u64 origin, const Line& line, Kind before, bool is_apart) {
    const u64 begin = origin + line.begin;
    const u32 level = heading_level(text, line), mark = rule_mark(text, line);
    if (level > 0) {
        is_in_list_ = false;
        // Titles without text are separated only if nothing stronger is.
        return add_heading(begin, before == Kind::kHeading ? u32{kRow} : level, Kind::kNone);
    }
    if ((mark == '=' || mark == '-') && before == Kind::kText && !is_apart) {
        if (!cuts_.empty() && cuts_.back().end == line_before_) cuts_.pop_back();
        return add_heading(line_before_, mark == '=' ? 1 : 2, Kind::kNone);
    }
    if (mark != 0 && mark != '=') {
        is_apart_ = true;
        return add(begin, kBlock, before);
    }
    if (is_item(text, line)) {
        is_in_list_ = true;
        return add(begin, line.indentation <= 1 ? kItem : kNestedItem, before);
    }
    if (!is_apart) return true;
    is_in_list_ = is_in_list_ && line.indentation >= 2;
    return add(begin, is_in_list_ ? kNestedItem : kBlock, before);
}

// Adds a cut, unless it follows a heading.
bool MarkdownCuts::add(u64 at, u32 rank, Kind before) {
    return at == 0 || before == Kind::kHeading || cuts_.push_back({at, at, at, rank});
}

bool MarkdownCuts::add_heading(u64 at, u32 rank, Kind before) {
    kind_ = Kind::kHeading;
    return add(at, rank, before) && headings_.push_back({at, kUnknown, at, rank});
}

bool MarkdownCuts::end_block(u64 begin, u64 end, bool is_fence) {
    const bool has_lead = !headings_.empty() && headings_.back().end == begin;
    return blocks_.push_back({begin, end, has_lead ? headings_.back().begin : begin, is_fence ? kBlock : kNoCut});
}

void MarkdownCuts::forget(u64 before) {
    if (cuts_.size() < kMostOld || cuts_[kMostOld - 1].end >= before) return;
    for (Buffer<Range>* const list : {&cuts_, &blocks_, &headings_}) drop_before(*list, before);
}

u32 MarkdownCuts::rank(u64 at) {
    const Range* const cut = first_from(cuts_, at, near_cut_);
    near_cut_ = static_cast<size_t>(cut - cuts_.begin());
    return cut != cuts_.end() && cut->end == at ? cut->rank : u32{kNoCut};
}

bool MarkdownCuts::is_below_heading(u64 at) {
    const Range* const heading = first_from(headings_, at, near_heading_);
    near_heading_ = static_cast<size_t>(heading - headings_.begin());
    return heading != headings_.end() && heading->begin < at;
}

bool MarkdownCuts::is_in_fence(u64 at) const {
    if (has_fence_ && at > fence_) return true;
    const Range* const block = block_around(at);
    return block && block->rank == kBlock;
}

const Range* MarkdownCuts::block_around(u64 at) const {
    const Range* const block = first_from(blocks_, at + 1);
    return block != blocks_.end() && block->begin < at ? block : nullptr;
}

}  // namespace crayon
