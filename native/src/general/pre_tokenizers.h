// The reference's pretokenizers.
#pragma once

#include "general/normalizers.h"
#include "general/pre_tokenized_string.h"

namespace crayon::general {

// What pretokenizers know of characters, from the definition. Immutable.
class CharacterSets {
public:
    Status create(const Definition& definition);
    const CharacterSet& of(const layout::GeneralStep& step) const { return sets_[static_cast<size_t>(&step - first_)]; }

private:
    const layout::GeneralStep* first_ = nullptr;
    Buffer<CharacterSet> sets_;
};

// A member of the file's pretokenizer. TEXT_REFUSED, TEXT_TOO_LONG, PATTERN_BUDGET, OUT_OF_MEMORY.
Status pre_tokenize(const Definition& definition, const layout::GeneralStep& step, const CharacterSets& sets, Matchers& matchers,
                    Normalizing& normalizing, PatternRanges* scratch, PreTokenizedString* string);

}  // namespace crayon::general
