// A module for what most vocabularies need: no normalizer, added tokens that are found whatever is around them, and the
// scanners of kernel.cpp.
#include "view_features.h"

namespace crayon {

Status check_features(const TokenizerView& view) {
    bool is_here = view.normalizer == layout::kNoNormalizer && view.scanner != layout::kDeepseek3;
    for (const layout::AddedToken& token : view.added) is_here = is_here && !(token.flags & ~u32{layout::kSpecial});
    return {is_here ? CRAYON_OK : CRAYON_FEATURE_MISSING};
}

}  // namespace crayon
