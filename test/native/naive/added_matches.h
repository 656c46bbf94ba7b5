// Where added tokens are in a text, by Hugging Face tokenizers' literal definition: leftmost and longest matches, except single
// words next to a word character, and then the whitespace around them, back to the previous match.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "naive/unicode_properties.h"
#include "naive/utf.h"

namespace crayon::naive {

struct Addition {
    std::string bytes;
    bool lstrip, rstrip;
};

// A part of a text: the token at an index, or text between tokens (-1).
struct Part {
    std::size_t begin, end;
    int token;
};

std::vector<Part> added_matches(const std::string& text, const std::vector<Addition>& tokens);

}  // namespace crayon::naive
