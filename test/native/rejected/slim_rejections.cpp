// Slim files that must be rejected: the handmade one with one rule of cartridges/FORMAT.md §5.4 broken.
#include "crayon/crayon.h"
#include "rejected/rejections.h"

namespace crayon::test {

namespace {

using u32 = std::uint32_t;
constexpr u32 kMerges = 14, kHeader = 80, kRuns = 2, kRunBytes = 256, kMergeCount = 9;
constexpr u32 kLeft = kHeader + 12 * kRuns + kRunBytes, kRight = kLeft + kMergeCount, kLow = kRight + kMergeCount;

constexpr u32 kLastLeft = kLeft + kMergeCount - 1;

// Writes another index, 256…287, for the left half of the last merge. At the end of the stream, that half (32) has two
// low bits and the right one (195) four; now the left half has five.
void last_left(Bytes& section, u32 index) {
    u32 bits = 0;
    for (u32 at = kLeft; at < kLow; ++at) bits += section[at] < 16 ? 0 : section[at] / 8 - 1u;
    section[kLastLeft] = 48;
    for (u32 i = 0, at = bits - 6; i < 5; ++i, ++at) {
        std::uint8_t& byte = section[kLow + at / 8];
        byte = std::uint8_t((byte & ~(1u << at % 8)) | (index >> i & 1) << at % 8);
    }
}

class Recipe {
public:
    void change(const char* name, std::size_t blamed, const std::function<void(Bytes&)>& change) {
        HandmadeCartridge made = make_handmade_slim();
        change(made.section(kMerges).bytes);
        Bytes file = made.file();
        const std::size_t at = entry_of(file, kMerges).offset + blamed;
        list_.push_back({name, CRAYON_CORRUPT_STRUCTURE, kMerges, at, std::move(file)});
    }
    void field(const char* name, std::size_t offset, u32 value, std::size_t blamed) {
        change(name, blamed, [&](Bytes& section) { put32(section, offset, value); });
    }
    void byte(const char* name, std::size_t offset, std::uint8_t value, std::size_t blamed) {
        change(name, blamed, [&](Bytes& section) { section[offset] = value; });
    }
    void add(Rejection rejection) { list_.push_back(std::move(rejection)); }
    std::vector<Rejection> take() { return std::move(list_); }

private:
    std::vector<Rejection> list_;
};

void other_sections(Recipe& recipe) {
    for (u32 id = 1; id <= 4; ++id) {
        HandmadeCartridge made = make_handmade_slim();
        made.remove(id);
        recipe.add({"a slim file without a section", CRAYON_MISSING_SECTION, id, 64 + 4 * 16, made.file()});
    }
    for (u32 id = 5; id <= 13; ++id) {
        HandmadeCartridge made = make_handmade_slim();
        made.sections.push_back(make_handmade_cartridge().section(id));
        recipe.add({"a slim file with a table", CRAYON_CORRUPT_STRUCTURE, 0, 64 + 5 * 16, made.file()});
    }
    HandmadeCartridge both = make_handmade_cartridge();
    both.sections.push_back(make_handmade_slim().section(kMerges));
    recipe.add({"a file that is slim and full", CRAYON_CORRUPT_STRUCTURE, 0, 64 + 4 * 16, both.file()});
    HandmadeCartridge pretokenizer = make_handmade_slim();
    put32(pretokenizer.section(3).bytes, 16, 12);
    const Bytes file = pretokenizer.file();
    recipe.add({"a view of a slim file", CRAYON_CORRUPT_STRUCTURE, 3, entry_of(file, 3).offset + 16, file});
}

void header(Recipe& recipe) {
    recipe.change("merges without their header", 0, [](Bytes& section) { section.resize(kHeader - 1); });
    recipe.change("no merges at all", 0, [](Bytes& section) { section.clear(); });
    recipe.change("a byte too many", 0, [](Bytes& section) { section.push_back(0); });
    recipe.change("a byte too few", 0, [](Bytes& section) { section.pop_back(); });
    for (u32 field : {0u, 4u, 12u}) {
        recipe.field("4 G of something", field, 0xFFFFFFFF, 0);
        recipe.change("one of something less", 0, [&](Bytes& section) { put32(section, field, get32(section, field) - 1); });
    }
    recipe.field("4 G merges", 8, 0xFFFFFFFF, 8);
    recipe.field("a merge less than symbols", 8, kMergeCount - 1, 8);
    recipe.field("a class of 4 G", 20, 0xFFFFFFFF, 8);
    recipe.field("more bytes of tokens than allowed", 16, (1u << 26) + 1, 16);
    recipe.field("4 GB of tokens", 16, 0xFFFFFFFF, 16);
    recipe.field("reserved", 72, 1, 72);
    recipe.field("reserved", 76, 1, 76);
    recipe.change("a byte of tokens more than there are", 16, [](Bytes& section) { put32(section, 16, get32(section, 16) + 1); });
    recipe.change("a byte of tokens less", kLastLeft, [](Bytes& section) { put32(section, 16, get32(section, 16) - 1); });
}

void runs(Recipe& recipe) {
    constexpr u32 kFirst = kHeader, kHole = kHeader + 12;
    recipe.field("a run that is empty", kHole + 4, 0, kHole);
    recipe.field("a run beyond the tokens", kHole, kHandmadeTokens, kHole);
    recipe.field("a run over the end of the tokens", kHole + 4, kHandmadeTokens - 261 + 1, kHole);
    recipe.field("a run of 4 G", kHole + 4, 0xFFFFFFFF, kHole);
    recipe.field("a run inside the one before", kHole, 255, kHole);
    recipe.field("runs of more bytes than there are", kHole + 8, 1, kHole);
    recipe.field("a token longer than the longest", kHole + 8, kHandmadeLongest + 1, kHole);
    recipe.field("a token of 4 GB", kHole + 8, 0xFFFFFFFF, kHole);
    recipe.field("more single bytes than bytes", kFirst + 4, 257, kFirst);
    recipe.byte("a byte twice", kHeader + 12 * kRuns + 65, 64, 0);
    recipe.field("a first merge before the bytes", kFirst, 1, kLeft);
}

void symbols(Recipe& recipe) {
    recipe.byte("a symbol that is too great", kLeft, 152, kLeft);
    recipe.byte("the greatest symbol of 8 bits", kRight, 255, kRight);
    recipe.byte("an index beyond the tokens", kLeft, 151, kLeft);
    recipe.change("a token made of a hole", kLastLeft, [](Bytes& section) { last_left(section, 261); });
    recipe.change("a token made of itself", kLastLeft, [](Bytes& section) { last_left(section, 265); });
    recipe.change("the first index that is none", kLastLeft, [](Bytes& section) { last_left(section, 266); });
    recipe.change("low bits that nobody reads", kLow, [](Bytes& section) {
        section.push_back(0);
        put32(section, 12, get32(section, 12) + 1);
    });
    recipe.change("a bit after the low bits", kLow, [](Bytes& section) { section.back() |= 0x80; });
}

}  // namespace

std::vector<Rejection> slim_rejections() {
    Recipe recipe;
    other_sections(recipe);
    header(recipe);
    runs(recipe);
    symbols(recipe);
    return recipe.take();
}

}  // namespace crayon::test
