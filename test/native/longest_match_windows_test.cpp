// Windows of new pieces with longest match, compared with the naive version. They are used once the caches are large, which no
// text of a test achieves: here they are filled beforehand.
#include <gtest/gtest.h>

#include <algorithm>

#include "longest_match_vocabularies.h"
#include "model/longest_match.h"
#include "share.h"

namespace crayon::test::longest_match_windows_test {
namespace {

// A vocabulary, and an encoder's memory and pieces.
class Windows {
public:
    Windows(const MatchVocabulary& v, bool is_dat) {
        crayon_result result;
        const std::string file = is_dat ? "" : compile_matches(v, Form::kFull);
        if (is_dat) {
            cartridge_ = open_dat(naive_dat(v.tokens, DatWriter::kRootIsZero), v.tokens, v.unknown, &result);
        } else {
            crayon_cartridge_open_bytes(file.data(), static_cast<u32>(file.size()), 0, &cartridge_, &result);
        }
        EXPECT_EQ(result.status, u32{CRAYON_OK});
        model_ = LongestMatch(from_c(cartridge_)->longest_match());
        EXPECT_TRUE(scratch_.memory.ready());
        const u32 id = 0;
        for (const PieceMemory::Key& key : other_pieces()) scratch_.memory.keep(key, nullptr, &id, 1);
    }
    ~Windows() { crayon_cartridge_release(cartridge_); }
    Windows(const Windows&) = delete;
    Windows& operator=(const Windows&) = delete;

    struct Encoded {
        std::vector<u32> ids;
        u32 end;
        bool stuck;
    };
    // The pieces of a text that end at `boundaries`. At most `most` of their ids are read at a time.
    Encoded encode(const std::string& text, const std::vector<u32>& boundaries, u32 limit, u32 most) {
        const std::string padded = text + std::string(PieceEncoder<LongestMatch>::kPadding, 'a');
        Encoded encoded{{}, 0, false};
        std::vector<u32> buffer(most);
        for (u32 at = 0; at < boundaries.size() && !encoded.stuck;) {
            const PieceSequence pieces{bytes(padded), encoded.end, boundaries.data() + at,
                                       static_cast<u32>(boundaries.size()) - at, limit};
            PieceProgress done{};
            EXPECT_TRUE(PieceEncoder(model_, pieces, scratch_).encode<false>(buffer.data(), most, &done));
            encoded.ids.insert(encoded.ids.end(), buffer.begin(), buffer.begin() + done.ids);
            if (done.overflowed) {
                encoded.ids.insert(encoded.ids.end(), scratch_.ids.begin(), scratch_.ids.end());
            }
            at += done.pieces;
            encoded.end = done.end;
            encoded.stuck = done.stuck;
        }
        return encoded;
    }
    // Whether a window had new pieces.
    bool has_been_open() const { return scratch_.new_pieces.ids.capacity() > 0; }

private:
    // Pieces that occur in no text, enough to make the memory grow; and some in the home of an empty piece.
    static const std::vector<PieceMemory::Key>& other_pieces() {
        static const std::vector<PieceMemory::Key> keys = [] {
            std::vector<PieceMemory::Key> some;
            for (u32 i = 0, beside_empty = 0; beside_empty < 16; ++i) {
                const std::string piece = "\xFF\xFE" + std::to_string(i) + std::string(16, '\0');
                const PieceMemory::Key key = PieceMemory::key_of(bytes(piece), 15);
                const bool is_beside = (key.hash() >> PieceMemory::kHashBits & 0xFFFF) < 8;
                if (is_beside || i < 40000) some.push_back(key);
                beside_empty += is_beside;
            }
            return some;
        }();
        return keys;
    }
    static const u8* bytes(const std::string& text) { return reinterpret_cast<const u8*>(text.data()); }

    crayon_cartridge* cartridge_ = nullptr;
    LongestMatch model_;
    PieceScratch scratch_;
};

// The result of the naive version, up to a character without an id.
struct Expected {
    Windows::Encoded encoded{{}, 0, false};
    std::size_t unknown = 0;

