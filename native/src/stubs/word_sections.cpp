// A module without WordPiece and Unigram: such cartridges need the full module.
#include "cartridge/sections.h"

namespace crayon {

Status Sections::read_trie_model(const SectionTable&, bool, SectionRange* sections) {
    return {CRAYON_FEATURE_MISSING, layout::kModel, sections[layout::kModel].offset};
}

Status Sections::check_trie_model() const { return {}; }

}  // namespace crayon
