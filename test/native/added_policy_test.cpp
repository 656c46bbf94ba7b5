// Which added tokens a text may contain, compared with the definition of each policy, token by token and byte by byte.
#include "encode/added_policy.h"

#include "limits/splitter.h"
#include "share.h"
#include "vocabularies.h"

namespace crayon::test::added_policy_test {
namespace {

constexpr std::uint32_t kFirstId = 1000;

std::vector<AddedToken> random_tokens(Random& random) {
    std::vector<AddedToken> tokens;
    for (std::uint32_t id = kFirstId; id < kFirstId + 12; ++id) {
        if (random.one_in(4)) continue;
        std::uint32_t flags = random.one_in(2) ? CRAYON_ADDED_SPECIAL : 0;
        if (random.one_in(3)) flags |= CRAYON_ADDED_NORMALIZED;
        if (random.one_in(4)) flags |= CRAYON_ADDED_LSTRIP;
        if (random.one_in(4)) flags |= CRAYON_ADDED_RSTRIP;
        tokens.push_back({"<" + std::to_string(id) + ">", id, flags});
    }
    return tokens;
}

TEST(AddedPolicy, MatchesItsDefinition) {
    Random vocabulary_random(1);
    const Vocabulary vocabulary = random_vocabulary(vocabulary_random, "ab", 20);
    for (std::uint64_t seed = 0; seed < sample(300, 40); ++seed) {
        Random random(seed);
        const std::vector<AddedToken> tokens = random_tokens(random);
        Tokenizing own(compile(vocabulary, "cl100k", tokens));
        const Tokenizer& tokenizer = own.encoder()->encoder.tokenizer();
        AddedPolicy policy(tokenizer);
        u64 version = policy.version();
        for (std::size_t round = 0; round < 12; ++round) {
            const u32 special = static_cast<u32>(random.below(5));  // the last one: masked
            const bool is_masked = special == 4, has_list = is_masked || special == CRAYON_SPECIAL_LISTED;
            std::vector<u32> listed;
            for (const AddedToken& token : tokens) {
                if (has_list && random.one_in(3)) listed.push_back(token.id);
            }
            std::vector<u32> ranges;
            for (u32 at = 0, i = 0; is_masked && i < 6; ++i) ranges.push_back(at += static_cast<u32>(random.below(8)));
            ASSERT_TRUE((is_masked ? policy.choose_masked(listed, ranges) : policy.choose(special, listed)).ok())
                << "seed " << seed;
            ASSERT_GE(policy.version(), version);
            if (has_list) {
                ASSERT_GT(policy.version(), version) << "a list is read each time";
            }
            version = policy.version();
            ASSERT_EQ(policy.is_masked(), is_masked);

            bool finds[2] = {}, strips = false;
            for (std::size_t row = 0; row < tokenizer.view().added.size(); ++row) {
                const layout::AddedToken& token = tokenizer.view().added[row];
                const bool is_special = token.flags & layout::kSpecial;
                const bool is_listed = std::find(listed.begin(), listed.end(), token.id) != listed.end();
                AddedUse use = AddedUse::kAlways;
                if (is_masked ? is_special || is_listed : is_special && !is_listed) {
                    use = is_masked                                                             ? AddedUse::kControl
                          : special == CRAYON_SPECIAL_ALLOW || special == CRAYON_SPECIAL_FORBID ? AddedUse::kAlways
                                                                                                : AddedUse::kNever;
                }
                const bool is_late = token.flags & layout::kNormalized;
                ASSERT_EQ(policy.uses()[row], use) << "seed " << seed;
                ASSERT_EQ(policy.forbids(token), special == CRAYON_SPECIAL_FORBID && is_special);
                if (use == AddedUse::kNever) continue;
                finds[is_late] = true;
                strips = strips || ((token.flags & (layout::kLstrip | layout::kRstrip)) && !policy.forbids(token));
            }
            ASSERT_EQ(policy.finds_any(), finds[0] || finds[1]);
            ASSERT_EQ(policy.has_early(), finds[0]);
            ASSERT_EQ(policy.has_late(), finds[1]);
            ASSERT_EQ(policy.strips(), strips);
            for (std::size_t row = 0; row < tokenizer.view().added.size() && policy.has_stages(); ++row) {
                const bool is_late = tokenizer.view().added[row].flags & layout::kNormalized;
                ASSERT_EQ(policy.early_uses()[row], is_late ? AddedUse::kNever : policy.uses()[row]);
                ASSERT_EQ(policy.late_uses()[row], is_late ? policy.uses()[row] : AddedUse::kNever);
            }
            std::vector<bool> is_allowed(64);
            for (std::size_t i = 0; i < ranges.size(); i += 2)
                std::fill(is_allowed.begin() + ranges[i], is_allowed.begin() + ranges[i + 1], true);
            for (u64 begin = 0; is_masked && begin < 60; ++begin) {
                bool is_all = true;
                for (u64 end = begin + 1; end < 60; ++end) {
                    is_all = is_all && is_allowed[end - 1];
                    ASSERT_EQ(policy.allows(begin, end), is_all) << "seed " << seed << " at " << begin << ", " << end;
                }
            }
        }
    }
}

TEST(AddedPolicy, ReportsInvalidArguments) {
    Random random(1);
    Tokenizing own(compile(random_vocabulary(random, "ab", 20), "cl100k", {{"<a>", kFirstId}}));
    AddedPolicy policy(own.encoder()->encoder.tokenizer());
    EXPECT_EQ(policy.choose(CRAYON_SPECIAL_LISTED + 1, {}).code, CRAYON_INVALID_ARGUMENT);
    const u32 listed[] = {kFirstId, kFirstId + 1};
    const Status unknown = policy.choose(CRAYON_SPECIAL_LISTED, listed);
    EXPECT_EQ(unknown.code, CRAYON_UNKNOWN_SPECIAL);
    EXPECT_EQ(unknown.position, 1u);
    const u32 ranges[] = {0, 4, 3, 5};
    const Status overlapping = policy.choose_masked({}, ranges);
    EXPECT_EQ(overlapping.code, CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(overlapping.position, 1u);
    // Setting the same policy again changes nothing, except after a failure.
    ASSERT_TRUE(policy.choose(CRAYON_SPECIAL_ALLOW, {}).ok());
    const u64 version = policy.version();
    ASSERT_TRUE(policy.choose(CRAYON_SPECIAL_ALLOW, {}).ok());
    EXPECT_EQ(policy.version(), version);
    EXPECT_FALSE(policy.choose(CRAYON_SPECIAL_LISTED, listed).ok());
    ASSERT_TRUE(policy.choose(CRAYON_SPECIAL_ALLOW, {}).ok());
    EXPECT_GT(policy.version(), version);
}

}  // namespace
}  // namespace crayon::test::added_policy_test
