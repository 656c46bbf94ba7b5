#include "naive/longest_match.h"

#include <set>

namespace crayon::naive {

std::vector<Match> longest_matches(std::string_view text, const Matches& tokens, std::uint32_t unknown) {
    std::set<std::size_t, std::greater<>> lengths;  // of tokens, the longest first
    for (const auto& [token, id] : tokens) lengths.insert(token.size());
    std::vector<Match> matches;
    const bool has_id = unknown != 0xFFFFFFFF, is_byte = has_id && (unknown & CRAYON_UNKNOWN_BYTES) != 0;
    if (has_id) unknown &= ~CRAYON_UNKNOWN_BYTES;
    for (std::size_t at = 0; at < text.size();) {
        Match match = {unknown, at, at, true};
        for (std::size_t length : lengths) {
            if (length > text.size() - at || !match.is_unknown) continue;
            const auto found = tokens.find(text.substr(at, length));
            if (found != tokens.end()) match = {found->second, at, at + length, false};
        }
        if (match.is_unknown) match.end = at + (is_byte ? 1 : decode_utf8(text.substr(at, 8)).offsets[1]);
        matches.push_back(match);
        at = match.end;
    }
    return matches;
}

}  // namespace crayon::naive
