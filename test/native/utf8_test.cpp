// Reads UTF-8 that may be ill-formed: the engine's decoder compared with the table of well-formed sequences.
#include "base/utf8.h"

#include <gtest/gtest.h>

#include "naive/utf.h"
#include "share.h"

namespace crayon::utf8_test {
namespace {

void expect_decoded(std::string_view bytes) {
    u8 padded[8] = {};
    for (std::size_t i = 0; i < bytes.size(); ++i) padded[i] = static_cast<u8>(bytes[i]);
    const Character character = decode_character(padded);
    const naive::Characters expected = naive::decode_utf8(bytes);
    ASSERT_EQ(character.code_point, static_cast<u32>(expected.code_points[0]));
    ASSERT_EQ(character.length, expected.offsets[1]);
    ASSERT_EQ(character_length(padded), expected.offsets[1]);
}

TEST(Utf8, EveryCodePoint) {
    for (char32_t c = 0; c < 0x110000 && !testing::Test::HasFailure(); ++c) {
        std::string bytes;
        naive::append_utf8(bytes, c);  // a surrogate's bytes are ill-formed
        expect_decoded(bytes);
    }
}

// All pairs of bytes, followed by all pairs of bytes at the edges of the well-formed ranges; also truncated, so that the zeros
// after a text end the sequence.
TEST(Utf8, IllFormedBytes) {
    constexpr std::string_view kEdges = "a\x7F\x80\x8F\x90\x9F\xA0\xBF\xC0\xFF";
    for (unsigned first = 0; first <= 0xFF; ++first) {
        for (unsigned second = 0; second <= 0xFF; ++second) {
            const bool is_edge = kEdges.find(static_cast<char>(second)) != kEdges.npos;
            if (!is_edge && !test::in_sweep(first + second)) continue;
            std::string bytes = {static_cast<char>(first), static_cast<char>(second), 0, 0};
            expect_decoded(std::string_view(bytes).substr(0, 1));
            expect_decoded(std::string_view(bytes).substr(0, 2));
            for (char third : kEdges) {
                bytes[2] = third;
                expect_decoded(std::string_view(bytes).substr(0, 3));
                for (char fourth : kEdges) {
                    bytes[3] = fourth;
                    expect_decoded(bytes);
                }
            }
            if (testing::Test::HasFailure()) {
                ADD_FAILURE() << std::hex << "bytes " << first << ' ' << second << " …";
                return;
            }
        }
    }
}

}  // namespace
}  // namespace crayon::utf8_test
