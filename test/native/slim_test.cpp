// Slim cartridges: the handmade one opens to its tokens; the compiler's are expanded to the full file that it writes; and damaged
// ones that still open are safe to use.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "cartridge/cartridge.h"
#include "cartridge/expansion.h"
#include "fuzz_setting.h"
#include "generate_text.h"
#include "handmade_cartridge.h"
#include "share.h"
#include "tables/cartridge_writer.h"

namespace crayon::test::slim_test {
namespace {

struct OpenedCartridge {
    crayon_cartridge* it = nullptr;
    crayon_result result{};

    explicit OpenedCartridge(const Bytes& file, std::uint32_t flags = 0) {
        crayon_cartridge_open_bytes(file.data(), static_cast<std::uint32_t>(file.size()), flags, &it, &result);
    }
    OpenedCartridge(const OpenedCartridge&) = delete;
    ~OpenedCartridge() { crayon_cartridge_release(it); }
    const Cartridge& cartridge() const { return *from_c(it); }
};

// A cartridge of the package; empty if it has not been built.
Bytes built(const std::string& name) {
    std::ifstream file(CRAYON_PROJECT_DIR "/cartridges/" + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

Bytes compiled(const Bytes& source, bool slim) {
    OpenedCartridge opened(source);
    EXPECT_EQ(opened.result.status, u32{CRAYON_OK}) << crayon_status_name(opened.result.status);
    crayon_compiler* compiler = nullptr;
    crayon_result result{};
    EXPECT_EQ(crayon_compiler_create(&compiler, &result), u32{CRAYON_OK});
    EXPECT_EQ(crayon_compiler_set_cartridge(compiler, opened.it, &result), u32{CRAYON_OK});
    const std::uint8_t* bytes = nullptr;
    EXPECT_EQ((slim ? crayon_compiler_finish_slim : crayon_compiler_finish)(compiler, &bytes, &result), u32{CRAYON_OK});
    Bytes file(bytes, bytes + result.count);
    crayon_compiler_release(compiler);
    return file;
}

TEST(Slim, TheHandmadeOneHasTheTokensAndSplitsOfTheFullOne) {
    OpenedCartridge full(make_handmade_cartridge().file()), slim(make_handmade_slim().file());
    ASSERT_EQ(slim.result.status, u32{CRAYON_OK}) << slim.result.section << " " << slim.result.position;
    const BpeView &a = full.cartridge().bpe(), &b = slim.cartridge().bpe();
    ASSERT_EQ(b.token_count, a.token_count);
    EXPECT_EQ(b.max_token_length, a.max_token_length);
    for (u32 id = 0; id < a.token_count; ++id) {
        EXPECT_EQ(b.token(id), a.token(id));
        EXPECT_EQ(b.splits[id].left, a.splits[id].left) << id;
        EXPECT_EQ(b.splits[id].right, a.splits[id].right) << id;
    }
    EXPECT_TRUE(std::equal(b.crossings.begin(), b.crossings.end(), a.crossings.begin(), a.crossings.end()));
    EXPECT_EQ(slim.cartridge().metadata(), full.cartridge().metadata());
    ASSERT_EQ(slim.cartridge().view_count(), 2u);
    EXPECT_EQ(slim.cartridge().view(1).name, "other");
    EXPECT_EQ(slim.cartridge().view(1).added.size(), 2u);
}

TEST(Slim, TheCompilerWritesTheHandmadeOne) {
    const Bytes expected = make_handmade_slim().section(14).bytes;
    for (const Bytes& source : {make_handmade_cartridge().file(), make_handmade_slim().file()}) {
        const Bytes file = compiled(source, true);
        const SectionEntry entry = entry_of(file, 14);
        const auto begin = file.begin() + static_cast<std::ptrdiff_t>(entry.offset);
        EXPECT_EQ(Bytes(begin, begin + static_cast<std::ptrdiff_t>(entry.length)), expected);
    }
}

TEST(Slim, TheCompilerValidatesItsArguments) {
    OpenedCartridge opened(make_handmade_slim().file());
    crayon_compiler* compiler = nullptr;
    crayon_result result{};
    const std::uint8_t* bytes = nullptr;
    ASSERT_EQ(crayon_compiler_create(&compiler, &result), u32{CRAYON_OK});
    EXPECT_EQ(crayon_compiler_set_cartridge(compiler, nullptr, &result), u32{CRAYON_INVALID_ARGUMENT});
    EXPECT_EQ(crayon_compiler_set_cartridge(nullptr, opened.it, &result), u32{CRAYON_INVALID_ARGUMENT});
    EXPECT_EQ(crayon_compiler_finish_slim(nullptr, &bytes, &result), u32{CRAYON_INVALID_ARGUMENT});
    EXPECT_EQ(crayon_compiler_finish_slim(compiler, nullptr, &result), u32{CRAYON_INVALID_ARGUMENT});
    EXPECT_EQ(crayon_compiler_finish_slim(compiler, &bytes, &result), u32{CRAYON_INVALID_ARGUMENT});  // nothing in it
    EXPECT_EQ(bytes, nullptr);
    crayon_compiler_release(compiler);
}

TEST(Slim, ReportsTheTableOfTheFile) {
    const Bytes file = make_handmade_slim().file();
    OpenedCartridge slim(file);
    for (u32 row = 0; row < 5; ++row) {
        u32 section[4];
        ASSERT_EQ(crayon_cartridge_section(slim.it, row, section), 1u);
        EXPECT_EQ(section[0], row < 4 ? row + 1 : 14);
        EXPECT_EQ(section[2], entry_of(file, section[0]).offset);
        EXPECT_EQ(section[3], entry_of(file, section[0]).length);
    }
    u32 section[4];
    EXPECT_EQ(crayon_cartridge_section(slim.it, 5, section), 0u);
}

TEST(Slim, AWrongChecksumIsIgnoredOnRequest) {
    Bytes file = make_handmade_slim().file();
    file[24] ^= 1;
    EXPECT_EQ(OpenedCartridge(file).result.status, u32{CRAYON_CHECKSUM_MISMATCH});
    EXPECT_EQ(OpenedCartridge(file, CRAYON_OPEN_NO_CHECKSUM).result.status, u32{CRAYON_OK});
}

TEST(Slim, EqualTokensAreRefused) {
    // "he" again, instead of " " and C3: both halves with their current indices.
    HandmadeCartridge made = make_handmade_slim();
    Bytes& section = made.section(14).bytes;
    const u32 runs = 80, first = runs + 12 * 2;
    // A run of two bytes with one of them doubled would lack a byte; a run of one token "ab" is a token that is made later.
    Bytes longer(section.begin(), section.begin() + first + 256);
    put32(longer, 0, 3);
    Bytes row(12);
    put32(row, 0, 265);
    put32(row, 4, 1);
    put32(row, 8, 2);
    longer.insert(longer.begin() + first, row.begin(), row.end());
    put32(longer, 4, 258);
    for (char c : {'a', 'b'}) longer.push_back(static_cast<u8>(c));
    longer.insert(longer.end(), section.begin() + first + 256, section.end());
    // The merge of 265 is removed: its left symbol, its right one (the only one of class 0), and six low bits.
    const u32 left = first + 12 + 258, right = left + 9, low = right + 9;
    u32 bits = 0;
    for (u32 at = left; at < low; ++at) bits += longer[at] < 16 ? 0 : longer[at] / 8 - 1u;
    longer.resize(low + (bits - 6 + 7) / 8);
    if ((bits - 6) % 8 != 0) longer.back() &= static_cast<u8>((1u << (bits - 6) % 8) - 1);
    longer.erase(longer.begin() + right);
    longer.erase(longer.begin() + right - 1);
    put32(longer, 8, 8);
    put32(longer, 12, (bits - 6 + 7) / 8);
    put32(longer, 20, 0);
    section = longer;
    const Bytes file = made.file();
    OpenedCartridge opened(file);
    EXPECT_EQ(opened.result.status, u32{CRAYON_CORRUPT_STRUCTURE});
    EXPECT_EQ(opened.result.section, 14u);
    EXPECT_EQ(opened.result.position, entry_of(file, 14).offset);
    // Only the duplicate is refused: with another token there the file opens.
    section[first + 12 + 257] = 'q';
    EXPECT_EQ(OpenedCartridge(made.file()).result.status, u32{CRAYON_OK});
}

TEST(Slim, IsExpandedToTheCompilersFullFile) {
    for (const char* name : {"r50k_base", "p50k_base", "cl100k_base", "o200k_base"}) {
        if (share() < 0.1 && std::string_view(name) != "r50k_base") continue;
        const Bytes full = built(std::string(name) + ".cray"), slim = built(std::string(name) + ".slim.cray");
        ASSERT_FALSE(full.empty() || slim.empty()) << name << " has not been built";
        EXPECT_LT(slim.size() * 10, full.size());
        OwnedBytes copy, expanded;
        ASSERT_TRUE(OwnedBytes::allocate(slim.size(), &copy));
        std::copy(slim.begin(), slim.end(), copy.data());
        ASSERT_TRUE(is_slim(copy.data(), copy.length()));
        Buffer<layout::Section> rows;
        ASSERT_TRUE(expand_slim(copy.data(), copy.length(), true, &expanded, &rows).ok());
        ASSERT_EQ(expanded.length(), full.size());
        EXPECT_TRUE(std::equal(full.begin(), full.end(), expanded.data())) << name;
    }
}

TEST(Slim, EveryFileThatOpensPassesTheValidator) {
    const std::uint64_t wanted = fuzz_setting("CRAYON_FUZZ_SEED", 0);
    const std::uint64_t first = wanted ? wanted : 1, rounds = wanted ? 1 : 4000;
    const Bytes original = make_handmade_slim().file();
    const SectionEntry merges = entry_of(original, 14);
    std::size_t opened_count = 0;
    for (std::uint64_t seed = first; seed < first + rounds; ++seed) {
        SCOPED_TRACE("again with: CRAYON_FUZZ_SEED=" + std::to_string(seed));
        Random random(seed);
        Bytes file = original;
        for (std::size_t i = 0, count = 1 + random.below(3); i < count; ++i) {
            const bool symbols = random.one_in(2);
            const std::size_t begin = merges.offset + (symbols ? 80 + 24 + 256 : 0);
            const std::size_t at = begin + random.below(merges.offset + merges.length - begin);
            if (random.one_in(2)) {
                file[at] = static_cast<u8>(file[at] ^ 1u << random.below(8));
            } else if (random.one_in(2)) {
                file[at] = static_cast<u8>(random.below(160));
            } else {
                const std::size_t word = merges.offset + 4 * random.below(26);
                const u32 values[] = {0, 1, 2, 9, 255, 256, 265, 266, 1u << 21, 1u << 26, 0x7FFFFFFF, 0xFFFFFFFF};
                put32(file, word, values[random.below(std::size(values))]);
            }
        }
        seal(file);
        OpenedCartridge opened(file);
        if (opened.result.status != CRAYON_OK) {
            EXPECT_EQ(opened.it, nullptr);
            EXPECT_LE(opened.result.position, file.size());
            EXPECT_EQ(opened.result.status, u32{CRAYON_CORRUPT_STRUCTURE});
            continue;
        }
        ++opened_count;
        const BpeView& bpe = opened.cartridge().bpe();
        for (u32 id = 0; id < bpe.token_count; ++id) {
            const auto [left, right] = bpe.splits[id];
            if (left == id) continue;
            EXPECT_EQ(std::string(bpe.token(id)), std::string(bpe.token(left)) + std::string(bpe.token(right)));
        }
    }
    if (!wanted) {
        EXPECT_GT(opened_count, rounds / 50);  // otherwise this tests nothing
    }
}

}  // namespace
}  // namespace crayon::test::slim_test
