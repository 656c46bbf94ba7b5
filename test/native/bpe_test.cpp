// The model against the definition of BPE: random vocabularies, pieces that merge deeply.
#include "model/bpe.h"

#include "vocabularies.h"

namespace crayon::test {
namespace {

class OpenBpe {
public:
    explicit OpenBpe(const Vocabulary& vocabulary) {
        const std::string bytes = compile(vocabulary, "gpt2");
        crayon_result result;
        EXPECT_EQ(crayon_cartridge_open_bytes(bytes.data(), static_cast<u32>(bytes.size()), 0, &cartridge_, &result),
                  CRAYON_OK);
        bpe_ = Bpe(from_c(cartridge_)->bpe());
    }
    ~OpenBpe() { crayon_cartridge_release(cartridge_); }

    // One piece, by way of encode (both the short and the long path) and of merge.
    std::vector<u32> encode(const std::string& piece) {
        const std::string padded = piece + std::string(Bpe::kPadding, '\0');
        const u8* text = reinterpret_cast<const u8*>(padded.data());
        const u32 boundary = static_cast<u32>(piece.size());
        std::vector<u32> ids(piece.size());
        Bpe::Progress done{}, counted{};
        EXPECT_TRUE(bpe_.encode<false>(text, 0, &boundary, 1, ids.data(), boundary, scratch_, &done));
        EXPECT_EQ(done.pieces, 1u);
        ids.resize(done.ids);
        EXPECT_TRUE(bpe_.encode<true>(text, 0, &boundary, 1, nullptr, boundary, scratch_, &counted));
        EXPECT_EQ(counted.ids, done.ids);
        return ids;
    }
    std::vector<u32> merge(const std::string& piece) {
        const std::string padded = piece + std::string(Bpe::kPadding, '\0');
        EXPECT_TRUE(bpe_.merge(reinterpret_cast<const u8*>(padded.data()), static_cast<u32>(piece.size()), scratch_));
        return {scratch_.ids.begin(), scratch_.ids.end()};
    }
    u32 find(const std::string& piece) {
        const std::string padded = piece + std::string(Bpe::kPadding, '\0');
        return bpe_.find(reinterpret_cast<const u8*>(padded.data()), static_cast<u32>(piece.size()));
    }

private:
    crayon_cartridge* cartridge_ = nullptr;
    Bpe bpe_;
    BpeScratch scratch_;
};

std::string random_piece(Random& random, std::string_view alphabet, std::size_t length) {
    std::string piece;
    while (piece.size() < length) {
        const char c = alphabet[random.below(alphabet.size())];
        piece.append(random.one_in(10) ? 1 + random.below(20) : 1, c);
    }
    return piece;
}

TEST(Bpe, EqualsMergingByRankOnRandomVocabularies) {
    for (u64 seed = 1; seed <= 60; ++seed) {
        Random random(seed);
        const std::string_view alphabet = std::string_view("abcdefgh").substr(0, 2 + random.below(7));
        const Vocabulary vocabulary = random_vocabulary(random, alphabet, 20 + random.below(400));
        OpenBpe bpe(vocabulary);
        for (int i = 0; i < 300; ++i) {
            const std::string piece = random_piece(random, alphabet, 1 + random.below(i % 10 ? 24 : 200));
            ASSERT_EQ(bpe.encode(piece), naive::encode_piece(piece, vocabulary.ranks))
                << "seed " << seed << " piece " << piece;
        }
    }
}

TEST(Bpe, EqualsMergingByRankOnLongPieces) {
    for (u64 seed = 1; seed <= 8; ++seed) {
        Random random(seed);
        const std::string_view alphabet = std::string_view("abcd").substr(0, 1 + random.below(4));
        const Vocabulary vocabulary = random_vocabulary(random, alphabet, 100);
        OpenBpe bpe(vocabulary);
        for (std::size_t length : {250, 255, 256, 257, 300, 1000}) {
            const std::string piece = random_piece(random, alphabet, length);
            ASSERT_EQ(bpe.encode(piece), naive::encode_piece(piece, vocabulary.ranks))
                << "seed " << seed << " length " << length;
        }
    }
}

// A few runs of equal bytes, of lengths around the powers of two that merging makes of them.
TEST(Bpe, EqualsMergingByRankOnRuns) {
    for (u64 seed = 1; seed <= 12; ++seed) {
        Random random(seed);
        Vocabulary vocabulary;
        for (int b = 0; b < 256; ++b) vocabulary.add(std::string(1, static_cast<char>(b)));
        for (u32 length = 2; length <= 64; length *= 2) vocabulary.add(std::string(length, '='));
        for (int n = 0; n < 60; ++n) {
            const std::string token = std::string(random.below(3), ' ') +
                                      std::string(1 + random.below(100), "=-"[random.below(2)]) +
                                      std::string(random.below(2), '-') + std::string(random.below(3), '=');
            if (!vocabulary.ranks.count(token) && token.size() > 1) vocabulary.add(token);
        }
        keep_mergeable(vocabulary);
        OpenBpe bpe(vocabulary);
        for (int n = 0; n < 150; ++n) {
            std::string piece;
            for (std::size_t runs = 1 + random.below(7); runs > 0; --runs) {
                piece.append(random.one_in(2) ? 1 + random.below(4) : (8u << random.below(6)) + random.below(7) - 3,
                             " =-"[random.below(3)]);
            }
            ASSERT_EQ(bpe.encode(piece), naive::encode_piece(piece, vocabulary.ranks))
                << "seed " << seed << " piece " << piece;
        }
    }
}

TEST(Bpe, MergesWithoutTheWholePieceShortcut) {
    Random random(7);
    const Vocabulary vocabulary = random_vocabulary(random, "abc", 300);
    OpenBpe bpe(vocabulary);
    for (const std::string& token : vocabulary.tokens) {
        if (token.empty()) continue;
        ASSERT_EQ(bpe.merge(token), naive::merge(token, vocabulary.ranks)) << token;
    }
}

TEST(Bpe, FindsEveryTokenAndNothingElse) {
    Random random(3);
    const Vocabulary vocabulary = random_vocabulary(random, std::string_view("ab\0\xff", 4), 2000, 60);
    OpenBpe bpe(vocabulary);
    for (u32 id = 0; id < vocabulary.tokens.size(); ++id) {
        const std::string& token = vocabulary.tokens[id];
        if (token.empty()) continue;
        ASSERT_EQ(bpe.find(token), id);
        for (const std::string& other :
             {token + std::string(1, '\0'), token + "a", token.substr(1), token.substr(0, token.size() - 1)}) {
            if (other.empty()) continue;
            const auto known = vocabulary.ranks.find(other);
            ASSERT_EQ(bpe.find(other), known == vocabulary.ranks.end() ? layout::kNone : known->second);
        }
    }
}

// A vocabulary in which the greedy choice is wrong again and again: every wrong turn must be taken back.
TEST(Bpe, TakesBackLongChainsOfChoices) {
    Vocabulary vocabulary;
    for (int b = 0; b < 256; ++b) vocabulary.add(std::string(1, static_cast<char>(b)));
    for (const char* token : {"ba", "ab", "aba", "bab", "abab", "babab", "ababab", "abababa"}) vocabulary.add(token);
    OpenBpe bpe(vocabulary);
    for (std::size_t n = 1; n < 600; ++n) {
        std::string piece;
        for (std::size_t i = 0; i < n; ++i) piece += i % 2 ? 'b' : 'a';
        ASSERT_EQ(bpe.encode(piece), naive::encode_piece(piece, vocabulary.ranks)) << n;
        piece += 'c';
        ASSERT_EQ(bpe.encode(piece), naive::encode_piece(piece, vocabulary.ranks)) << n;
    }
}

}  // namespace
}  // namespace crayon::test
