// Tables that contradict the tokens: results may be wrong, but stay inside the text. Each of these files once made the engine
// read out of bounds, or return an impossible result; structure_test.cpp searches for more.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "crayon/crayon.h"
#include "handmade_cartridge.h"
#include "handmade_longest_match.h"
#include "naive/utf.h"
#include "read_parts.h"
#include "vocabularies.h"

namespace crayon::test::contradictions_test {
namespace {

using u8 = std::uint8_t;
using u32 = std::uint32_t;

std::string bytes_of(const HandmadeCartridge& made) {
    const Bytes file = made.file();
    return std::string(file.begin(), file.end());
}

// The id of every piece of two … eight bytes that is one token.
HandmadeCartridge with_pieces_of(u32 id) {
    HandmadeCartridge made = make_handmade_cartridge();
    Bytes& table = made.section(7).bytes;
    const std::size_t entries = 64 + (get32(table, 12) + 63) / 64 * 64;
    for (std::size_t at = entries; at < table.size(); at += 16) {
        if (get32(table, at + 12) > 1) put32(table, at + 8, id);
    }
    return made;
}

std::u16string repeated(const std::u16string& part, int times) {
    std::u16string text;
    while (times-- > 0) text += part;
    return text;
}

// Feeds the windows and reads after each; the offsets ascend inside the text.
void expect_offsets_inside(const std::string& cartridge, const std::vector<std::u16string>& windows) {
    for (u32 unit : {CRAYON_UNIT_BYTES, CRAYON_UNIT_UTF16}) {
        Tokenizing tokenizing(cartridge);
        crayon_result result;
        ASSERT_EQ(crayon_encoder_begin(tokenizing.encoder(), CRAYON_SPECIAL_AS_TEXT, nullptr, 0, &result), CRAYON_OK);
        u32 before = 0, fed = 0;
        for (const std::u16string& window : windows) {
            ASSERT_EQ(crayon_encoder_feed_utf16(tokenizing.encoder(), reinterpret_cast<const std::uint16_t*>(window.data()),
                                                static_cast<u32>(window.size()), &window == &windows.back(), &result),
                      CRAYON_OK);
            fed += static_cast<u32>(window.size());
            do {
                u32 ids[100], offsets[200];
                ASSERT_EQ(crayon_encoder_read_with_offsets(tokenizing.encoder(), ids, offsets, 100, unit, &result), CRAYON_OK);
                for (u32 i = 0; i < 2 * result.count; ++i) {
                    ASSERT_GE(offsets[i], before);
                    ASSERT_LE(offsets[i], fed);
                    before = offsets[i];
                }
            } while (result.more);
        }
    }
}

// The offsets of these ids fall after the text, all of whose encoded part is dropped, and reach it again with the longer tokens
// of the second window.
TEST(Contradictions, PiecesOfShorterTokensHaveOffsetsInsideTheText) {
    const std::u16string longer = repeated(u"ab", 16) + u"?";
    expect_offsets_inside(bytes_of(with_pieces_of('a')), {repeated(u"abababab?", 20), repeated(longer, 200)});
}

TEST(Contradictions, PiecesOfLongerTokensHaveOffsetsInsideTheText) {
    const std::u16string window = repeated(u"ab?", 20000);
    expect_offsets_inside(bytes_of(with_pieces_of(260)), {window, window, window});  // 32 bytes
}

// Parts are inside the text and end, each after the one before, between characters.
void expect_parts_inside(Tokenizing& tokenizing, const std::string& text, u32 limit, u32 overlap) {
    SCOPED_TRACE(std::to_string(limit) + "/" + std::to_string(overlap));
    const crayon_part_form form{limit, overlap, CRAYON_UNIT_BYTES, CRAYON_CUT_ANYWHERE, nullptr, nullptr, 0, 0};
    const ReadParts parts = read_parts(tokenizing.encoder(), CRAYON_SPECIAL_AS_TEXT, form, text);
    ASSERT_EQ(parts.status, u32{CRAYON_OK});
    const std::vector<std::size_t> boundaries = naive::decode_utf8(text).offsets;
    std::size_t end = 0;
    for (std::size_t i = 0; i < parts.size(); end = parts.end(i++)) {
        ASSERT_TRUE(parts.begin(i) <= end && parts.end(i) <= text.size());
        for (const std::size_t at : {parts.begin(i), parts.end(i)}) {
            ASSERT_TRUE(std::binary_search(boundaries.begin(), boundaries.end(), at)) << at;
        }
        if (parts.begin(i) == parts.end(i)) return;
        ASSERT_GT(parts.end(i), end);
        ASSERT_LE(parts.tokens(i), limit);
    }
    ASSERT_EQ(end, text.size());
}

// By its tokens, not even one of them fits. At least one character does.
TEST(Contradictions, PartsOfLongerTokensAreCutByCharacters) {
    Tokenizing tokenizing(bytes_of(with_pieces_of(260)));
    std::string text;
    while (text.size() < 99) text += "ab?";
    for (u32 limit : {1u, 2u, 3u, 10u}) expect_parts_inside(tokenizing, text, limit, 0);
}

// Tokens that are longer, shorter or as long as their text, in text that NFC rewrites: parts and overlaps end inside it.
TEST(Contradictions, PartsOfRewrittenTextStayInsideIt) {
    for (u32 id : {260u, u32{'a'}}) {
        HandmadeCartridge made = with_pieces_of(id);
        put32(made.section(3).bytes, 8 + 28, 1);  // NFC
        Tokenizing tokenizing(bytes_of(made));
        EXPECT_STREQ(crayon_tokenizer_normalizer(tokenizing.tokenizer()), "NFC");
        for (const char* unit : {"ab?", "ab?e\u0301", "\u2126", "ab\u2126?", "q\u0307\u0323ab", "\u2126abababab"}) {
            std::string text;
            while (text.size() < 300) text += unit;
            for (u32 limit : {1u, 2u, 7u, 100u, 0xFFFFFFFFu}) {
                for (u32 overlap : {0u, 1u, 6u, 99u, 0xFFFFFFFEu}) {
                    if (overlap < limit) expect_parts_inside(tokenizing, text, limit, overlap);
                }
            }
        }
    }
}

// With added tokens that are parts of characters, rewritten text may begin inside a character.
class PartsOfCharacters : public testing::TestWithParam<const char*> {
protected:
    static constexpr u32 kUnits = 40, kUnitBytes = 7, kUnitLength = 3;

