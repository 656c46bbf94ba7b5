// Longest match by its definition: the longest token that begins at each position; if none does, the character is unknown, or
// with CRAYON_UNKNOWN_BYTES each of its bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "crayon/crayon.h"
#include "naive/utf.h"

namespace crayon::naive {

// A token's bytes to its id.
using Matches = std::map<std::string, std::uint32_t, std::less<>>;

struct Match {
    std::uint32_t id;  // the id of `unknown` if no token begins
    std::size_t begin, end;
    bool is_unknown;
};

std::vector<Match> longest_matches(std::string_view text, const Matches& tokens, std::uint32_t unknown);

}  // namespace crayon::naive
