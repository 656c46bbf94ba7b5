// Small valid files of every form, which the structural fuzzer damages: opening and using one takes well under a
// millisecond.
#pragma once

#include <string>
#include <vector>

#include "handmade_cartridge.h"

namespace crayon::test {

struct Original {
    std::string name;
    Bytes file;
    std::vector<std::string> tokens;  // by id; empty: a hole. The list of a version 2 file
    std::uint32_t unknown_id;         // of a version 2 file
    bool is_dat;
};

// Names for tests and on the command line.
inline constexpr const char* kOriginalNames[] = {"bpe",
                                                 "slim_bpe",
                                                 "bpe_none",
                                                 "slim_bpe_none",
                                                 "patterns",
                                                 "slim_patterns",
                                                 "handmade",
                                                 "handmade_slim",
                                                 "ordered",
                                                 "slim_ordered",
                                                 "matches",
                                                 "slim_matches",
                                                 "dat",
                                                 "dna",
                                                 "dna_kmers",
                                                 "dna_table",
                                                 "bpe_nfc",
                                                 "characters",
                                                 "slim_characters",
                                                 "word_piece",
                                                 "slim_word_piece",
                                                 "word_level",
                                                 "unigram",
                                                 "slim_unigram",
                                                 "bpe_program",
                                                 "slim_bpe_program",
                                                 "equals",
                                                 "slim_equals",
                                                 "inner_patterns",
                                                 "general_bpe",
                                                 "slim_general_bpe",
                                                 "general_word_piece",
                                                 "general_unigram",
                                                 "general_word_level"};

const Original& original_named(const std::string& name);

}  // namespace crayon::test
