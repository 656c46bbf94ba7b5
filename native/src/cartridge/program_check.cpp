#include "cartridge/section_checks.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "base/utf8.h"
#include "crayon/layout/cartridge.h"
#include "normalize/charsmap.h"
#include "normalize/symbols.h"

namespace crayon {

namespace {

using Step = layout::NormalizerStep;

// The parts that a step may refer to, and its flags.
enum class Part { kNone, kNeeded, kAllowed };
struct StepRule {
    u32 flags;
    Part first = Part::kNone, second = Part::kNone;
};

constexpr StepRule rule_of(u32 kind) {
    switch (kind) {
        case layout::kStepStrip:
            return {layout::kStripLeft | layout::kStripRight};
        case layout::kStepPrepend:
        case layout::kStepPrecompiled:
            return {0, Part::kNeeded};
        case layout::kStepReplace:
        case layout::kStepReplacePattern:
            return {0, Part::kNeeded, Part::kAllowed};
        case layout::kStepBert:
            return {layout::kCleanText | layout::kSpacesIdeographs | layout::kStripsAccents | layout::kLowercases};
        case layout::kStepMetaspace:
            return {layout::kDropsWhitespace | layout::kPrependsFirst | layout::kPrependsAlways | layout::kTakesWhitespace,
                    Part::kNeeded, Part::kAllowed};
        case layout::kStepSentencePiece:
            return {layout::kPutsSpace | layout::kSpaceBehind | layout::kCollapsesSpaces | layout::kMarksSpaces, Part::kAllowed,
                    Part::kAllowed};
        default:
            return {0};
    }
}

bool is_character(const u8* bytes, u32 length) {
    u8 padded[4] = {};
    if (length == 0 || length > sizeof padded) return false;
    std::memcpy(padded, bytes, length);
    const Character character = decode_character(padded);
    return character.length == length && !is_ill_formed(character, padded);
}

}  // namespace

Status read_program(const u8* data, SectionRange section, const layout::NormalizerProgram** out) {
    const u8* const bytes = data + section.offset;
    const auto corrupt = [&](u64 offset) { return Status{CRAYON_CORRUPT_STRUCTURE, section.id, section.offset + offset}; };
    if (section.length < sizeof(layout::NormalizerProgram)) return corrupt(0);
    const layout::NormalizerProgram& program = *reinterpret_cast<const layout::NormalizerProgram*>(bytes);
    if (program.step_count < 1 || program.step_count > layout::kMaxSteps) {
        return corrupt(offsetof(layout::NormalizerProgram, step_count));
    }
    for (const u32 reserved : program.reserved) {
        if (reserved != 0) return corrupt(offsetof(layout::NormalizerProgram, reserved));
    }
    const u64 rows_end = sizeof program + u64{program.step_count} * sizeof(Step);
    if (rows_end > section.length) return corrupt(offsetof(layout::NormalizerProgram, step_count));
    const Step* const rows = reinterpret_cast<const Step*>(&program + 1);
    const auto is_inside = [&](u32 offset, u32 length) {
        return length == 0 ? offset == 0 : offset >= rows_end && u64{offset} + length <= section.length;
    };
    for (u32 i = 0; i < program.step_count; ++i) {
        const Step& step = rows[i];
        const u64 at = sizeof program + u64{i} * sizeof(Step);
        if (step.kind < 1 || step.kind > layout::kLastStep ||
            (step.kind == layout::kStepMetaspace && i + 1 != program.step_count) ||
            (step.kind == layout::kStepSentencePiece && program.step_count != 1)) {
            return corrupt(at + offsetof(Step, kind));
        }
        const StepRule rule = rule_of(step.kind);
        constexpr u32 kPrepends = layout::kPrependsFirst | layout::kPrependsAlways;
        const bool is_twice = step.kind == layout::kStepMetaspace && (step.flags & kPrepends) == kPrepends;
        const bool takes_of_none =
            step.kind == layout::kStepMetaspace && (step.flags & layout::kTakesWhitespace) != 0 && step.second_length == 0;
        if ((step.flags & ~rule.flags) != 0 || is_twice || takes_of_none) return corrupt(at + offsetof(Step, flags));
        const bool has_first = step.first_length > 0, is_alone = step.kind == layout::kStepSentencePiece;
        // The tokens of a lone Metaspace are matched before it, unless it takes out whitespace around them.
        const bool takes = (step.flags & layout::kTakesWhitespace) != 0;
        const bool has_symbols = is_alone || (step.kind == layout::kStepMetaspace && (i > 0 || takes));
        if ((has_first ? rule.first == Part::kNone : rule.first == Part::kNeeded) ||
            !is_inside(step.first_offset, step.first_length)) {
            return corrupt(at + offsetof(Step, first_offset));
        }
        const bool has_second = rule.second != Part::kNone && (has_symbols || step.kind != layout::kStepMetaspace);
        if ((!has_second && step.second_length > 0) || !is_inside(step.second_offset, step.second_length) ||
            (has_symbols ? step.second_length > 0 && !Symbols::is_one(bytes + step.second_offset, step.second_length)
                         : step.second_length > layout::kMaxStepText)) {
            return corrupt(at + offsetof(Step, second_offset));
        }
        const bool is_text = step.kind == layout::kStepPrepend || step.kind == layout::kStepReplace;
        if ((is_text && step.first_length > layout::kMaxStepText) ||
            (step.kind == layout::kStepMetaspace && !is_character(bytes + step.first_offset, step.first_length)) ||
            ((step.kind == layout::kStepPrecompiled || (is_alone && has_first)) &&
             !Charsmap::is_one(bytes + step.first_offset, step.first_length))) {
            return corrupt(at + offsetof(Step, first_length));
        }
        if (step.kind == layout::kStepReplacePattern) {
            if (step.first_offset % layout::kAlignment != 0) return corrupt(at + offsetof(Step, first_offset));
            const layout::Pattern* pattern = nullptr;
            const SectionRange range = {section.id, section.offset + step.first_offset, step.first_length};
            if (Status status = read_patterns(data, range, &pattern); !status.ok()) return status;
            if (pattern->length != step.first_length) return corrupt(at + offsetof(Step, first_length));
        }
    }
    *out = &program;
    return {};
}

}  // namespace crayon
