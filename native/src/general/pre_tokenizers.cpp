#include "general/pre_tokenizers.h"

#include "base/whitespace.h"

namespace crayon::general {

namespace {

using layout::GeneralBehavior;
using Parts = PreTokenizedString::Parts;

Status whole(const NormalizedString&, Parts& parts) { return parts.add_whole() ? Status{} : Status::out_of_memory(); }

// Splits by characters.
template <class Is>
Status split_at(PreTokenizedString* string, Is is, GeneralBehavior behavior, PatternRanges* scratch) {
    return string->split([&](const NormalizedString& each, Parts& parts) {
        if (Status status = find_characters(each, is, scratch); !status.ok()) return status;
        apply_behavior(behavior, scratch);
        return add_ranges(*scratch, parts);
    });
}

// First a space is put in front of each split that begins with none; then the pattern of GPT-2 splits; then each byte becomes a
// character.
Status byte_level_pre_tokenizer(u32 flags, Normalizing& normalizing, PatternRanges* scratch, PreTokenizedString* string) {
    const auto put_space = [&](Normalizing& each) {
        const NormalizedString& text = each.get();
        const bool has_space = !text.empty() && text.bytes[0] == ' ';
        return has_space ? Status{} : each.prepend(reinterpret_cast<const u8*>(" "), 1);
    };
    const auto cut = [&](const NormalizedString& each, Parts& parts) {
        if ((flags & layout::kUsesRegex) == 0) return whole(each, parts);
        const Status status = find_gpt2(each, scratch);
        return status.ok() ? add_ranges(*scratch, parts) : status;
    };
    Status status = flags & layout::kAddsPrefixSpace ? string->rewrite(normalizing, put_space, cut)
                    : flags & layout::kUsesRegex     ? string->split(cut)
                                                     : Status{};
    if (status.ok()) status = string->rewrite(normalizing, byte_level, whole);
    return status;
}

// Spaces become the replacement, which is put in front of a split that does not begin with it: with `first`, only if that is at
// the beginning of the text, or of all that is left of the text after what was cut off in front.
Status metaspace(std::string_view replacement, u32 flags, Normalizing& normalizing, PatternRanges* scratch,
                 PreTokenizedString* string) {
    const u8* const text = reinterpret_cast<const u8*>(replacement.data());
    const u32 mark = character_at(text).code_point;
    const auto rewrite = [&](Normalizing& each) {
        Status status = find_characters(
            each.get(), [](u32 code) { return code == ' '; }, scratch);
        if (status.ok()) status = replace(*scratch, replacement, each);
        const NormalizedString& now = each.get();
        const bool prepends = flags & layout::kPrependsToAll || (flags & layout::kPrependsToFirst && now.original.begin == 0);
        const bool has_mark = !now.empty() && character_at(now.bytes).code_point == mark;
        return status.ok() && prepends && !has_mark ? each.prepend(text, static_cast<u32>(replacement.size())) : status;
    };
    return string->rewrite(normalizing, rewrite, [&](const NormalizedString& each, Parts& parts) {
        if ((flags & layout::kSplitsAtMarks) == 0) return whole(each, parts);
        if (Status status = find_characters(
                each, [mark](u32 code) { return code == mark; }, scratch);
            !status.ok())
            return status;
        apply_behavior(layout::kMergedWithNext, scratch);
        return add_ranges(*scratch, parts);
    });
}

// A split ends where a character has another script than the last one before it that has any. The reference collects the
// beginnings of scripts, and then pairs each with the next: so what is in front of the first is lost, and a text without any
// script.
Status unicode_scripts(std::span<const layout::GeneralScript> scripts, PreTokenizedString* string) {
    return string->split([&](const NormalizedString& each, Parts& parts) {
        u32 last = kNoId, begin = kNoId;
        bool allocated = true;
        each_character(each, [&](u32 code, u32 at, u32) {
            const layout::GeneralScript* const row = row_of(scripts, code);
            if (!row || row->script == last) return;
            if (begin != kNoId) allocated = allocated && parts.add(begin, at);
            begin = at;
            last = row->script;
        });
        if (begin != kNoId) allocated = allocated && parts.add(begin, each.length);
        return allocated ? Status{} : Status::out_of_memory();
    });
}

// With the length 0 the reference stops.
Status fixed_length(u32 length, PreTokenizedString* string) {
    return string->split([&](const NormalizedString& each, Parts& parts) {
        if (length == 0) return refused(each.original.begin);
        u32 begin = 0, count = 0;
        bool allocated = true;
        each_character(each, [&](u32, u32, u32 end) {
            if (++count < length) return;
            allocated = allocated && parts.add(begin, end);
            begin = end;
            count = 0;
        });
        return allocated && parts.add(begin, each.length) ? Status{} : Status::out_of_memory();
    });
}

}  // namespace

Status PreTokenizedString::begin(const u8* text, u32 length) {
    text_.clear();
    splits_.clear();
    if (!text_.bytes.append(text, length) || !text_.alignments.resize(length)) return Status::out_of_memory();
    for (u32 at = 0; at < length;) {
        const u32 width = character_at(text + at).length;
        for (const u32 start = at; at < start + width; ++at) text_.alignments[at] = Alignment::of(start, width);
    }
    return length == 0 || splits_.push_back({0, length, {0, length}, kNoId}) ? Status{} : Status::out_of_memory();
}

Status CharacterSets::create(const Definition& definition) {
    const u32 count = definition.head().step_count;
    first_ = definition.normalizers().data();
    if (!sets_.assign(count, CharacterSet())) return Status::out_of_memory();
    for (u32 i = 0; i < count; ++i) {
        switch (first_[i].kind) {
            case layout::kBertPreTokenizer:
            case layout::kWhitespace:
            case layout::kDigits:
            case layout::kPunctuation:
                sets_[i] = CharacterSet(definition.rows<layout::WordRange>(first_[i].first));
        }
    }
    return {};
}

Status pre_tokenize(const Definition& definition, const layout::GeneralStep& step, const CharacterSets& sets, Matchers& matchers,
                    Normalizing& normalizing, PatternRanges* scratch, PreTokenizedString* string) {
    const auto behavior = static_cast<GeneralBehavior>(step.flags & layout::kBehavior);
    const CharacterSet& set = sets.of(step);
    const auto is_in_set = [&set](u32 code) { return set.has(code); };
    switch (step.kind) {
        case layout::kBertPreTokenizer: {
            const Status status = split_at(string, is_whitespace, layout::kRemoved, scratch);
            return status.ok() ? split_at(string, is_in_set, layout::kIsolated, scratch) : status;
        }
        case layout::kByteLevelPreTokenizer:
            return byte_level_pre_tokenizer(step.flags, normalizing, scratch, string);
        case layout::kCharDelimiterSplit: {
            const u32 delimiter = character_at(reinterpret_cast<const u8*>(definition.text(step.first).data())).code_point;
            return split_at(
                string, [delimiter](u32 code) { return code == delimiter; }, layout::kRemoved, scratch);
        }
        case layout::kMetaspacePreTokenizer:
            return metaspace(definition.text(step.first), step.flags, normalizing, scratch, string);
        case layout::kWhitespace:
            return string->split([&](const NormalizedString& each, Parts& parts) {
                if (Status status = find_words(each, set, scratch); !status.ok()) return status;
                invert(scratch);
                apply_behavior(layout::kRemoved, scratch);
                return add_ranges(*scratch, parts);
            });
        case layout::kWhitespaceSplitPreTokenizer:
            return split_at(string, is_whitespace, layout::kRemoved, scratch);
        case layout::kDigits:
        case layout::kPunctuation:
            return split_at(string, is_in_set, behavior, scratch);
        case layout::kSplit:
            return string->split([&](const NormalizedString& each, Parts& parts) {
                if (Status status = find_pattern(definition, step, each, matchers, scratch); !status.ok()) return status;
                if (step.flags & layout::kInverts) invert(scratch);
                apply_behavior(behavior, scratch);
                return add_ranges(*scratch, parts);
            });
        case layout::kUnicodeScripts:
            return unicode_scripts(definition.rows<layout::GeneralScript>(step.first), string);
        case layout::kFixedLength:
            return fixed_length(step.flags, string);
    }
    return {};
}

}  // namespace crayon::general
