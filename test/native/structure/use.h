// Makes every call of crayon.h that an open cartridge allows, and checks what holds whatever its tables say: results
// inside their buffers, positions inside the text, ids below the vocabulary, no status that the arguments do not allow.
// The results themselves may be wrong, because the tables may be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "crayon/crayon.h"
#include "generate_text.h"

namespace crayon::test {

// A length as the calls take it.
inline std::uint32_t small(std::size_t value) { return static_cast<std::uint32_t>(value); }

// The first thing that does not hold; empty if all do. Texts are made of `tokens` and other things.
std::string use(crayon_cartridge* cartridge, const std::vector<std::string>& tokens, Random& random);
// The same for a tokenizer of DNA.
std::string use_dna(crayon_tokenizer* tokenizer, Random& random);

}  // namespace crayon::test
