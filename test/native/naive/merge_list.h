// Byte-pair encoding by a list of merges, as Hugging Face defines it: as long as an adjacent pair of tokens is in the list,
// merge the pair that is earliest there, the leftmost of equals. A pair that is there twice counts where it is last.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace crayon::naive {

using TokenPair = std::pair<std::string, std::string>;

struct MergeList {
    std::vector<TokenPair> pairs;
    std::map<TokenPair, std::size_t> places;

    explicit MergeList(std::vector<TokenPair> list) : pairs(std::move(list)) {
        for (std::size_t i = 0; i < pairs.size(); ++i) places[pairs[i]] = i;
    }

    // The tokens of a piece, and the place of the last merge, pairs.size() if there was none.
    std::vector<std::string> merge(std::string_view piece, std::size_t* last = nullptr) const {
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
};

}  // namespace crayon::naive
