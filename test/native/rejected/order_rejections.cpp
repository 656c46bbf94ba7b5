// Files that must be rejected because of BPE's optional sections: ids by rank, ranks by id, unmatched tokens, templates, word
// characters, hidden tokens, and priorities.
#include <numeric>

#include "crayon/crayon.h"
#include "rejected/rejections.h"

namespace crayon::test {

namespace {

using u32 = std::uint32_t;
constexpr u32 kAdded = 4, kUnmatched = 16, kIds = 20, kRanks = 21, kTemplates = 22, kWords = 23, kHidden = 27, kPriorities = 28;

Bytes words(const std::vector<u32>& values) {
    Bytes bytes(4 * values.size());
    for (std::size_t i = 0; i < values.size(); ++i) put32(bytes, 4 * i, values[i]);
    return bytes;
}

std::vector<u32> same_order() {
    std::vector<u32> order(kHandmadeTokens);
    std::iota(order.begin(), order.end(), 0);
    return order;
}

Rejection refused(const char* name, HandmadeCartridge made, u32 section, std::size_t blamed) {
    const Bytes file = made.file();
    return {name, CRAYON_CORRUPT_STRUCTURE, section, entry_of(file, section).offset + blamed, file};
}

}  // namespace

std::vector<Rejection> order_rejections() {
    std::vector<Rejection> list;
    const auto with = [](HandmadeCartridge made, std::vector<std::pair<u32, std::vector<u32>>> sections) {
        for (auto& [id, values] : sections) made.sections.push_back({id, 1, words(values)});
        return made;
    };
    const std::vector<u32> same = same_order();
    const HandmadeCartridge full = make_handmade_cartridge(), slim = make_handmade_slim();
    list.push_back({"ids without ranks", CRAYON_MISSING_SECTION, kRanks, 64 + 14 * 16, with(full, {{kIds, same}}).file()});
    list.push_back({"ranks without ids", CRAYON_CORRUPT_STRUCTURE, 0, 64 + 13 * 16, with(full, {{kRanks, same}}).file()});
    list.push_back(
        {"a slim file with ranks", CRAYON_CORRUPT_STRUCTURE, 0, 64 + 6 * 16, with(slim, {{kIds, same}, {kRanks, same}}).file()});
    for (u32 id : {kIds, kRanks}) {
        std::vector<u32> others = same;
        const auto both = [&](const std::vector<u32>& changed) {
            return with(full, {{kIds, id == kIds ? changed : same}, {kRanks, id == kRanks ? changed : same}});
        };
        for (u32 value : {kHandmadeTokens, 0x80000000u, 0xFFFFFFFFu}) {
            others[100] = value;
            list.push_back(refused("an order with a number outside the vocabulary", both(others), id, 400));
        }
        others = same;
        others.pop_back();
        list.push_back(refused("an order that is too short", both(others), id, 0));
        others.resize(kHandmadeTokens + 1);
        list.push_back(refused("an order that is too long", both(others), id, 0));
    }
    for (u32 value : {101u, kHandmadeTokens, 0xFFFFFFFFu}) {
        std::vector<u32> others = same;
        others[100] = value;
        list.push_back(refused("ids of a slim file that are no order", with(slim, {{kIds, others}}), kIds, 0));
    }
    for (const HandmadeCartridge& made : {full, slim}) {
        const bool is_slim = made.sections.size() < 10;
        list.push_back(refused("fewer unmatched tokens than there are", with(made, {{kUnmatched, {2, 256}}}), kUnmatched, 0));
        list.push_back(refused("unmatched tokens that descend", with(made, {{kUnmatched, {2, 257, 256}}}), kUnmatched, 8));
        list.push_back(
            refused("an unmatched id outside the vocabulary", with(made, {{kUnmatched, {1, kHandmadeTokens}}}), kUnmatched, 4));
        if (is_slim) list.push_back(refused("an unmatched byte", with(made, {{kUnmatched, {1, 97}}}), kUnmatched, 0));
    }
    for (const HandmadeCartridge& made : {full, slim}) {
        const auto templates = [&](const std::vector<u32>& values) { return with(made, {{kTemplates, values}}); };
        list.push_back(refused("templates of one view of two", templates({0, 0}), kTemplates, 0));
        list.push_back(refused("an id fewer than the templates have", templates({1, 0, 1, 1, 5, 6}), kTemplates, 8));
        list.push_back(refused("an id more than the templates have", templates({1, 0, 0, 0, 5, 6}), kTemplates, 20));
        list.push_back(refused("4 G ids", templates({0xFFFFFFFF, 0xFFFFFFFF, 0, 0}), kTemplates, 0));
        list.push_back(refused("an id outside the vocabulary", templates({0, 1, 0, 1, 266, 268}), kTemplates, 20));
    }
    for (HandmadeCartridge made : {full, slim}) {
        const std::size_t end = 64 + 16 * made.sections.size();
        list.push_back(
            {"words that no token depends on", CRAYON_CORRUPT_STRUCTURE, 0, end, with(made, {{kWords, {1, 97, 122}}}).file()});
        // Single words are of the general path.
        put32(made.section(kAdded).bytes, 8 + 12, 16);
        list.push_back(refused("a token that is a single word", made, kAdded, 8 + 12));
    }
    for (const HandmadeCartridge& made : {full, slim}) {
        const auto hidden = [&](const std::vector<u32>& values) { return with(made, {{kHidden, values}}); };
        list.push_back(refused("hidden tokens without flags", hidden({kHandmadeTokens, 0, 0}), kHidden, 0));
        list.push_back(refused("only hidden tokens", hidden({0, 0, 0, 0}), kHidden, 0));
        list.push_back(refused("more visible tokens than there are", hidden({kHandmadeTokens + 1, 0, 0, 0}), kHidden, 0));
        list.push_back(refused("an unknown id that is hidden", hidden({256, 256, 0, 0}), kHidden, 4));
        list.push_back(refused("an unknown flag of hidden tokens", hidden({kHandmadeTokens, 0, 128, 0}), kHidden, 8));
        list.push_back(refused("words of hidden tokens that are split", hidden({kHandmadeTokens, 0, 66, 0}), kHidden, 8));
        list.push_back(refused("characters that are dropped and unknown", hidden({kHandmadeTokens, 0, 32, 0}), kHidden, 8));
        list.push_back(
            refused("characters that are dropped beside bytes", hidden({kHandmadeTokens, 0xFFFFFFFF, 36, 0}), kHidden, 8));
        for (const u32 count : {0u, kHandmadeTokens - 1, kHandmadeTokens + 1}) {
            const HandmadeCartridge changed = with(made, {{kPriorities, std::vector<u32>(count, 7)}});
            list.push_back(refused("priorities of another number of tokens", changed, kPriorities, 0));
        }
        list.push_back(refused("hidden tokens with a reserved word", hidden({kHandmadeTokens, 0, 0, 1}), kHidden, 12));
    }
    return list;
}

}  // namespace crayon::test
