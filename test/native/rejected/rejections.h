// The files that must be rejected, generated: each is the handmade cartridge with one rule of cartridges/FORMAT.md broken and a
// correct checksum, so that only that rule can refuse it. Each states the expected refusal.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "handmade_cartridge.h"

namespace crayon::test {

struct Rejection {
    std::string name;
    std::uint32_t status;   // CRAYON_*
    std::uint32_t section;  // 0: header and table
    std::size_t position;   // the byte of the file
    Bytes file;
};

std::vector<Rejection> rejections();
std::vector<Rejection> slim_rejections();
std::vector<Rejection> longest_match_rejections();
std::vector<Rejection> dna_rejections();
std::vector<Rejection> order_rejections();
std::vector<Rejection> word_rejections();
std::vector<Rejection> program_rejections();
std::vector<Rejection> general_rejections();

}  // namespace crayon::test
