// Looks tokens up by their bytes, including tokens chosen to make that slow.
#include "tables/rank_table.h"

#include "crayon/layout/cartridge.h"
#include "crayon/layout/perfect_hash.h"
#include "tables/key_words.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace crayon::test::rank_table_test {
namespace {

struct Tokens {
    std::string bytes;
    std::vector<u32> offsets = {0};

    void add(const std::string& token) {
        bytes += token;
        offsets.push_back(static_cast<u32>(bytes.size()));
    }
    TokenList list() const {
        return {reinterpret_cast<const u8*>(bytes.data()), offsets.data(), static_cast<u32>(offsets.size() - 1)};
    }
    u32 find(const RankTable& table, const std::string& token) const {
        return table.find(reinterpret_cast<const u8*>(token.data()), static_cast<u32>(token.size()));
    }
};

// Sixteen bytes with the same hash under the first seed: the second word cancels the first.
std::string alike(u64 number) {
    const u64 start = layout::hash_start(16, layout::kMixC);
    const u64 words[2] = {number, layout::hash_next(start, number) ^ 0x1234567890ABCDEF};
    std::string token(16, '\0');
    std::memcpy(token.data(), words, 16);
    return token;
}

TEST(RankTable, FindsTokensWithEqualHashes) {
    constexpr u64 kCount = 100000;
    const auto hash = [](const std::string& token) {
        return hash_bytes(reinterpret_cast<const u8*>(token.data()), 16, layout::kMixC);
    };
    ASSERT_EQ(hash(alike(1)), hash(alike(2)));
    Tokens tokens;
    for (u64 i = 0; i < kCount; ++i) tokens.add(i % 7 == 0 ? std::string() : alike(i));
    RankTable table;
    ASSERT_TRUE(table.build(tokens.list()).ok());
    for (u64 i = 0; i < kCount; ++i) {
        ASSERT_EQ(tokens.find(table, alike(i)), i % 7 == 0 ? layout::kNone : static_cast<u32>(i));
    }
    EXPECT_EQ(tokens.find(table, alike(kCount)), layout::kNone);
    tokens.add(alike(8));
    const Status status = table.build(tokens.list());
    EXPECT_EQ(status.code, u32{CRAYON_DUPLICATE_TOKEN});
    EXPECT_EQ(status.position, kCount);
}

}  // namespace
}  // namespace crayon::test::rank_table_test
