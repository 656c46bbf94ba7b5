// The trainer against its definition, merge by merge.
#include "train_corpora.h"

#include "kernels.h"
#include "share.h"

namespace crayon::test {
namespace {

TrainerSettings random_settings(Random& random) {
    TrainerSettings settings;
    settings.ties = random.one_in(2) ? CRAYON_TIES_LARGER : CRAYON_TIES_SMALLER;
    settings.options.observed_alphabet = random.one_in(2);
    settings.options.vocabulary_size = (settings.options.observed_alphabet ? 0 : 256) + random.below(60);
    settings.options.min_frequency = 1 + random.below(3);
    if (random.one_in(3)) settings.options.max_token_length = 1 + random.below(8);
    if (random.one_in(3)) {
        std::string& alphabet = settings.options.alphabet;
        for (int i = 0; i < 256; ++i) alphabet.push_back(static_cast<char>(i));
        for (std::size_t i = 255; i > 0; --i) std::swap(alphabet[i], alphabet[random.below(i + 1)]);
    }
    return settings;
}

std::string printed(const naive::Words& words) {
    std::string out;
    for (const auto& [word, count] : words) out += word + " x " + std::to_string(count) + ", ";
    return out;
}

TEST(Train, MergesAreThoseOfTheDefinition) {
    std::size_t reused = 0;
    for (std::uint64_t seed = 1; seed <= sample(20000, 200); ++seed) {
        Random random(seed);
        const naive::Words words = random_words(random);
        TrainerSettings settings = random_settings(random);
        SCOPED_TRACE("seed " + std::to_string(seed) + (settings.ties ? " hf: " : ": ") + printed(words)+" min "+std::to_string(settings.options.min_frequency));
        const TrainerHandle trainer = create_trainer(settings);
        add_words(trainer, words);
        start(trainer);
        const naive::Trained found = train(trainer), expected = train_naively(words, settings);
        expect_same(found, expected);
        if (HasFailure()) {static int n=0; if(++n>8) return;}
        reused += expected.merges.size() > expected.tokens.size() - 256;
    }
}

}  // namespace
}  // namespace crayon::test
