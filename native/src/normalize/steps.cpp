#include "normalize/steps.h"

#include <cstring>

#include "base/whitespace.h"
#include "normalize/graphemes.h"

namespace crayon {

namespace {

constexpr u32 kGraphemeBytes = 6;  // a longer one is looked up by its characters

bool looks_ahead(const layout::Pattern& pattern, const PatternTables& tables) {
    for (u32 state = 1; state < pattern.state_count; ++state) {
        const auto* const row = tables.table + state * tables.start;
        for (u32 kind = 1; kind <= tables.end; ++kind) {
            if ((row[kind] ^ row[0]) & layout::kPatternEnds) return true;
        }
    }
    return false;
}

// A small letter instead of a large one, or two.
bool put_lowercase(u32 code, Buffer<StepChange>& changes) {
    u32 lower[3] = {};
    const u32 count = lowercase_of(code, lower);
    for (u32 i = 0; i < count; ++i) {
        if (!changes.push_back({lower[i], i > 0})) return false;
    }
    return true;
}

}  // namespace

Status Steps::create(const layout::NormalizerProgram* program) {
    program_ = program;
    rows_ = reinterpret_cast<const Row*>(program + 1);
    for (u32 step = 0; step < count(); ++step) {
        const std::string_view bytes = first(rows_[step]);
        const u8* const data = reinterpret_cast<const u8*>(bytes.data());
        if (rows_[step].kind == layout::kStepPrecompiled) charsmaps_[step] = Charsmap(data, bytes.size());
        if (rows_[step].kind == layout::kStepReplacePattern) {
            patterns_[step] = PatternTables(*reinterpret_cast<const layout::Pattern*>(data));
            looks_ahead_[step] = looks_ahead(*reinterpret_cast<const layout::Pattern*>(data), patterns_[step]);
        }
        if (rows_[step].kind == layout::kStepMetaspace) {
            const Status status = metaspace_.create(rows_[step].flags, bytes, second(rows_[step]));
            if (!status.ok()) return status;
        }
    }
    return forms_.create();
}

std::string_view Steps::first(const Row& row) const {
    return {reinterpret_cast<const char*>(program_) + row.first_offset, row.first_length};
}
std::string_view Steps::second(const Row& row) const {
    return {reinterpret_cast<const char*>(program_) + row.second_offset, row.second_length};
}

// A text that is put in front has no space, which might be behind the step that marks those.
bool Steps::only_mark_spaces() const {
    constexpr std::string_view kSpace = " ", kMark = "\u2581";
    u32 marking = 0;
    for (u32 step = 0; step < count(); ++step) {
        const Row& row = rows_[step];
        const bool is_replaced = row.kind == layout::kStepReplace && first(row) == kSpace && second(row) == kMark;
        const bool is_metaspace = row.kind == layout::kStepMetaspace && first(row) == kMark &&
                                  !(row.flags & layout::kDropsWhitespace) && !metaspace_.has_tokens();
        const bool is_prepended = row.kind == layout::kStepPrepend && first(row).find(' ') == std::string_view::npos;
        if (!is_replaced && !is_metaspace && !is_prepended) return false;
        marking += !is_prepended;
    }
    return marking > 0;
}

// Each of these steps looks at a single character, or at a grapheme of the text, or combines marks with their base characters;
// and the last one ends words at whitespace.
Normalizer::Words Steps::words() const {
    const Row& last = rows_[count() - 1];
    if (last.kind == layout::kStepBert && count() == 1) {
        return last.flags & layout::kSpacesIdeographs ? Normalizer::kOfBertAndIdeographs : Normalizer::kOfBert;
    }
    constexpr u32 kFlags = layout::kDropsWhitespace | layout::kPrependsAlways;
    if (last.kind != layout::kStepMetaspace || last.flags != kFlags || first(last) != "\u2581" || metaspace_.has_tokens())
        return Normalizer::kNoWords;
    for (u32 step = 0; step + 1 < count(); ++step) {
        switch (rows_[step].kind) {
            case layout::kStepPrecompiled:
                if (step > 0) return Normalizer::kNoWords;
                break;
            case layout::kStepNfc:
            case layout::kStepNfd:
            case layout::kStepNfkc:
            case layout::kStepNfkd:
            case layout::kStepNmt:
            case layout::kStepLowercase:
            case layout::kStepStripAccents:
                break;
            default:
                return Normalizer::kNoWords;
        }
    }
    return Normalizer::kAfterSpaces;
}

bool Steps::keep_spaces() const {
    for (u32 step = 0; step < count(); ++step) {
        const u32 kind = rows_[step].kind;
        if (kind != layout::kStepReplace && kind != layout::kStepReplacePattern) continue;
        const std::string_view by = second(rows_[step]);
        for (u32 code = 0; code < 0x80 && !by.empty() && by != " "; ++code) {
            if (is_whitespace(code) && relation(step, code) != 0) return false;
        }
    }
    return true;
}

template <class Rewrite>
Status Steps::map(Scratch& scratch, Rewrite rewrite) const {
    scratch.changes.clear();
    for (size_t i = 0; i < scratch.text.size(); ++i) {
        if (!rewrite(scratch.text[i].code, scratch.changes)) return Status::out_of_memory();
    }
    return apply(scratch.changes, 0, &scratch.text, &scratch.spare);
}

template <class Keeps>
Status Steps::keep(Scratch& scratch, Keeps keeps) const {
    size_t size = 0;
    for (size_t i = 0; i < scratch.text.size(); ++i) {
        if (keeps(scratch.text[i].code)) scratch.text[size++] = scratch.text[i];
    }
    scratch.text.truncate(size);
    return {};
}

Status Steps::run(u32 step, u32 edges, size_t limit, Scratch& scratch) const {
    const Status status = run_any(step, edges, limit, scratch);
    return status.ok() && scratch.text.size() > limit ? Status{CRAYON_TEXT_TOO_LONG} : status;
}

Status Steps::run_any(u32 step, u32 edges, size_t limit, Scratch& scratch) const {
    const Row& row = rows_[step];
    switch (row.kind) {
        case layout::kStepNfc:
            return forms_.normalize(UnicodeForm::kNfc, &scratch.text, scratch);
        case layout::kStepNfd:
            return forms_.normalize(UnicodeForm::kNfd, &scratch.text, scratch);
        case layout::kStepNfkc:
            return forms_.normalize(UnicodeForm::kNfkc, &scratch.text, scratch);
        case layout::kStepNfkd:
            return forms_.normalize(UnicodeForm::kNfkd, &scratch.text, scratch);
        case layout::kStepNmt:
            for (StepCharacter& each : scratch.text) {
                if (is_nmt_space(each.code)) each.code = ' ';
            }
            return keep(scratch, [](u32 code) { return !is_nmt_removed(code); });
        case layout::kStepLowercase:
            return map(scratch, put_lowercase);
        case layout::kStepStripAccents:
            return keep(scratch, [](u32 code) { return !is_combining(code); });
        case layout::kStepByteLevel:
            return map(scratch, [](u32 code, Buffer<StepChange>& changes) {
                u8 bytes[4];
                const u32 length = put_character(code, bytes);
                for (u32 i = 0; i < length; ++i) {
                    if (!changes.push_back({byte_level(bytes[i]), i > 0})) return false;
                }
                return true;
            });
        case layout::kStepStrip:
            return strip(row.flags, edges, scratch);
        case layout::kStepPrepend:
            return edges & kOpensSegment ? prepend(first(row), scratch) : Status{};
        case layout::kStepReplace:
            return replace(first(row), second(row), limit, scratch);
        case layout::kStepReplacePattern:
            return replace_matches(step, second(row), limit, scratch);
        case layout::kStepBert:
            return bert(row.flags, scratch);
        case layout::kStepPrecompiled:
            return precompiled(step, scratch);
        case layout::kStepMetaspace:
            return metaspace_.run(edges, scratch);
    }
    return {};
}

Status Steps::strip(u32 flags, u32 edges, Scratch& scratch) const {
    StepText& text = scratch.text;
    size_t begin = 0, end = text.size();
    if ((flags & layout::kStripRight) && (edges & kEndsSegment)) {
        while (end > 0 && is_whitespace(text[end - 1].code)) --end;
    }
    if ((flags & layout::kStripLeft) && (edges & kOpensSegment)) {
        while (begin < end && is_whitespace(text[begin].code)) ++begin;
    }
    if (begin > 0) std::memmove(text.data(), text.data() + begin, (end - begin) * sizeof(StepCharacter));
    text.truncate(end - begin);
    return {};
}

// Prepends to a text that is not empty; the new characters have the source of its first one.
Status Steps::prepend(std::string_view put_in, Scratch& scratch) const {
    if (scratch.text.empty()) return {};
    scratch.spare.clear();
    if (Status status = append_characters(put_in, scratch.text[0].source, &scratch.spare); !status.ok()) return status;
    if (!scratch.spare.append(scratch.text.data(), scratch.text.size())) return Status::out_of_memory();
    scratch.text.swap(scratch.spare);
    return {};
}

// What replaces a match comes from where its last character does.
Status Steps::replace(std::string_view text, std::string_view by, size_t limit, Scratch& scratch) const {
    StepText wanted;
    if (Status status = append_characters(text, 0, &wanted); !status.ok()) return status;
    const size_t count = wanted.size(), size = scratch.text.size();
    const auto is_at = [&](size_t at) {
        for (size_t i = 0; i < count; ++i) {
            if (scratch.text[at + i].code != wanted[i].code) return false;
        }
        return true;
    };
    scratch.spare.clear();
    for (size_t at = 0; at < size && scratch.spare.size() <= limit;) {
        if (at + count > size || !is_at(at)) {
            if (!scratch.spare.push_back(scratch.text[at++])) return Status::out_of_memory();
            continue;
        }
        at += count;
        if (Status status = append_characters(by, scratch.text[at - 1].source, &scratch.spare); !status.ok()) return status;
    }
    scratch.text.swap(scratch.spare);
    return {};
}

Status Steps::replace_matches(u32 step, std::string_view by, size_t limit, Scratch& scratch) const {
    const PatternTables& pattern = patterns_[step];
    const size_t size = scratch.text.size();
    const auto class_of = [&](u32 code) { return pattern.class_of(code < kIllFormedBytes ? code : 0xFFFD); };
    scratch.spare.clear();
    for (size_t begin = 0; begin < size && scratch.spare.size() <= limit;) {
        size_t end = begin, at = begin;
        u32 state = pattern.start;
        for (; at < size && state != 0; ++at) {
            const u32 entry = pattern.table[state + class_of(scratch.text[at].code)];
            if (entry & layout::kPatternEnds) end = at;
            state = entry & ~layout::kPatternEnds;
        }
        if (at == size && state != 0 && (pattern.table[state + pattern.end] & layout::kPatternEnds)) end = size;
        if (end == begin) {
            if (!scratch.spare.push_back(scratch.text[begin++])) return Status::out_of_memory();
            continue;
        }
        begin = end;
        if (Status status = append_characters(by, scratch.text[end - 1].source, &scratch.spare); !status.ok()) return status;
    }
    scratch.text.swap(scratch.spare);
    return {};
}

Status Steps::bert(u32 flags, Scratch& scratch) const {
    if (flags & layout::kCleanText) {
        for (StepCharacter& each : scratch.text) {
            if (is_cleaned_to_space(each.code)) each.code = ' ';
        }
        if (Status status = keep(scratch, [](u32 code) { return !is_cleaned_away(code); }); !status.ok()) return status;
    }
    if (flags & layout::kSpacesIdeographs) {
        const Status status = map(scratch, [](u32 code, Buffer<StepChange>& changes) {
            if (!is_ideograph(code)) return changes.push_back({code, 0});
            return changes.push_back({' ', 0}) && changes.push_back({code, 1}) && changes.push_back({' ', 1});
        });
        if (!status.ok()) return status;
    }
    if (flags & layout::kStripsAccents) {
        if (Status status = forms_.normalize(UnicodeForm::kNfd, &scratch.text, scratch); !status.ok()) return status;
        if (Status status = keep(scratch, [](u32 code) { return !is_nonspacing(code); }); !status.ok()) return status;
    }
    if ((flags & layout::kLowercases) == 0) return {};
    return map(scratch, put_lowercase);
}

// Each grapheme, or else each of its characters, by the shortest rule that it begins with; the rest of it is dropped.
Status Steps::precompiled(u32 step, Scratch& scratch) const {
    const Charsmap& rules = charsmaps_[step];
    const StepText& text = scratch.text;
    const Graphemes graphemes(text);
    scratch.changes.clear();
    u32 removed = 0;
    bool has_any = false;
    // 1: there is a rule; 0: there is none; −1: no memory.
    const auto put = [&](size_t from, size_t to) -> int {
        u8 bytes[kGraphemeBytes + 4];
        u32 length = 0;
        for (size_t i = from; i < to; ++i) {
            length += put_character(text[i].code, bytes + length);
            if (to - from > 1 && length >= kGraphemeBytes) return 0;
        }
        const u8* found;
        size_t found_length;
        if (!rules.find(bytes, length, &found, &found_length)) return 0;
        has_any = true;
        const size_t begin = scratch.changes.size();
        const std::string_view replacement(reinterpret_cast<const char*>(found), found_length);
        for (size_t at = 0; at < replacement.size();) {
            u32 bytes_of_one;
            const u32 code = code_at(replacement, at, &bytes_of_one);
            if (!scratch.changes.push_back({code, 0})) return -1;
            at += bytes_of_one;
        }
        const size_t count = scratch.changes.size() - begin, old = to - from;
        for (size_t i = old; i < count; ++i) scratch.changes[scratch.changes.size() - 1 - (i - old)].change = 1;
        if (count < old) {
            const u32 fewer = static_cast<u32>(old - count);
            if (scratch.changes.empty()) {
                removed += fewer;
            } else {
                scratch.changes.back().change -= static_cast<int32_t>(fewer);
            }
        }
        return 1;
    };
    for (size_t begin = 0, end; begin < text.size(); begin = end) {
        end = graphemes.end_of(begin);
        const int whole = end - begin > 1 ? put(begin, end) : 0;
        if (whole < 0) return Status::out_of_memory();
        for (size_t at = begin; at < end && whole == 0; ++at) {
            const int one = put(at, at + 1);
            if (one < 0 || (one == 0 && !scratch.changes.push_back({text[at].code, 0}))) return Status::out_of_memory();
        }
    }
    return has_any ? apply(scratch.changes, removed, &scratch.text, &scratch.spare) : Status{};
}

u32 Steps::relation(u32 step, u32 code) const {
    const Row& row = rows_[step];
    switch (row.kind) {
        case layout::kStepNfc:
        case layout::kStepNfd:
            return forms_.joins(UnicodeForm::kNfc, code) ? u32{kJoins} : 0;
        case layout::kStepNfkc:
        case layout::kStepNfkd:
            return forms_.joins(UnicodeForm::kNfkc, code) ? u32{kJoins} : 0;
        case layout::kStepBert:
            if ((row.flags & layout::kStripsAccents) == 0) return 0;
            // Characters between a letter and its accent may have been removed earlier.
            if ((row.flags & layout::kCleanText) && is_cleaned_away(code)) return kJoins;
            return forms_.joins(UnicodeForm::kNfd, code) ? u32{kJoins} : 0;
        case layout::kStepPrecompiled:
            return joins_graphemes(code) ? u32{kJoins} : 0;
        case layout::kStepStrip:
            return is_whitespace(code) ? u32{kSpans} : 0;
        case layout::kStepMetaspace: {
            const u32 dropped = metaspace_.drops(code) ? u32{kDrops} : 0;
            if (metaspace_.ends_token(code)) return dropped | kJoins;
            return metaspace_.is_in_token(code) ? dropped | kSpans : dropped;
        }
        case layout::kStepReplace: {
            u32 length;
            const std::string_view text = first(row);
            code_at(text, 0, &length);
            if (length == text.size()) return 0;
            for (size_t at = 0; at < text.size(); at += length) {
                if (code_at(text, at, &length) == code) return kSpans;
            }
            return 0;
        }
        case layout::kStepReplacePattern: {
            // A match goes on with it from some state.
            const PatternTables& pattern = patterns_[step];
            const u32 kind = pattern.class_of(code < kIllFormedBytes ? code : 0xFFFD);
            const u32 states = reinterpret_cast<const layout::Pattern*>(first(row).data())->state_count;
            for (u32 state = 1; state < states; ++state) {
                if (pattern.table[state * pattern.start + kind] & ~layout::kPatternEnds)
                    return looks_ahead_[step] ? kJoins : kSpans;
            }
            return 0;
        }
        default:
            return 0;
    }
}

Steps::Makes Steps::makes(u32 step, StepText* out) const {
    switch (rows_[step].kind) {
        case layout::kStepNfc:
        case layout::kStepNfkc:
        case layout::kStepPrecompiled:
            return kAnything;
        case layout::kStepReplace:
        case layout::kStepReplacePattern:
            return append_characters(second(rows_[step]), 0, out).ok() ? kText : kNoMemory;
        default:
            return kNothingNew;
    }
}

bool Steps::has_relations(u32 step) const {
    const Row& row = rows_[step];
    switch (row.kind) {
        case layout::kStepNmt:
        case layout::kStepLowercase:
        case layout::kStepStripAccents:
        case layout::kStepByteLevel:
        case layout::kStepPrepend:
            return false;
        case layout::kStepBert:
            return (row.flags & layout::kStripsAccents) != 0;
        case layout::kStepMetaspace:
            return (row.flags & layout::kDropsWhitespace) != 0 || metaspace_.has_tokens();
        default:
            return true;
    }
}

bool Steps::acts_at_edges(u32 step) const {
    const u32 kind = rows_[step].kind;
    return kind == layout::kStepStrip || kind == layout::kStepPrepend || kind == layout::kStepMetaspace;
}

bool Steps::passes_over(u32 step, const StepText& text) const {
    const Row& row = rows_[step];
    const bool over_spaces =
        row.kind == layout::kStepStrip || (row.kind == layout::kStepMetaspace && (row.flags & layout::kDropsWhitespace) != 0);
    for (const StepCharacter& each : text) {
        if (!over_spaces || !is_whitespace(each.code)) return false;
    }
    return true;
}

}  // namespace crayon
