// Offsets of a text's ids: computed by counting its bytes and units, and in one unit only.
#include "encode/id_offsets.h"

#include "encode_stages_texts.h"
#include "share.h"

namespace crayon::test::id_offsets_test {
namespace {

TEST(IdOffsets, AreReadInOneUnit) {
    IdOffsets offsets;
    offsets.restart();
    EXPECT_FALSE(offsets.read_in(CRAYON_UNIT_SPACES + 1));
    EXPECT_TRUE(offsets.read_in(CRAYON_UNIT_UTF16));
    EXPECT_TRUE(offsets.read_in(CRAYON_UNIT_UTF16));
    EXPECT_FALSE(offsets.read_in(CRAYON_UNIT_BYTES));
    offsets.read_without();
    EXPECT_FALSE(offsets.read_in(CRAYON_UNIT_UTF16));
    offsets.restart();
    EXPECT_TRUE(offsets.read_in(CRAYON_UNIT_BYTES));
}

// Text in which every byte is a token, so that its offsets are known without an encoder.
TEST(IdOffsets, AreTheOffsetsOfEachBytesCharacter) {
    std::vector<u32> id_of(256);
    const Vocabulary& vocabulary = stages_vocabulary();
    for (u32 id = 0; id < vocabulary.tokens.size(); ++id) {
        if (vocabulary.tokens[id].size() == 1) id_of[static_cast<u8>(vocabulary.tokens[id][0])] = id;
    }
    Tokenizing own(compile(vocabulary, "cl100k"));
    const Tokenizer& tokenizer = own.encoder()->encoder.tokenizer();
    for (std::uint64_t seed = 0; seed < sample(2000, 100); ++seed) {
        Random random(seed);
        const std::string bytes = TextGenerator(seed).utf8();
        const bool in_units = random.one_in(2);
        const naive::Characters characters = naive::decode_utf8(bytes);
        std::vector<u32> expected, ids, found(2 * bytes.size());
        u32 units = 0;
        for (std::size_t i = 0; i < characters.code_points.size(); ++i) {
            const u32 own_units = characters.code_points[i] < 0x10000 ? 1 : 2;
            for (std::size_t at = characters.offsets[i]; at < characters.offsets[i + 1]; ++at) {
                const u32 byte = static_cast<u32>(at);
                expected.push_back(in_units ? units : byte);
                expected.push_back(in_units ? units + own_units : byte + 1);
                ids.push_back(id_of[static_cast<u8>(bytes[at])]);
            }
            units += own_units;
        }
        FedText text;
        text.restart(0);
        ASSERT_TRUE(text.feed_utf8(reinterpret_cast<const u8*>(bytes.data()), bytes.size(), true).ok());
        text.make_ready(bytes.size());
        IdOffsets offsets;
        offsets.restart();
        ASSERT_TRUE(offsets.read_in(in_units ? CRAYON_UNIT_UTF16 : CRAYON_UNIT_BYTES));
        for (u32 done = 0; done < ids.size();) {
            const u32 some = 1 + static_cast<u32>(random.below(ids.size() - done));
            text.set_encoded(text.encoded() + some);
            ASSERT_TRUE(offsets.locate(tokenizer, text, nullptr, ids.data() + done, some, found.data() + 2 * done).ok());
            done += some;
            if (random.one_in(3) && done < ids.size()) {
                const std::size_t removed = text.encoded();
                text.drop_encoded();
                text.pad();
                offsets.rebase(removed);
            }
        }
        ASSERT_EQ(found, expected) << "seed " << seed << ": " << testing::PrintToString(bytes);
    }
}

}  // namespace
}  // namespace crayon::test::id_offsets_test
