// Files of version 2: valid ones are read, invalid ones refused, and written ones hold the same vocabulary.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "longest_match_vocabularies.h"
#include "share.h"

namespace crayon::test::legacy_dat_test {
namespace {

using i32 = std::int32_t;
using u32 = std::uint32_t;

// The arrays of a file, as in FORMAT.md.
struct Dat {
    std::vector<i32> base, check, values;

    explicit Dat(std::string_view file) {
        u32 count = 0;
        std::memcpy(&count, file.data() + 8, 4);
        for (auto* words : {&base, &check, &values}) words->resize(count);
        std::memcpy(base.data(), file.data() + 12, 4 * count);
        std::memcpy(check.data(), file.data() + 12 + 4 * count, 4 * count);
        std::memcpy(values.data(), file.data() + 12 + 8 * count, 4 * count);
    }
    i32 find(const std::string& token) const {
        i32 state = 0;
        for (char byte : token) {
            const i32 next = base[state] + static_cast<std::uint8_t>(byte);
            if (next < 0 || next >= static_cast<i32>(base.size()) || check[next] != state) return -1;
            state = next;
        }
        return values[state];
    }
};

std::string text_of(const crayon_result& result) {
    return std::string(crayon_status_name(result.status)) + " " + std::to_string(result.position);
}

std::vector<std::string> tokens_of(crayon_cartridge* cartridge) {
    crayon_tokenizer* tokenizer = nullptr;
    EXPECT_EQ(crayon_tokenizer_create(cartridge, 0, "", 0, &tokenizer, nullptr), CRAYON_OK);
    std::vector<std::string> tokens;
    for (u32 id = 0; id < crayon_tokenizer_vocabulary_size(tokenizer); ++id) {
        u32 length = 0;
        const std::uint8_t* bytes = crayon_tokenizer_token_bytes(tokenizer, id, &length);
        tokens.emplace_back(reinterpret_cast<const char*>(bytes), length);
    }
    crayon_tokenizer_release(tokenizer);
    return tokens;
}

std::string finished(crayon_cartridge* cartridge,
                     crayon_status (*finish)(crayon_compiler*, const std::uint8_t**, crayon_result*)) {
    crayon_result result;
    crayon_compiler* compiler = nullptr;
    EXPECT_EQ(crayon_compiler_create(&compiler, &result), CRAYON_OK);
    EXPECT_EQ(crayon_compiler_set_cartridge(compiler, cartridge, &result), CRAYON_OK) << text_of(result);
    const std::uint8_t* bytes = nullptr;
    EXPECT_EQ(finish(compiler, &bytes, &result), CRAYON_OK) << text_of(result);
    std::string copy(reinterpret_cast<const char*>(bytes), result.count);
    crayon_compiler_release(compiler);
    return copy;
}

crayon_cartridge* opened(const std::string& file) {
    crayon_cartridge* cartridge = nullptr;
    EXPECT_EQ(crayon_cartridge_open_bytes(file.data(), static_cast<u32>(file.size()), 0, &cartridge, nullptr), CRAYON_OK);
    return cartridge;
}

TEST(LegacyDat, IsReadAndWrittenAgain) {
    for (std::uint64_t seed = 1; seed <= sample(60, 4); ++seed) {
        Random random(seed);
        MatchVocabulary v = random_matches(random, random.one_in(2));
        while (!v.tokens.empty() && v.tokens.back().empty()) v.tokens.pop_back();
        for (DatWriter writer : {DatWriter::kRootIsMinusOne, DatWriter::kRootIsZero}) {
            const std::string file = naive_dat(v.tokens, writer);
            for (bool has_list : {true, false}) {
                crayon_result result = {};
                crayon_cartridge* cartridge =
                    open_dat(file, has_list ? v.tokens : std::vector<std::string>{}, v.unknown, &result);
                ASSERT_TRUE(cartridge) << text_of(result);
                ASSERT_EQ(tokens_of(cartridge), v.tokens);
                ASSERT_EQ(finished(cartridge, crayon_compiler_finish_dat), file);
                // As version 3 it has the same tokens, and converted back to version 2 as well.
                for (auto finish : {crayon_compiler_finish, crayon_compiler_finish_slim}) {
                    crayon_cartridge* newer = opened(finished(cartridge, finish));
                    ASSERT_EQ(tokens_of(newer), v.tokens);
                    const Dat again(finished(newer, crayon_compiler_finish_dat));
                    for (u32 id = 0; id < v.tokens.size(); ++id) {
                        if (v.tokens[id].empty()) continue;
                        ASSERT_EQ(again.find(v.tokens[id]), static_cast<i32>(id));
                    }
                    crayon_cartridge_release(newer);
                }
                crayon_cartridge_release(cartridge);
            }
        }
    }
}

// Tokens that are only in the list: they decode, but no text produces them, not even in version 3.
TEST(LegacyDat, ListsTokensThatNoTextProduces) {
    const std::vector<std::string> in_trie = {"", "a", "ab", "", "", "c"};
    const std::vector<std::string> list = {"ab", "", "\xEF\xBF\xBD", "\xEF\xBF\xBD", "\xEF\xBF\xBD", "c", "zzz"};
    const std::vector<std::string> expected = {"ab", "a", "ab", "\xEF\xBF\xBD", "\xEF\xBF\xBD", "c", "zzz"};
    crayon_result result = {};
    crayon_cartridge* cartridge = open_dat(naive_dat(in_trie, DatWriter::kRootIsMinusOne), list, 3, &result);
    ASSERT_TRUE(cartridge) << text_of(result);
    for (auto finish : {crayon_compiler_finish, crayon_compiler_finish_slim}) {
        crayon_cartridge* newer = opened(finished(cartridge, finish));
        for (crayon_cartridge* each : {cartridge, newer}) {
            EXPECT_EQ(tokens_of(each), expected);
            crayon_tokenizer* tokenizer = nullptr;
            crayon_encoder* encoder = nullptr;
            ASSERT_EQ(crayon_tokenizer_create(each, 0, "", 0, &tokenizer, &result), CRAYON_OK);
            ASSERT_EQ(crayon_encoder_create(tokenizer, &encoder, &result), CRAYON_OK);
            const std::string text = "abazzz\xEF\xBF\xBD";
            u32 ids[16];
            EXPECT_EQ(crayon_encoder_feed_utf8(encoder, reinterpret_cast<const std::uint8_t*>(text.data()),
                                               static_cast<u32>(text.size()), 1, &result),
                      CRAYON_OK);
            EXPECT_EQ(crayon_encoder_read(encoder, ids, 16, &result), CRAYON_OK);
            EXPECT_EQ(std::vector<u32>(ids, ids + result.count), (std::vector<u32>{2, 1, 3, 3, 3, 3}));
            crayon_encoder_release(encoder);
            crayon_tokenizer_release(tokenizer);
        }
        const Dat dat(finished(newer, crayon_compiler_finish_dat));
        EXPECT_EQ(dat.find("ab"), 2);
        EXPECT_EQ(dat.find("zzz"), -1);
        crayon_cartridge_release(newer);
    }
    crayon_cartridge_release(cartridge);
}

TEST(LegacyDat, OfTheCompilerIsDenseAndHoldsEveryTokenAlone) {
    Random random(9);
    MatchVocabulary v;
    std::set<std::string> seen;
    std::size_t nodes = 1;
    std::set<std::string> prefixes;
    while (v.tokens.size() < 30000) {
        std::string token;
        // Words over an alphabet with favourites, and a few of arbitrary bytes, including zero.
        const bool is_any = random.one_in(20);
        for (std::size_t n = 1 + random.below(is_any ? 3 : 9); n > 0; --n) {
            token += static_cast<char>(is_any ? random.below(256) : 'a' + random.below(1 + random.below(40)));
        }
        if (seen.insert(token).second) v.tokens.push_back(token);
        for (std::size_t length = 1; length <= token.size(); ++length) {
            nodes += prefixes.insert(token.substr(0, length)).second;
        }
    }
    const std::string file = compile_matches(v, Form::kDat);
    EXPECT_EQ(compile_matches(v, Form::kDat), file);
    const Dat dat(file);
    for (u32 id = 0; id < v.tokens.size(); ++id) ASSERT_EQ(dat.find(v.tokens[id]), static_cast<i32>(id));
    std::size_t ids = 0, used = 1;
    for (std::size_t state = 0; state < dat.check.size(); ++state) {
        ids += dat.values[state] >= 0;
        used += dat.check[state] >= 0;
        ASSERT_GE(dat.base[state], 0);
        ASSERT_GE(dat.check[state], -1);
    }
    EXPECT_EQ(ids, v.tokens.size());
    EXPECT_EQ(used, nodes);
    EXPECT_GE(double(nodes), 0.99 * double(dat.base.size()));
    EXPECT_EQ(dat.check[0], -1);

    for (const std::vector<std::string>& few : std::vector<std::vector<std::string>>{
             {"a"}, {std::string(1, '\0')}, {"\xFF"}, {std::string(3, '\0')}, {std::string(300, '\xFF')}}) {
        MatchVocabulary small;
        small.tokens = few;
        EXPECT_EQ(Dat(compile_matches(small, Form::kDat)).find(few[0]), 0);
    }
    MatchVocabulary all;
    for (int byte = 0; byte < 256; ++byte) {
        for (int next = 0; next < 256; ++next) all.tokens.push_back({static_cast<char>(byte), static_cast<char>(next)});
    }
    const Dat full(compile_matches(all, Form::kDat));
    for (u32 id = 0; id < all.tokens.size(); ++id) ASSERT_EQ(full.find(all.tokens[id]), static_cast<i32>(id));
}

class Damaged : public testing::Test {
protected:
    const std::vector<std::string> tokens_ = {"a", "ab", "abc", "b", std::string("\0\0", 2)};
    const std::string valid_ = naive_dat(tokens_, DatWriter::kRootIsZero);
    const u32 count_ = static_cast<u32>((valid_.size() - 12) / 12);

