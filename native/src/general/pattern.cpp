#include "general/pattern.h"

#include "base/whitespace.h"
#include "scan/unicode_16_0.h"

namespace crayon::general {

Status find_text(const NormalizedString& string, std::string_view text, PatternRanges* out) {
    Matches matches(out, string.length);
    const std::string_view all(reinterpret_cast<const char*>(string.bytes), string.length);
    for (size_t at = 0; (at = all.find(text, at)) != std::string_view::npos; at += text.size()) {
        if (!matches.add(static_cast<u32>(at), static_cast<u32>(at + text.size()))) return Status::out_of_memory();
    }
    return matches.finish() ? Status{} : Status::out_of_memory();
}

// An empty text has no match, not even an empty one.
Status find_regex(const NormalizedString& string, Regex& regex, PatternRanges* out) {
    Matches matches(out, string.length);
    if (!string.empty()) {
        regex.start(string.bytes, string.length);
        for (;;) {
            Match match;
            if (Status status = regex.next(match); !status.ok()) {
                const u32 at = static_cast<u32>(status.position);
                if (status.code == CRAYON_PATTERN_BUDGET && at < string.length) status.position = string.alignments[at].start;
                return status;
            }
            if (!match.found) break;
            // In a damaged program, positions may be any.
            for (const size_t at : {match.begin, match.end}) {
                if (at < string.length && is_continuation(string.bytes[at])) return refused(string.alignments[at].start);
            }
            if (!matches.add(static_cast<u32>(match.begin), static_cast<u32>(match.end))) return Status::out_of_memory();
        }
    }
    return matches.finish() ? Status{} : Status::out_of_memory();
}

Status find_words(const NormalizedString& string, const CharacterSet& words, PatternRanges* out) {
    enum Kind { kSpace, kWord, kOther };
    Matches matches(out, string.length);
    u32 begin = 0;
    Kind open = kSpace;
    bool allocated = true;
    const auto close = [&](u32 end) {
        if (open != kSpace) allocated = allocated && matches.add(begin, end);
    };
    each_character(string, [&](u32 code, u32 at, u32) {
        const Kind kind = words.has(code) ? kWord : is_whitespace(code) ? kSpace : kOther;
        if (kind == open) return;
        close(at);
        begin = at;
        open = kind;
    });
    close(string.length);
    return allocated && matches.finish() ? Status{} : Status::out_of_memory();
}

namespace {

enum Gpt2Kind { kLetter, kNumber, kSpace, kOther };

Gpt2Kind gpt2_kind(u32 code) {
    using namespace unicode_16_0;
    switch (class_of(code)) {
        case kUpper:
        case kLower:
        case kCaseless:
            return kLetter;
        case Class::kNumber:
            return Gpt2Kind::kNumber;
        case Class::kSpace:
        case kNewline:
            return Gpt2Kind::kSpace;
        default:
            return Gpt2Kind::kOther;
    }
}

// The length of 's 't 're 've 'm 'll 'd at the beginning of a text, or 0.
u32 contraction(const u8* text, u32 length) {
    if (length < 2 || text[0] != '\'') return 0;
    if (text[1] == 's' || text[1] == 't' || text[1] == 'm' || text[1] == 'd') return 2;
    if (length < 3) return 0;
    const bool is_one = (text[1] == 'l' && text[2] == 'l') || ((text[1] == 'r' || text[1] == 'v') && text[2] == 'e');
    return is_one ? 3 : 0;
}

}  // namespace

Status find_gpt2(const NormalizedString& string, PatternRanges* out) {
    Matches matches(out, string.length);
    const u8* const text = string.bytes;
    const u32 length = string.length;
    for (u32 begin = 0, end; begin < length; begin = end) {
        end = begin + contraction(text + begin, length - begin);
        if (end == begin) {
            Character c = character_at(text + begin);
            Gpt2Kind kind = gpt2_kind(c.code_point);
            end = begin + c.length;
            u32 last = begin;
            if (text[begin] == ' ' && end < length) {  // in front of what is no space
                const Character next = character_at(text + end);
                if (const Gpt2Kind other = gpt2_kind(next.code_point); other != kSpace) {
                    kind = other;
                    last = end;
                    end += next.length;
                }
            }
            while (end < length && gpt2_kind((c = character_at(text + end)).code_point) == kind) {
                last = end;
                end += c.length;
            }
            // Spaces leave the last one to what follows, unless it is the only one.
            if (kind == kSpace && end < length && last > begin) end = last;
        }
        if (!matches.add(begin, end)) return Status::out_of_memory();
    }
    return matches.finish() ? Status{} : Status::out_of_memory();
}

void invert(PatternRanges* ranges) {
    for (PatternRange& each : *ranges) each.is_match = !each.is_match;
}

// Each behavior joins ranges with the one before, or in reverse with the one behind: a match only where that one is no match.
// The first of a text in Contiguous counts as following what is no match.
void apply_behavior(layout::GeneralBehavior behavior, PatternRanges* all) {
    PatternRanges& ranges = *all;
    size_t size = 0;
    bool before = false;
    switch (behavior) {
        case layout::kRemoved:
            for (const PatternRange& each : ranges) {
                if (!each.is_match) ranges[size++] = each;
            }
            ranges.truncate(size);
            return;
        case layout::kIsolated:
            return;
        case layout::kContiguous:
        case layout::kMergedWithPrevious:
            for (const PatternRange& each : ranges) {
                const bool joins = behavior == layout::kContiguous ? each.is_match == before : each.is_match && !before;
                before = each.is_match;
                if (joins && size > 0)
                    ranges[size - 1].end = each.end;
                else
                    ranges[size++] = each;
            }
            ranges.truncate(size);
            return;
        case layout::kMergedWithNext: {
            size = ranges.size();
            for (size_t i = ranges.size(); i-- > 0;) {
                const PatternRange each = ranges[i];
                const bool joins = each.is_match && !before;
                before = each.is_match;
                if (joins && size < ranges.size())
                    ranges[size].begin = each.begin;
                else
                    ranges[--size] = each;
            }
            ranges.drop_front(size);
            return;
        }
    }
}

}  // namespace crayon::general
