// A module for most vocabularies: no normalizer, added tokens that match regardless of context and without an automaton,
// and the pretokenizers of kernel_most_pretokenizers.cpp.
#include "cartridge/view_features.h"

namespace crayon {

namespace {

// Without an automaton, text that begins like a token is read again wherever another token may begin inside it. That is
// little if tokens are short, and none if no token contains a first byte of any token after its own start, as in
// `<|endoftext|>`.
constexpr u32 kShortToken = 32;

bool is_read_once(const TokenizerView& view) {
    bool begins[256] = {};
    for (const layout::AddedToken& token : view.added) begins[static_cast<u8>(view.bytes(token)[0])] = true;
    for (const layout::AddedToken& token : view.added) {
        const std::string_view bytes = view.bytes(token);
        for (u32 i = 1; token.length > kShortToken && i < token.length; ++i) {
            if (begins[static_cast<u8>(bytes[i])]) return false;
        }
    }
    return true;
}

}  // namespace

Status check_features(const TokenizerView& view) {
    bool is_here = view.normalizer == layout::kNoNormalizer && view.pretokenizer < layout::kDeepseek3 && is_read_once(view);
    for (const layout::AddedToken& token : view.added) is_here = is_here && !(token.flags & ~u32{layout::kSpecial});
    return {is_here ? CRAYON_OK : CRAYON_FEATURE_MISSING};
}

}  // namespace crayon
