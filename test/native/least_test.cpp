// The minimum of rows of numbers, on every kernel.
#include "kernels/kernel.h"

#include <algorithm>
#include <vector>

#include "generate_text.h"
#include "kernels.h"

namespace crayon::test::least_test {
namespace {

// The minimum at every index of rows of every length; the bytes after a row are not read.
TEST(Least, OfEachRow) {
    Random random(1);
    for_each_kernel([&](const Kernel& kernel) {
        for (u32 round = 0; round < 200; ++round) {
            std::vector<std::vector<u32>> rows;
            std::vector<const u32*> starts;
            std::vector<u32> lengths, expected;
            for (u32 n = random.below(17); rows.size() < n;) {
                std::vector<u32> row(u32{16} << random.below(3));
                const u32 most = random.one_in(2) ? 0x7FFFFFFF : 3;
                for (u32& number : row) number = random.one_in(4) ? 0x7FFFFFFF : random.below(most);
                if (random.one_in(3)) std::fill(row.begin(), row.end(), 0x7FFFFFFF);
                row[random.below(row.size())] = random.below(most);
                expected.push_back(*std::min_element(row.begin(), row.end()));
                lengths.push_back(static_cast<u32>(row.size()));
                rows.push_back(std::move(row));
            }
            for (const std::vector<u32>& row : rows) starts.push_back(row.data());
            std::vector<u32> least(rows.size());
            kernel.texts->least(starts.data(), lengths.data(), static_cast<u32>(rows.size()), least.data());
            ASSERT_EQ(least, expected);
        }
    });
}

}  // namespace
}  // namespace crayon::test::least_test
