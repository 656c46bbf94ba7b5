// The reference's normalizers, and the definition of a tokenizer: its steps in the cartridge.
#pragma once

#include <string_view>

#include "crayon/layout/general.h"
#include "general/normalized_string.h"
#include "general/pattern.h"
#include "normalize/sentence_piece.h"

namespace crayon::general {

// The section of a tokenizer of the general path, which the validator has checked.
class Definition {
public:
    Definition() = default;
    explicit Definition(const layout::GeneralTokenizer* head) : head_(head) {}

    const layout::GeneralTokenizer& head() const { return *head_; }
    bool has(u32 flag) const { return (head_->flags & flag) != 0; }
    std::span<const layout::GeneralStep> normalizers() const { return {steps(), head_->normalizer_count}; }
    std::span<const layout::GeneralStep> pre_tokenizers() const {
        return {steps() + head_->normalizer_count, head_->step_count - head_->normalizer_count};
    }
    template <class Row>
    std::span<const Row> rows(layout::GeneralPart part) const {
        return {reinterpret_cast<const Row*>(reinterpret_cast<const u8*>(head_) + part.offset), part.length};
    }
    std::string_view text(layout::GeneralPart part) const {
        return {reinterpret_cast<const char*>(head_) + part.offset, part.length};
    }

private:
    const layout::GeneralStep* steps() const { return reinterpret_cast<const layout::GeneralStep*>(head_ + 1); }
    const layout::GeneralTokenizer* head_ = nullptr;
};

// What steps keep between texts, one for each thread: the matchers of their patterns, and sentencepiece's normalizer.
class Matchers {
public:
    ~Matchers();
    // OUT_OF_MEMORY.
    Status create(const Definition& definition);
    // Begins a text, which has a budget for all its parts.
    void refill() {
        for (Regex* const each : regexes_) {
            if (each) each->refill();
        }
    }
    Regex& of(const layout::GeneralStep& step) { return *regexes_[static_cast<size_t>(&step - first_)]; }
    const SentencePiece& sentence_piece() const { return sentence_piece_; }

private:
    const layout::GeneralStep* first_ = nullptr;
    Buffer<Regex*> regexes_;  // of each step, or nullptr
    SentencePiece sentence_piece_;
};

// Where a step searches for its pattern: a text, or a regular expression.
Status find_pattern(const Definition& definition, const layout::GeneralStep& step, const NormalizedString& string,
                    Matchers& matchers, PatternRanges* out);

// A member of the file's normalizer. TEXT_REFUSED, TEXT_TOO_LONG, PATTERN_BUDGET, OUT_OF_MEMORY.
Status normalize(const Definition& definition, const layout::GeneralStep& step, Matchers& matchers, Normalizing& string,
                 PatternRanges* scratch);

// Replaces matches by a text, as the reference's `replace`.
Status replace(const PatternRanges& matches, std::string_view content, Normalizing& string);
Status byte_level(Normalizing& string);

}  // namespace crayon::general
