#include "naive/naive_trainer.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

namespace crayon::naive {

namespace {

struct Word {
    std::vector<std::uint32_t> tokens;
    std::uint64_t count;
};
using Pair = std::pair<std::uint32_t, std::uint32_t>;

std::uint32_t id_of(const std::string& token, Trained* out) {
    const auto found = std::find(out->tokens.begin(), out->tokens.end(), token);
    if (found == out->tokens.end()) {
        out->tokens.push_back(token);
        return static_cast<std::uint32_t>(out->tokens.size() - 1);
    }
    return static_cast<std::uint32_t>(found - out->tokens.begin());
}

std::vector<Word> begin(const Words& words, const TrainerOptions& options, Trained* out) {
    std::string alphabet = options.alphabet;
    if (alphabet.empty()) {
        alphabet.resize(256);
        std::iota(alphabet.begin(), alphabet.end(), '\0');
    }
    out->tokens = options.reserved;
    std::map<char, std::uint32_t> ids;
    for (const char byte : alphabet) {
        bool occurs = !options.observed_alphabet;
        for (const auto& [word, count] : words) occurs |= word.find(byte) != std::string::npos;
        if (!occurs) continue;
        ids[byte] = id_of(std::string(1, byte), out);
    }
    std::vector<Word> sequences;
    for (const auto& [word, count] : words) {
        sequences.push_back({{}, count});
        for (const char byte : word) sequences.back().tokens.push_back(ids.at(byte));
    }
    return sequences;
}

}  // namespace

Trained train_larger(const Words& words, const TrainerOptions& options) {
    Trained out;
    std::vector<Word> sequences = begin(words, options, &out);
    while (out.tokens.size() < options.vocabulary_size) {
        std::map<Pair, std::uint64_t> counts;
        for (const Word& word : sequences) {
            for (std::size_t i = 1; i < word.tokens.size(); ++i) {
                counts[{word.tokens[i - 1], word.tokens[i]}] += word.count;
            }
        }
        Pair best;
        std::uint64_t highest = 0;
        for (const auto& [pair, count] : counts) {
            const std::size_t length = out.tokens[pair.first].size() + out.tokens[pair.second].size();
            if (count < options.min_frequency || length > options.max_token_length || count < highest) continue;
            best = pair;
            highest = count;
        }
        if (highest == 0) break;
        const std::uint32_t id = id_of(out.tokens[best.first] + out.tokens[best.second], &out);
        out.merges.push_back({best.first, best.second, id, highest});
        for (Word& word : sequences) {
            std::vector<std::uint32_t> merged;
            for (std::size_t i = 0; i < word.tokens.size(); ++i) {
                const bool here = i + 1 < word.tokens.size() && Pair(word.tokens[i], word.tokens[i + 1]) == best;
                merged.push_back(here ? id : word.tokens[i]);
                i += here;
            }
            word.tokens.swap(merged);
        }
    }
    return out;
}

Trained train_smaller(const Words& words, const TrainerOptions& options) {
    struct Entry {
        std::uint64_t count;
        Pair pair;
        std::set<std::size_t> words;
        bool operator<(const Entry& other) const {  // the first is the next
            if (count != other.count) return count > other.count;
            return pair < other.pair;
        }
    };
    Trained out;
    std::vector<Word> sequences = begin(words, options, &out);
    std::map<Pair, std::int64_t> counts;
    std::map<Pair, std::set<std::size_t>> arisen;
    std::multiset<Entry> queue;
    const auto fits = [&](const Pair& pair) {
        return out.tokens[pair.first].size() + out.tokens[pair.second].size() <= options.max_token_length;
    };
    const auto enqueue = [&] {
        for (const auto& [pair, where] : arisen) {
            if (counts[pair] > 0) queue.insert({static_cast<std::uint64_t>(counts[pair]), pair, where});
        }
        arisen.clear();
    };
    for (std::size_t w = 0; w < sequences.size(); ++w) {
        const Word& word = sequences[w];
        for (std::size_t i = 1; i < word.tokens.size(); ++i) {
            const Pair pair(word.tokens[i - 1], word.tokens[i]);
            if (!fits(pair)) continue;
            counts[pair] += static_cast<std::int64_t>(word.count);
            arisen[pair].insert(w);
        }
    }
    enqueue();
    while (out.tokens.size() < options.vocabulary_size && !queue.empty()) {
        Entry top = queue.extract(queue.begin()).value();
        const std::uint64_t count = static_cast<std::uint64_t>(counts[top.pair]);
        if (top.count != count) {
            top.count = count;
            queue.insert(top);
            continue;
        }
        if (top.count < std::max<std::uint64_t>(options.min_frequency, 1)) break;
        const auto [left, right] = top.pair;
        const std::uint32_t id = id_of(out.tokens[left] + out.tokens[right], &out);
        out.merges.push_back({left, right, id, count});
        for (const std::size_t w : top.words) {
            std::vector<std::uint32_t>& tokens = sequences[w].tokens;
            const std::int64_t weight = static_cast<std::int64_t>(sequences[w].count);
            const auto add = [&](const Pair& pair) {
                if (!fits(pair)) return;
                counts[pair] += weight;
                arisen[pair].insert(w);
            };
            for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
                if (tokens[i] != left || tokens[i + 1] != right) continue;
                tokens[i] = id;
                tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(i) + 1);
                if (i > 0) {
                    counts[{tokens[i - 1], left}] -= weight;
                    add({tokens[i - 1], id});
                }
                if (i + 1 < tokens.size()) {
                    counts[{right, tokens[i + 1]}] -= weight;
                    add({id, tokens[i + 1]});
                }
            }
        }
        enqueue();
    }
    return out;
}

}  // namespace crayon::naive
