// Makes every call of crayon.h that an open cartridge allows, and checks the invariants that hold for any tables: results inside
// their buffers, positions inside the text, ids below the vocabulary size, no status that the arguments do not allow. The results
// themselves may be wrong, because the tables may be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "crayon/crayon.h"
#include "generate_text.h"

namespace crayon::test {

// A length in the calls' type.
inline std::uint32_t small(std::size_t value) { return static_cast<std::uint32_t>(value); }

// The first violated invariant; empty if all hold. Texts consist of `tokens` and other strings.
std::string use(crayon_cartridge* cartridge, const std::vector<std::string>& tokens, Random& random);
// The same for a DNA tokenizer.
std::string use_dna(crayon_tokenizer* tokenizer, Random& random);

}  // namespace crayon::test
