// The trainer compared with its definition, merge by merge; texts in parts; checkpoints, and damaged ones.
#include "train_corpora.h"

#include <cstring>

#include "kernels.h"
#include "naive/pattern.h"
#include "naive/published_patterns.h"
#include "pattern_sections.h"
#include "share.h"
#include "train/token_table.h"

namespace crayon::test::train_test {
namespace {

std::string printed(const naive::Words& words) {
    std::string out;
    for (const auto& [word, count] : words) out += word + " x " + std::to_string(count) + ", ";
    return out;
}

std::string shuffled_alphabet(Random& random) {
    std::string alphabet;
    for (int i = 0; i < 256; ++i) alphabet.push_back(static_cast<char>(i));
    for (std::size_t i = 255; i > 0; --i) std::swap(alphabet[i], alphabet[random.below(i + 1)]);
    return alphabet;
}

TrainerSettings random_settings(Random& random) {
    TrainerSettings settings;
    settings.ties = random.one_in(2) ? CRAYON_TIES_LARGER : CRAYON_TIES_SMALLER;
    settings.options.observed_alphabet = random.one_in(2);
    settings.options.vocabulary_size = (settings.options.observed_alphabet ? 0 : 256) + random.below(60);
    settings.options.min_frequency = 1 + random.below(3);
    if (random.one_in(3)) settings.options.max_token_length = 1 + random.below(8);
    if (random.one_in(3)) settings.options.alphabet = shuffled_alphabet(random);
    return settings;
}

// Strings that merges are likely to produce.
void reserve_some(Random& random, const naive::Words& words, TrainerSettings* settings) {
    std::vector<std::string>& reserved = settings->options.reserved;
    for (std::size_t count = random.below(6); count > 0; --count) {
        const std::string& word = std::next(words.begin(), static_cast<std::ptrdiff_t>(random.below(words.size())))->first;
        const std::string token = word.substr(random.below(word.size()), 1 + random.below(5));
        if (std::find(reserved.begin(), reserved.end(), token) == reserved.end()) reserved.push_back(token);
    }
}

TEST(Train, MergesEqualTheDefinition) {
    std::size_t merges = 0, ended = 0, limited = 0;
    for (std::uint64_t seed = 1; seed <= sample(4000, 200); ++seed) {
        Random random(seed);
        const naive::Words words = random_words(random);
        const TrainerSettings settings = random_settings(random);
        SCOPED_TRACE("seed " + std::to_string(seed) + ": " + printed(words));
        const TrainerHandle trainer = create_trainer(settings);
        add_words(trainer, words);
        start(trainer);
        const naive::Trained found = train(trainer), expected = train_naively(words, settings);
        expect_same(found, expected);
        if (HasFailure()) return;
        merges += found.merges.size();
        ++(found.tokens.size() < settings.options.vocabulary_size ? ended : limited);
    }
    EXPECT_GT(merges, at_least(20000));
    EXPECT_GT(ended, at_least(400));
    EXPECT_GT(limited, at_least(400));
}

TEST(Train, TokensAreDistinctAndConsistOfTheirParts) {
    for (std::uint64_t seed = 1; seed <= sample(2000, 50); ++seed) {
        Random random(seed);
        const naive::Words words = random_words(random);
        const TrainerHandle trainer = create_trainer(random_settings(random));
        add_words(trainer, words);
        start(trainer);
        const naive::Trained found = train(trainer);
        std::set<std::string> distinct(found.tokens.begin(), found.tokens.end());
        ASSERT_EQ(distinct.size(), found.tokens.size()) << "seed " << seed << ": " << printed(words);
        for (const auto& merge : found.merges) {
            ASSERT_EQ(found.tokens[merge.id], found.tokens[merge.left] + found.tokens[merge.right]) << "seed " << seed;
        }
    }
}

TEST(Train, MergesMayProduceReservedTokens) {
    std::size_t met = 0;
    for (std::uint64_t seed = 1; seed <= sample(2000, 100); ++seed) {
        Random random(seed);
        const naive::Words words = random_words(random);
        TrainerSettings settings = random_settings(random);
        reserve_some(random, words, &settings);
        SCOPED_TRACE("seed " + std::to_string(seed) + ": " + printed(words));
        const TrainerHandle trainer = create_trainer(settings);
        add_words(trainer, words);
        start(trainer);
        const naive::Trained found = train(trainer);
        expect_same(found, train_naively(words, settings));
        if (HasFailure()) return;
        for (const auto& merge : found.merges) met += merge.id < settings.options.reserved.size();
    }
    EXPECT_GT(met, at_least(500));
}

TEST(Train, CountsMayExceed32Bits) {
    const naive::Words words = {{"abab", 0xFFFFFFFF}, {"abcab", 0xFFFFFFFE}, {"cd", 7}};
    const TrainerSettings settings;
    const TrainerHandle trainer = create_trainer(settings);
    for (int i = 0; i < 3; ++i) add_words(trainer, words);
    naive::Words all;
    for (const auto& [word, count] : words) all[word] = 3 * count;
    start(trainer);
    const naive::Trained expected = train_naively(all, settings);
    ASSERT_EQ(expected.merges[0].count, 12 * 0xFFFFFFFFull - 6);
    expect_same(train(trainer), expected);
}

// --- texts
// ------------------------------------------------------------------------------------------------------------

const naive::Pattern* pattern_of(const std::string& pretokenizer) {
    static std::map<std::string, naive::Pattern> patterns;
    for (const auto& published : naive::kPublishedPatterns) {
        if (published.family == pretokenizer) return &patterns.try_emplace(pretokenizer, published.pattern).first->second;
    }
    return nullptr;
}

naive::Words pieces_of(const std::vector<std::string>& texts, const std::string& pretokenizer) {
    naive::Words words;
    const naive::Pattern* const pattern = pattern_of(pretokenizer);
    for (const std::string& text : texts) {
        if (text.empty()) continue;
        if (!pattern) {
            ++words[text];
            continue;
        }
        const naive::Characters characters = naive::decode_utf8(text);
        std::size_t begin = 0;
        for (const std::size_t character : pattern->split(characters.code_points)) {
            const std::size_t end = characters.offsets[character];
            ++words[text.substr(begin, end - begin)];
            begin = end;
        }
    }
    return words;
}

// Feeds a text in parts, cut anywhere.
void feed_in_parts(Random& random, const TrainerHandle& trainer, const std::string& text) {
    const std::size_t longest = 1 + random.below(random.one_in(2) ? 5 : 400);
    std::size_t begin = 0;
    while (begin < text.size() && !testing::Test::HasFailure()) {
        const std::size_t end = std::min(text.size(), begin + random.below(longest + 1));
        feed(trainer, text.substr(begin, end - begin), false);
        begin = end;
    }
    feed(trainer, "", true);
}

constexpr const char* kPretokenizers[] = {"gpt2", "cl100k", "o200k", "qwen2", "tekken", "deepseek3", "none"};

TEST(Train, TextsInPartsGiveTheSameMerges) {
    for_each_kernel([](const Kernel& kernel) {
        for (std::uint64_t seed = 1; seed <= sample(100, 10); ++seed) {
            Random random(seed);
            TrainerSettings settings = random_settings(random);
            settings.pretokenizer = kPretokenizers[seed % std::size(kPretokenizers)];
            settings.kernel = kernel.name;
            SCOPED_TRACE(settings.pretokenizer + ", seed " + std::to_string(seed));
            std::vector<std::string> texts;
            TextGenerator generator(seed);
            for (std::size_t count = random.below(6); count > 0; --count) texts.push_back(generator.utf8());
            const TrainerHandle trainer = create_trainer(settings);
            for (const std::string& text : texts) feed_in_parts(random, trainer, text);
            start(trainer);
            const naive::Words words = pieces_of(texts, settings.pretokenizer);
            std::size_t pieces = 0, bytes = 0;
            for (const auto& [word, count] : words) {
                pieces += count;
                bytes += count * word.size();
            }
            expect_same(train(trainer), train_naively(words, settings));
            std::uint32_t progress[10];
            step(trainer, progress);
            ASSERT_EQ(progress[4], pieces);
            ASSERT_EQ(progress[6], bytes);
            ASSERT_EQ(progress[8], words.size());
            if (HasFailure()) return;
        }
    });
}

TEST(Train, LongTextsAreCountedInPortions) {
    // Longer than a portion of the counter, including a piece longer than one.
    std::string text;
    for (int i = 0; i < 30000; ++i) text += "word" + std::to_string(i % 97) + (i == 9000 ? std::string(200000, 'x') : " ");
    TrainerSettings settings;
    settings.pretokenizer = "cl100k";
    settings.options.vocabulary_size = 280;
    const TrainerHandle trainer = create_trainer(settings);
    feed(trainer, text, true);
    start(trainer);
    expect_same(train(trainer), train_naively(pieces_of({text}, settings.pretokenizer), settings));
}

// --- checkpoints
// ------------------------------------------------------------------------------------------------------

std::vector<std::uint8_t> save(const TrainerHandle& trainer) {
    const std::uint8_t* bytes;
    crayon_result result;
    EXPECT_EQ(crayon_trainer_save(trainer.get(), &bytes, &result), CRAYON_OK);
    return result.status == CRAYON_OK ? std::vector<std::uint8_t>(bytes, bytes + result.count) : std::vector<std::uint8_t>();
}

TrainerHandle restore(const std::vector<std::uint8_t>& bytes, crayon_result* result) {
    crayon_trainer* trainer = nullptr;
    crayon_trainer_restore(bytes.data(), static_cast<std::uint32_t>(bytes.size()), "", 0, 1, &trainer, result);
    return TrainerHandle(trainer, crayon_trainer_release);
}

TEST(Train, ACheckpointOfEachMergeContinues) {
    for (std::uint64_t seed = 1; seed <= sample(200, 10); ++seed) {
        Random random(seed);
        const naive::Words words = random_words(random);
        TrainerSettings settings = random_settings(random);
        reserve_some(random, words, &settings);
        SCOPED_TRACE("seed " + std::to_string(seed) + ": " + printed(words));
        const naive::Trained expected = train_naively(words, settings);
        const TrainerHandle trainer = create_trainer(settings);
        add_words(trainer, words);
        start(trainer);
        std::uint32_t progress[2][10] = {};
        do {
            crayon_result result;
            const std::vector<std::uint8_t> saved = save(trainer);
            const TrainerHandle restored = restore(saved, &result);
            ASSERT_EQ(result.status, static_cast<std::uint32_t>(CRAYON_OK));
            // Saved again after the same merges, it is identical.
            std::memset(progress[1], 0, sizeof(progress[1]));
            while (progress[1][1] < progress[0][1]) step(restored, progress[1]);
            for (int i = 4; progress[1][1] > 0 && i < 10; ++i) ASSERT_EQ(progress[0][i], progress[1][i]);
            ASSERT_EQ(saved, save(restored));
            while (step(restored)) {
            }
            naive::Trained found = trained(restored);
            ASSERT_EQ(found.tokens, expected.tokens);
            ASSERT_EQ(found.merges.size(), expected.merges.size());
        } while (step(trainer, progress[0]));
    }
}

void seal(std::vector<std::uint8_t>* bytes) {
    if (bytes->size() < 8) return;
    const std::uint64_t hash = train::hash_bytes(bytes->data(), bytes->size() - 8);
    std::memcpy(bytes->data() + bytes->size() - 8, &hash, 8);
}

TEST(Train, DamagedCheckpointsAreRefusedOrHarmless) {
    std::map<std::uint32_t, std::size_t> met;
    for (std::uint64_t seed = 1; seed <= sample(8000, 1000); ++seed) {
        Random random(seed);
        const naive::Words words = random_words(random);
        TrainerSettings settings = random_settings(random);
        reserve_some(random, words, &settings);
        const TrainerHandle trainer = create_trainer(settings);
        add_words(trainer, words);
        start(trainer);
        for (std::size_t steps = random.below(20); steps > 0 && step(trainer); --steps) {
        }
        std::vector<std::uint8_t> bytes = save(trainer);
        if (random.one_in(10)) {
            bytes.resize(random.below(bytes.size()));
        } else {
            for (std::size_t count = 1 + random.below(3); count > 0; --count) {
                std::uint8_t& byte =
                    bytes[random.below(random.one_in(2) ? std::min<std::size_t>(bytes.size(), 352) : bytes.size())];
                constexpr std::uint8_t kTelling[] = {0, 1, 2, 0x7F, 0x80, 0xFF};
                byte = random.one_in(2) ? kTelling[random.below(6)] : static_cast<std::uint8_t>(byte + 1 - random.below(3));
            }
        }
        if (!random.one_in(10)) seal(&bytes);
        // In a buffer of its exact size, so that AddressSanitizer detects reads beyond it.
        crayon_result result;
        const TrainerHandle restored = restore(std::vector<std::uint8_t>(bytes), &result);
        ASSERT_EQ(restored == nullptr, result.status != CRAYON_OK) << "seed " << seed;
        std::uint32_t progress[10];
        for (int steps = 0; restored && steps < 1000; ++steps) {
            if (crayon_trainer_step(restored.get(), 0, progress, &result) != CRAYON_OK || !result.more) break;
        }
        ++met[result.status];
        if (result.status != CRAYON_OK) {
            ASSERT_TRUE(result.status == CRAYON_TRUNCATED || result.status == CRAYON_CHECKSUM_MISMATCH ||
                        result.status == CRAYON_UNSUPPORTED_VERSION || result.status == CRAYON_CORRUPT_STRUCTURE)
                << "seed " << seed << ": status " << result.status;
            ASSERT_LE(result.position, bytes.size());
        }
    }
    for (const std::uint32_t status : {CRAYON_OK, CRAYON_TRUNCATED, CRAYON_CHECKSUM_MISMATCH, CRAYON_CORRUPT_STRUCTURE}) {
        EXPECT_GT(met[status], at_least(100)) << crayon_status_name(status);
    }
}

TEST(Train, ACheckpointWithOtherMergesIsRefused) {
    TrainerSettings settings;
    const TrainerHandle trainer = create_trainer(settings);
    add_words(trainer, {{"abcabc", 5}});
    start(trainer);
    while (step(trainer)) {
    }
    std::vector<std::uint8_t> bytes = save(trainer);
    crayon_result result;
    const std::uint32_t* merges;
    ASSERT_EQ(crayon_trainer_merges(trainer.get(), &merges, &result), CRAYON_OK);
    ASSERT_GE(result.count, 6u);
    // The second merge, wherever it is.
    const std::uint32_t second[2] = {merges[3], merges[4]}, other[2] = {merges[3], merges[4] + 1};
    const auto* const pair = reinterpret_cast<const std::uint8_t*>(second);
    const auto found = std::search(bytes.begin(), bytes.end(), pair, pair + 8);
    ASSERT_NE(found, bytes.end());
    std::memcpy(&*found, other, 8);
    seal(&bytes);
    const TrainerHandle restored = restore(bytes, &result);
    ASSERT_EQ(result.status, static_cast<std::uint32_t>(CRAYON_OK));
    std::uint32_t progress[10];
    while (crayon_trainer_step(restored.get(), 0, progress, &result) == CRAYON_OK && result.more) {
    }
    EXPECT_EQ(result.status, static_cast<std::uint32_t>(CRAYON_CORRUPT_STRUCTURE));
    EXPECT_EQ(result.position, 1u);
}

// --- arguments
// --------------------------------------------------------------------------------------------------------

crayon_status create(const crayon_trainer_options& options, const std::string& pretokenizer, const std::string& alphabet = "",
                     const std::string& kernel = "") {
    crayon_trainer* trainer = nullptr;
    crayon_result result;
    crayon_trainer_create(&options, alphabet.empty() ? nullptr : reinterpret_cast<const std::uint8_t*>(alphabet.data()),
                          pretokenizer.data(), static_cast<std::uint32_t>(pretokenizer.size()), kernel.data(),
                          static_cast<std::uint32_t>(kernel.size()), 1, &trainer, &result);
    EXPECT_EQ(trainer != nullptr, result.status == CRAYON_OK);
    crayon_trainer_release(trainer);
    return result.status;
}

// --- patterns
// ------------------------------------------------------------------------------------------------------------

crayon_status set_pattern(const TrainerHandle& trainer, const Bytes& section) {
    crayon_result result;
    const std::uint32_t length = static_cast<std::uint32_t>(section.size());
    return crayon_trainer_set_pattern(trainer.get(), section.data(), length, &result);
}

TEST(Train, PatternsSplitTextsLikeTheirFamilies) {
    for_each_kernel([](const Kernel& kernel) {
        for (std::uint64_t seed = 1; seed <= sample(60, 4); ++seed) {
            Random random(seed);
            TrainerSettings settings = random_settings(random);
            settings.pretokenizer = "pattern";
            settings.kernel = kernel.name;
            const std::string family = kPretokenizers[seed % 4];
            SCOPED_TRACE(family + ", seed " + std::to_string(seed));
            std::vector<std::string> texts;
            TextGenerator generator(seed);
            for (std::size_t count = 1 + random.below(5); count > 0; --count) texts.push_back(generator.utf8());
            const TrainerHandle trainer = create_trainer(settings);
            ASSERT_EQ(set_pattern(trainer, section_of(automaton_named(family), 7)), CRAYON_OK);
            for (const std::string& text : texts) feed_in_parts(random, trainer, text);
            start(trainer);
            crayon_result result;
            const TrainerHandle restored = restore(save(trainer), &result);
            const naive::Trained expected = train_naively(pieces_of(texts, family), settings);
            expect_same(train(trainer), expected);
            expect_same(train(restored), expected);
            if (HasFailure()) return;
        }
    });
}

TEST(Train, PatternsAreChecked) {
    TrainerSettings settings;
    const Bytes section = section_of(automaton_named("gpt2"), 7);
    EXPECT_EQ(set_pattern(create_trainer(settings), section), CRAYON_INVALID_ARGUMENT) << "another pretokenizer";
    settings.pretokenizer = "pattern";
    const TrainerHandle trainer = create_trainer(settings);
    crayon_result result;
    const std::uint8_t text[] = {'a', 'b'};
    EXPECT_EQ(crayon_trainer_feed(trainer.get(), text, 2, 1, &result), CRAYON_INVALID_ARGUMENT);
    for (std::size_t length = 1; length < section.size(); length += 1 + length / 2) {
        EXPECT_EQ(set_pattern(trainer, Bytes(section.begin(), section.begin() + static_cast<std::ptrdiff_t>(length))),
                  CRAYON_CORRUPT_STRUCTURE);
    }
    Bytes damaged = section;
    damaged[0] = 1;
    EXPECT_EQ(set_pattern(trainer, damaged), CRAYON_CORRUPT_STRUCTURE);
    EXPECT_EQ(crayon_trainer_feed(trainer.get(), text, 2, 1, &result), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(set_pattern(trainer, section), CRAYON_OK);
    EXPECT_EQ(crayon_trainer_feed(trainer.get(), text, 2, 1, &result), CRAYON_OK);
    EXPECT_EQ(set_pattern(trainer, section), CRAYON_INVALID_ARGUMENT) << "after a text";
}

TEST(Train, ArgumentsAreChecked) {
    const crayon_trainer_options good = {1000, 2, 0, CRAYON_TIES_LARGER, 0};
    EXPECT_EQ(create(good, "o200k"), CRAYON_OK);
    EXPECT_EQ(create(good, ""), CRAYON_OK);
    EXPECT_EQ(create(good, "r50k"), CRAYON_UNKNOWN_SCANNER);
    EXPECT_EQ(create(good, "gpt2", "", "none"), CRAYON_UNKNOWN_KERNEL);
    EXPECT_EQ(create(good, "gpt2", std::string(256, 'a')), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(create({1u << 21, 2, 0, 0, 0}, "gpt2"), CRAYON_VOCABULARY_TOO_LARGE);
    EXPECT_EQ(create({1000, 2, 0, 2, 0}, "gpt2"), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(create({1000, 2, 0, 0, 2}, "gpt2"), CRAYON_INVALID_ARGUMENT);

    TrainerSettings settings;
    const TrainerHandle trainer = create_trainer(settings);
    crayon_result result;
    std::uint32_t progress[10];
    const std::uint8_t text[] = {'a', 'b'};
    EXPECT_EQ(crayon_trainer_step(trainer.get(), 1, progress, &result), CRAYON_INVALID_ARGUMENT) << "not started";
    const std::uint8_t* bytes;
    EXPECT_EQ(crayon_trainer_save(trainer.get(), &bytes, &result), CRAYON_INVALID_ARGUMENT) << "not started";
    EXPECT_EQ(crayon_trainer_reserve(trainer.get(), text, 0, &result), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(crayon_trainer_reserve(trainer.get(), text, 2, &result), CRAYON_OK);
    EXPECT_EQ(crayon_trainer_reserve(trainer.get(), text, 2, &result), CRAYON_DUPLICATE_TOKEN);
    EXPECT_EQ(crayon_trainer_feed(trainer.get(), text, 1, 0, &result), CRAYON_OK);
    EXPECT_EQ(crayon_trainer_start(trainer.get(), &result), CRAYON_INVALID_ARGUMENT) << "within a text";
    EXPECT_EQ(crayon_trainer_feed(trainer.get(), nullptr, 0, 1, &result), CRAYON_OK);
    EXPECT_EQ(crayon_trainer_start(trainer.get(), &result), CRAYON_OK);
    EXPECT_EQ(crayon_trainer_start(trainer.get(), &result), CRAYON_INVALID_ARGUMENT) << "started twice";
    EXPECT_EQ(crayon_trainer_feed(trainer.get(), text, 1, 1, &result), CRAYON_INVALID_ARGUMENT) << "started";
    EXPECT_EQ(crayon_trainer_reserve(trainer.get(), text, 1, &result), CRAYON_INVALID_ARGUMENT) << "started";
}

TEST(Train, FinishesAtOnceWithNothingToLearn) {
    for (const std::string pretokenizer : kPretokenizers) {
        for (const bool observed : {false, true}) {
            TrainerSettings settings;
            settings.pretokenizer = pretokenizer;
            settings.options.observed_alphabet = observed;
            const TrainerHandle trainer = create_trainer(settings);
            start(trainer);
            EXPECT_FALSE(step(trainer));
            EXPECT_EQ(trained(trainer).tokens.size(), observed ? 0u : 256u);
            crayon_result result;
            const TrainerHandle restored = restore(save(trainer), &result);
            ASSERT_EQ(result.status, static_cast<std::uint32_t>(CRAYON_OK));
            EXPECT_FALSE(step(restored));
        }
    }
}

}  // namespace
}  // namespace crayon::test::train_test
