// The validator: valid files open, and invalid ones are refused with the right status, section and position. That accepted files
// are safe to use is tested in structure_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "cartridge/expansion.h"
#include "cartridge/validator.h"
#include "crayon/crayon.h"
#include "crayon/layout/cartridge.h"
#include "generate_text.h"
#include "handmade_cartridge.h"
#include "handmade_dna.h"
#include "handmade_longest_match.h"
#include "kernels.h"
#include "rejected/rejections.h"
#include "tables/double_array.h"

namespace crayon::test::validator_test {
namespace {

// The result of opening bytes.
struct Opened {
    explicit Opened(const Bytes& bytes, std::uint32_t flags = 0) {
        crayon_cartridge_open_bytes(bytes.data(), static_cast<std::uint32_t>(bytes.size()), flags, &cartridge, &result);
    }
    ~Opened() { crayon_cartridge_release(cartridge); }
    Opened(const Opened&) = delete;

    std::string text() const {
        return std::string(crayon_status_name(result.status)) + " section " + std::to_string(result.section) + " position " +
               std::to_string(result.position);
    }

    crayon_cartridge* cartridge = nullptr;
    crayon_result result = {};
};

std::string refusal(std::uint32_t status, std::uint32_t section, std::size_t position) {
    return std::string(crayon_status_name(status)) + " section " + std::to_string(section) + " position " +
           std::to_string(position);
}

TEST(Validator, OpensTheHandmadeCartridge) {
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
    for (const SectionEntry& entry : section_entries(file)) {
        ASSERT_EQ(crayon_cartridge_section(opened.cartridge, index++, row), 1u);
        EXPECT_EQ(row[0], entry.id);
        EXPECT_EQ(row[2], entry.offset);
        EXPECT_EQ(row[3], entry.length);
    }
    EXPECT_EQ(crayon_cartridge_section(opened.cartridge, index, row), 0u);
}

TEST(Validator, OpensTheHandmadeLongestMatch) {
    for (const HandmadeCartridge& made : {make_handmade_longest_match(), make_handmade_slim_longest_match()}) {
        Opened opened(made.file());
        ASSERT_EQ(opened.result.status, CRAYON_OK) << opened.text();
        const LongestMatchView& view = from_c(opened.cartridge)->longest_match();
        EXPECT_EQ(view.token(1), "ab");
        EXPECT_EQ(view.unknown_id, 3u);
        EXPECT_EQ(view.unmatched.size(), 1u);
        EXPECT_TRUE(layout::is_joined(view.joined_bytes, 'a', 'b'));
        EXPECT_FALSE(layout::is_joined(view.joined_bytes, 'b', 'a'));
        const TrieMatch match = longest_prefix(view.trie, reinterpret_cast<const u8*>("abab"), 4);
        EXPECT_EQ(match.length, 2u);
        EXPECT_EQ(match.value, 1u);
    }
}

TEST(Validator, OpensTheHandmadeDna) {
    Opened opened(make_handmade_dna().file());
    ASSERT_EQ(opened.result.status, CRAYON_OK) << opened.text();
    const DnaView& view = from_c(opened.cartridge)->dna();
    EXPECT_EQ(view.rules->k, 2u);
    EXPECT_EQ(view.base_ids[u8{'C'}], 1u);
    EXPECT_EQ(view.kmer_ids.size(), 16u);
    EXPECT_EQ(view.kmer_ids[15], 19u);
    EXPECT_EQ(view.before[0], 3u);
    EXPECT_TRUE(view.start_ids.empty());
    EXPECT_EQ(view.unknown_id, 2u);
}

TEST(Validator, IgnoresSectionsThatNeedNotBeUnderstood) {
    HandmadeCartridge made = make_handmade_cartridge();
    made.sections.insert(made.sections.begin() + 3, {5000, 0, Bytes(100, 7)});
    made.sections.push_back({5001, 0, Bytes()});
    Opened opened(made.file());
    EXPECT_EQ(opened.result.status, CRAYON_OK) << opened.text();
}

TEST(Validator, ReadsSectionsInAnyOrder) {
    HandmadeCartridge made = make_handmade_cartridge();
    std::reverse(made.sections.begin(), made.sections.end());
    Opened opened(made.file());
    EXPECT_EQ(opened.result.status, CRAYON_OK) << opened.text();
}

TEST(Validator, RejectsWhatTheRecipesList) {
    std::vector<Rejection> list = rejections();
    EXPECT_GT(list.size(), 200u);
    for (Rejection& slim : slim_rejections()) list.push_back(std::move(slim));
    for (Rejection& other : longest_match_rejections()) list.push_back(std::move(other));
    for (Rejection& other : dna_rejections()) list.push_back(std::move(other));
    for (Rejection& order : order_rejections()) list.push_back(std::move(order));
    for (Rejection& words : word_rejections()) list.push_back(std::move(words));
    for (Rejection& program : program_rejections()) list.push_back(std::move(program));
    for (Rejection& general : general_rejections()) list.push_back(std::move(general));
    for (const Rejection& rejection : list) {
        const std::string expected = refusal(rejection.status, rejection.section, rejection.position);
        for (std::uint32_t flags : {0u, std::uint32_t{CRAYON_OPEN_NO_CHECKSUM}}) {
            Opened opened(rejection.file, flags);
            EXPECT_EQ(opened.text(), expected) << rejection.name << ", flags " << flags;
            EXPECT_EQ(opened.cartridge, nullptr);
        }
    }
}

// The validator's result for bytes on a kernel.
std::string verdict(const Bytes& file, bool verify, const Kernel& kernel) {
    OwnedBytes aligned;
    EXPECT_TRUE(OwnedBytes::copy(file.data(), file.size(), &aligned));
    CartridgeContents contents;
    const Status status = validate_cartridge(aligned.data(), aligned.length(), verify, &contents, kernel);
    return status.ok() ? "OK" : refusal(status.code, status.section, status.position);
}

TEST(Validator, RejectsTheSameOnEveryKernel) {
    std::vector<Rejection> list = rejections();
    for (Rejection& other : longest_match_rejections()) list.push_back(std::move(other));
    for (Rejection& other : dna_rejections()) list.push_back(std::move(other));
    for (Rejection& words : word_rejections()) list.push_back(std::move(words));
    for (Rejection& program : program_rejections()) list.push_back(std::move(program));
    for (Rejection& general : general_rejections()) list.push_back(std::move(general));
    for_each_kernel([&](const Kernel& kernel) {
        for (const Rejection& rejection : list) {
            // Slim files never reach the validator.
            if (is_slim(rejection.file.data(), rejection.file.size())) continue;
            const std::string expected = refusal(rejection.status, rejection.section, rejection.position);
            EXPECT_EQ(verdict(rejection.file, true, kernel), expected) << rejection.name;
            EXPECT_EQ(verdict(rejection.file, false, kernel), expected) << rejection.name;
        }
    });
}

// Each element of a table is checked, wherever the validator's blocks and a kernel's vectors end.
TEST(Validator, FindsABrokenElementAnywhere) {
    const Bytes file = make_handmade_cartridge().file();
    struct Table {
        u32 section, begin, element_bytes, field;
        u32 broken;
    };
    const Table tables[] = {
        {layout::kTokenOffsets, 4, 4, 0, 0x80000000},
        {layout::kPieces8, 64 + 128, 16, 8, 266},
        {layout::kPieces8, 64 + 128, 16, 12, 9},
        {layout::kPieces24, 64 + 64, 32, 24, 266},
        {layout::kPieces24, 64 + 64, 32, 28, 8},
        {layout::kPieces24, 64 + 64, 32, 28, 25},
        {layout::kPiecesLong, 64 + 64, 4, 0, 266},
        {layout::kSplits, 0, 8, 0, 0x7FFFFFFF},
        {layout::kSplits, 0, 8, 4, 0xFFFFFFFF},
        {layout::kPairs, 64 + 64, 4, 0, 266},
        {layout::kTrie, 64, 4, 0, 0x1FF},
        {layout::kTrie, 64 + 1024, 4, 0, 0xFFFFFC00},
    };
    for (const Table& table : tables) {
        const std::vector<SectionEntry> all = section_entries(file);
        const SectionEntry& entry =
            *std::find_if(all.begin(), all.end(), [&](const SectionEntry& p) { return p.id == table.section; });
        const std::size_t first = entry.offset + table.begin, last = entry.offset + entry.length - table.element_bytes;
        ASSERT_LE(first, last);
        // The first elements, the last ones, and those on both sides of block boundaries.
        std::vector<std::size_t> elements;
        for (std::size_t at = first; at <= last; at += table.element_bytes) {
            const std::size_t in_block = (at + 256) % kGateBlock;
            if (at < first + 300 || at + 300 > last || in_block < 512) elements.push_back(at);
        }
        for (std::size_t at : elements) {
            Bytes broken = file;
            put32(broken, at + table.field, table.broken);
            const std::string expected = refusal(CRAYON_CORRUPT_STRUCTURE, table.section, at);
            for_each_kernel([&](const Kernel& kernel) {
                EXPECT_EQ(verdict(broken, false, kernel), expected) << "element at " << at << " of section " << table.section;
            });
        }
    }
}

TEST(Validator, RejectsEveryTruncation) {
    const Bytes file = make_handmade_cartridge().file();
    std::vector<std::size_t> lengths;
    for (std::size_t length = 0; length < 600; ++length) lengths.push_back(length);
    for (const SectionEntry& entry : section_entries(file)) {
        for (std::size_t edge : {entry.offset, entry.offset + entry.length}) {
            for (std::size_t length : {edge - 1, edge, edge + 1}) {
                if (length < file.size()) lengths.push_back(length);
            }
        }
    }
    for (std::size_t length : lengths) {
        Bytes cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(length));
        const std::string expected = length < 4 ? refusal(CRAYON_NOT_A_CARTRIDGE, 0, 0) : refusal(CRAYON_TRUNCATED, 0, length);
        EXPECT_EQ(Opened(cut).text(), expected);
        // A header that states the new length, with its checksum: the last section, or the table, is truncated.
        if (length < 64) continue;
        put64(cut, 16, length);
        seal(cut);
        EXPECT_EQ(Opened(cut).result.status, CRAYON_CORRUPT_STRUCTURE) << length;
    }
    Bytes longer = file;
    longer.push_back(0);
    EXPECT_EQ(Opened(longer).text(), refusal(CRAYON_CORRUPT_STRUCTURE, 0, 16));
}

// The header fields that are checked before the checksum have their own statuses; everything else is a checksum mismatch.
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

TEST(Validator, RejectsEveryFlippedBitOfHeaderAndTable) {
    const Bytes file = make_handmade_cartridge().file();
    for (std::size_t bit = 0; bit < 8 * (64 + 13 * 16); ++bit) {
        Bytes flipped = file;
        flipped[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
        EXPECT_EQ(Opened(flipped).text(), refusal_of_flip(file, flipped, bit / 8)) << "bit " << bit;

        // With a correct checksum, the structure alone must be refused. Exceptions: the must-understand bit of a known
        // section is harmless, and the bytes of the checksum are overwritten.
        const bool harmless = (bit / 8 >= 64 && bit % 128 == 32) || (bit / 8 >= 24 && bit / 8 < 32);
        seal(flipped);
        EXPECT_EQ(Opened(flipped).result.status == CRAYON_OK, harmless) << "bit " << bit;
        EXPECT_EQ(Opened(flipped, CRAYON_OPEN_NO_CHECKSUM).result.status == CRAYON_OK, harmless) << "bit " << bit;
    }
}

TEST(Validator, FindsFlippedBitsAnywhere) {
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

TEST(Validator, ChecksumIsSkippedOnlyWhenAsked) {
    Bytes file = make_handmade_cartridge().file();
    file[24] ^= 1;
    EXPECT_EQ(Opened(file).text(), refusal(CRAYON_CHECKSUM_MISMATCH, 0, layout::kChecksumOffset));
    EXPECT_EQ(Opened(file, CRAYON_OPEN_NO_CHECKSUM).result.status, CRAYON_OK);
}

TEST(Validator, ArgumentsAreChecked) {
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

}  // namespace
}  // namespace crayon::test::validator_test
