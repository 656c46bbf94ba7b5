// Byte-pair encoding by a list of merges, as Hugging Face defines it: as long as an adjacent pair of tokens is in the list,
// merge the pair that is earliest there, the leftmost of equals. A pair that is there twice counts where it is last. With
// priorities, as of the scores of SentencePiece, that with the lowest is merged first.
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

    // The tokens of a piece, and the index of the last merge, pairs.size() if there was none.
    std::vector<std::string> merge(std::string_view piece, std::size_t* last = nullptr) const;
};

}  // namespace crayon::naive
