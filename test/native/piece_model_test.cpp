// Pieces to ids, with any buffer for these: the ids that naive merging gives each piece.
#include "encode/piece_model.h"

#include "encode_stages_texts.h"
#include "share.h"

namespace crayon::test::piece_model_test {
namespace {

TEST(PieceModel, EncodesPieceByPieceIntoAnyRoom) {
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

}  // namespace
}  // namespace crayon::test::piece_model_test
