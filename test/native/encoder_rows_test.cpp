// Encodes texts that lie back to back in one call: each has the ids that it has alone.
#include "any_tokenizer.h"
#include "naive/utf.h"
#include "read_parts.h"
#include "share.h"

namespace crayon::test::encoder_rows_test {
namespace {

// The rows as the encoder takes them, in bytes or in units.
struct Rows {
    std::string bytes;
    std::u16string units;
    std::vector<u32> offsets;
    u32 count() const { return static_cast<u32>(offsets.size() - 1); }

    crayon_status encode(crayon_encoder* encoder, bool counting, u32 before, std::vector<u32>& ids, std::vector<u32>& totals,
                         crayon_result& result) const {
        totals.assign(count(), 0);
        const u32 capacity = static_cast<u32>(ids.size());
        if (bytes.empty() && !units.empty()) {
            return crayon_encoder_rows_utf16(encoder, reinterpret_cast<const u16*>(units.data()), static_cast<u32>(units.size()),
                                             offsets.data(), count(), counting, before, ids.data(), capacity, totals.data(),
                                             &result);
        }
        return crayon_encoder_rows_utf8(encoder, reinterpret_cast<const u8*>(bytes.data()), static_cast<u32>(bytes.size()),
                                        offsets.data(), count(), counting, before, ids.data(), capacity, totals.data(), &result);
    }
};

Rows rows_of(const std::vector<std::string>& texts, bool in_units, u32 origin) {
    Rows rows;
    rows.offsets = {origin};
    for (const std::string& text : texts) {
        if (in_units) {
            rows.units += utf16_of(naive::decode_utf8(text).code_points);
        } else {
            rows.bytes += text;
        }
        rows.offsets.push_back(origin + static_cast<u32>(rows.bytes.size() + rows.units.size()));
    }
    return rows;
}

TEST(EncoderRows, EachTextHasTheIdsThatItHasAlone) {
    std::size_t failed = 0, short_of_room = 0, encoded = 0;
    for (std::uint64_t seed = 1; seed <= sample(3000, AnyTokenizer::kKindCount); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(seed);
        AnyTokenizer made(random, AnyTokenizer::kKinds[seed % AnyTokenizer::kKindCount]);
        Tokenizing own(made.cartridge), alone(made.cartridge);
        std::vector<std::string> texts(random.below(12));
        const bool in_units = random.one_in(2);
        for (std::string& text : texts) {
            text = made.text(random, random.below(random.one_in(5) ? 2 : 200));
            // Units have no bytes that are not UTF-8.
            if (in_units) text = naive::encode_utf8(naive::decode_utf8(text).code_points);
        }
        const u32 policy = static_cast<u32>(random.below(3)), before = static_cast<u32>(random.below(1000));
        // By definition.
        std::vector<u32> ids, totals;
        u32 bad_row = 0;
        std::uint64_t position = 0;
        crayon_status status = CRAYON_OK;
        for (const std::string& text : texts) {
            const naive::EncodedText expected = encoded_alone(alone, text, policy);
            status = expected.status;
            position = expected.position;
            if (status != CRAYON_OK) break;
            const std::vector<u32> more = alone.encode(text, policy);
            ids.insert(ids.end(), more.begin(), more.end());
            totals.push_back(before + static_cast<u32>(ids.size()));
            ++bad_row;
        }
        const Rows rows = rows_of(texts, in_units, static_cast<u32>(random.below(100)));
        crayon_result result;
        const bool counting = random.one_in(3);
        // The ids of a text that fails take room, too.
        std::vector<u32> found(counting ? 0 : ids.size() + (status == CRAYON_OK ? 1 + random.below(3) : 5000)), ends;
        ASSERT_EQ(crayon_encoder_begin(own.encoder(), policy, nullptr, 0, &result), CRAYON_OK);
        ASSERT_EQ(rows.encode(own.encoder(), counting, before, found, ends, result), status);
        if (status != CRAYON_OK) {
            ++failed;
            ASSERT_EQ(result.count, bad_row);
            ASSERT_EQ(position_of(result), position);
            continue;
        }
        ASSERT_EQ(result.more, 0u);
        ASSERT_EQ(result.count, ids.size());
        ASSERT_EQ(ends, totals);
        encoded += ids.size();
        if (counting) continue;
        found.resize(ids.size());
        ASSERT_EQ(found, ids);
        if (ids.empty()) continue;
        // With less room, the texts before the one that does not fit.
        std::vector<u32> some(random.below(ids.size()));
        ASSERT_EQ(crayon_encoder_begin(own.encoder(), policy, nullptr, 0, &result), CRAYON_OK);
        ASSERT_EQ(rows.encode(own.encoder(), false, before, some, ends, result), CRAYON_OK);
        u32 fits = 0;
        while (totals[fits] - before <= some.size()) ++fits;
        ASSERT_EQ(result.more, 1u);
        // A text that takes all of the room may need an id more to end.
        while (result.position < fits && totals[fits - 1] - before == some.size()) --fits;
        ASSERT_EQ(result.position, fits);
        ASSERT_EQ(result.count, fits == 0 ? 0 : totals[fits - 1] - before);
        ASSERT_TRUE(std::equal(some.begin(), some.begin() + result.count, ids.begin()));
        ASSERT_TRUE(std::equal(ends.begin(), ends.begin() + fits, totals.begin()));
        ++short_of_room;
    }
    EXPECT_GT(failed, at_least(20));
    EXPECT_GT(short_of_room, at_least(500));
    EXPECT_GT(encoded, at_least(50000));
}

TEST(EncoderRows, RefuseInvalidArguments) {
    Random random(1);
    AnyTokenizer made(random, AnyTokenizer::kKinds[0]);
    Tokenizing own(made.cartridge);
    crayon_encoder* const encoder = own.encoder();
    crayon_result result;
    std::vector<u32> ids(100), totals;
    const auto refuses = [&](const std::vector<u32>& offsets, u32 before = 0) {
        Rows rows = rows_of({"ab", "cd"}, false, 0);
        rows.offsets = offsets;
        EXPECT_EQ(crayon_encoder_begin(encoder, 0, nullptr, 0, &result), CRAYON_OK);
        return rows.encode(encoder, false, before, ids, totals, result);
    };
    EXPECT_EQ(refuses({0, 2, 4}), CRAYON_OK);
    EXPECT_EQ(refuses({7, 9, 11}), CRAYON_OK);
    EXPECT_EQ(refuses({0, 2, 5}), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(result.count, 1u);
    EXPECT_EQ(refuses({0, 2, 1}), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(refuses({2, 0, 4}), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(result.count, 0u);
    EXPECT_EQ(refuses({0, 2, 4}, 0xFFFFFFFF), CRAYON_TEXT_TOO_LONG);
    const u32 offsets[] = {0, 1};
    u32 total, id[4];
    const u8 byte = 'a';
    const auto rows = [&](crayon_encoder* of, const u8* bytes, const u32* at, u32* to, u32* out) {
        return crayon_encoder_rows_utf8(of, bytes, 1, at, 1, 0, 0, to, 4, out, &result);
    };
    EXPECT_EQ(rows(nullptr, &byte, offsets, id, &total), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(rows(encoder, nullptr, offsets, id, &total), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(rows(encoder, &byte, nullptr, id, &total), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(rows(encoder, &byte, offsets, nullptr, &total), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(rows(encoder, &byte, offsets, id, nullptr), CRAYON_INVALID_ARGUMENT);
    // Neither a masked text, nor one that is cut.
    ASSERT_EQ(crayon_encoder_begin_masked(encoder, nullptr, 0, nullptr, 0, &result), CRAYON_OK);
    EXPECT_EQ(rows(encoder, &byte, offsets, id, &total), CRAYON_INVALID_ARGUMENT);
    ASSERT_EQ(crayon_encoder_begin(encoder, 0, nullptr, 0, &result), CRAYON_OK);
    ASSERT_EQ(crayon_encoder_begin_parts(encoder, 4, 0, 0, 0, nullptr, 0, nullptr, 0, &result), CRAYON_OK);
    EXPECT_EQ(rows(encoder, &byte, offsets, id, &total), CRAYON_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace crayon::test::encoder_rows_test