    void add(const std::string& part, const naive::Matches& tokens, u32 unknown_id) {
        if (encoded.stuck) return;
        for (const naive::Match& match : naive::longest_matches(part, tokens, unknown_id)) {
            encoded.stuck = match.is_unknown && unknown_id == kNoUnknown;
            if (encoded.stuck) return;
            const u32 length = static_cast<u32>(match.end - match.begin);
            encoded.ids.push_back(match.is_unknown ? layout::kFirstReservedId + length : match.id);
            encoded.end += length;
            unknown += match.is_unknown;
        }
    }
};

void expect_equal(const Windows::Encoded& encoded, const Expected& expected) {
    ASSERT_EQ(encoded.stuck, expected.encoded.stuck);
    ASSERT_EQ(encoded.end, expected.encoded.end);
    ASSERT_EQ(encoded.ids, expected.encoded.ids);
}

// Pieces that no token crosses, of every length, some repeated or cached; with unknown characters, and characters without an id.
TEST(LongestMatchWindows, OfPieces) {
    std::size_t unknown = 0, stuck = 0;
    for (std::uint64_t seed = 1; seed <= sample(120, 16); ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        const MatchVocabulary v = random_matches(random, random.one_in(2));
        const naive::Matches tokens = v.matches();
        Windows windows(v, seed % 4 == 0);
        std::vector<std::string> pool;
        for (int round = 0; round < 3; ++round) {
            std::string text;
            std::vector<u32> boundaries;
            Expected expected;
            // The first character without an id is often late.
            const bool is_known = v.unknown == kNoUnknown && round < 2;
            for (std::size_t n = 128 + random.below(400); boundaries.size() < n;) {
                std::string piece = random_match_text(random, v, random.one_in(9) ? 60 : 4);
                if (is_known && boundaries.size() + 40 < n) {
                    piece = v.tokens[random.below(v.tokens.size())] + v.tokens[random.below(v.tokens.size())];
                }
                if (!pool.empty() && random.one_in(3)) piece = pool[random.below(pool.size())];
                if (piece.empty()) continue;
                pool.push_back(piece);
                text += piece;
                boundaries.push_back(static_cast<u32>(text.size()));
                expected.add(piece, tokens, v.unknown);
            }
            unknown += expected.unknown;
            stuck += expected.encoded.stuck && expected.encoded.ids.size() > 100;
            const u32 most = random.one_in(3) ? 1 << 16 : 100 + static_cast<u32>(random.below(900));
            expect_equal(windows.encode(text, boundaries, 0, most), expected);
            if (::testing::Test::HasFatalFailure()) return;
        }
        EXPECT_TRUE(windows.has_been_open());
    }
    EXPECT_GT(unknown, at_least(500));
    EXPECT_GT(stuck, at_least(20));
}

// Between the pieces of windows, long ones that were cut anywhere: their last tokens extend over the next piece, or over all of
// it.
TEST(LongestMatchWindows, OfPiecesAfterACut) {
    std::size_t covered = 0, crossed = 0;
    for (std::uint64_t seed = 1; seed <= sample(60, 8); ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        MatchVocabulary v;
        v.tokens = {" ",
                    "a",
                    "b",
                    "ab",
                    "aba",
                    "bb",
                    "\xC3\xA9",
                    "a\xC3\xA9"
                    "b",
                    std::string(40, 'a'),
                    std::string(700, 'a'),
                    std::string(700, 'a') + "b"};
        const naive::Matches tokens = v.matches();
        Windows windows(v, seed % 4 == 0);
        std::string text;
        std::vector<u32> boundaries;
        Expected expected;
        for (std::size_t n = 300 + random.below(700); boundaries.size() < n;) {
            std::string word;
            const bool is_cut = random.one_in(20), is_even = random.one_in(2);
            if (is_cut) word = std::string(is_even ? 700 * (1 + random.below(3)) : 300 + random.below(2000), 'a');
            while (word.empty() || (!is_even && random.one_in(2))) word += v.tokens[1 + random.below(7)];
            const std::size_t begin = text.size(), end = begin + word.size();
            // A token that extends over a cut ends far before the next cut; the end of the word may be near.
            for (std::size_t at = begin, apart = 256; is_cut; apart = 256 + 701) {
                const std::size_t left = end - at;
                if (left < apart + 9) break;
                at = random.one_in(2) ? end - 1 - random.below(9) : at + apart + random.below(left - apart);
                boundaries.push_back(static_cast<u32>(at));
                std::size_t next = begin;
                for (const naive::Match& match : naive::longest_matches(word, tokens, kNoUnknown)) {
                    if (next < at) next = begin + match.end;
                }
                crossed += next > at;
                covered += next == end;
            }
            text += word + " ";
            boundaries.push_back(static_cast<u32>(end));
            boundaries.push_back(static_cast<u32>(end + 1));
            expected.add(word, tokens, kNoUnknown);
            expected.add(" ", tokens, kNoUnknown);
        }
        const u32 most = random.one_in(2) ? 1 << 16 : 100 + static_cast<u32>(random.below(900));
        expect_equal(windows.encode(text, boundaries, static_cast<u32>(text.size()), most), expected);
        if (::testing::Test::HasFatalFailure()) return;
        EXPECT_TRUE(windows.has_been_open());
    }
    EXPECT_GT(crossed, at_least(100));
    EXPECT_GT(covered, at_least(30));
}

}  // namespace
}  // namespace crayon::test::longest_match_windows_test
