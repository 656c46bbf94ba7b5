// The text of an encoder compared with a plain string: fed, prepared, removed and put back, dropped and sealed in any order.
#include "encode/fed_text.h"

#include <gtest/gtest.h>

#include "generate_text.h"
#include "kernels/kernel.h"
#include "naive/utf.h"
#include "share.h"

namespace crayon::test::fed_text_test {
namespace {

const u8* bytes_of(const std::string& text) { return reinterpret_cast<const u8*>(text.data()); }

std::string random_bytes(Random& random, std::size_t most) {
    std::string bytes(random.below(most + 1), '\0');
    for (char& byte : bytes) byte = static_cast<char>(random.below(256));
    return bytes;
}

TEST(FedText, HoldsWhatWasFedAndNotDropped) {
    for (std::uint64_t seed = 0; seed < sample(2000, 100); ++seed) {
        Random random(seed);
        FedText text;
        u64 origin = random.below(1000);
        text.restart(origin);
        std::string all;
        std::size_t encoded = 0, ready = 0;
        for (std::size_t steps = 40; steps > 0; --steps) {
            switch (random.below(6)) {
                case 0: {
                    const std::string more = random_bytes(random, 200);
                    ASSERT_TRUE(text.feed_utf8(bytes_of(more), more.size(), false).ok());
                    all += more;
                    break;
                }
                case 1: {
                    const std::size_t length = random.below(all.size() - ready + 1);
                    text.make_ready(length);
                    ready += length;
                    break;
                }
                case 2:
                    encoded += random.below(ready - encoded + 1);
                    text.set_encoded(encoded);
                    break;
                case 3:
                    text.drop_encoded();
                    if (text.capacity() > 0) text.pad();
                    all.erase(0, encoded);
                    origin += encoded;
                    ready -= encoded;
                    encoded = 0;
                    break;
                case 4: {  // like normalizers, which rewrite raw text
                    const std::string other = random_bytes(random, 300), rest = random_bytes(random, 100);
                    text.take_raw();
                    ASSERT_TRUE(text.append_ready(bytes_of(other), other.size()).ok());
                    ASSERT_TRUE(text.put_back_raw(bytes_of(rest), rest.size()).ok());
                    text.pad();
                    all = all.substr(0, ready) + other + rest;
                    ready += other.size();
                    break;
                }
                case 5: {
                    if (all.empty()) break;
                    const std::size_t at = random.below(ready + 1);
                    text.seal(at);
                    ASSERT_EQ(std::string(reinterpret_cast<const char*>(text.bytes()), at), all.substr(0, at)) << "seed " << seed;
                    for (std::size_t i = 0; i < kScanPadding; ++i) ASSERT_EQ(text.bytes()[at + i], 0) << "seed " << seed;
                    ASSERT_TRUE(text.is_sealed());
                    text.unseal();
                    break;
                }
            }
            ASSERT_EQ(text.origin(), origin) << "seed " << seed;
            ASSERT_EQ(text.encoded(), encoded) << "seed " << seed;
            ASSERT_EQ(text.ready(), ready) << "seed " << seed;
            ASSERT_EQ(text.raw(), all.size() - ready) << "seed " << seed;
            if (text.capacity() == 0) continue;
            ASSERT_EQ(std::string(reinterpret_cast<const char*>(text.bytes()), all.size()), all) << "seed " << seed;
            for (std::size_t i = 0; i < kScanPadding; ++i) ASSERT_EQ(text.bytes()[all.size() + i], 0) << "seed " << seed;
        }
    }
}

TEST(FedText, IsTheUtf8OfUtf16WhereverItIsCut) {
    const Kernel& kernel = *kernel_named("", 0);
    for (std::uint64_t seed = 0; seed < sample(2000, 100); ++seed) {
        Random random(seed);
        std::u16string units(random.below(60), u'a');
        for (char16_t& unit : units)
            unit = static_cast<char16_t>(random.one_in(2) ? 0xD800 + random.below(0x800) : random.below(0x3000));
        FedText text;
        text.restart(0);
        std::size_t at = 0;
        for (bool last = false; !last;) {
            const std::size_t length = random.below(units.size() - at + 1);
            last = at + length == units.size() && random.one_in(2);
            ASSERT_TRUE(text.feed_utf16(kernel, reinterpret_cast<const u16*>(units.data()) + at, length, last).ok());
            at += length;
        }
        ASSERT_EQ(std::string(reinterpret_cast<const char*>(text.bytes()), text.raw()), naive::utf8_of_utf16(units))
            << "seed " << seed;
        EXPECT_TRUE(text.is_last() && text.is_well_formed());
    }
}

TEST(FedText, RefusesTextItCannotHold) {
    FedText text;
    text.restart(0);
    const u8 byte = 'a';
    const u16 unit = 'a';
    EXPECT_EQ(text.feed_utf8(&byte, FedText::kMost + 1, false).code, CRAYON_TEXT_TOO_LONG);
    EXPECT_EQ(text.feed_utf16(*kernel_named("", 0), &unit, FedText::kMost / 3 + 1, false).code, CRAYON_TEXT_TOO_LONG);
    EXPECT_TRUE(text.feed_utf8(&byte, 1, true).ok());
    EXPECT_FALSE(text.is_well_formed());
}

}  // namespace
}  // namespace crayon::test::fed_text_test
