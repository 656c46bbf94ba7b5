// Pieces to ids, with output buffers of any size: the ids that naive merging gives each piece.
#include "encode/piece_model.h"

#include "encode_stages_texts.h"
#include "share.h"

namespace crayon::test::piece_model_test {
namespace {

TEST(PieceModel, EncodesPieceByPieceIntoBuffersOfAnySize) {
    Random vocabulary_random(9);
    const Vocabulary vocabulary = random_vocabulary(vocabulary_random, "abc ", 200);
    Tokenizing own(compile(vocabulary, "cl100k"));
    PieceModel model(own.encoder()->encoder.tokenizer());
    std::size_t rests = 0;
    for (std::uint64_t seed = 0; seed < sample(2000, 100); ++seed) {
        Random random(seed);
        std::string text;
        std::vector<u32> ends, expected, ids;
        for (std::size_t count = random.below(12); count > 0; --count) {
            std::string piece(1 + random.below(random.one_in(10) ? 400 : 12), 'a');
            for (char& byte : piece) byte = "abc "[random.below(4)];
            const std::vector<std::uint32_t> own_ids = vocabulary.ranks.count(piece)
                                                           ? std::vector<std::uint32_t>{vocabulary.ranks.at(piece)}
                                                           : naive::merge(piece, vocabulary.ranks);
            expected.insert(expected.end(), own_ids.begin(), own_ids.end());
            text += piece;
            ends.push_back(static_cast<u32>(text.size()));
        }
        const std::string padded = text + std::string(kScanPadding, '\0');
        model.restart();
        const bool counts = random.one_in(3);
        std::size_t counted = 0;
        for (u32 done = 0, at = 0; done < ends.size() || model.has_rest();) {
            std::vector<u32> buffer(1 + random.below(20));
            const u32 capacity = static_cast<u32>(buffer.size());
            u32 written = 0;
            if (model.has_rest()) {
                ++rests;
                written = model.take_rest(counts ? nullptr : buffer.data(), capacity);
                ASSERT_GT(written, 0u);
            } else {
                const PieceSequence pieces{reinterpret_cast<const u8*>(padded.data()), at, ends.data() + done,
                                           static_cast<u32>(ends.size()) - done, 0};
                PieceProgress progress;
                ASSERT_TRUE(model.encode_next(pieces, counts ? nullptr : buffer.data(), capacity, &progress));
                ASSERT_FALSE(model.is_stuck());
                written = progress.ids;
                done += progress.pieces;
                at = progress.end;
                ASSERT_TRUE(counts || written <= capacity);
            }
            counted += written;
            if (!counts) ids.insert(ids.end(), buffer.begin(), buffer.begin() + written);
        }
        ASSERT_EQ(counted, expected.size()) << "seed " << seed;
        ASSERT_TRUE(counts || ids == expected) << "seed " << seed << ": " << testing::PrintToString(text);
    }
    EXPECT_GT(rests, at_least(1000));
}

// Pieces of two to fifteen digits, some of them prefixes of others, more than fit. A quarter
// of the short ones have so many ids that they have records.
struct Numbers {
    std::string text;
    std::vector<u32> ends, ids;

    Numbers(const Vocabulary& vocabulary, u32 count) {
        for (u32 i = 0; i < count; ++i) {
            const u64 scattered = i * 0x9E3779B97F4A7C15 >> 16;
            const std::string piece = i % 4 == 0   ? "0123456789" + std::to_string(i)
                                      : i % 4 == 1 ? std::to_string(scattered)
                                                   : std::to_string(i + 10);
            const auto whole = vocabulary.ranks.find(piece);
            const bool is_token = whole != vocabulary.ranks.end();
            const std::vector<std::uint32_t> own =
                is_token ? std::vector<std::uint32_t>{whole->second} : naive::merge(piece, vocabulary.ranks);
            ids.insert(ids.end(), own.begin(), own.end());
            text += piece;
            ends.push_back(static_cast<u32>(text.size()));
        }
        text += std::string(kScanPadding, '\0');
    }
    void expect_from(PieceModel& model, u32 pieces) const {
        std::vector<u32> got(ids.size() + 64);
        const PieceSequence sequence{reinterpret_cast<const u8*>(text.data()), 0, ends.data(), pieces, 0};
        PieceProgress progress;
        ASSERT_TRUE(model.encode(sequence, got.data(), static_cast<u32>(got.size()), &progress));
        ASSERT_EQ(progress.pieces, pieces);
        got.resize(progress.ids);
        ASSERT_TRUE(std::equal(got.begin(), got.end(), ids.begin()));
        ASSERT_TRUE(model.encode(sequence, nullptr, ~u32{0}, &progress));
        ASSERT_EQ(progress.ids, got.size());
    }
};

// Wherever the output buffer ends: before, within and after the ids of a piece that the fast loop copies from a record.
TEST(PieceModel, PiecesOfManyIdsStopAtTheEndOfTheBuffer) {
    Random random(12);
    const Vocabulary vocabulary = random_vocabulary(random, "0123456789", 300);
    Tokenizing own(compile(vocabulary, "cl100k"));
    PieceModel model(own.encoder()->encoder.tokenizer());
    const Numbers numbers(vocabulary, 24);
    for (u32 round = 0; round < 3; ++round) ASSERT_NO_FATAL_FAILURE(numbers.expect_from(model, 24));
    const PieceSequence sequence{reinterpret_cast<const u8*>(numbers.text.data()), 0, numbers.ends.data(), 24, 0};
    for (u32 capacity = 1; capacity <= numbers.ids.size(); ++capacity) {
        SCOPED_TRACE(capacity);
        std::vector<u32> got(capacity + 1, 12345678);
        PieceProgress progress;
        ASSERT_TRUE(model.encode(sequence, got.data(), capacity, &progress));
        ASSERT_LE(progress.ids, capacity);
        EXPECT_TRUE(std::equal(got.begin(), got.begin() + progress.ids, numbers.ids.begin()));
        EXPECT_EQ(got[capacity], 12345678u);
        EXPECT_TRUE(progress.overflowed || progress.ids == capacity || progress.pieces == 24);
    }
}

// Full, growing or released, the memory changes no id.
TEST(PieceModel, TheLimitOfTheCachesChangesNoId) {
    Random random(11);
    const Vocabulary vocabulary = random_vocabulary(random, "0123456789", 300);
    Tokenizing own(compile(vocabulary, "cl100k"));
    PieceModel model(own.encoder()->encoder.tokenizer());
    const u32 most = share() < 1 ? 40'000 : 300'000;
    const Numbers numbers(vocabulary, most);
    for (const u64 limit : {u64{1} << 16, PieceScratch::kCacheBytes, u64{40} << 20, u64{256} << 20, u64{0}, u64{26} << 20}) {
        SCOPED_TRACE(limit);
        model.set_cache_limit(limit);
        for (u32 round = 0; round < 3; ++round) ASSERT_NO_FATAL_FAILURE(numbers.expect_from(model, most));
        EXPECT_LE(model.cache_bytes(), std::max(limit, u64{16} << 10));
        EXPECT_GT(model.cache_bytes(), limit > PieceScratch::kCacheBytes && share() == 1 ? PieceScratch::kCacheBytes / 2 : 0);
    }
    for (u32 round = 0; round < 10; ++round) {
        model.set_cache_limit(u64{1} << (10 + random.below(20)));
        ASSERT_NO_FATAL_FAILURE(numbers.expect_from(model, static_cast<u32>(random.below(most))));
    }
}

}  // namespace
}  // namespace crayon::test::piece_model_test
