#include "naive/bpe.h"

#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace crayon::naive {

std::vector<std::uint32_t> merge(std::string_view piece, const Ranks& ranks) {
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

std::vector<std::uint32_t> merge_long(std::string_view piece, const Ranks& ranks) {
    std::map<std::size_t, std::string> parts;  // by the offset at which they begin
    for (std::size_t i = 0; i < piece.size(); ++i) parts[i] = piece[i];
    std::set<std::pair<std::uint32_t, std::size_t>> possible;  // rank, and where the left part begins
    const auto merge_of = [&](auto left) {
        const auto right = std::next(left);
        return right == parts.end() ? ranks.end() : ranks.find(left->second + right->second);
    };
    const auto add = [&](auto left) {
        if (const auto found = merge_of(left); found != ranks.end()) possible.emplace(found->second, left->first);
    };
    const auto remove = [&](auto left) {
        if (const auto found = merge_of(left); found != ranks.end()) possible.erase({found->second, left->first});
    };
    for (auto part = parts.begin(); part != parts.end(); ++part) add(part);
    while (!possible.empty()) {
        const auto left = parts.find(possible.begin()->second), right = std::next(left);
        const bool has_previous = left != parts.begin();
        if (has_previous) remove(std::prev(left));
        remove(left);
        remove(right);
        left->second += right->second;
        parts.erase(right);
        add(left);
        if (has_previous) add(std::prev(left));
    }
    std::vector<std::uint32_t> ids;
    for (const auto& [begin, part] : parts) ids.push_back(ranks.at(part));
    return ids;
}

std::vector<std::uint32_t> encode_piece(std::string_view piece, const Ranks& ranks) {
    auto whole = ranks.find(std::string(piece));
    if (whole != ranks.end()) return {whole->second};
    return merge(piece, ranks);
}

}  // namespace crayon::naive
