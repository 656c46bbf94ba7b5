#include "naive/merge_list.h"

namespace crayon::naive {

std::vector<std::string> MergeList::merge(std::string_view piece, std::size_t* last) const {
    std::vector<std::string> parts;
    for (char byte : piece) parts.emplace_back(1, byte);
    if (last) *last = pairs.size();
    for (;;) {
        std::size_t best = 0, best_place = pairs.size();
        for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
            const auto found = places.find({parts[i], parts[i + 1]});
            if (found != places.end() && found->second < best_place) best = i, best_place = found->second;
        }
        if (best_place == pairs.size()) return parts;
        if (last) *last = best_place;
        parts[best] += parts[best + 1];
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(best) + 1);
    }
}

}  // namespace crayon::naive
