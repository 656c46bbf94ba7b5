// Unicode 16.0 properties of code points for the naive versions: plain ranges of the published data, obtained independently of
// the engine's tables.
#pragma once

#include <cstdint>
#include <string_view>

namespace crayon::naive {

// A set of properties: one bit for each General_Category, one for White_Space.
using Properties = std::uint32_t;

// The bits for a name: a General_Category ("Lu"), a group of them by their first letter ("L"), or "White_Space". 0 if there is no
// such property.
Properties properties_named(std::string_view name);

// The bits of a code point, at most U+10FFFF: exactly one General_Category, and possibly White_Space.
Properties properties_of(char32_t code_point);

// Simple case folding, as far as it leads to an ASCII letter (S and ſ to s, K and the Kelvin sign to k); otherwise the
// code point itself.
char32_t fold(char32_t code_point);

}  // namespace crayon::naive