    PartsOfCharacters() {
        Vocabulary bytes;
        for (int byte = 0; byte < 256; ++byte) bytes.add(std::string(1, static_cast<char>(byte)));
        cartridge_ = compile(bytes, "gpt2", {{GetParam(), 256, 0}}, 1);
        for (u32 i = 0; i < kUnits; ++i) text_ += "\u1100\u0301\u0323";  // the marks are swapped
    }

    std::string cartridge_, text_;
};

// A cartridge from a fuzz run had an overlap that began after the text.
TEST_P(PartsOfCharacters, AnOverlapBeginsInsideTheText) {
    Tokenizing tokenizing(cartridge_);
    for (u32 overlap : {1u, 2u, 5u, 100u}) {
        for (u32 limit : {120u, 200u, 0xFFFFFFFFu}) expect_parts_inside(tokenizing, text_, limit, overlap);
    }
}

// Each token lies inside its unit.
TEST_P(PartsOfCharacters, OffsetsAreInsideTheText) {
    Tokenizing tokenizing(cartridge_);
    const u32 size = static_cast<u32>(text_.size());
    for (const auto& [unit, length] : {std::pair{CRAYON_UNIT_BYTES, kUnitBytes}, std::pair{CRAYON_UNIT_UTF16, kUnitLength}}) {
        crayon_result result;
        ASSERT_EQ(crayon_encoder_begin(tokenizing.encoder(), CRAYON_SPECIAL_AS_TEXT, nullptr, 0, &result), CRAYON_OK);
        ASSERT_EQ(crayon_encoder_feed_utf8(tokenizing.encoder(), reinterpret_cast<const u8*>(text_.data()), size, 1, &result),
                  CRAYON_OK);
        std::vector<u32> offsets(2 * (size + 100));
        u32 count = 0;
        do {
            u32 ids[100];
            ASSERT_LE(count, size);
            ASSERT_EQ(crayon_encoder_read_with_offsets(tokenizing.encoder(), ids, &offsets[2 * count], 100, unit, &result),
                      CRAYON_OK);
            count += result.count;
        } while (result.more);
        ASSERT_EQ(count % kUnits, 0u);
        for (u32 i = 0; i < count; ++i) {
            const u32 begin = i / (count / kUnits) * length;
            EXPECT_GE(offsets[2 * i], begin) << i;
            EXPECT_LE(offsets[2 * i + 1], begin + length) << i;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Contradictions, PartsOfCharacters, testing::Values("\x84", "\xE1\x84", "\x80"));

TEST(Contradictions, ASlimFileWithOnlyUnmatchedTokensKnowsNoCharacter) {
    HandmadeCartridge made = make_handmade_slim_longest_match();
    Bytes& unmatched = made.section(16).bytes;
    unmatched.clear();
    for (u32 word : {4u, 0u, 1u, 3u, 4u}) {
        unmatched.resize(unmatched.size() + 4);
        put32(unmatched, unmatched.size() - 4, word);
    }
    const std::string cartridge = bytes_of(made);
    Tokenizing tokenizing(cartridge);
    EXPECT_EQ(tokenizing.encode("ab\xC3\xA9"), (std::vector<u32>{3, 3, 3}));

    // As version 2, it would be a file that no reader opens.
    crayon_result result;
    crayon_cartridge* open = nullptr;
    crayon_compiler* compiler = nullptr;
    const u8* file = nullptr;
    ASSERT_EQ(crayon_cartridge_open_bytes(cartridge.data(), static_cast<u32>(cartridge.size()), 0, &open, &result), CRAYON_OK);
    ASSERT_EQ(crayon_compiler_create(&compiler, &result), CRAYON_OK);
    ASSERT_EQ(crayon_compiler_set_cartridge(compiler, open, &result), CRAYON_OK);
    EXPECT_EQ(crayon_compiler_finish_dat(compiler, &file, &result), u32{CRAYON_INVALID_ARGUMENT});
    EXPECT_EQ(crayon_compiler_finish_slim(compiler, &file, &result), u32{CRAYON_OK});
    crayon_compiler_release(compiler);
    crayon_cartridge_release(open);
}

}  // namespace
}  // namespace crayon::test::contradictions_test
