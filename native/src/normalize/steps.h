// The steps of a normalizer program (layout/normalizer.h), on ranges of text.
#pragma once

#include <string_view>

#include "crayon/layout/normalizer.h"
#include "normalize/charsmap.h"
#include "normalize/metaspace_step.h"
#include "normalize/normalizer.h"
#include "normalize/unicode_forms.h"
#include "scan/pattern_tables.h"

namespace crayon {

class Steps {
public:
    // The bytes of the section stay. OUT_OF_MEMORY.
    Status create(const layout::NormalizerProgram* program);

    u32 count() const { return program_->step_count; }
    // Replaces scratch.text by what a step makes of it, at most `limit` characters. `edges`: SegmentEdges. Cost: linear in both.
    // TEXT_TOO_LONG, OUT_OF_MEMORY.
    Status run(u32 step, u32 edges, size_t limit, Normalizer::Scratch& scratch) const;
    // The most characters that become of some.
    static size_t most_of(size_t characters) { return layout::kMaxGrowth * characters + layout::kMaxMore; }

    // What a step may do with a character, other than to replace it.
    enum Relation : u32 {
        kJoins = 1,  // it may change with any character next to it
        kSpans = 2,  // it may change with another such character next to it
        kDrops = 4,  // it is taken out, and decides what becomes of the character after it
    };
    u32 relation(u32 step, u32 code) const;
    // Whether it has any.
    bool has_relations(u32 step) const;
    // Whether a step does something at the beginning of a segment, or at its end.
    bool acts_at_edges(u32 step) const;
    // Whether the only step is what a Metaspace pretokenizer does.
    bool is_metaspace() const {
        return program_->step_count == 1 && rows_[0].kind == layout::kStepMetaspace && !metaspace_.has_tokens();
    }
    // As Normalizer::knows_special.
    bool knows_special() const { return metaspace_.knows_special(); }
    // As Normalizer::only_marks_spaces, of all steps.
    bool only_mark_spaces() const;
    // As Normalizer::words.
    Normalizer::Words words() const;
    // Whether several spaces become nothing but spaces, if anything.
    bool keep_spaces() const;
    // Whether such a step looks beyond a text: it has no characters, or only spaces that are taken out.
    bool passes_over(u32 step, const StepText& text) const;
    // What a step may make of several characters that it makes of none alone: a text, which is put into `out`, or anything.
    enum Makes { kNothingNew, kText, kAnything, kNoMemory };
    Makes makes(u32 step, StepText* out) const;
    // Whether a step looks at whole graphemes, so that a part of one may change where the whole does not.
    bool sees_graphemes(u32 step) const { return rows_[step].kind == layout::kStepPrecompiled; }

private:
    using Row = layout::NormalizerStep;
    using Scratch = Normalizer::Scratch;
    std::string_view first(const Row& row) const;
    std::string_view second(const Row& row) const;
    static Status put(std::string_view text, int32_t change, Scratch& scratch);
    // Replaces each character by what `rewrite` appends to scratch.changes for it.
    template <class Rewrite>
    Status map(Scratch& scratch, Rewrite rewrite) const;
    // Takes characters out.
    template <class Keeps>
    Status keep(Scratch& scratch, Keeps keeps) const;
    Status strip(u32 flags, u32 edges, Scratch& scratch) const;
    Status prepend(std::string_view text, Scratch& scratch) const;
    Status replace(std::string_view text, std::string_view by, size_t limit, Scratch& scratch) const;
    Status replace_matches(u32 step, std::string_view by, size_t limit, Scratch& scratch) const;
    Status run_any(u32 step, u32 edges, size_t limit, Scratch& scratch) const;
    Status bert(u32 flags, Scratch& scratch) const;
    Status precompiled(u32 step, Scratch& scratch) const;

    const layout::NormalizerProgram* program_ = nullptr;
    const Row* rows_ = nullptr;
    UnicodeForms forms_;
    Charsmap charsmaps_[layout::kMaxSteps];
    PatternTables patterns_[layout::kMaxSteps];
    bool looks_ahead_[layout::kMaxSteps] = {};  // the pattern: whether a match ends depends on what follows
    MetaspaceStep metaspace_;                   // the last step, if it is one
};

}  // namespace crayon
