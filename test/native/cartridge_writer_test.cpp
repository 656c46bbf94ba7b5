// The bytes around the sections: header, table, alignment, zero padding, checksum.
#include "tables/cartridge_writer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cartridge/checksum.h"
#include "generate_text.h"
#include "handmade_cartridge.h"
#include "kernels.h"

namespace crayon::test::cartridge_writer_test {
namespace {

struct Content {
    u32 id;
    Bytes bytes;
};

Bytes written(const std::vector<Content>& contents) {
    std::vector<SectionBytes> sections;
    for (const Content& content : contents) {
        sections.push_back({static_cast<layout::SectionId>(content.id), content.bytes.data(), content.bytes.size()});
    }
    OwnedBytes file;
    EXPECT_TRUE(write_cartridge(sections, &file).ok());
    return {file.data(), file.data() + file.length()};
}

Bytes random_bytes(Random& random, std::size_t length) {
    Bytes bytes(length);
    for (u8& byte : bytes) byte = static_cast<u8>(1 + random.below(255));  // no zeros, so that padding is recognizable
    return bytes;
}

// The same file, written by the simple code of the tests.
Bytes expected(const std::vector<Content>& contents) {
    HandmadeCartridge made;
    for (const Content& content : contents) made.sections.push_back({content.id, content.id == 1 ? 0u : 1u, content.bytes});
    return made.file();
}

TEST(Writer, EveryLengthAroundTheAlignment) {
    Random random(1);
    for (std::size_t length = 0; length <= 200; ++length) {
        const std::vector<Content> contents = {
            {1, random_bytes(random, length)}, {2, random_bytes(random, 16)}, {6, random_bytes(random, 200 - length)}};
        ASSERT_EQ(written(contents), expected(contents)) << "length " << length;
    }
}

TEST(Writer, AnyNumberOfSections) {
    Random random(2);
    for (u32 count = 1; count <= 64; ++count) {
        std::vector<Content> contents;
        for (u32 id = 1; id <= count; ++id) contents.push_back({id, random_bytes(random, random.below(300))});
        ASSERT_EQ(written(contents), expected(contents)) << count << " sections";
    }
}

TEST(Writer, OnlyTheMetadataMayBeIgnored) {
    const Bytes file = written({{1, {1}}, {2, {2}}, {12, {3}}});
    EXPECT_EQ(get32(file, 64 + 4), 0u);
    EXPECT_EQ(get32(file, 80 + 4), 1u);
    EXPECT_EQ(get32(file, 96 + 4), 1u);
}

TEST(Writer, RefusesFilesOverTwoGigabytesBeforeBuildingThem) {
    const u8 byte = 0;  // never read
    const SectionBytes sections[] = {{layout::kTokenBytes, &byte, 0x80000000}};
    OwnedBytes file;
    const Status status = write_cartridge(sections, &file);
    EXPECT_EQ(status.code, u32{CRAYON_FILE_TOO_LARGE});
    EXPECT_EQ(file.length(), 0u);
}

TEST(Checksum, EqualsTheDefinitionHoweverTheBytesAreCut) {
    Random random(3);
    for (std::size_t length : {0, 1, 63, 64, 191, 192, 193, 447, 448, 449, 1000, 5000}) {
        const Bytes file = random_bytes(random, length + 64);
        const u64 whole = naive_checksum(file);
        for (std::size_t step : {256, 512, 2560, 8192}) {
            for_each_kernel([&](const Kernel& kernel) {
                Checksum checksum(kernel);
                for (std::size_t at = 0; at < file.size(); at += step)
                    checksum.update(file.data() + at, std::min(step, file.size() - at));
                ASSERT_EQ(checksum.finish(), whole) << "length " << file.size() << " step " << step;
            });
        }
    }
}

TEST(Checksum, ChangesWithEveryBit) {
    Random random(4);
    const Bytes file = random_bytes(random, 600);
    const u64 whole = naive_checksum(file);
    for (std::size_t bit = 0; bit < 8 * file.size(); ++bit) {
        Bytes changed = file;
        changed[bit / 8] ^= static_cast<u8>(1 << bit % 8);
        Checksum checksum;
        checksum.update(changed.data(), changed.size());
        if (bit / 64 == 3) {
            EXPECT_EQ(checksum.finish(), whole);  // its own field
        } else {
            EXPECT_NE(checksum.finish(), whole) << "bit " << bit;
        }
    }
}

TEST(Checksum, ChangesWhenBlocksAreExchangedOrZeroed) {
    Random random(5);
    const Bytes file = random_bytes(random, 64 * 256);
    const auto checksum_of = [](const Bytes& bytes) {
        Checksum checksum;
        checksum.update(bytes.data(), bytes.size());
        return checksum.finish();
    };
    const u64 whole = checksum_of(file);
    for (std::size_t block = 1; block < 64; ++block) {
        const auto begin = file.begin() + static_cast<std::ptrdiff_t>(256 * block);
        Bytes zeroed = file;
        std::fill_n(zeroed.begin() + (begin - file.begin()), 256, u8{0});
        EXPECT_NE(checksum_of(zeroed), whole) << block;
        for (std::size_t other = block + 1; other < 64; ++other) {
            Bytes exchanged = file;
            std::swap_ranges(exchanged.begin() + (begin - file.begin()), exchanged.begin() + (begin - file.begin()) + 256,
                             exchanged.begin() + static_cast<std::ptrdiff_t>(256 * other));
            EXPECT_NE(checksum_of(exchanged), whole) << block << " and " << other;
        }
    }
}

}  // namespace
}  // namespace crayon::test::cartridge_writer_test
