// BPE without a pretokenizer, compared with the naive merge of all text between added tokens: ids, counts and offsets, in both
// forms of a file, on every kernel, however the text is cut into windows and read.
#include <algorithm>

#include "kernels.h"
#include "naive/utf.h"
#include "parallel_texts.h"
#include "share.h"

namespace crayon::test::bpe_uncut_test {
namespace {

using Ids = std::vector<std::uint32_t>;

// Vocabularies with deep merges and tokens that merging never makes; with merges that cross characters; of arbitrary bytes, so
// that single bytes are pieces; and trained on a text, with tokens that cross words.
Vocabulary vocabulary_of(Random& random) {
    static const std::vector<std::string> kWords = {"the ",          "low",    "er ", "est", " of ",
                                                    "\u00E9t\u00E9", "\u4E2D", "\n",  "a",   "aa"};
    switch (random.below(5)) {
        case 0:
            return random_vocabulary(random, "ab", 20 + random.below(60));
        case 1:
            return random_vocabulary(random, "aBst \n'1.\xE4\xB8\xAD\xC3\xA9", 120);
        case 2: {
            std::string all;
            for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
            return random_vocabulary(random, all, 400, 4);
        }
        case 3: {
            const std::vector<std::string> text = random_text(random, {"a", "\u00E9", "\u4E2D", "\U0001F600", "\u0438"}, 300);
            return grown_vocabulary(random, text, 80, 40);
        }
        default:
            return grown_vocabulary(random, random_text(random, kWords, 400), 150, 0, 60);
    }
}

std::string text_of(Random& random, const Vocabulary& v, const std::vector<AddedToken>& added) {
    if (random.one_in(3)) return nasty_text(random, random.below(400), added);
    std::string text;
    const std::size_t length = random.below(random.one_in(5) ? 3000 : 300), any = 2 + random.below(30);
    while (text.size() < length) {
        const std::string& token = v.tokens[random.below(v.tokens.size())];
        if (random.one_in(any)) {
            text += static_cast<char>(random.below(256));
        } else if (random.one_in(20)) {
            text.append(random.below(200), "ab \n"[random.below(4)]);
        } else if (!added.empty() && random.one_in(20)) {
            text += added[random.below(added.size())].bytes;
        } else {
            text += random.one_in(3) ? token.substr(random.below(token.size() + 1)) : token;
        }
    }
    return text;
}

struct Expected {
    Ids ids;
    std::vector<std::uint32_t> ends;
};

// By definition: the longest added token at the leftmost position, and merging between them.
Expected naive_ids(const std::string& text, const Vocabulary& v, const std::vector<AddedToken>& added) {
    Expected expected;
    std::uint32_t end = 0;
    const auto take = [&](std::uint32_t id, std::size_t length) {
        expected.ids.push_back(id);
        expected.ends.push_back(end += static_cast<std::uint32_t>(length));
    };
    std::size_t begin = 0;
    const auto merge_to = [&](std::size_t to) {
        for (std::uint32_t id : naive::merge_long(text.substr(begin, to - begin), v.ranks)) take(id, v.tokens[id].size());
        begin = to;
    };
    for (std::size_t at = 0; at < text.size();) {
        const AddedToken* longest = nullptr;
        for (const AddedToken& token : added) {
            if (text.compare(at, token.bytes.size(), token.bytes) != 0) continue;
            if (!longest || token.bytes.size() > longest->bytes.size()) longest = &token;
        }
        if (!longest) {
            ++at;
            continue;
        }
        merge_to(at);
        take(longest->id, longest->bytes.size());
        begin = at += longest->bytes.size();
    }
    merge_to(text.size());
    return expected;
}

enum class What { kIds, kOffsets, kCount };

// In random windows, reading a random number of ids at a time.
Expected read(crayon_encoder* encoder, const std::string& text, What what, Random& random) {
    Expected found;
    crayon_result result;
    EXPECT_EQ(crayon_encoder_begin(encoder, CRAYON_SPECIAL_ALLOW, nullptr, 0, &result), CRAYON_OK);
    const std::size_t longest = random.one_in(3) ? text.size() + 1 : 1 + random.below(200);
    std::size_t at = 0;
    do {
        const std::size_t size = std::min(text.size() - at, 1 + random.below(longest));
        EXPECT_EQ(crayon_encoder_feed_utf8(encoder, bytes_of(text) + at, static_cast<std::uint32_t>(size),
                                           at + size == text.size(), &result),
                  CRAYON_OK);
        at += size;
        const std::uint32_t step = static_cast<std::uint32_t>(1 + random.below(random.one_in(2) ? 5 : 5000));
        do {
            Ids ids(step), offsets(2 * std::size_t{step});
            const crayon_status status =
                what == What::kCount ? crayon_encoder_count(encoder, step, &result)
                : what == What::kOffsets
                    ? crayon_encoder_read_with_offsets(encoder, ids.data(), offsets.data(), step, CRAYON_UNIT_BYTES, &result)
                    : crayon_encoder_read(encoder, ids.data(), step, &result);
            EXPECT_EQ(status, CRAYON_OK);
            if (what == What::kCount) ids.resize(result.count);
            found.ids.insert(found.ids.end(), ids.begin(), ids.begin() + result.count);
            if (what != What::kOffsets) continue;
            for (std::uint32_t i = 0; i < result.count; ++i) found.ends.push_back(offsets[2 * i + 1]);
        } while (result.more);
    } while (at < text.size());
    return found;
}

std::string slim_of(const std::string& file) {
    crayon_result result;
    crayon_cartridge* cartridge = nullptr;
    crayon_compiler* compiler = nullptr;
    crayon_cartridge_open_bytes(file.data(), static_cast<std::uint32_t>(file.size()), 0, &cartridge, &result);
    crayon_compiler_create(&compiler, &result);
    EXPECT_EQ(crayon_compiler_set_cartridge(compiler, cartridge, &result), CRAYON_OK);
    const std::uint8_t* bytes = nullptr;
    EXPECT_EQ(crayon_compiler_finish_slim(compiler, &bytes, &result), CRAYON_OK);
    std::string slim(reinterpret_cast<const char*>(bytes), result.count);
    crayon_compiler_release(compiler);
    crayon_cartridge_release(cartridge);
    return slim;
}

TEST(BpeUncut, EqualsTheNaiveMerge) {
    std::size_t across = 0;  // texts with tokens that no family's pattern allows
    for_each_kernel([&](const Kernel& kernel) {
        for (std::uint64_t seed = 1; seed <= sample(300, 10); ++seed) {
            Random random(seed);
            const Vocabulary v = vocabulary_of(random);
            std::vector<AddedToken> added;
            if (random.one_in(3)) added = random_added(random, static_cast<std::uint32_t>(v.tokens.size()));
            const std::string file = compile(v, "none", added);
            Tokenizing tokenizing(random.one_in(3) ? slim_of(file) : file, kernel.name);
            ASSERT_STREQ(crayon_tokenizer_scanner(tokenizing.tokenizer()), "none");
            for (int n = 0; n < 8; ++n) {
                const std::string text = text_of(random, v, added);
                SCOPED_TRACE("seed " + std::to_string(seed) + ", text " + testing::PrintToString(text));
                const Expected expected = naive_ids(text, v, added);
                ASSERT_EQ(read(tokenizing.encoder(), text, What::kIds, random).ids, expected.ids);
                const Expected located = read(tokenizing.encoder(), text, What::kOffsets, random);
                ASSERT_EQ(located.ids, expected.ids);
                ASSERT_EQ(located.ends, expected.ends);
                ASSERT_EQ(read(tokenizing.encoder(), text, What::kCount, random).ids.size(), expected.ids.size());
                for (std::uint32_t id : expected.ids) {
                    const std::string token = id < v.tokens.size() ? v.tokens[id] : "";
                    across += token.find_first_of(" \n") != std::string::npos &&
                              token.find_last_not_of(" \n") != std::string::npos && token.find_first_of(" \n") > 0;
                }
            }
        }
    });
    EXPECT_GT(across, 0u);
}

// A token that merging does not make never encodes a text, even the text that equals it; but it has its id.
TEST(BpeUncut, UnreachableTokensAreNeverEncoded) {
    Random random(3);
    Vocabulary v = random_vocabulary(random, "", 0);
    v.add("xyz");
    v.add("ab");
    Tokenizing tokenizing(compile(v, "none")), with_pattern(compile(v, "gpt2"));
    EXPECT_EQ(with_pattern.encode("xyz"), Ids{256});
    EXPECT_EQ(tokenizing.encode("xyz"), naive::merge("xyz", v.ranks));
    EXPECT_EQ(tokenizing.encode("xyz").size(), 3u);
    EXPECT_EQ(tokenizing.encode("ab"), Ids{257});
    EXPECT_EQ(tokenizing.decode({256}), "xyz");
    EXPECT_EQ(crayon_tokenizer_id_of(tokenizing.tokenizer(), bytes_of("xyz"), 3), 256u);
}

// Pieces of thousands of bytes, merged in windows, runs and parts: of one letter, of few, of random ones.
TEST(BpeUncut, LongPieces) {
    for_each_kernel([&](const Kernel& kernel) {
        for (std::uint64_t seed = 1; seed <= sample(24, 2); ++seed) {
            Random random(seed);
            const bool is_dna = random.one_in(2);
            const std::string_view letters = is_dna ? "ACGT" : "etaoin shrdlu\n";
            std::vector<std::string> parts;
            for (char letter : letters) parts.emplace_back(1, letter);
            const Vocabulary v = grown_vocabulary(random, random_text(random, parts, 2000), 300, 0, 30);
            Tokenizing tokenizing(compile(v, "none"), kernel.name);
            std::string text;
            while (text.size() < 20000) {
                const std::size_t length = 1 + random.below(3000);
                if (random.one_in(6)) {
                    text.append(length, letters[random.below(letters.size())]);
                } else if (random.one_in(5)) {
                    const std::size_t period = 2 + random.below(6), from = text.size();
                    for (std::size_t i = 0; i < length; ++i) {
                        text += i < period ? letters[random.below(letters.size())] : text[from + i % period];
                    }
                } else {
                    for (std::size_t i = 0; i < length; ++i) text += letters[random.below(letters.size())];
                }
            }
            SCOPED_TRACE("seed " + std::to_string(seed));
            ASSERT_EQ(read(tokenizing.encoder(), text, What::kIds, random).ids, naive::merge_long(text, v.ranks));
        }
    });
}

// If nothing merges across it, memory is bounded by a window, however long the text.
TEST(BpeUncut, MemoryIsBoundedByThePiece) {
    Random random(3);
    const Vocabulary v = random_vocabulary(random, "ab", 30);
    Tokenizing tokenizing(compile(v, "none"));
    crayon_result result;
    crayon_encoder_begin(tokenizing.encoder(), CRAYON_SPECIAL_AS_TEXT, nullptr, 0, &result);
    const std::string window = joined(std::vector<std::string>(2000, "abaab.baab,aaab\n"));
    Ids ids;
    for (int i = 0; i < 50; ++i) {
        crayon_encoder_feed_utf8(tokenizing.encoder(), bytes_of(window), static_cast<std::uint32_t>(window.size()), i == 49,
                                 &result);
        tokenizing.read(ids, 100000, result);
        EXPECT_LE(tokenizing.encoder()->encoder.text_memory(), 4 * window.size());
    }
    EXPECT_EQ(tokenizing.decode(ids).size(), 50 * window.size());
}

}  // namespace
}  // namespace crayon::test::bpe_uncut_test
