// The reference's Pattern: what of a string matches, and what lies between.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>

#include "crayon/layout/cartridge.h"
#include "crayon/layout/general.h"
#include "general/normalized_string.h"
#include "general/regex.h"

namespace crayon::general {

// A range of a string: a match, or what is between two. They cover the string, in its order.
struct PatternRange {
    u32 begin, end;
    bool is_match;
};
using PatternRanges = Buffer<PatternRange>;

// Of rows that ascend, the one with a code point, or nullptr.
template <class Row>
const Row* row_of(std::span<const Row> rows, u32 code) {
    const auto is_before = [code](const Row& row) { return row.last < code; };
    const auto found = std::partition_point(rows.begin(), rows.end(), is_before);
    return found != rows.end() && found->first <= code ? &*found : nullptr;
}

// Characters by ranges of code points.
class CharacterSet {
public:
    CharacterSet() = default;
    explicit CharacterSet(std::span<const layout::WordRange> ranges) : ranges_(ranges) {
        for (u32 code = 0; code < 128; ++code) ascii_[code / 64] |= u64{row_of(ranges_, code) != nullptr} << code % 64;
    }
    bool has(u32 code) const { return code < 128 ? (ascii_[code / 64] >> code % 64 & 1) != 0 : row_of(ranges_, code) != nullptr; }

private:
    std::span<const layout::WordRange> ranges_;
    u64 ascii_[2] = {0, 0};
};

// Collects matches, in order, and what is between them.
class Matches {
public:
    Matches(PatternRanges* out, u32 length) : out_(out), length_(length) { out->clear(); }
    bool add(u32 begin, u32 end) {
        if (at_ != begin && !out_->push_back({at_, begin, false})) return false;
        at_ = end;
        return out_->push_back({begin, end, true});
    }
    // An empty string is one range.
    bool finish() { return (at_ == length_ && length_ > 0) || out_->push_back({at_, length_, false}); }

private:
    PatternRanges* const out_;
    const u32 length_;
    u32 at_ = 0;
};

// Each character for which `is` holds is a match. OUT_OF_MEMORY, as all of these.
template <class Is>
Status find_characters(const NormalizedString& string, Is is, PatternRanges* out) {
    Matches matches(out, string.length);
    bool allocated = true;
    each_character(string, [&](u32 code, u32 begin, u32 end) {
        if (is(code)) allocated = allocated && matches.add(begin, end);
    });
    return allocated && matches.finish() ? Status{} : Status::out_of_memory();
}
// Each occurrence of a text that is not empty, from the left.
Status find_text(const NormalizedString& string, std::string_view text, PatternRanges* out);
// PATTERN_BUDGET, too.
Status find_regex(const NormalizedString& string, Regex& regex, PatternRanges* out);
// \w+|[^\w\s]+
Status find_words(const NormalizedString& string, const CharacterSet& words, PatternRanges* out);
// The pattern of GPT-2: 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
Status find_gpt2(const NormalizedString& string, PatternRanges* out);

// What remains as the parts of a split, by the reference's SplitDelimiterBehavior: with kRemoved, what is a match is left out.
// Others than kRemoved have no matches behind this.
void apply_behavior(layout::GeneralBehavior behavior, PatternRanges* ranges);
void invert(PatternRanges* ranges);

}  // namespace crayon::general
