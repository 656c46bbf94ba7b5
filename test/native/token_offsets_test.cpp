// The offsets of tokens in their text: running sums of their bytes, and the characters at these offsets, however the text is fed
// and the ids are read.
#include <algorithm>

#include "encode/token_offsets.h"
#include "kernels.h"
#include "naive/pattern.h"
#include "naive/published_patterns.h"
#include "naive/utf.h"
#include "share.h"
#include "vocabularies.h"

namespace crayon::test::token_offsets_test {
namespace {

using Numbers = std::vector<std::uint32_t>;

const std::vector<AddedToken> kAdded = {{"<|end|>", 100000}, {"\xE2\x9C\x82", 100001, 0}};

// Merges also over parts of characters, so that tokens begin and end inside them.
const Vocabulary& vocabulary() {
    static const Vocabulary v = [] {
        Random random(23);
        return random_vocabulary(random, "abet s\n<|>nd\xE4\xB8\xAD\xF0\x9F\x98\x80\xC3\xA9\xEF\xBF\xBD", 3000);
    }();
    return v;
}

std::string bytes_of(std::uint32_t id) {
    for (const AddedToken& token : kAdded) {
        if (token.id == id) return token.bytes;
    }
    return vocabulary().tokens[id];
}

Numbers naive_byte_offsets(const Numbers& ids) {
    Numbers offsets;
    std::uint32_t at = 0;
    for (std::uint32_t id : ids) {
        offsets.push_back(at);
        offsets.push_back(at += static_cast<std::uint32_t>(bytes_of(id).size()));
    }
    return offsets;
}

// For every byte: the units before and after its character.
Numbers naive_utf16_offsets(const std::string& text, const Numbers& ids) {
    const naive::Characters characters = naive::decode_utf8(text);
    Numbers begin, end;
    std::uint32_t units = 0;
    for (std::size_t c = 0; c < characters.code_points.size(); ++c) {
        const std::uint32_t after = units + (characters.code_points[c] < 0x10000 ? 1 : 2);
        for (std::size_t i = characters.offsets[c]; i < characters.offsets[c + 1]; ++i) {
            begin.push_back(units);
            end.push_back(after);
        }
        units = after;
    }
    const Numbers bytes = naive_byte_offsets(ids);
    Numbers offsets;
    for (std::size_t i = 0; i < bytes.size(); i += 2) {
        offsets.push_back(begin[bytes[i]]);
        offsets.push_back(end[bytes[i + 1] - 1]);
    }
    return offsets;
}

// Start and end of the piece, or of the added token, that contains each token.
Numbers naive_piece_offsets(const std::string& text, const Numbers& ids, bool allows_special) {
    static const naive::Pattern pattern(
        std::find_if(std::begin(naive::kPublishedPatterns), std::end(naive::kPublishedPatterns), [](const auto& each) {
            return each.family == "o200k";
        })->pattern);
    std::vector<std::uint32_t> ends;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = text.size(), length = 0;  // for the text before the next added token, and for that one
        for (const AddedToken& token : kAdded) {
            const std::size_t found = &token == &kAdded[0] && !allows_special ? text.npos : text.find(token.bytes, at);
            if (found < end) end = found, length = token.bytes.size();
        }
        const naive::Characters characters = naive::decode_utf8(text.substr(at, end - at));
        for (std::size_t boundary : pattern.split(characters.code_points))
            ends.push_back(static_cast<std::uint32_t>(at + characters.offsets[boundary]));
        at = end + length;
        if (length > 0) ends.push_back(static_cast<std::uint32_t>(at));
    }
    const Numbers bytes = naive_byte_offsets(ids);
    Numbers offsets;
    for (std::size_t i = 0; i < bytes.size(); i += 2) {
        const auto end = std::upper_bound(ends.begin(), ends.end(), bytes[i]);
        offsets.push_back(end == ends.begin() ? 0 : end[-1]);
        offsets.push_back(*end);
    }
    return offsets;
}

class TokenOffsetsTest : public testing::Test {
protected:
    static constexpr std::uint32_t kUnits[] = {CRAYON_UNIT_BYTES, CRAYON_UNIT_UTF16, CRAYON_UNIT_PIECES};
    std::string cartridge_ = compile(vocabulary(), "o200k", kAdded);
    crayon_result result_ = {};

