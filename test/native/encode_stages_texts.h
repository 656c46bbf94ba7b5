// Texts with added tokens, for tests of single encoder stages, and the tokens' positions by the naive search.
#pragma once

#include "limits/splitter.h"
#include "naive/added_matches.h"
#include "vocabularies.h"

namespace crayon::test {

struct AddedKind {
    std::vector<AddedToken> tokens;
    std::vector<naive::Addition> additions;  // the same for the naive search

    explicit AddedKind(Random& random) {
        static const std::vector<std::string> kTokens = {"<a>", "ab", "abc", "bc", "<", "<a>b", "1", "é", "\u0301x", "中"};
        for (const std::string& bytes : kTokens) {
            if (random.one_in(2)) continue;
            std::uint32_t flags = 0;
            if (random.one_in(3)) flags |= CRAYON_ADDED_LSTRIP;
            if (random.one_in(3)) flags |= CRAYON_ADDED_RSTRIP;
            tokens.push_back({bytes, static_cast<std::uint32_t>(1000 + tokens.size()), flags});
            additions.push_back({bytes, (flags & CRAYON_ADDED_LSTRIP) != 0, (flags & CRAYON_ADDED_RSTRIP) != 0});
        }
    }

    std::string text(Random& random) const {
        static const std::vector<std::string> kOthers = {"a",      "b", " ",        "  ",     "\n",     "\u2003",
                                                         "\u00A0", ".", "e\u0301",  "\u0301", "\u0323", "\u212A",
                                                         "中",     "_", "\xE2\x80", "\xFF",   "😀"};
        std::string text;
        for (std::size_t parts = random.below(30); parts > 0; --parts) {
            const bool is_token = !tokens.empty() && random.one_in(2);
            text += is_token ? tokens[random.below(tokens.size())].bytes : kOthers[random.below(kOthers.size())];
        }
        return text;
    }
};

inline const Vocabulary& stages_vocabulary() {
    static const Vocabulary vocabulary = [] {
        Random random(5);
        return random_vocabulary(random, "ab< .\n", 60);
    }();
    return vocabulary;
}

// Where the windows of a text end; the last one is its end.
inline std::vector<std::size_t> random_cuts(Random& random, std::size_t size) {
    std::vector<std::size_t> cuts;
    for (std::size_t i = random.below(6); i > 0; --i) cuts.push_back(random.below(size + 1));
    cuts.push_back(size);
    std::sort(cuts.begin(), cuts.end());
    return cuts;
}

}  // namespace crayon::test
