// Byte-pair encoding by a list of merges, by Hugging Face's definition: while an adjacent pair of tokens is in the list, merge
// the earliest one in it, the leftmost of equals. Of duplicate pairs the last counts. With priorities, such as SentencePiece
// scores, the lowest is merged first.
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
    std::vector<std::uint32_t> priorities;  // of each; empty: its index
    std::map<TokenPair, std::size_t> index_of;

    explicit MergeList(std::vector<TokenPair> list, std::vector<std::uint32_t> order = {})
        : pairs(std::move(list)), priorities(std::move(order)) {
        for (std::size_t i = 0; i < pairs.size(); ++i) index_of[pairs[i]] = i;
    }

    // The tokens of a piece, and the index of the last merge, or pairs.size() if there was none.
    std::vector<std::string> merge(std::string_view piece, std::size_t* last = nullptr) const;
};

}  // namespace crayon::naive
