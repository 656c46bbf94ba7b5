// Pages are zero and page-aligned, whatever the memory contained before.
#include "platform/zeroed_pages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "generate_text.h"

namespace crayon::test::zeroed_pages_test {
namespace {

// Fills all of it with ones after the check, so that the next owner of the memory would see them.
void expect_zeros(const ZeroedPages& pages, std::size_t size) {
    ASSERT_GE(pages.size(), size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pages.data()) % 4096, 0u);
    std::uint8_t* const bytes = static_cast<std::uint8_t*>(pages.data());
    EXPECT_EQ(std::count(bytes, bytes + pages.size(), 0), static_cast<std::ptrdiff_t>(pages.size()));
    std::memset(bytes, 0xFF, pages.size());
}

TEST(ZeroedPages, AreZeroBetweenOtherAllocations) {
    Random random(11);
    std::array<ZeroedPages, 6> all;
    std::vector<void*> others;
    for (int round = 0; round < 3000; ++round) {
        if (random.one_in(2)) {
            const std::size_t size = 1 + random.below(random.one_in(8) ? 1 << 20 : 3 * 4096);
            ZeroedPages& pages = all[random.below(all.size())];
            ASSERT_TRUE(pages.make(size));
            expect_zeros(pages, size);
        } else if (others.size() < 40 || random.one_in(2)) {
            const std::size_t size = 1 + random.below(random.one_in(8) ? 1 << 18 : 600);
            others.push_back(std::malloc(size));
            ASSERT_NE(others.back(), nullptr);
            std::memset(others.back(), 0xFF, size);
        } else {
            std::swap(others[random.below(others.size())], others.back());
            std::free(others.back());
            others.pop_back();
        }
    }
    for (void* other : others) std::free(other);
}

TEST(ZeroedPages, KeepTheirContentsWhenTheyMove) {
    ZeroedPages one, other;
    ASSERT_TRUE(one.make(4096));
    static_cast<std::uint8_t*>(one.data())[17] = 5;
    one.swap(other);
    EXPECT_EQ(one.data(), nullptr);
    EXPECT_EQ(one.size(), 0u);
    EXPECT_EQ(static_cast<std::uint8_t*>(other.data())[17], 5);
}

}  // namespace
}  // namespace crayon::test::zeroed_pages_test
