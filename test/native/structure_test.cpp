// Every file that opens is safe to use: damaged files of every form, whose tables contradict each other and the tokens, in every
// call of the C interface (run this under AddressSanitizer).
//
// Each case is a seed and a number. CRAYON_FUZZ_SEED and CRAYON_FUZZ_CASES override the values of regular runs (`npm run
// fuzz:structure` does that for any length of time), CRAYON_FUZZ_CASE selects a single one to reproduce.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>

#include "fuzz_setting.h"
#include "longest_match_vocabularies.h"
#include "share.h"
#include "structure/damage.h"
#include "structure/last_case.h"
#include "structure/use.h"

namespace crayon::test::structure_test {
namespace {

// Most cases take a millisecond; long texts with an endless trie, in WebAssembly or under a sanitizer, a second, and the whole
// budget of a pattern most of a minute. In processor time: a machine that pauses this process is not a fault of the engine.
constexpr double kMostSeconds = 120;

// A full run takes minutes. A share is for the sanitizers: other builds detect less in a damaged file.
#ifdef CRAYON_SANITIZED
constexpr std::uint64_t kMostOfAShare = 300;
#else
constexpr std::uint64_t kMostOfAShare = 100;
#endif
std::uint64_t cases_of_a_run() { return share() < 1 ? std::min(sample(48000), kMostOfAShare) : 48000; }

class Structure : public testing::TestWithParam<const char*> {
protected:
    // The refusal or the violated invariant; empty if the file opened and all hold.
    std::string run(const Original& original, std::uint64_t seed) {
        Random random(seed);
        const Damaged made = damaged(original, random);
        crayon_result result = {};
        crayon_cartridge* cartridge = nullptr;
        const std::uint32_t flags = made.has_checksum ? 0 : CRAYON_OPEN_NO_CHECKSUM;
        const std::uint32_t length = static_cast<std::uint32_t>(made.file.size());
        if (original.is_dat) {
            const TokenArrays list(made.tokens);
            const std::uint32_t count = static_cast<std::uint32_t>(made.list_offsets.size() - 1);
            crayon_cartridge_open_dat_bytes(made.file.data(), length, flags, list.data(), list.size(), made.list_offsets.data(),
                                            count, made.unknown_id, &cartridge, &result);
        } else {
            crayon_cartridge_open_bytes(made.file.data(), length, flags, &cartridge, &result);
        }
        std::string failure;
        if (result.status == CRAYON_OK) {
            ++opened_;
            failure = use(cartridge, original.tokens, random);
        } else if (cartridge) {
            failure = "a cartridge that was refused";
        } else if (result.status == CRAYON_OUT_OF_MEMORY) {
            failure = "out of memory";
        } else if (result.status == CRAYON_CORRUPT_STRUCTURE && result.position > made.file.size()) {
            failure = "a refusal outside the file: section " + std::to_string(result.section) + " at " +
                      std::to_string(result.position);
        }
        crayon_cartridge_release(cartridge);
        return failure;
    }

    std::uint64_t opened_ = 0;
};

TEST_P(Structure, EveryFileThatOpensIsSafeToUse) {
    const Original& original = original_named(GetParam());
    const std::uint64_t seed = fuzz_setting("CRAYON_FUZZ_SEED", 1), one = fuzz_setting("CRAYON_FUZZ_CASE", 0);
    const std::uint64_t first = one ? one : 1;
    const std::uint64_t cases = one ? 1 : fuzz_setting("CRAYON_FUZZ_CASES", cases_of_a_run());
    LastCase last_case(original.name, seed);
    for (std::uint64_t number = first; number < first + cases; ++number) {
        last_case.is(number);
        const std::clock_t began = std::clock();
        // Mixed twice: otherwise one seed would have the numbers of the next, shifted by one.
        const std::string failure = run(original, Random(Random(seed).next() + number).next());
        const double seconds = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
        ASSERT_EQ(failure, "") << last_case.again();
        ASSERT_LT(seconds, kMostSeconds) << last_case.again();
    }
    if (!one) {
        EXPECT_GT(opened_, cases / 8);  // otherwise this tests nothing
    }
    std::printf("%s: %llu of %llu opened\n", original.name.c_str(), static_cast<unsigned long long>(opened_),
                static_cast<unsigned long long>(cases));
}

INSTANTIATE_TEST_SUITE_P(Each, Structure, testing::ValuesIn(kOriginalNames),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace crayon::test::structure_test
