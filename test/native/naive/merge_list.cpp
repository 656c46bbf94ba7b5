#include "naive/merge_list.h"

namespace crayon::naive {

std::vector<std::string> MergeList::merge(std::string_view piece, std::size_t* last) const {
    std::vector<std::string> parts;
    for (char byte : piece) parts.emplace_back(1, byte);
    if (last) *last = pairs.size();
    const auto priority = [&](std::size_t index) { return priorities.empty() ? index : std::size_t{priorities[index]}; };
    for (;;) {
        std::size_t best = 0, best_index = pairs.size();
        for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
            const auto found = index_of.find({parts[i], parts[i + 1]});
            if (found == index_of.end()) continue;
            const bool is_first = best_index == pairs.size() || priority(found->second) < priority(best_index);
            if (is_first) best = i, best_index = found->second;
        }
        if (best_index == pairs.size()) return parts;
        if (last) *last = best_index;
        parts[best] += parts[best + 1];
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(best) + 1);
    }
}

}  // namespace crayon::naive
