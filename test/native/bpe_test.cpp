// The model compared with the definition of BPE: random vocabularies, pieces that merge deeply.
#include "model/bpe.h"

#include "open_bpe.h"
#include "share.h"

namespace crayon::test::bpe_test {
namespace {

std::string random_piece(Random& random, std::string_view alphabet, std::size_t length) {
    std::string piece;
    while (piece.size() < length) {
        const char c = alphabet[random.below(alphabet.size())];
        piece.append(random.one_in(10) ? 1 + random.below(20) : 1, c);
    }
    return piece;
}

// Each byte is a character.
std::vector<std::string> bytes_of(std::string_view alphabet) {
    std::vector<std::string> characters;
    for (char c : alphabet) characters.emplace_back(1, c);
    return characters;
}

TEST(Bpe, EqualsMergingByRankOnRandomVocabularies) {
    for (u64 seed = 1; seed <= sample(60); ++seed) {
        Random random(seed);
        const std::string_view alphabet = std::string_view("abcdefgh").substr(0, 2 + random.below(7));
        const Vocabulary vocabulary = random_vocabulary(random, alphabet, 20 + random.below(400));
        OpenBpe bpe(vocabulary);
        for (int i = 0; i < 300; ++i) {
            const std::string piece = random_piece(random, alphabet, 1 + random.below(i % 10 ? 24 : 200));
            ASSERT_EQ(bpe.encode(piece), naive::encode_piece(piece, vocabulary.ranks)) << "seed " << seed << " piece " << piece;
        }
    }
}

// Pieces of more units than merge at once. Some of their tokens are longer than the overlap of two windows.
TEST(Bpe, EqualsMergingByRankOnLongPieces) {
    const std::vector<std::pair<const char*, std::vector<std::string>>> alphabets = {
        {"one letter and another now and then", bytes_of("aaaaaaaaaaaaaaab")},
        {"two letters", bytes_of("ab")},
        {"four letters", bytes_of("abcd")},
        {"base64", bytes_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")},
        {"printable", bytes_of("eathqzxjkvbpygfwmucldrhsnioEATQZXJ{}[]()<>=+-_*&^%$#@!~'\";:,./?|1234567890")},
        {"Chinese", {"的", "一", "是", "了", "不", "在", "人", "有", "我", "他", "这", "中"}},
        {"kana and a letter", {"あ", "い", "う", "ア", "イ", "a", "ー"}},
        {"emoji", {"😀", "😁", "👍", "🏽", "\u200D", "\uFE0F"}},
    };
    for (u64 seed = 1; const auto& [name, characters] : alphabets) {
        for (std::size_t longest : {8, 30, 400}) {
            Random random(seed++);
            const std::vector<std::string> sample = random_text(random, characters, 1500);
            std::vector<const Kernel*> kernels;
            while (const Kernel* kernel = kernel_at(static_cast<u32>(kernels.size()))) kernels.push_back(kernel);
            OpenBpe bpe(grown_vocabulary(random, sample, 300, 90, longest), *kernels[seed % kernels.size()]);
            const naive::Ranks& ranks = bpe.ranks();
            for (std::size_t length : {62, 63, 64, 65, 66, 100, 117, 127, 128, 129, 200, 1000, 5000}) {
                if (length > 1000 && share() < 0.1) continue;
                const std::string piece = joined(random_text(random, characters, length));
                ASSERT_EQ(bpe.encode(piece), naive::merge_long(piece, ranks)) << name << ", seed " << seed - 1;
                const std::vector<std::string> motif = random_text(random, characters, 2 + random.below(40));
                std::string periodic;
                while (periodic.size() < piece.size()) periodic += joined(motif);
                ASSERT_EQ(bpe.encode(periodic), naive::merge_long(periodic, ranks)) << name << ", seed " << seed - 1;
            }
        }
    }
}

// A chain of letter pairs in which the last pair merges first: how the letters pair depends on where the chain ends, far after
// the end of a window.
TEST(Bpe, LaterTextCanChangeEarlierMerges) {
    Vocabulary vocabulary;
    for (int b = 0; b < 256; ++b) vocabulary.add(std::string(1, static_cast<char>(b)));
    std::string chain;
    for (char letter = '!'; letter < '~'; ++letter) chain += letter;
    for (std::size_t i = chain.size() - 1; i > 0; --i) vocabulary.add(chain.substr(i - 1, 2));
    OpenBpe bpe(vocabulary);
    Random random(6);
    for (int i = 0; i < 300; ++i) {
        std::string piece;
        for (std::size_t stretches = 1 + random.below(8); stretches > 0; --stretches) {
            piece += chain.substr(random.below(chain.size()), 1 + random.below(chain.size()));
        }
        ASSERT_EQ(bpe.merge(piece), naive::merge_long(piece, vocabulary.ranks)) << piece;
    }
}

// A few runs of equal bytes, of lengths around the powers of two that merging makes from them.
TEST(Bpe, EqualsMergingByRankOnRuns) {
    for (u64 seed = 1; seed <= sample(12); ++seed) {
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
            ASSERT_EQ(bpe.encode(piece), naive::encode_piece(piece, vocabulary.ranks)) << "seed " << seed << " piece " << piece;
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

// The same pieces repeatedly, enough that they evict each other from the caches, and of every length that the caches accept:
// caching must not change a result.
TEST(Bpe, CachesPiecesCorrectly) {
    Random random(11);
    const std::string_view alphabet = "abcdefghij";
    const Vocabulary vocabulary = random_vocabulary(random, alphabet, 150, 6);
    OpenBpe bpe(vocabulary);
    std::vector<std::pair<std::string, std::vector<u32>>> pieces;
    // More than the short piece cache holds.
    for (u64 i = 0, count = sample(60000, 20000); i < count; ++i) {
        const std::size_t length = i % 3 ? 2 + random.below(7) : 2 + random.below(34);
        std::string piece;
        while (piece.size() < length) piece += alphabet[random.below(alphabet.size())];
        std::vector<u32> ids = naive::encode_piece(piece, vocabulary.ranks);
        pieces.emplace_back(std::move(piece), std::move(ids));
    }
    for (int round = 0; round < 3; ++round) {
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            const auto& [piece, ids] = pieces[round == 1 ? pieces.size() - 1 - i : i];
            ASSERT_EQ(bpe.encode(piece), ids) << "round " << round << " piece " << piece;
            if (i % 4 != 0) continue;
            ASSERT_EQ(bpe.encode(piece), ids) << "again, round " << round << " piece " << piece;
        }
    }
}

// Adjacent pieces of a text: the bytes after a piece are not part of it.
TEST(Bpe, ManyPiecesOfOneText) {
    Random random(5);
    const std::vector<std::string> characters = {"a", "b", "\xC3\xA9", "\xA9", "\xC3", "\xE4\xB8\xAD"};
    const Vocabulary vocabulary = grown_vocabulary(random, random_text(random, characters, 600), 150, 50);
    OpenBpe bpe(vocabulary);
    const u64 texts = sample(300, 60);
    for (u64 i = 0; i < texts; ++i) {
        std::vector<std::string> pieces;
        std::vector<u32> expected;
        for (std::size_t n = 1 + random.below(60); n > 0; --n) {
            pieces.push_back(joined(random_text(random, characters, 1 + random.below(random.one_in(8) ? 90 : 12))));
            for (const u32 id : naive::encode_piece(pieces.back(), vocabulary.ranks)) expected.push_back(id);
        }
        ASSERT_EQ(bpe.encode_all(pieces), expected) << i;
        ASSERT_EQ(bpe.encode_all(pieces, 100 + 40 * static_cast<u32>(i % 7)), expected) << i;
        ASSERT_EQ(bpe.encode_all(pieces, 1 << 16), expected) << i;
    }
}

// Whole windows of pieces, mostly new, some repeated: they are found in the caches or among the tokens, or merged.
TEST(Bpe, WindowsOfNewPieces) {
    Random random(6);
    const std::vector<std::string> characters = {"a", "b", "c", "\xC3\xA9", "\xE4\xB8\xAD", "\xE8\xAA\x9E", "\xF0\x9F\x98\x80"};
    const Vocabulary vocabulary = grown_vocabulary(random, random_text(random, characters, 900), 300, 10);
    for (const u32 most : {70u, 1000u, 1u << 16}) {
        OpenBpe bpe(vocabulary);
        for (u32 round = 0; round < 4 + sample(8); ++round) {
            std::vector<std::string> pieces;
            std::vector<u32> expected;
            for (std::size_t n = 1 + random.below(share() < 0.1 ? 400 : 1200); pieces.size() < n;) {
                const bool is_again = !pieces.empty() && random.one_in(3);
                const std::size_t length = random.one_in(50)  ? 300
                                           : random.one_in(3) ? 1 + random.below(60)
                                                              : 1 + random.below(6);
                pieces.push_back(is_again ? pieces[random.below(pieces.size())]
                                          : joined(random_text(random, characters, length)));
                for (const u32 id : naive::encode_piece(pieces.back(), vocabulary.ranks)) expected.push_back(id);
            }
            ASSERT_EQ(bpe.encode_all(pieces, most), expected) << "most " << most << " round " << round;
        }
    }
}

// In lanes, pieces of all lengths get the same ids as alone.
TEST(Bpe, MergesManyPiecesAtOnce) {
    Random random(7);
    const std::vector<std::string> characters = {"a", "b", "c", "d", "\xC3\xA9", "\xA9", "\xE4\xB8\xAD", "\xF0\x9F\x98\x80"};
    for (u64 round = 0; round < 20 + sample(200); ++round) {
        const Vocabulary vocabulary = grown_vocabulary(random, random_text(random, characters, 400), 20 + random.below(150), 60);
        OpenBpe bpe(vocabulary);
        std::vector<std::string> pieces;
        std::vector<std::vector<u32>> expected;
        for (std::size_t n = 1 + random.below(60); pieces.size() < n;) {
            pieces.push_back(joined(random_text(random, characters, 1 + random.below(random.one_in(5) ? 90 : 12))));
            expected.push_back(naive::merge(pieces.back(), vocabulary.ranks));
        }
        ASSERT_EQ(bpe.merge_all(pieces), expected) << "round " << round;
    }
}

}  // namespace
}  // namespace crayon::test::bpe_test
