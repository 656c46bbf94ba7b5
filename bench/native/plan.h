// The subject of a run: the texts, and the cartridge of each encoding. Ids are compared before anything is timed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine.h"

namespace crayon::bench {

struct Encoding {
    std::string name;
    std::string path;          // of the cartridge
    std::string pretokenizer;  // "o200k"; "none" for plain longest match
    Cartridge cartridge;
};

struct Plan {
    std::string texts_folder;
    std::string cartridges_folder;
    std::vector<std::string> kernels;  // by name, best first
    std::vector<Text> texts;
    std::vector<Encoding> encodings;
};

// The ids of a whole text by one kernel, in the rows' order.
std::vector<std::uint32_t> ids_of(crayon_encoder* encoder, const Text& text);

// Compares, for every text, encoding and kernel, the ids of UTF-8 and of UTF-16 windows with the reference ids, the
// count with their number, and the decoded ids with the text; prints every difference. Texts without reference ids are
// listed, and their ids are only compared with each other. Returns whether all comparisons passed.
bool check(const Plan& plan);

// Each of these registers benchmarks called <operation>/<text>/<encoding or pretokenizer>/<kernel>.
void register_scanner(const Plan& plan);
void register_encoder(const Plan& plan);
void register_first_sight(const Plan& plan);
void register_parallel(const Plan& plan);
void register_decode(const Plan& plan);
void register_cartridge(const Plan& plan);
// The plain loops of longest match beside `encode`, for encodings of that kind. Returns whether the ids are equal.
bool register_longest_match(const Plan& plan);
// memory/<pages>/<size>: of the machine, not of the engine.
void register_memory();

}  // namespace crayon::bench
