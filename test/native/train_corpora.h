// Corpora for the trainer, and a host's loops around the C interface.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "crayon/crayon.h"
#include "generate_text.h"
#include "naive/naive_trainer.h"
#include "train/training.h"

namespace crayon::test {

using TrainerHandle = std::unique_ptr<crayon_trainer, decltype(&crayon_trainer_release)>;

struct TrainerSettings {
    naive::TrainerOptions options;
    std::uint32_t ties = CRAYON_TIES_LARGER;
    std::string pretokenizer = "none";
    std::string kernel;
};

inline TrainerHandle create_trainer(const TrainerSettings& settings, std::uint32_t threads = 1) {
    const crayon_trainer_options options = {
        static_cast<std::uint32_t>(settings.options.vocabulary_size), static_cast<std::uint32_t>(settings.options.min_frequency),
        static_cast<std::uint32_t>(settings.options.max_token_length), settings.ties, settings.options.observed_alphabet};
    const std::string& alphabet = settings.options.alphabet;
    crayon_trainer* trainer = nullptr;
    crayon_result result;
    EXPECT_EQ(crayon_trainer_create(&options, alphabet.empty() ? nullptr : reinterpret_cast<const std::uint8_t*>(alphabet.data()),
                                    settings.pretokenizer.data(), static_cast<std::uint32_t>(settings.pretokenizer.size()),
                                    settings.kernel.data(), static_cast<std::uint32_t>(settings.kernel.size()), threads, &trainer,
                                    &result),
              CRAYON_OK);
    for (const std::string& token : settings.options.reserved) {
        EXPECT_EQ(crayon_trainer_reserve(trainer, reinterpret_cast<const std::uint8_t*>(token.data()),
                                         static_cast<std::uint32_t>(token.size()), &result),
                  CRAYON_OK);
    }
    return TrainerHandle(trainer, crayon_trainer_release);
}

inline void feed(const TrainerHandle& trainer, const std::string& part, bool last) {
    crayon_result result;
    ASSERT_EQ(crayon_trainer_feed(trainer.get(), reinterpret_cast<const std::uint8_t*>(part.data()),
                                  static_cast<std::uint32_t>(part.size()), last, &result),
              CRAYON_OK);
}

// Pieces with their counts, as a counter of texts would have them.
inline void add_words(const TrainerHandle& trainer, const naive::Words& words) {
    train::Trainer& own = reinterpret_cast<train::Training*>(trainer.get())->trainer();
    const std::unique_ptr<train::Counter> counter(own.new_counter());
    for (const auto& [word, count] : words) {
        const std::string padded = word + std::string(train::WordCounts::kPadding, '\0');
        ASSERT_TRUE(counter->words().add(reinterpret_cast<const u8*>(padded.data()), word.size(), count));
    }
    ASSERT_TRUE(own.add(*counter).ok());
}

inline void start(const TrainerHandle& trainer) {
    crayon_result result;
    ASSERT_EQ(crayon_trainer_start(trainer.get(), &result), CRAYON_OK);
}

// One step; returns whether there is more.
inline bool step(const TrainerHandle& trainer, std::uint32_t progress[10], std::uint32_t work = 0) {
    crayon_result result;
    EXPECT_EQ(crayon_trainer_step(trainer.get(), work, progress, &result), CRAYON_OK);
    return result.status == CRAYON_OK && result.more;
}

inline bool step(const TrainerHandle& trainer) {
    std::uint32_t progress[10];
    return step(trainer, progress);
}

// The learned merges; unknown counts are 0.
inline naive::Trained trained(const TrainerHandle& trainer) {
    naive::Trained out;
    const std::uint8_t* bytes;
    const std::uint32_t *offsets, *merges;
    crayon_result result;
    EXPECT_EQ(crayon_trainer_token_bytes(trainer.get(), &bytes, &result), CRAYON_OK);
    const std::uint32_t length = result.count;
    EXPECT_EQ(crayon_trainer_token_offsets(trainer.get(), &offsets, &result), CRAYON_OK);
    EXPECT_EQ(offsets[result.count - 1], length);
    for (std::uint32_t i = 0; i + 1 < result.count; ++i) {
        out.tokens.emplace_back(reinterpret_cast<const char*>(bytes) + offsets[i], offsets[i + 1] - offsets[i]);
    }
    EXPECT_EQ(crayon_trainer_merges(trainer.get(), &merges, &result), CRAYON_OK);
    for (std::uint32_t i = 0; i < result.count; i += 3) {
        out.merges.push_back({merges[i], merges[i + 1], merges[i + 2], 0});
    }
    return out;
}

// Steps to the end, and adds the count of its pair to each merge.
inline naive::Trained train(const TrainerHandle& trainer) {
    std::vector<std::uint64_t> counts;
    for (bool more = true; more;) {
        std::uint32_t progress[10];
        more = step(trainer, progress);
        if (progress[1] > counts.size()) counts.push_back(progress[2] | std::uint64_t{progress[3]} << 32);
        EXPECT_EQ(progress[1], counts.size()) << "one step of no work makes one merge at most";
    }
    naive::Trained out = trained(trainer);
    EXPECT_EQ(out.merges.size(), counts.size());
    for (std::size_t i = 0; i < std::min(counts.size(), out.merges.size()); ++i) out.merges[i].count = counts[i];
    return out;
}

inline naive::Trained train_naively(const naive::Words& words, const TrainerSettings& settings) {
    return settings.ties == CRAYON_TIES_LARGER ? naive::train_larger(words, settings.options)
                                               : naive::train_smaller(words, settings.options);
}

inline void expect_same(const naive::Trained& found, const naive::Trained& expected) {
    for (std::size_t i = 0; i < std::min(found.merges.size(), expected.merges.size()); ++i) {
        const auto &a = found.merges[i], &b = expected.merges[i];
        ASSERT_TRUE(a == b) << "merge " << i << ": (" << a.left << ", " << a.right << ") to " << a.id << ", count " << a.count
                            << "; expected (" << b.left << ", " << b.right << ") to " << b.id << ", count " << b.count;
    }
    ASSERT_EQ(found.merges.size(), expected.merges.size());
    ASSERT_EQ(found.tokens, expected.tokens);
}

// A few words over a small alphabet; many are runs and repetitions.
inline naive::Words random_words(Random& random) {
    naive::Words words;
    const std::size_t letters = 1 + random.below(4), count = 1 + random.below(12), longest = 1 + random.below(40);
    for (std::size_t i = 0; i < count; ++i) {
        std::string word;
        const std::size_t length = 1 + random.below(longest);
        while (word.size() < length) {
            const std::string motif(1 + random.below(2), static_cast<char>('a' + random.below(letters)));
            const std::size_t repeats = random.one_in(3) ? 1 + random.below(12) : 1;
            for (std::size_t k = 0; k < repeats; ++k) word += motif;
            if (random.one_in(4)) word += word.substr(random.below(word.size()));
        }
        words[word.substr(0, length)] += 1 + (random.one_in(2) ? 0 : random.below(5));
    }
    return words;
}

}  // namespace crayon::test
