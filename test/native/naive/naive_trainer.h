// BPE training by its definition: all pairs are counted anew after each merge. A second function reproduces the BpeTrainer of
// Hugging Face tokenizers step by step: counts updated only by differences, a queue with outdated entries, and sets of words.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace crayon::naive {

struct TrainerOptions {
    std::size_t vocabulary_size = 300;
    std::uint64_t min_frequency = 1;
    std::size_t max_token_length = 65535;
    bool observed_alphabet = false;
    std::string alphabet;  // empty: ascending
    std::vector<std::string> reserved;
};

using Words = std::map<std::string, std::uint64_t>;

struct Trained {
    struct Merge {
        std::uint32_t left, right, id;
        std::uint64_t count;
        bool operator==(const Merge&) const = default;
    };
    std::vector<std::string> tokens;
    std::vector<Merge> merges;
};

// Among the pairs with the highest count, the largest.
Trained train_larger(const Words& words, const TrainerOptions& options);

// Among the pairs with the highest count, the smallest, like Hugging Face tokenizers.
Trained train_smaller(const Words& words, const TrainerOptions& options);

}  // namespace crayon::naive
