#include "compile/lossy_repeats.h"

#include <algorithm>
#include <string_view>

namespace crayon {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

}  // namespace

bool find_lossy_repeats(const TokenList& tokens, Buffer<u32>* repeats) {
    const auto text_of = [&](u32 id) {
        return std::string_view(reinterpret_cast<const char*>(tokens.token(id)), tokens.length(id));
    };
    Buffer<u32> lossy;
    for (u32 id = 0; id < tokens.count; ++id) {
        if (text_of(id).find(kReplacement) != std::string_view::npos && !lossy.push_back(id)) return false;
    }
    std::sort(lossy.begin(), lossy.end(), [&](u32 a, u32 b) {
        const int order = text_of(a).compare(text_of(b));
        return order != 0 ? order < 0 : a < b;
    });
    for (size_t i = 1; i < lossy.size(); ++i) {
        if (text_of(lossy[i - 1]) == text_of(lossy[i]) && !repeats->push_back(lossy[i - 1])) return false;
    }
    std::sort(repeats->begin(), repeats->end());
    return true;
}

}  // namespace crayon
