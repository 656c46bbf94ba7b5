// The gate: what must open opens, what must not is refused with its status, section and place, and nothing that passes
// can make the engine read or write outside its memory (run this under AddressSanitizer).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "crayon/crayon.h"
#include "crayon/layout/cartridge.h"
#include "generate_text.h"
#include "handmade_cartridge.h"
#include "handmade_longest_match.h"
#include "rejected/rejections.h"
#include "trie/double_array.h"

namespace crayon::test {
namespace {

// What opening bytes gave.
struct Opened {
    explicit Opened(const Bytes& bytes, std::uint32_t flags = 0) {
        crayon_cartridge_open_bytes(bytes.data(), static_cast<std::uint32_t>(bytes.size()), flags, &cartridge, &result);
    }
    ~Opened() { crayon_cartridge_release(cartridge); }
    Opened(const Opened&) = delete;

    std::string text() const {
        return std::string(crayon_status_name(result.status)) + " section " + std::to_string(result.section) +
               " position " + std::to_string(result.position);
    }

    crayon_cartridge* cartridge = nullptr;
    crayon_result result = {};
};

std::string refusal(std::uint32_t status, std::uint32_t section, std::size_t position) {
    return std::string(crayon_status_name(status)) + " section " + std::to_string(section) + " position " +
           std::to_string(position);
}

TEST(Gate, OpensTheHandmadeCartridge) {
    const Bytes file = make_handmade_cartridge().file();
    Opened opened(file);
    ASSERT_EQ(opened.result.status, CRAYON_OK) << opened.text();
    std::uint32_t length = 0;
    const char* name = crayon_cartridge_view_name(opened.cartridge, 1, &length);
    EXPECT_EQ(std::string(name, length), "other");
    EXPECT_EQ(crayon_cartridge_view_name(opened.cartridge, 2, &length), nullptr);
    const char* metadata = crayon_cartridge_metadata(opened.cartridge, &length);
    EXPECT_EQ(std::string(metadata, length), "{\"name\":\"handmade\"}");
    std::uint32_t index = 0, row[4];
    for (const Place& place : places(file)) {
        ASSERT_EQ(crayon_cartridge_section(opened.cartridge, index++, row), 1u);
        EXPECT_EQ(row[0], place.id);
        EXPECT_EQ(row[2], place.offset);
        EXPECT_EQ(row[3], place.length);
    }
    EXPECT_EQ(crayon_cartridge_section(opened.cartridge, index, row), 0u);
}

TEST(Gate, OpensTheHandmadeLongestMatch) {
    for (const HandmadeCartridge& made : {make_handmade_longest_match(), make_handmade_slim_longest_match()}) {
        Opened opened(made.file());
        ASSERT_EQ(opened.result.status, CRAYON_OK) << opened.text();
        const LongestMatchView& view = from_c(opened.cartridge)->longest_match();
        EXPECT_EQ(view.token(1), "ab");
        EXPECT_EQ(view.unknown_id, 3u);
        EXPECT_EQ(view.unmatched.size(), 1u);
        EXPECT_TRUE(layout::is_joint(view.joints, 'a', 'b'));
        EXPECT_FALSE(layout::is_joint(view.joints, 'b', 'a'));
        const TrieMatch match = longest_prefix(view.trie, reinterpret_cast<const u8*>("abab"), 4);
        EXPECT_EQ(match.length, 2u);
        EXPECT_EQ(match.value, 1u);
    }
}

TEST(Gate, IgnoresSectionsThatNeedNotBeUnderstood) {
    HandmadeCartridge made = make_handmade_cartridge();
    made.sections.insert(made.sections.begin() + 3, {5000, 0, Bytes(100, 7)});
    made.sections.push_back({5001, 0, Bytes()});
    Opened opened(made.file());
    EXPECT_EQ(opened.result.status, CRAYON_OK) << opened.text();
}

TEST(Gate, ReadsSectionsInAnyOrder) {
    HandmadeCartridge made = make_handmade_cartridge();
    std::reverse(made.sections.begin(), made.sections.end());
    Opened opened(made.file());
    EXPECT_EQ(opened.result.status, CRAYON_OK) << opened.text();
}

TEST(Gate, RejectsWhatTheRecipesList) {
    std::vector<Rejection> list = rejections();
    EXPECT_GT(list.size(), 200u);
    for (Rejection& slim : slim_rejections()) list.push_back(std::move(slim));
    for (Rejection& other : longest_match_rejections()) list.push_back(std::move(other));
    for (const Rejection& rejection : list) {
        const std::string expected = refusal(rejection.status, rejection.section, rejection.position);
        for (std::uint32_t flags : {0u, std::uint32_t{CRAYON_OPEN_NO_CHECKSUM}}) {
            Opened opened(rejection.file, flags);
            EXPECT_EQ(opened.text(), expected) << rejection.name << ", flags " << flags;
            EXPECT_EQ(opened.cartridge, nullptr);
        }
    }
}

TEST(Gate, RejectsEveryTruncation) {
    const Bytes file = make_handmade_cartridge().file();
    std::vector<std::size_t> lengths;
    for (std::size_t length = 0; length < 600; ++length) lengths.push_back(length);
    for (const Place& place : places(file)) {
        for (std::size_t edge : {place.offset, place.offset + place.length}) {
            for (std::size_t length : {edge - 1, edge, edge + 1}) {
                if (length < file.size()) lengths.push_back(length);
            }
        }
    }
    for (std::size_t length : lengths) {
        Bytes cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(length));
        const std::string expected =
            length < 4 ? refusal(CRAYON_NOT_A_CARTRIDGE, 0, 0) : refusal(CRAYON_TRUNCATED, 0, length);
        EXPECT_EQ(Opened(cut).text(), expected);
        // A header that says the new length, with its checksum: the last section, or the table, is cut.
        if (length < 64) continue;
        put64(cut, 16, length);
        seal(cut);
        EXPECT_EQ(Opened(cut).result.status, CRAYON_CORRUPT_STRUCTURE) << length;
    }
    Bytes longer = file;
    longer.push_back(0);
    EXPECT_EQ(Opened(longer).text(), refusal(CRAYON_CORRUPT_STRUCTURE, 0, 16));
}

// The header's fields that are read before the checksum have their own refusals; everything else is damage.
std::string refusal_of_flip(const Bytes& original, const Bytes& flipped, std::size_t at) {
    if (at < 4) return refusal(CRAYON_NOT_A_CARTRIDGE, 0, 0);
    if (at < 8) return refusal(CRAYON_UNSUPPORTED_VERSION, 0, 4);
    if (at == 12 || at == 13) return refusal(CRAYON_UNSUPPORTED_VERSION, 0, 12);
    if (at >= 16 && at < 24) {
        return get64(flipped, 16) > original.size() ? refusal(CRAYON_TRUNCATED, 0, original.size())
                                                    : refusal(CRAYON_CORRUPT_STRUCTURE, 0, 16);
    }
    return refusal(CRAYON_CHECKSUM_MISMATCH, 0, layout::kChecksumOffset);
}

TEST(Gate, RejectsEveryFlippedBitOfHeaderAndTable) {
    const Bytes file = make_handmade_cartridge().file();
    for (std::size_t bit = 0; bit < 8 * (64 + 13 * 16); ++bit) {
        Bytes flipped = file;
        flipped[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
        EXPECT_EQ(Opened(flipped).text(), refusal_of_flip(file, flipped, bit / 8)) << "bit " << bit;

        // Sealed again, the structure alone must refuse it. Only the must-understand bit of a known section says
        // nothing new, and the bytes of the checksum are written over.
        const bool harmless = (bit / 8 >= 64 && bit % 128 == 32) || (bit / 8 >= 24 && bit / 8 < 32);
        seal(flipped);
        EXPECT_EQ(Opened(flipped).result.status == CRAYON_OK, harmless) << "bit " << bit;
        EXPECT_EQ(Opened(flipped, CRAYON_OPEN_NO_CHECKSUM).result.status == CRAYON_OK, harmless) << "bit " << bit;
    }
}

TEST(Gate, FindsFlippedBitsAnywhere) {
    const Bytes file = make_handmade_cartridge().file();
    const std::uint64_t seed = 20261121;
    Random random(seed);
    for (int i = 0; i < 2000; ++i) {
        Bytes flipped = file;
        const std::size_t at = random.below(file.size());
        flipped[at] ^= static_cast<std::uint8_t>(1 + random.below(255));
        EXPECT_EQ(Opened(flipped).text(), refusal_of_flip(file, flipped, at)) << "byte " << at << ", seed " << seed;
    }
}

TEST(Gate, ChecksumIsSkippedOnlyWhenAsked) {
    Bytes file = make_handmade_cartridge().file();
    file[24] ^= 1;
    EXPECT_EQ(Opened(file).text(), refusal(CRAYON_CHECKSUM_MISMATCH, 0, layout::kChecksumOffset));
    EXPECT_EQ(Opened(file, CRAYON_OPEN_NO_CHECKSUM).result.status, CRAYON_OK);
}

TEST(Gate, ArgumentsAreChecked) {
    crayon_cartridge* cartridge = nullptr;
    crayon_result result;
    EXPECT_EQ(crayon_cartridge_open_bytes(nullptr, 1, 0, &cartridge, &result), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(crayon_cartridge_open_bytes("CRAY", 4, 64, &cartridge, &result), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(crayon_cartridge_open_bytes("CRAY", 4, 0, nullptr, &result), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(crayon_cartridge_open_bytes("CRAY", 4, 0, &cartridge, nullptr), CRAYON_TRUNCATED);
    EXPECT_EQ(crayon_cartridge_open_bytes(nullptr, 0, 0, &cartridge, &result), CRAYON_NOT_A_CARTRIDGE);
    crayon_cartridge_release(nullptr);
    EXPECT_EQ(crayon_cartridge_view_name(nullptr, 0, nullptr), nullptr);
    EXPECT_EQ(crayon_cartridge_metadata(nullptr, nullptr), nullptr);
    EXPECT_EQ(crayon_cartridge_section(nullptr, 0, nullptr), 0u);
}

// --- whatever opens is safe to use
// ------------------------------------------------------------------------------------

// Encodes and decodes with every view. The ids may be wrong, for the tables may say anything; they must be ids.
void use(crayon_cartridge* cartridge, const std::string& text) {
    for (std::uint32_t view = 0; crayon_cartridge_view_name(cartridge, view, nullptr); ++view) {
        crayon_tokenizer* tokenizer = nullptr;
        crayon_encoder* encoder = nullptr;
        crayon_result result;
        ASSERT_EQ(crayon_tokenizer_create(cartridge, view, "", 0, &tokenizer, &result), CRAYON_OK);
        ASSERT_EQ(crayon_encoder_create(tokenizer, &encoder, &result), CRAYON_OK);
        const std::uint32_t vocabulary_size = crayon_tokenizer_vocabulary_size(tokenizer);
        for (std::uint32_t special : {CRAYON_SPECIAL_AS_TEXT, CRAYON_SPECIAL_ALLOW}) {
            ASSERT_EQ(crayon_encoder_begin(encoder, special, nullptr, 0, &result), CRAYON_OK);
            ASSERT_EQ(crayon_encoder_feed_utf8(encoder, reinterpret_cast<const std::uint8_t*>(text.data()),
                                               static_cast<std::uint32_t>(text.size()), 1, &result),
                      CRAYON_OK);
            std::uint32_t ids[64];
            std::size_t total = 0;
            do {
                const crayon_status status = crayon_encoder_read(encoder, ids, 64, &result);
                if (status == CRAYON_UNKNOWN_CHARACTER) break;
                ASSERT_EQ(status, CRAYON_OK);
                ASSERT_LE(result.count, 64u);
                total += result.count;
                const crayon_result read = result;
                for (std::uint32_t i = 0; i < read.count; ++i) ASSERT_LT(ids[i], vocabulary_size);
                if (crayon_decode_length(tokenizer, ids, read.count, 0, &result) == CRAYON_OK) {
                    Bytes bytes(result.count);
                    ASSERT_EQ(crayon_decode(tokenizer, ids, read.count, 0, bytes.data(), result.count, &result),
                              CRAYON_OK);
                }
                result.more = read.more;
            } while (result.more && total <= 2 * text.size());
            ASSERT_LE(total, text.size()) << "more ids than bytes";
        }
        // Places follow from what the tables say of lengths, which may be anything too.
        const std::uint8_t* const bytes_of_text = reinterpret_cast<const std::uint8_t*>(text.data());
        const std::uint32_t length = static_cast<std::uint32_t>(text.size());
        for (std::uint32_t unit : {CRAYON_UNIT_BYTES, CRAYON_UNIT_UTF16}) {
            std::uint32_t ids[100], offsets[200];
            ASSERT_EQ(crayon_encoder_begin(encoder, 0, nullptr, 0, &result), CRAYON_OK);
            ASSERT_EQ(crayon_encoder_feed_utf8(encoder, bytes_of_text, length, 1, &result), CRAYON_OK);
            while (crayon_encoder_read_with_offsets(encoder, ids, offsets, 100, unit, &result) == CRAYON_OK &&
                   result.more) {
            }
        }
        for (std::uint32_t limit : {0u, 1u, 7u, 100u, 0xFFFFFFFFu}) {
            std::uint32_t part[3] = {};
            ASSERT_EQ(crayon_encoder_begin(encoder, 0, nullptr, 0, &result), CRAYON_OK);
            if (crayon_encoder_fit(encoder, bytes_of_text, length, 0, 1, limit, 3, part, &result) != CRAYON_OK)
                continue;
            ASSERT_LE(part[0], length);
            ASSERT_LE(part[2], part[0]);
        }
        std::uint32_t about[3];
        for (std::uint32_t i = 0; crayon_tokenizer_added_token(tokenizer, i, about); ++i)
            ASSERT_LT(about[1], vocabulary_size);
        for (std::uint32_t id = 0; id < vocabulary_size && id < 300; ++id) {
            std::uint32_t length;
            const std::uint8_t* bytes = crayon_tokenizer_token_bytes(tokenizer, id, &length);
            if (bytes) crayon_tokenizer_id_of(tokenizer, bytes, length);
        }
        crayon_encoder_release(encoder);
        crayon_tokenizer_release(tokenizer);
    }
}

// Damages the file in one of a few ways; sections are picked before places, so that the small ones get their share.
void damage(Bytes& file, const std::vector<Place>& table, Random& random) {
    std::size_t begin = 0, length = 64 + 16 * table.size();
    if (!random.one_in(12)) {
        const Place& place = table[random.below(table.size())];
        begin = place.offset;
        length = random.one_in(3) ? std::min<std::size_t>(place.length, 96) : place.length;
    }
    const std::size_t at = begin + random.below(length);
    const std::size_t word = begin + random.below((length + 3) / 4) * 4;
    const std::uint32_t interesting[] = {
        0,          1,          2,          255,    256, kHandmadeTokens - 1, kHandmadeTokens, 0x1FFFFF, 0x7FFFFFFF,
        0x80000000, 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFF, 64};
    const auto copy = [&](std::size_t from, std::size_t to, std::size_t count) {
        for (std::size_t i = 0; i < count && std::max(from, to) + i < file.size(); ++i) file[to + i] = file[from + i];
    };
    const bool whole = word + 4 <= file.size();
    switch (random.below(8)) {
        case 0:
            file[at] ^= static_cast<std::uint8_t>(1 << random.below(8));
            break;
        case 1:
            file[at] = static_cast<std::uint8_t>(random.next());
            break;
        case 2:
            if (whole) put32(file, word, interesting[random.below(std::size(interesting))]);
            break;
        case 3:
            if (whole) put32(file, word, get32(file, word) + static_cast<std::uint32_t>(random.below(5)) - 2);
            break;
        case 4:
            copy(begin + random.below(length), at, 1 + random.below(64));
            break;
        default:  // words of the table in each other's place: most likely to pass
            copy(begin + random.below((length + 3) / 4) * 4, word, 4 * (1 + random.below(8)));
            break;
    }
}

TEST(Gate, WhateverOpensIsSafeToUse) {
    const char* wanted = std::getenv("CRAYON_FUZZ_SEED");
    const std::uint64_t first = wanted ? std::strtoull(wanted, nullptr, 10) : 1;
    const char* more = std::getenv("CRAYON_FUZZ_ROUNDS");
    const std::uint64_t rounds = wanted ? 1 : more ? std::strtoull(more, nullptr, 10) : 6000;
    const Bytes originals[] = {make_handmade_cartridge().file(), make_handmade_longest_match().file(),
                               make_handmade_slim_longest_match().file()};
    std::size_t opened_count = 0;
    for (std::uint64_t seed = first; seed < first + rounds; ++seed) {
        SCOPED_TRACE("again with: CRAYON_FUZZ_SEED=" + std::to_string(seed));
        Random random(seed);
        Bytes file = originals[seed % std::size(originals)];
        const std::vector<Place> table = places(file);
        for (std::size_t i = 0, count = 1 + random.below(2); i < count; ++i) damage(file, table, random);
        seal(file);
        Opened opened(file);
        if (opened.result.status != CRAYON_OK) {
            EXPECT_EQ(opened.cartridge, nullptr);
            EXPECT_LE(opened.result.position, file.size());
            continue;
        }
        ++opened_count;
        std::string text;
        for (int i = 0; i < 60; ++i) {
            const char* const parts[] = {"ab", "abab", "abababababababab", "he",  "the ",     "<|end|>",
                                         "?",  "<x>",  "<|fim|>",          " \n", "\xC3\xA9", "\xC3\xA9he"};
            text += random.one_in(4) ? std::string(1, static_cast<char>(random.next()))
                                     : parts[random.below(std::size(parts))];
        }
        text.append(random.below(300), 'a');
        use(opened.cartridge, text);
        if (HasFatalFailure()) return;
    }
    if (!wanted) {
        EXPECT_GT(opened_count, rounds / 8);  // otherwise this tests nothing
    }
    RecordProperty("opened", static_cast<int>(opened_count));
}

}  // namespace
}  // namespace crayon::test
