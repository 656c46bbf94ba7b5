// Reads and writes Unicode text, slowly: UTF-8 that may be ill-formed, UTF-16 with lone surrogates.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace crayon::naive {

// A text as characters, and the byte offset of each: `offsets` has one more entry, the length in bytes.
struct Characters {
    std::u32string code_points;
    std::vector<std::size_t> offsets;
};

// Each maximal subpart of an ill-formed sequence (The Unicode Standard 16.0, section 3.9) is one character, U+FFFD.
Characters decode_utf8(std::string_view bytes);

// One code point to its bytes by the UTF-8 scheme; a surrogate, or a value above U+10FFFF, gives its ill-formed bytes.
void append_utf8(std::string& bytes, char32_t code_point);
std::string encode_utf8(std::u32string_view code_points);

// A surrogate without its partner becomes U+FFFD.
std::string utf8_of_utf16(std::u16string_view units);

}  // namespace crayon::naive