    // Refused as given, and read once repaired.
    std::string outcome(std::string file, u32 unknown_id = kNoUnknown) {
        crayon_result result = {};
        crayon_cartridge* cartridge = open_dat(file, {}, unknown_id, &result);
        EXPECT_EQ(cartridge != nullptr, result.status == CRAYON_OK);
        crayon_cartridge_release(cartridge);
        return text_of(result);
    }
    std::string with(u32 array, u32 state, i32 word) {
        std::string file = valid_;
        std::memcpy(file.data() + 12 + 4 * (array * count_ + state), &word, 4);
        return file;
    }
    std::string at(u32 array, u32 state) { return std::to_string(12 + 4 * (array * count_ + state)); }
    i32 word(u32 array, u32 state) {
        i32 word;
        std::memcpy(&word, valid_.data() + 12 + 4 * (array * count_ + state), 4);
        return word;
    }
};

TEST_F(Damaged, HeadersAreRefused) {
    EXPECT_EQ(outcome(valid_), "OK 0");
    EXPECT_EQ(outcome(""), "NOT_A_CARTRIDGE 0");
    EXPECT_EQ(outcome("CRA"), "NOT_A_CARTRIDGE 0");
    EXPECT_EQ(outcome("CRAZ" + valid_.substr(4)), "NOT_A_CARTRIDGE 0");
    EXPECT_EQ(outcome(valid_.substr(0, 11)), "TRUNCATED 11");
    EXPECT_EQ(outcome(valid_.substr(0, 4) + '\3' + valid_.substr(5)), "UNSUPPORTED_VERSION 4");
    for (std::size_t length : {std::size_t{12}, std::size_t{13}, valid_.size() - 1}) {
        EXPECT_EQ(outcome(valid_.substr(0, length)), "TRUNCATED " + std::to_string(length));
    }
    EXPECT_EQ(outcome(valid_ + '\0'), "CORRUPT_STRUCTURE 8");
    EXPECT_EQ(outcome(std::string("CRAY\2\0\0\0\0\0\0\0", 12)), "CORRUPT_STRUCTURE 8");
    EXPECT_EQ(outcome(std::string("CRAY\2\0\0\0\xFF\xFF\xFF\xFF", 12)), "TRUNCATED 12");
}

TEST_F(Damaged, TriesAreRefused) {
    EXPECT_EQ(outcome(with(1, 0, 1)), "CORRUPT_STRUCTURE " + at(1, 0));
    EXPECT_EQ(outcome(with(1, 0, -2)), "CORRUPT_STRUCTURE " + at(1, 0));
    for (i32 base : {0, -1, -97, -255}) EXPECT_EQ(outcome(with(0, 0, base)), "CORRUPT_STRUCTURE " + at(0, 0));
    // It is no longer the root's child, so nothing remains: a trie without tokens.
    EXPECT_EQ(outcome(with(0, 0, -256)), "CORRUPT_STRUCTURE 8");
    const u32 a = static_cast<u32>(word(0, 0)) + 'a', b = static_cast<u32>(word(0, 0)) + 'b';
    ASSERT_EQ(word(2, a), 0);
    EXPECT_EQ(outcome(with(2, a, -2)), "CORRUPT_STRUCTURE " + at(2, a));
    EXPECT_EQ(outcome(with(2, a, 1 << 21)), "CORRUPT_STRUCTURE " + at(2, a));
    // A duplicate id, at whichever state comes later.
    EXPECT_EQ(outcome(with(2, a, 3)), "CORRUPT_STRUCTURE " + at(2, b));
    // Children with another base: they are cut off, together with their ids.
    EXPECT_EQ(outcome(with(1, a, -1)), "OK 0");
    EXPECT_EQ(outcome(with(1, a, static_cast<i32>(count_))), "OK 0");
    EXPECT_EQ(outcome(with(1, a, static_cast<i32>(a))), "OK 0");

    EXPECT_EQ(outcome(valid_, 0), "OK 0");
    EXPECT_EQ(outcome(valid_, 5), "INVALID_ARGUMENT 0");
}

// The list of another file: an id has a different token in the trie.
TEST(LegacyDat, RefusesTheListOfAnother) {
    const std::string dat = naive_dat({"a", "b", "ab", "<unk>"}, DatWriter::kRootIsMinusOne);
    crayon_result result = {};
    EXPECT_FALSE(open_dat(dat, {"<unk>", "b", "ab", "a"}, 0, &result));
    EXPECT_EQ(text_of(result), "INVALID_ARGUMENT 0");
    EXPECT_FALSE(open_dat(dat, {"a", "b", "a", "<unk>"}, 3, &result));
    EXPECT_EQ(text_of(result), "INVALID_ARGUMENT 2");
    crayon_cartridge* cartridge = open_dat(dat, {"a", "b", "ab", "<unk>"}, 3, &result);
    EXPECT_TRUE(cartridge) << text_of(result);
    crayon_cartridge_release(cartridge);
}

TEST_F(Damaged, ListsAreRefused) {
    const auto outcome = [&](std::vector<u32> offsets, const std::string& bytes) {
        crayon_result result = {};
        crayon_cartridge* cartridge = nullptr;
        crayon_cartridge_open_dat_bytes(valid_.data(), static_cast<u32>(valid_.size()), 0,
                                        reinterpret_cast<const std::uint8_t*>(bytes.data()), static_cast<u32>(bytes.size()),
                                        offsets.data(), static_cast<u32>(offsets.size() - 1), kNoUnknown, &cartridge, &result);
        crayon_cartridge_release(cartridge);
        return text_of(result);
    };
    EXPECT_EQ(outcome({0, 0, 0, 0, 0, 0}, ""), "OK 0");
    EXPECT_EQ(outcome({0, 0, 0, 0, 0}, ""), "CORRUPT_STRUCTURE " + at(2, 2));  // an id that is not in the list
    EXPECT_EQ(outcome({1, 1, 1, 1, 1, 1}, "x"), "INVALID_ARGUMENT 0");
    EXPECT_EQ(outcome({0, 0, 1, 0, 1, 1}, "x"), "INVALID_ARGUMENT 2");
    EXPECT_EQ(outcome({0, 0, 0, 2, 2, 2}, "x"), "INVALID_ARGUMENT 2");
}

// Arbitrary bytes are refused, or form a vocabulary whose tokens are found in the text.
TEST_F(Damaged, AnyBytesAreSafe) {
    std::size_t opened = 0;
    for (std::uint64_t seed = 1; seed <= 4000; ++seed) {
        Random random(seed);
        std::string file = valid_;
        for (std::size_t changes = 1 + random.below(6); changes > 0; --changes) {
            const std::size_t at = 12 + 4 * random.below(3 * count_);
            const i32 values[] = {0,
                                  1,
                                  -1,
                                  2,
                                  97,
                                  -97,
                                  static_cast<i32>(random.below(count_)),
                                  static_cast<i32>(count_),
                                  0x7FFFFFFF,
                                  i32(0x80000000),
                                  static_cast<i32>(random.next())};
            const i32 value = values[random.below(std::size(values))];
            std::memcpy(file.data() + at, &value, 4);
        }
        crayon_result result = {};
        crayon_cartridge* cartridge = open_dat(file, {}, kNoUnknown, &result);
        if (!cartridge) continue;
        ++opened;
        const std::vector<std::string> tokens = tokens_of(cartridge);
        MatchVocabulary v;
        v.tokens = tokens;
        crayon_tokenizer* tokenizer = nullptr;
        crayon_encoder* encoder = nullptr;
        ASSERT_EQ(crayon_tokenizer_create(cartridge, 0, "", 0, &tokenizer, &result), CRAYON_OK);
        ASSERT_EQ(crayon_encoder_create(tokenizer, &encoder, &result), CRAYON_OK);
        const std::string text = random_match_text(random, v, 20);
        std::vector<u32> ids(text.size() + 1), expected;
        for (const naive::Match& match : naive::longest_matches(text, v.matches(), kNoUnknown)) {
            if (match.is_unknown) break;
            expected.push_back(match.id);
        }
        EXPECT_EQ(crayon_encoder_feed_utf8(encoder, reinterpret_cast<const std::uint8_t*>(text.data()),
                                           static_cast<u32>(text.size()), 1, &result),
                  CRAYON_OK);
        if (crayon_encoder_read(encoder, ids.data(), static_cast<u32>(ids.size()), &result) == CRAYON_OK) {
            ids.resize(result.count);
            ASSERT_EQ(ids, expected) << "seed " << seed;
        } else {
            ASSERT_EQ(result.status, u32{CRAYON_UNKNOWN_CHARACTER}) << "seed " << seed;
        }
        crayon_encoder_release(encoder);
        crayon_tokenizer_release(tokenizer);
        crayon_cartridge_release(cartridge);
    }
    EXPECT_GT(opened, 500u);
}

// A chain of states that each end a token: the tokens would take far too much memory.
TEST(LegacyDat, TokensOfTooManyBytesAreRefused) {
    const u32 count = 40000;
    std::string file("CRAY\2\0\0\0", 8);
    file.append(reinterpret_cast<const char*>(&count), 4);
    std::vector<i32> words(3 * count);
    for (u32 state = 0; state < count; ++state) {
        words[state] = static_cast<i32>(state);  // the next one, by byte 1
        words[count + state] = static_cast<i32>(state) - 1;
        words[2 * count + state] = static_cast<i32>(state) - 1;
    }
    file.append(reinterpret_cast<const char*>(words.data()), 4 * words.size());
    crayon_result result = {};
    EXPECT_EQ(open_dat(file, {}, kNoUnknown, &result), nullptr);
    EXPECT_EQ(text_of(result).substr(0, 21), "VOCABULARY_TOO_LARGE ");
}

}  // namespace
}  // namespace crayon::test::legacy_dat_test