    void read(Tokenizing& tokenizing, std::uint32_t unit, std::uint32_t step, Numbers& ids, Numbers& offsets) {
        Numbers some(step), spans(2 * step);
        do {
            ASSERT_EQ(crayon_encoder_read_with_offsets(tokenizing.encoder(), some.data(), spans.data(), step, unit, &result_),
                      CRAYON_OK);
            ids.insert(ids.end(), some.begin(), some.begin() + result_.count);
            offsets.insert(offsets.end(), spans.begin(), spans.begin() + 2 * result_.count);
        } while (result_.more);
    }
};

TEST_F(TokenOffsetsTest, EqualTheDefinitionInBytes) {
    for_each_kernel([&](const Kernel& kernel) {
        Tokenizing tokenizing(cartridge_, kernel.name);
        std::size_t inside = 0;    // tokens that begin inside a character
        std::size_t together = 0;  // tokens in the same piece as the previous one
        for (std::uint64_t seed = 1; seed <= sample(1500); ++seed) {
            Random random(seed);
            std::string text = TextGenerator(random.next()).utf8();
            if (random.one_in(4)) text.insert(random.below(text.size() + 1), kAdded[random.below(2)].bytes);
            const std::uint32_t policy = random.one_in(2) ? CRAYON_SPECIAL_ALLOW : CRAYON_SPECIAL_AS_TEXT;
            const Numbers expected = tokenizing.encode(text, policy);
            for (std::uint32_t unit : kUnits) {
                Numbers ids, offsets;
                ASSERT_EQ(crayon_encoder_begin(tokenizing.encoder(), policy, nullptr, 0, &result_), CRAYON_OK);
                const std::size_t widest = random.one_in(3) ? text.size() : 1 + random.below(200);
                const std::uint32_t step = static_cast<std::uint32_t>(1 + random.below(random.one_in(2) ? 4 : 400));
                for (std::size_t at = 0, last = 0; !last;) {
                    const std::size_t length = std::min(random.below(widest + 1), text.size() - at);
                    last = at + length == text.size() && !random.one_in(4);
                    ASSERT_EQ(
                        crayon_encoder_feed_utf8(tokenizing.encoder(), reinterpret_cast<const std::uint8_t*>(text.data()) + at,
                                                 static_cast<std::uint32_t>(length), last, &result_),
                        CRAYON_OK);
                    at += length;
                    read(tokenizing, unit, step, ids, offsets);
                }
                ASSERT_EQ(ids, expected) << "seed " << seed;
                const bool allows_special = policy == CRAYON_SPECIAL_ALLOW;
                ASSERT_EQ(offsets, unit == CRAYON_UNIT_BYTES   ? naive_byte_offsets(ids)
                                   : unit == CRAYON_UNIT_UTF16 ? naive_utf16_offsets(text, ids)
                                                               : naive_piece_offsets(text, ids, allows_special))
                    << "seed " << seed << ", unit " << unit;
                for (std::size_t i = 2; unit == CRAYON_UNIT_PIECES && i < offsets.size(); i += 2)
                    together += offsets[i] == offsets[i - 2];
                for (std::size_t i = 2; unit == CRAYON_UNIT_UTF16 && i < offsets.size(); i += 2)
                    inside += offsets[i] < offsets[i - 1];
            }
        }
        EXPECT_GT(inside, at_least(100));
        EXPECT_GT(together, at_least(100));
    });
}

TEST_F(TokenOffsetsTest, EqualTheUnitsOfAString) {
    for_each_kernel([&](const Kernel& kernel) {
        Tokenizing tokenizing(cartridge_, kernel.name);
        for (std::uint64_t seed = 1; seed <= sample(1000); ++seed) {
            Random random(seed);
            const std::u16string units = TextGenerator(random.next()).utf16();
            Numbers ids, offsets;
            ASSERT_EQ(crayon_encoder_begin(tokenizing.encoder(), CRAYON_SPECIAL_AS_TEXT, nullptr, 0, &result_), CRAYON_OK);
            for (std::size_t at = 0, last = 0; !last;) {
                const std::size_t length = std::min(random.below(90), units.size() - at);
                last = at + length == units.size();
                const bool at_character = at == 0 || (units[at - 1] & 0xFC00) != 0xD800;
                if (at_character && random.one_in(12)) {  // the rest as bytes
                    const std::string bytes = naive::utf8_of_utf16(units.substr(at));
                    ASSERT_EQ(crayon_encoder_feed_utf8(tokenizing.encoder(), reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                                       static_cast<std::uint32_t>(bytes.size()), 1, &result_),
                              CRAYON_OK);
                    last = 1;
                } else {
                    ASSERT_EQ(
                        crayon_encoder_feed_utf16(tokenizing.encoder(), reinterpret_cast<const std::uint16_t*>(units.data()) + at,
                                                  static_cast<std::uint32_t>(length), last, &result_),
                        CRAYON_OK);
                }
                at += length;
                read(tokenizing, CRAYON_UNIT_UTF16, 50, ids, offsets);
            }
            ASSERT_EQ(offsets, naive_utf16_offsets(naive::utf8_of_utf16(units), ids)) << "seed " << seed;
            ASSERT_EQ(offsets.empty() ? 0 : offsets.back(), units.size()) << "seed " << seed;
        }
    });
}

// While the text before an added token is encoded, the bytes after it are hidden, and its last character continues in the token.
TEST_F(TokenOffsetsTest, AnAddedTokenMayBeginInsideACharacter) {
    Tokenizing tokenizing(compile(vocabulary(), "o200k", {{"\xA9 x", 100000}}));
    const std::string text = "a\xC3\xA9 xb";
    ASSERT_EQ(crayon_encoder_begin(tokenizing.encoder(), CRAYON_SPECIAL_ALLOW, nullptr, 0, &result_), CRAYON_OK);
    ASSERT_EQ(crayon_encoder_feed_utf8(tokenizing.encoder(), reinterpret_cast<const std::uint8_t*>(text.data()), 6, 1, &result_),
              CRAYON_OK);
    Numbers ids, offsets;
    read(tokenizing, CRAYON_UNIT_UTF16, 1, ids, offsets);
    ASSERT_EQ(ids[ids.size() - 2], 100000u);
    ids.pop_back();
    ASSERT_EQ(offsets[2 * ids.size() - 2], 1u);  // the token covers the whole character
    ASSERT_EQ(offsets[2 * ids.size() - 1], 4u);
    EXPECT_EQ(offsets.back(), 5u);
}

TEST_F(TokenOffsetsTest, AreReadInOneUnitOrNotAtAll) {
    Tokenizing tokenizing(cartridge_);
    std::uint32_t ids[4], offsets[8];
    const auto start = [&] {
        ASSERT_EQ(crayon_encoder_begin(tokenizing.encoder(), CRAYON_SPECIAL_AS_TEXT, nullptr, 0, &result_), CRAYON_OK);
        ASSERT_EQ(
            crayon_encoder_feed_utf8(tokenizing.encoder(), reinterpret_cast<const std::uint8_t*>("1 2 3 4"), 7, 1, &result_),
            CRAYON_OK);
    };
    const auto refuses = [&](std::uint32_t unit) {
        EXPECT_EQ(crayon_encoder_read_with_offsets(tokenizing.encoder(), ids, offsets, 4, unit, &result_),
                  static_cast<crayon_status>(CRAYON_INVALID_ARGUMENT));
    };
    start();
    refuses(4);
    ASSERT_EQ(crayon_encoder_read(tokenizing.encoder(), ids, 1, &result_), CRAYON_OK);
    refuses(CRAYON_UNIT_BYTES);
    start();
    ASSERT_EQ(crayon_encoder_read_with_offsets(tokenizing.encoder(), ids, offsets, 1, CRAYON_UNIT_BYTES, &result_), CRAYON_OK);
    refuses(CRAYON_UNIT_UTF16);
    start();
    ASSERT_EQ(crayon_encoder_count(tokenizing.encoder(), 1, &result_), CRAYON_OK);
    refuses(CRAYON_UNIT_UTF16);
    EXPECT_EQ(crayon_encoder_read_with_offsets(tokenizing.encoder(), ids, nullptr, 4, CRAYON_UNIT_UTF16, &result_),
              static_cast<crayon_status>(CRAYON_INVALID_ARGUMENT));
}

// With byte offsets the text is not read, so ids can represent a text of 4 GiB.
TEST_F(TokenOffsetsTest, EndAt32Bits) {
    Tokenizing tokenizing(cartridge_);
    const Tokenizer& tokenizer = *reinterpret_cast<Tokenizer*>(tokenizing.tokenizer());
    const auto longest = std::max_element(vocabulary().tokens.begin(), vocabulary().tokens.end(),
                                          [](const auto& a, const auto& b) { return a.size() < b.size(); });
    const Numbers ids(1 << 20, static_cast<std::uint32_t>(longest - vocabulary().tokens.begin()));
    const std::size_t bytes = ids.size() * longest->size();
    Numbers offsets(2 * ids.size());
    const TokenOffsets::Text text = {nullptr, bytes, bytes, true};
    TokenOffsets locator;
    locator.restart();
    const auto locate = [&] { return locator.locate(tokenizer, text, CRAYON_UNIT_BYTES, ids.data(), 1 << 20, offsets.data()); };
    std::uint64_t total = 0;
    for (; total + bytes <= 0xFFFFFFFF; total += bytes) {
        ASSERT_TRUE(locate().ok());
        ASSERT_EQ(offsets.back(), total + bytes);
        locator.rebase(bytes);
    }
    EXPECT_EQ(locate().code, static_cast<crayon_status>(CRAYON_TEXT_TOO_LONG));
}

}  // namespace
}  // namespace crayon::test::token_offsets_test
