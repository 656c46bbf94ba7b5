#include "cartridge/section_checks.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "base/utf8.h"
#include "cartridge/sections.h"
#include "general/regex.h"
#include "normalize/charsmap.h"

namespace crayon {

using layout::GeneralPart;
using layout::GeneralStep;
using layout::GeneralTokenizer;

namespace {

enum class Content { kNone, kText, kSomeText, kCharacter, kRanges, kScripts, kCharsmap, kPattern, kProgram };

struct GeneralRule {
    u32 kind, flags = 0;
    Content first = Content::kNone, second = Content::kNone;
};

constexpr GeneralRule kRules[] = {
    {layout::kBertNormalizer,
     layout::kCleansText | layout::kHandlesChinese | layout::kStripsBertAccents | layout::kLowercasesBert},
    {layout::kStripAccents},
    {layout::kStrip, layout::kStripsLeft | layout::kStripsRight},
    {layout::kFormC},
    {layout::kFormD},
    {layout::kFormKC},
    {layout::kFormKD},
    {layout::kLowercaseNormalizer},
    {layout::kReplace, layout::kIsRegex, Content::kPattern, Content::kText},
    {layout::kPrependText, 0, Content::kText},
    {layout::kPrecompiled, 0, Content::kCharsmap},
    {layout::kByteLevelNormalizer},
    {layout::kNmt},
    {layout::kSentencePieceNormalizer, 0, Content::kProgram},
    {layout::kBertPreTokenizer, 0, Content::kRanges},
    {layout::kByteLevelPreTokenizer, layout::kAddsPrefixSpace | layout::kUsesRegex},
    {layout::kCharDelimiterSplit, 0, Content::kCharacter},
    {layout::kMetaspacePreTokenizer, layout::kSplitsAtMarks | layout::kPrependsToFirst | layout::kPrependsToAll,
     Content::kCharacter},
    {layout::kWhitespace, 0, Content::kRanges},
    {layout::kWhitespaceSplitPreTokenizer},
    {layout::kDigits, layout::kBehavior, Content::kRanges},
    {layout::kPunctuation, layout::kBehavior, Content::kRanges},
    {layout::kSplit, layout::kBehavior | layout::kIsRegex | layout::kInverts, Content::kPattern},
    {layout::kUnicodeScripts, 0, Content::kScripts},
    {layout::kFixedLength, ~u32{0}},
};

constexpr u32 row_bytes(Content content) {
    return content == Content::kRanges    ? sizeof(layout::WordRange)
           : content == Content::kScripts ? sizeof(layout::GeneralScript)
                                          : 1;
}

// Stages read texts of UTF-8 without checks. A character is one code point.
bool is_utf8(const char* bytes, size_t length, u32* characters) {
    const u8* const text = reinterpret_cast<const u8*>(bytes);
    for (size_t at = 0; at < length; ++*characters) {
        const Character c = character_in(text, at, length);
        if (is_ill_formed(c, text + at)) return false;
        at += c.length;
    }
    return true;
}

}  // namespace

Status read_general_section(const u8* data, SectionRange section, u32 count, const GeneralTokenizer** out) {
    const auto broken = [&](u64 at) { return corrupt(section.id, section.offset + at); };
    if (section.length < sizeof(GeneralTokenizer)) return broken(0);
    const GeneralTokenizer& head = *reinterpret_cast<const GeneralTokenizer*>(data + section.offset);
    constexpr u32 kFlags = layout::kHasUnknown | layout::kFuseUnknown | layout::kByteFallback | layout::kIgnoreMerges;
    if (head.model < layout::kGeneralBpe || head.model > layout::kGeneralWordLevel)
        return broken(offsetof(GeneralTokenizer, model));
    if ((head.flags & ~kFlags) != 0) return broken(offsetof(GeneralTokenizer, flags));
    const u64 data_begin = sizeof(GeneralTokenizer) + u64{head.step_count} * sizeof(GeneralStep);
    if (head.step_count > layout::kMaxGeneralSteps || data_begin > section.length)
        return broken(offsetof(GeneralTokenizer, step_count));
    if (head.normalizer_count > head.step_count) return broken(offsetof(GeneralTokenizer, normalizer_count));
    if ((head.reserved[0] | head.reserved[1] | head.reserved[2]) != 0) return broken(offsetof(GeneralTokenizer, reserved));
    const auto is_inside = [&](const GeneralPart& part, u64 element) {
        if (part.length == 0) return part.offset == 0;
        return part.offset % 8 == 0 && part.offset >= data_begin && part.offset + part.length * element <= section.length;
    };
    const auto text_of = [&](const GeneralPart& part) {
        return reinterpret_cast<const char*>(data + section.offset + part.offset);
    };
    u32 characters = 0;
    const auto is_text = [&](const GeneralPart& part) {
        characters = 0;
        return is_inside(part, 1) && is_utf8(text_of(part), part.length, &characters);
    };
    if (!is_text(head.prefix)) return broken(offsetof(GeneralTokenizer, prefix));
    if (!is_text(head.suffix)) return broken(offsetof(GeneralTokenizer, suffix));
    if (!is_inside(head.merges, sizeof(layout::GeneralMerge))) return broken(offsetof(GeneralTokenizer, merges));
    if (!is_inside(head.scores, sizeof(double))) return broken(offsetof(GeneralTokenizer, scores));
    if (head.model == layout::kGeneralUnigram ? head.scores.length < count : head.scores.length > 0)
        return broken(offsetof(GeneralTokenizer, scores));
    for (u32 i = 0; i < head.merges.length; ++i) {
        const u64 at_merge = head.merges.offset + u64{i} * sizeof(layout::GeneralMerge);
        const layout::GeneralMerge& merge = *reinterpret_cast<const layout::GeneralMerge*>(data + section.offset + at_merge);
        if (merge.left >= count || merge.right >= count || merge.result >= count) return broken(at_merge);
    }
    const GeneralStep* const steps = reinterpret_cast<const GeneralStep*>(data + section.offset + sizeof(GeneralTokenizer));
    for (u32 i = 0; i < head.step_count; ++i) {
        const GeneralStep& step = steps[i];
        const u64 at_step = sizeof(GeneralTokenizer) + u64{i} * sizeof(GeneralStep);
        const GeneralRule* const rule =
            std::find_if(std::begin(kRules), std::end(kRules), [&](const GeneralRule& each) { return each.kind == step.kind; });
        const bool is_normalizer = step.kind < layout::kBertPreTokenizer;
        if (rule == std::end(kRules) || is_normalizer != (i < head.normalizer_count))
            return broken(at_step + offsetof(GeneralStep, kind));
        const bool has_behavior = step.kind >= layout::kDigits && step.kind <= layout::kSplit;
        const bool is_wrong =
            (step.flags & ~rule->flags) != 0 || (has_behavior && (step.flags & layout::kBehavior) > layout::kContiguous);
        if (is_wrong) return broken(at_step + offsetof(GeneralStep, flags));
        const auto check = [&](const GeneralPart& part, Content content) -> Status {
            const u64 at_part = at_step + (&part == &step.first ? offsetof(GeneralStep, first) : offsetof(GeneralStep, second));
            if (content == Content::kPattern) content = step.flags & layout::kIsRegex ? Content::kPattern : Content::kSomeText;
            if (!is_inside(part, row_bytes(content))) return broken(at_part);
            switch (content) {
                case Content::kNone:
                    return part.length == 0 ? Status{} : broken(at_part);
                case Content::kText:
                    return is_text(part) ? Status{} : broken(at_part);
                case Content::kSomeText:
                    return part.length > 0 && is_text(part) ? Status{} : broken(at_part);
                case Content::kCharacter:
                    return is_text(part) && characters == 1 ? Status{} : broken(at_part);
                case Content::kCharsmap:
                    return Charsmap::is_one(reinterpret_cast<const u8*>(data + section.offset + part.offset), part.length)
                               ? Status{}
                               : broken(at_part);
                case Content::kProgram: {
                    if (part.length == 0) return broken(at_part);
                    const layout::NormalizerProgram* program = nullptr;
                    const Status status = read_program(data, {section.id, section.offset + part.offset, part.length}, &program);
                    if (!status.ok()) return status;
                    const u32 kind = reinterpret_cast<const layout::NormalizerStep*>(program + 1)->kind;
                    return kind == layout::kStepSentencePiece ? Status{} : broken(at_part);
                }
                case Content::kPattern: {
                    if (part.length == 0 || part.length % sizeof(u32) != 0) return broken(at_part);
                    const u32* const words = reinterpret_cast<const u32*>(data + section.offset + part.offset);
                    const Status status = general::check_regex(words, part.length / sizeof(u32));
                    if (status.code != CRAYON_CORRUPT_STRUCTURE) return status;
                    return broken(part.offset + status.position * sizeof(u32));
                }
                default:
                    return {};
            }
        };
        Status status = check(step.first, rule->first);
        if (status.ok()) status = check(step.second, rule->second);
        if (!status.ok()) return status;
    }
    *out = &head;
    return {};
}

Status Sections::read_general(SectionRange section) {
    const Status status = read_general_section(data_, section, contents_.tokens.token_count, &contents_.general);
    if (!status.ok()) return status;
    for (const layout::View& view : contents_.view_rows) {
        const u32& wrong = view.pretokenizer != layout::kNoPretokenizer ? view.pretokenizer : view.normalizer;
        if (view.pretokenizer == layout::kNoPretokenizer && view.normalizer == layout::kNoNormalizer) continue;
        return corrupt(layout::kViews, static_cast<u64>(reinterpret_cast<const u8*>(&wrong) - data_));
    }
    contents_.general_length = static_cast<u32>(section.length);
    u32 characters = 0;
    for (const layout::AddedToken& token : contents_.added_rows) {
        const char* const text = contents_.added_strings + token.bytes_offset;
        if (is_utf8(text, token.length, &characters)) continue;
        return corrupt(layout::kAddedTokens, static_cast<u64>(reinterpret_cast<const u8*>(text) - data_));
    }
    return {};
}

}  // namespace crayon
