// DNA cartridges that must be rejected: the handmade one with one rule of cartridges/FORMAT.md broken.
#include "crayon/crayon.h"
#include "handmade_dna.h"
#include "handmade_longest_match.h"
#include "rejected/rejections.h"
#include "section_numbers.h"

namespace crayon::test {

namespace {

using u32 = std::uint32_t;

class Recipe {
public:
    void field(const char* name, u32 section, std::size_t offset, u32 value) {
        change(name, section, offset, [&](HandmadeCartridge& made) { put32(made.section(section).bytes, offset, value); });
    }
    // `offset` in `section` is the position that the reader reports.
    void change(const char* name, u32 section, std::size_t offset, const std::function<void(HandmadeCartridge&)>& change) {
        HandmadeCartridge made = make_handmade_dna();
        change(made);
        Bytes file = made.file();
        const std::size_t at = entry_of(file, section).offset + offset;
        list_.push_back({name, CRAYON_CORRUPT_STRUCTURE, section, at, std::move(file)});
    }
    void add(Rejection rejection) { list_.push_back(std::move(rejection)); }
    std::vector<Rejection> take() { return std::move(list_); }

private:
    std::vector<Rejection> list_;
};

// Writes bytes of the 2-mers.
void to_bytes(Bytes& dna) {
    for (const auto& [at, value] : {std::pair<u32, u32>{0, 1}, {4, 1}, {8, 0}, {16, 0}, {56, 0}}) put32(dna, at, value);
    dna.erase(dna.begin() + 64 + 1024, dna.begin() + 64 + 1024 + 64);
}

void sections(Recipe& recipe) {
    for (u32 id : {1u, 2u, 3u, 4u, 5u, 6u, 17u}) {
        HandmadeCartridge made = make_handmade_dna();
        made.remove(id);
        recipe.add({"DNA without a section", CRAYON_MISSING_SECTION, id, 64 + 6 * 16, made.file()});
    }
    HandmadeCartridge made = make_handmade_dna(), other = make_handmade_longest_match();
    made.sections.push_back(other.section(16));
    recipe.add({"DNA with a table of longest match", CRAYON_CORRUPT_STRUCTURE, 0, 64 + 7 * 16, made.file()});
    other.sections.push_back(make_handmade_dna().section(17));
    recipe.add({"longest match with rules of DNA", CRAYON_CORRUPT_STRUCTURE, 0, 64 + 9 * 16, other.file()});
}

void rules(Recipe& recipe) {
    recipe.field("no unit", kDna, 0, 0);
    recipe.field("an unknown unit", kDna, 0, 4);
    recipe.field("no k", kDna, 4, 0);
    recipe.field("9-mers", kDna, 4, 9);
    recipe.field("three digits", kDna, 8, 3);
    recipe.field("six digits", kDna, 8, 6);
    recipe.field("a rule and a table", kDna, 12, 4);
    recipe.field("a table of another k", kDna, 16, 64);
    recipe.change("neither a rule nor a table", kDna, 12,
                  [](HandmadeCartridge& made) { put32(made.section(kDna).bytes, 16, 0); });
    recipe.change("a rule whose ids are too high", kDna, 12, [](HandmadeCartridge& made) {
        put32(made.section(kDna).bytes, 12, 5);
        put32(made.section(kDna).bytes, 16, 0);
    });
    recipe.field("k-mers with other ids at the start", kDna, 20, 256);
    recipe.field("a pad_id that is none", kDna, 24, 20);
    recipe.field("an unknown side", kDna, 28, 2);
    recipe.field("an unknown policy for lower case", kDna, 32, 3);
    recipe.field("an unknown policy for codes", kDna, 36, 3);
    recipe.field("N normalized", kDna, 40, 1);
    recipe.field("an unknown policy for N", kDna, 40, 3);
    recipe.field("an unknown tail", kDna, 44, 3);
    recipe.change("tails without a pad_id", kDna, 44, [](HandmadeCartridge& made) {
        put32(made.section(kDna).bytes, 24, 0xFFFFFFFF);
        put32(made.section(kDna).bytes, 44, 1);
    });
    recipe.field("65 ids before", kDna, 48, 65);
    recipe.field("65 ids after", kDna, 52, 65);
    recipe.change("a digit twice", kDna, 59, [](HandmadeCartridge& made) { made.section(kDna).bytes[59] = 'A'; });
    recipe.change("a digit after the last", kDna, 60, [](HandmadeCartridge& made) { made.section(kDna).bytes[60] = 'N'; });

    // In the handmade 2-mers, A and C have their own id, G and T have none.
    const auto with_words = [](HandmadeCartridge& made) {
        for (const char digit : {'G', 'T'}) put32(made.section(kDna).bytes, 64 + 4 * static_cast<std::size_t>(digit), 2);
        made.section(kDna).bytes[61] = 1;
    };
    recipe.change("an unknown rule for unknown bytes", kDna, 61,
                  [](HandmadeCartridge& made) { made.section(kDna).bytes[61] = 2; });
    recipe.change("words that digits are in", kDna, 61, [](HandmadeCartridge& made) { made.section(kDna).bytes[61] = 1; });
    recipe.change("words without an unknown id", kDna, 61, [&](HandmadeCartridge& made) {
        with_words(made);
        put32(made.section(kModel).bytes, 12, 0xFFFFFFFF);
    });
    recipe.change("words of 2-mers with stride 1", kDna, 61, [&](HandmadeCartridge& made) {
        with_words(made);
        put32(made.section(kDna).bytes, 0, 3);
    });
    recipe.change("words of bytes", kDna, 61, [&](HandmadeCartridge& made) {
        with_words(made);
        to_bytes(made.section(kDna).bytes);
    });
    recipe.change("a byte after the rules", kDna, 63, [](HandmadeCartridge& made) { made.section(kDna).bytes[63] = 1; });

    recipe.change("bytes with k 2", kDna, 4, [](HandmadeCartridge& made) {
        to_bytes(made.section(kDna).bytes);
        put32(made.section(kDna).bytes, 4, 2);
    });
    recipe.change("bytes with digits", kDna, 8, [](HandmadeCartridge& made) {
        to_bytes(made.section(kDna).bytes);
        put32(made.section(kDna).bytes, 8, 4);
    });
    recipe.change("bytes with a rule of k-mers", kDna, 12, [](HandmadeCartridge& made) {
        to_bytes(made.section(kDna).bytes);
        put32(made.section(kDna).bytes, 12, 4);
    });
    recipe.change("a part of the ids at the start", kDna, 20, [](HandmadeCartridge& made) {
        to_bytes(made.section(kDna).bytes);
        put32(made.section(kDna).bytes, 20, 4);
    });
}

void ids(Recipe& recipe) {
    recipe.field("an unknown id that is none", kModel, 12, 20);
    recipe.field("a pretokenizer", kViews, 16 + 8, 1);
    recipe.field("an id of a base that is none", kDna, 64 + 4 * 255, 20);
    recipe.field("an id of a 2-mer that is none", kDna, 64 + 1024 + 4 * 7, 0xFFFFFFFE);
    recipe.field("an id of the template that is none", kDna, 64 + 1024 + 64, 20);
    recipe.field("no id in the template", kDna, 64 + 1024 + 64, 0xFFFFFFFF);
    for (const std::size_t length :
         {std::size_t{0}, std::size_t{63}, std::size_t{64}, std::size_t{64 + 1024 + 64}, std::size_t{64 + 1024 + 72}}) {
        recipe.change("another length", kDna, 0, [&](HandmadeCartridge& made) { made.section(kDna).bytes.resize(length); });
    }
}

}  // namespace

std::vector<Rejection> dna_rejections() {
    Recipe recipe;
    sections(recipe);
    rules(recipe);
    ids(recipe);
    return recipe.take();
}

}  // namespace crayon::test
