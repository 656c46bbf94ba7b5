// Longest-match cartridges that must be rejected: the handmade ones with one rule of cartridges/FORMAT.md broken.
#include "crayon/crayon.h"
#include "handmade_longest_match.h"
#include "rejected/rejections.h"

namespace crayon::test {

namespace {

using u32 = std::uint32_t;
enum Id : u32 {
    kTable = 0,
    kModel = 2,
    kViews = 3,
    kAdded = 4,
    kOffsets = 5,
    kBytes = 6,
    kTrie = 12,
    kJoinedBytes = 15,
    kUnmatched = 16
};
using Make = HandmadeCartridge();

class Recipe {
public:
    void field(const char* name, Id section, std::size_t offset, u32 value, Make make = make_handmade_longest_match) {
        change(
            name, section, section, offset, [&](Bytes& bytes) { put32(bytes, offset, value); }, make);
    }
    void change(const char* name, Id section, Id blamed, std::size_t offset, const std::function<void(Bytes&)>& change,
                Make make = make_handmade_longest_match) {
        HandmadeCartridge made = make();
        change(made.section(section).bytes);
        Bytes file = made.file();
        const std::size_t at = entry_of(file, blamed).offset + offset;
        list_.push_back({name, CRAYON_CORRUPT_STRUCTURE, blamed, at, std::move(file)});
    }
    void add(Rejection rejection) { list_.push_back(std::move(rejection)); }
    std::vector<Rejection> take() { return std::move(list_); }

private:
    std::vector<Rejection> list_;
};

void sections(Recipe& recipe) {
    for (u32 id : {1u, 2u, 3u, 4u, 5u, 6u, 12u, 15u, 16u}) {
        HandmadeCartridge made = make_handmade_longest_match();
        made.remove(id);
        recipe.add({"longest match without a section", CRAYON_MISSING_SECTION, id, 64 + 8 * 16, made.file()});
    }
    for (u32 id : {5u, 6u, 16u}) {
        HandmadeCartridge made = make_handmade_slim_longest_match();
        made.remove(id);
        recipe.add({"slim longest match without a section", CRAYON_MISSING_SECTION, id, 64 + 6 * 16, made.file()});
    }
    for (u32 id : {7u, 8u, 9u, 10u, 11u, 13u}) {
        const HandmadeSection table = make_handmade_cartridge().section(id);
        HandmadeCartridge full = make_handmade_longest_match(), slim = make_handmade_slim_longest_match();
        full.sections.push_back(table);
        slim.sections.push_back(table);
        recipe.add({"longest match with a table of BPE", CRAYON_CORRUPT_STRUCTURE, 0, 64 + 9 * 16, full.file()});
        recipe.add({"slim longest match with a table of BPE", CRAYON_CORRUPT_STRUCTURE, 0, 64 + 7 * 16, slim.file()});
    }
    HandmadeCartridge bpe = make_handmade_cartridge();
    bpe.sections.push_back(make_handmade_longest_match().section(15));
    recipe.add({"BPE with a table of longest match", CRAYON_CORRUPT_STRUCTURE, 0, 64 + 13 * 16, bpe.file()});
    for (u32 id : {20u, 21u}) {
        HandmadeCartridge made = make_handmade_longest_match();
        made.sections.push_back({id, 1, Bytes(4)});
        recipe.add({"longest match with an order of ids", CRAYON_CORRUPT_STRUCTURE, 0, 64 + 9 * 16, made.file()});
    }
}

void append32(Bytes& bytes, u32 value) {
    bytes.resize(bytes.size() + 4);
    put32(bytes, bytes.size() - 4, value);
}

// The compiler drops such a hole: in its output, the id would be outside the vocabulary.
void unmatched_last_hole(Recipe& recipe, Make make) {
    HandmadeCartridge made = make();
    Bytes& unmatched = made.section(kUnmatched).bytes;
    put32(made.section(kModel).bytes, 4, 6);
    append32(made.section(kOffsets).bytes, 5);
    put32(unmatched, 0, 2);
    append32(unmatched, 5);
    const Bytes file = made.file();
    recipe.add({"an unmatched hole after the last token", CRAYON_CORRUPT_STRUCTURE, kUnmatched,
                entry_of(file, kUnmatched).offset + 8, file});
}

void common(Recipe& recipe) {
    for (Make* make : {make_handmade_longest_match, make_handmade_slim_longest_match}) {
        recipe.field("an unknown model", kModel, 0, 7, make);
        recipe.field("no tokens", kModel, 4, 0, make);
        recipe.field("2^21 tokens", kModel, 4, 1 << 21, make);
        recipe.field("the longest token is longer", kModel, 8, 3, make);
        recipe.field("an unknown id that is none", kModel, 12, 5, make);
        recipe.field("an unknown id that is none, of bytes", kModel, 12, CRAYON_UNKNOWN_BYTES | 5, make);
        recipe.field("an unknown id of a hole", kModel, 12, 2, make);
        recipe.field("an unknown id of a hole, of bytes", kModel, 12, CRAYON_UNKNOWN_BYTES | 2, make);
        recipe.field("an unknown pretokenizer", kViews, 16, 12, make);
        recipe.field("a normalizer", kViews, 36, 1, make);
        recipe.field("ids that are reserved", kViews, 32, 0xFFFFFFF1, make);
        recipe.field("a descent of offsets", kOffsets, 8, 0, make);
        recipe.change(
            "a token of three bytes", kOffsets, kOffsets, 8, [](Bytes& offsets) { put32(offsets, 4, 0); }, make);
        recipe.field("more unmatched tokens than there are", kUnmatched, 0, 2, make);
        recipe.change(
            "an unmatched id that is none", kUnmatched, kUnmatched, 4, [](Bytes& ids) { put32(ids, 4, 5); }, make);
        recipe.field("an unmatched hole", kUnmatched, 4, 2, make);
        unmatched_last_hole(recipe, make);
        recipe.change(
            "an unmatched id twice", kUnmatched, kUnmatched, 8,
            [](Bytes& ids) {
                put32(ids, 0, 2);
                ids.resize(12);
                put32(ids, 8, 4);
            },
            make);
        recipe.change(
            "no count of unmatched tokens", kUnmatched, kUnmatched, 0, [](Bytes& ids) { ids.resize(3); }, make);
    }
    recipe.change(
        "two equal tokens", kUnmatched, kBytes, 0,
        [](Bytes& ids) {
            ids.resize(4);
            put32(ids, 0, 0);
        },
        make_handmade_slim_longest_match);
}

void tables(Recipe& recipe) {
    recipe.change("a trie without values", kTrie, kTrie, 4, [](Bytes& trie) {
        put32(trie, 4, 0);
        trie.resize(64 + 4 * 768);
    });
    recipe.field("a trie of no units", kTrie, 0, 0);
    recipe.field("a base after the units", kTrie, 64 + 4 * (256 ^ 'a'), 'a' | 1 << 9 | 768 << 10);
    recipe.field("a value that is no token", kTrie, 64 + 4 * (768 + (256 ^ 'a')), 5);
    recipe.field("a value where no token ends", kTrie, 64 + 4 * 767, 0x80000000);
    recipe.change("joined_bytes of too few bytes", kJoinedBytes, kJoinedBytes, 0,
                  [](Bytes& joined_bytes) { joined_bytes.resize(8191); });
    recipe.change("joined_bytes of too many bytes", kJoinedBytes, kJoinedBytes, 0,
                  [](Bytes& joined_bytes) { joined_bytes.resize(8193); });
}

}  // namespace

std::vector<Rejection> longest_match_rejections() {
    Recipe recipe;
    sections(recipe);
    common(recipe);
    tables(recipe);
    return recipe.take();
}

}  // namespace crayon::test
