// Byte-pair encoding by its definition: as long as two neighbours form a token, merge those of the lowest rank, the
// leftmost of equals. A piece that is a token as a whole is that token (tiktoken's rule).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace crayon::naive {

using Ranks = std::unordered_map<std::string, std::uint32_t>;  // a token's bytes to its rank, which is its id

// By merging alone. Every byte of the piece must be a token.
inline std::vector<std::uint32_t> merge(std::string_view piece, const Ranks& ranks) {
    std::vector<std::string> parts;
    for (char byte : piece) parts.emplace_back(1, byte);
    for (;;) {
        std::size_t best = parts.size();
        std::uint32_t best_rank = 0xFFFFFFFF;
        for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
            auto found = ranks.find(parts[i] + parts[i + 1]);
            if (found != ranks.end() && found->second < best_rank) best = i, best_rank = found->second;
        }
        if (best == parts.size()) break;
        parts[best] += parts[best + 1];
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(best) + 1);
    }
    std::vector<std::uint32_t> ids;
    for (const std::string& part : parts) ids.push_back(ranks.at(part));
    return ids;
}

// The ids of a piece, as tiktoken gives them.
inline std::vector<std::uint32_t> encode_piece(std::string_view piece, const Ranks& ranks) {
    auto whole = ranks.find(std::string(piece));
    if (whole != ranks.end()) return {whole->second};
    return merge(piece, ranks);
}

}  // namespace crayon::naive
