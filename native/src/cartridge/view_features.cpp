#include "cartridge/view_features.h"

#include <algorithm>

#include "module_features.h"

namespace crayon {

Status check_features(const Cartridge& cartridge, const TokenizerView& view, const Kernel& kernel) {
    if (cartridge.model_kind() == layout::kDnaModel) return {};  // the flags of its added tokens are for its caller
    bool is_here = view.normalizer == layout::kNoNormalizer || kFeatures.make_normalizer;
    if (kernel.texts) {
        const auto takes_text = [](const layout::AddedToken& token) { return (token.flags & ~u32{layout::kSpecial}) != 0; };
        const layout::HiddenTokens* const hidden = cartridge.bpe().hidden;
        const bool ends_words = hidden && (hidden->flags & layout::kEndsWords) != 0;
        is_here = is_here && kernel.scan(view.pretokenizer) && (!ends_words || kFeatures.word_source) &&
                  (kFeatures.normalizing || std::none_of(view.added.begin(), view.added.end(), takes_text));
    }
    return {is_here ? CRAYON_OK : CRAYON_FEATURE_MISSING};
}

}  // namespace crayon
