#include "rejected/rejections.h"

#include <algorithm>

#include "crayon/crayon.h"
#include "section_numbers.h"

namespace crayon::test {

namespace {

using u32 = std::uint32_t;

using Id = SectionNumber;
constexpr Id kTable = Id{0}, kLast = kCrossings, kUnknown = Id{4000};
constexpr u32 kNone = 0xFFFFFFFF;

class Recipe {
public:
    // Overwrites a 32-bit field at `offset` of a section (of the file, for kTable). The refusal names that position.
    void field(const char* name, Id section, std::size_t offset, u32 value, u32 status = CRAYON_CORRUPT_STRUCTURE) {
        Bytes file = valid_;
        const std::size_t at = start_of(section) + offset;
        put32(file, at, value);
        add(name, status, section, at, file);
    }
    // Likewise, if the refusal names another position.
    void field_blamed_on(const char* name, Id section, std::size_t offset, u32 value, Id blamed, std::size_t blamed_offset) {
        Bytes file = valid_;
        put32(file, start_of(section) + offset, value);
        add(name, CRAYON_CORRUPT_STRUCTURE, blamed, start_of(blamed) + blamed_offset, file);
    }
    void byte(const char* name, std::size_t at, Id section = kTable) {
        Bytes file = valid_;
        file[at] = 1;
        add(name, CRAYON_CORRUPT_STRUCTURE, section, at, file);
    }
    // Another set of sections in a valid layout. The refusal's position is computed from that file.
    void sections(const char* name, u32 status, Id section, const std::function<void(HandmadeCartridge&)>& change,
                  const std::function<std::size_t(const Bytes&)>& position) {
        HandmadeCartridge made = make_handmade_cartridge();
        change(made);
        Bytes file = made.file();
        const std::size_t at = position(file);
        add(name, status, section, at, file);
    }
    // A section's bytes, lengthened or shortened.
    void resized(const char* name, Id section, int bytes, std::size_t offset = 0) {
        sections(
            name, CRAYON_CORRUPT_STRUCTURE, section,
            [&](HandmadeCartridge& made) {
                Bytes& content = made.section(section).bytes;
                content.resize(content.size() + std::size_t(bytes));
            },
            [&](const Bytes& file) { return entry_of(file, section).offset + offset; });
    }
    void add(const char* name, u32 status, u32 section, std::size_t position, Bytes file) {
        if (file.size() >= 64) seal(file);
        list_.push_back({name, status, section, position, std::move(file)});
    }

    const Bytes& valid() const { return valid_; }
    std::size_t row(Id section) const { return entry_of(valid_, section).row; }
    std::size_t length(Id section) const { return entry_of(valid_, section).length; }
    std::size_t start_of(Id section) const { return section == kTable ? 0 : entry_of(valid_, section).offset; }
    // Offset, in its section, of a hash table's first entry.
    std::size_t entries(Id section) const { return 64 + (get32(valid_, start_of(section) + 12) + 63) / 64 * 64; }
    std::vector<Rejection> take() { return std::move(list_); }

private:
    const Bytes valid_ = make_handmade_cartridge().file();
    std::vector<Rejection> list_;
};

void header(Recipe& recipe) {
    const Bytes& valid = recipe.valid();
    recipe.add("empty", CRAYON_NOT_A_CARTRIDGE, 0, 0, {});
    recipe.add("three bytes", CRAYON_NOT_A_CARTRIDGE, 0, 0, Bytes(valid.begin(), valid.begin() + 3));
    recipe.add("text", CRAYON_NOT_A_CARTRIDGE, 0, 0, Bytes(1000, 'x'));
    recipe.add("version 2, empty trie", CRAYON_UNSUPPORTED_VERSION, 0, 4, {'C', 'R', 'A', 'Y', 2, 0, 0, 0, 0, 0, 0, 0});
    recipe.field("magic", kTable, 0, 0x59415244, CRAYON_NOT_A_CARTRIDGE);
    recipe.field("more bytes than the header says", kTable, 16, u32(valid.size() - 1));
    recipe.field("version 2", kTable, 4, 2, CRAYON_UNSUPPORTED_VERSION);
    recipe.field("version 4", kTable, 4, 4, CRAYON_UNSUPPORTED_VERSION);
    recipe.field("an older minor", kTable, 12, 3 | kLast << 16, CRAYON_UNSUPPORTED_VERSION);
    recipe.field("a newer minor", kTable, 12, 10 | kLast << 16, CRAYON_UNSUPPORTED_VERSION);
    recipe.field("the zero of version 2", kTable, 8, 1);
    for (std::size_t at = 32; at < 64; ++at) recipe.byte("reserved bytes of the header", at);

    Bytes longer = valid;
    put64(longer, 16, valid.size() + 1);
    recipe.add("fewer bytes than the header says", CRAYON_TRUNCATED, 0, valid.size(), longer);
    put64(longer, 16, ~std::uint64_t{0});
    recipe.add("a length of 2^64 - 1", CRAYON_TRUNCATED, 0, valid.size(), longer);
    put64(longer, 16, std::uint64_t{1} << 32 | valid.size());
    recipe.add("4 GB more than there are", CRAYON_TRUNCATED, 0, valid.size(), longer);

    auto section_count = [&](const char* name, Bytes file, std::uint16_t count, std::size_t position) {
        put16(file, 14, count);
        recipe.add(name, CRAYON_CORRUPT_STRUCTURE, kTable, position, file);
    };
    section_count("zero sections", valid, 0, 14);
    section_count("65 sections", valid, 65, 14);
    section_count("65535 sections", valid, 65535, 14);
    section_count("a row more than there are, which is padding", valid, kLast + 1, 64 + kLast * 16);
    section_count("a row less than there are, so that the first section starts too late", valid, kLast - 1, 64 + 8);
    HandmadeCartridge sixteen = make_handmade_cartridge();  // its table ends at 320, where its first section starts
    for (u32 id = kUnknown; sixteen.sections.size() < 16; ++id) sixteen.sections.push_back({id, 0, Bytes()});
    section_count("a row less than there are, which becomes padding", sixteen.file(), 15, 64 + 15 * 16);
    section_count("a row more than there are, so that the first section starts too early", sixteen.file(), 17, 64 + 8);
    Bytes small(valid.begin(), valid.begin() + 128);
    put64(small, 16, small.size());
    recipe.add("a table beyond the end", CRAYON_CORRUPT_STRUCTURE, 0, 14, small);
}

void table(Recipe& recipe) {
    const Bytes& valid = recipe.valid();
    recipe.field("section id 0", kTable, recipe.row(kLast), 0);
    recipe.field("a section twice", kTable, recipe.row(kLast), kModel);
    recipe.field("an unknown flag", kTable, recipe.row(kModel) + 4, 3);
    recipe.field("a misaligned section", kTable, recipe.row(kViews) + 8, u32(recipe.start_of(kViews) + 4));
    recipe.field("overlapping sections", kTable, recipe.row(kViews) + 8, u32(recipe.start_of(kModel)));
    recipe.field("a section over the table", kTable, recipe.row(kMetadata) + 8, 64);
    recipe.field("a gap between sections", kTable, recipe.row(kLast) + 8, u32(recipe.start_of(kLast) + 64));
    recipe.field("a section of 4 GB", kTable, recipe.row(kLast) + 12, kNone);
    recipe.field("a section of 4 GB in the middle", kTable, recipe.row(kModel) + 12, kNone);
    recipe.field("a section past the end", kTable, recipe.row(kLast) + 12, u32(recipe.length(kLast) + 1));
    recipe.field("a last section that ends early", kTable, recipe.row(kLast) + 12, u32(recipe.length(kLast) - 4));
    recipe.field("an offset of 4 GB - 64", kTable, recipe.row(kLast) + 8, 0xFFFFFFC0);
    for (const SectionEntry& entry : section_entries(valid)) {
        const std::size_t end = entry.offset + entry.length;
        if (end % 64 != 0 && end < valid.size()) recipe.byte("padding after a section", end);
    }
    recipe.byte("padding after the table, first", 64 + kLast * 16);
    recipe.byte("padding after the table, last", recipe.start_of(kMetadata) - 1);

    // Rows out of order.
    Bytes swapped = valid;
    for (std::size_t i = 0; i < 16; ++i) std::swap(swapped[recipe.row(kModel) + i], swapped[recipe.row(kViews) + i]);
    recipe.add("rows out of order", CRAYON_CORRUPT_STRUCTURE, 0, recipe.row(kModel) + 8, swapped);

    for (u32 id = kMetadata; id <= kLast; ++id) {
        recipe.sections(
            "a missing section", CRAYON_MISSING_SECTION, Id(id), [&](HandmadeCartridge& made) { made.remove(id); },
            [](const Bytes&) { return 64 + (kLast - 1) * 16; });
    }
    recipe.sections(
        "a section nobody knows, to be understood", CRAYON_UNKNOWN_SECTION, kUnknown,
        [](HandmadeCartridge& made) {
            made.sections.push_back({kUnknown, 1, Bytes(10)});
        },
        [](const Bytes&) { return 64 + kLast * 16; });
    for (u32 id = kMetadata; id <= kLast; ++id) {
        // The offsets report the bytes' length at their own last element, and so do the token bytes.
        const bool bytes = id == kTokenBytes;
        recipe.sections(
            "an empty section", CRAYON_CORRUPT_STRUCTURE, bytes ? kOffsets : Id(id),
            [&](HandmadeCartridge& made) { made.section(id).bytes.clear(); },
            [&](const Bytes& file) {
                return bytes ? entry_of(file, kOffsets).offset + 4 * kHandmadeTokens : entry_of(file, id).offset;
            });
    }
}

// Sections at the end of the file, where a reader that trusts their counts would read out of bounds.
void ends_of_file(Recipe& recipe) {
    for (u32 id = kMetadata; id <= kLast; ++id) {
        const bool bytes = id == kTokenBytes;
        for (std::size_t length : {0, 1, 4, 7}) {
            recipe.sections(
                "a last section cut short", CRAYON_CORRUPT_STRUCTURE, bytes ? kOffsets : Id(id),
                [&](HandmadeCartridge& made) {
                    HandmadeSection section = made.section(id);
                    made.remove(id);
                    section.bytes.resize(length);
                    made.sections.push_back(section);
                },
                [&](const Bytes& file) {
                    return bytes ? entry_of(file, kOffsets).offset + 4 * kHandmadeTokens : entry_of(file, id).offset;
                });
        }
    }
}

void model(Recipe& recipe) {
    recipe.byte("metadata that is not an object", recipe.start_of(kMetadata), kMetadata);
    recipe.field("an unknown model", kModel, 0, 7);
    recipe.field("model 0", kModel, 0, 0);
    recipe.field("fewer tokens than bytes", kModel, 4, 255);
    recipe.field("more tokens than pair slots can name", kModel, 4, (1u << 21));
    recipe.field("token count of 4 G", kModel, 4, kNone);
    recipe.field_blamed_on("a token more than there are", kModel, 4, kHandmadeTokens + 1, kOffsets, 0);
    recipe.field_blamed_on("a token less than there are", kModel, 4, kHandmadeTokens - 1, kOffsets, 0);
    recipe.field("longest token 0", kModel, 8, 0);
    recipe.field("longest token above 65535", kModel, 8, 65536);
    recipe.field("longest token longer than any", kModel, 8, kHandmadeLongest + 1);
    recipe.field_blamed_on("a token longer than the longest", kModel, 8, kHandmadeLongest - 1, kOffsets, 4 * 261);
    recipe.field("unknown id of BPE", kModel, 12, 1);
    recipe.resized("a longer model", kModel, 4);
    recipe.resized("a shorter model", kModel, -4);
}

void views(Recipe& recipe) {
    recipe.field_blamed_on("no views", kViews, 0, 0, kViews, 0);
    recipe.sections(
        "no views, and a section that is as long as that says", CRAYON_CORRUPT_STRUCTURE, kViews,
        [](HandmadeCartridge& made) {
            made.section(kViews).bytes.assign(8, 0);
            made.section(kAdded).bytes.assign(8, 0);
        },
        [](const Bytes& file) { return entry_of(file, kViews).offset; });
    recipe.field_blamed_on("4 G views", kViews, 0, kNone, kViews, 0);
    recipe.sections(
        "4097 views", CRAYON_CORRUPT_STRUCTURE, kViews,
        [](HandmadeCartridge& made) {
            Bytes &views = made.section(kViews).bytes, &added = made.section(kAdded).bytes;
            const Bytes first(views.begin() + 8, views.begin() + 40);
            views.assign(8, 0);
            for (u32 i = 0; i < 4097; ++i) {
                views.insert(views.end(), first.begin(), first.end());
                put32(views, 8 + 32 * i, i);
                put32(views, 8 + 32 * i + 4, 1);
                put32(views, 8 + 32 * i + 20, 0);
            }
            put32(views, 0, 4097);
            put32(views, 4, 4097);
            views.resize(views.size() + 4097, 'v');
            added.assign(8, 0);
        },
        [](const Bytes& file) { return entry_of(file, kViews).offset; });
    recipe.sections(
        "names that share their bytes", CRAYON_CORRUPT_STRUCTURE, kViews,
        [](HandmadeCartridge& made) {
            put32(made.section(kViews).bytes, 8 + 32, 0);
            put32(made.section(kViews).bytes, 8 + 32 + 4, 6);
        },
        [](const Bytes& file) { return entry_of(file, kViews).offset + 8 + 32 + 4; });
    recipe.field_blamed_on("4 GB of strings", kViews, 4, kNone, kViews, 0);
    recipe.resized("bytes after the strings of the views", kViews, 1);
    recipe.field("a name beyond the strings", kViews, 8, 14);
    recipe.field("a name at 4 GB", kViews, 8, kNone);
    recipe.field_blamed_on("a name of 4 GB", kViews, 12, kNone, kViews, 8);
    recipe.field_blamed_on("a name of no bytes", kViews, 12, 0, kViews, 8);
    recipe.field("pretokenizer 0", kViews, 16, 0);
    recipe.field("an unknown pretokenizer", kViews, 16, 12);
    recipe.sections(
        "a pattern that is missing", CRAYON_MISSING_SECTION, kPattern,
        [](HandmadeCartridge& made) { put32(made.section(kViews).bytes, 16, 6); }, [](const Bytes&) { return 64 + kLast * 16; });
    recipe.sections(
        "a pattern that no view has", CRAYON_CORRUPT_STRUCTURE, kTable,
        [](HandmadeCartridge& made) {
            made.sections.push_back({kPattern, 1, Bytes(64)});
        },
        [](const Bytes&) { return 64 + kLast * 16; });
    recipe.field("another Unicode table", kViews, 20, 0x0F00);
    recipe.field("added tokens that are not the next", kViews, 24, 1);
    recipe.field("added tokens of the view before", kViews, 8 + 32 + 16, 0);
    recipe.field("more added tokens than there are", kViews, 8 + 32 + 20, 3);
    recipe.field("4 G added tokens", kViews, 8 + 32 + 20, kNone);
    recipe.field_blamed_on("an added token that no view has", kViews, 8 + 32 + 20, 1, kAdded, 8 + 2 * 16);
    recipe.field("a vocabulary smaller than the model", kViews, 32, kHandmadeTokens - 1);
    recipe.field("vocabulary size 0", kViews, 32, 0);
    recipe.field_blamed_on("an added id outside the vocabulary", kViews, 32, kHandmadeTokens, kAdded, 8 + 8);
    recipe.field("an unknown normalizer", kViews, 36, 3);
    recipe.sections(
        "normalized with whitespace, and a normalizer", CRAYON_CORRUPT_STRUCTURE, kAdded,
        [](HandmadeCartridge& made) {
            put32(made.section(kViews).bytes, 8 + 28, 1);
            put32(made.section(kAdded).bytes, 8 + 12, 2 + 4);
        },
        [](const Bytes& file) { return entry_of(file, kAdded).offset + 8 + 12; });
    recipe.field("an unknown flag of an added token", kAdded, 8 + 12, 64);
    recipe.field("the highest flag of an added token", kAdded, 8 + 12, 0x80000000);

    recipe.field_blamed_on("4 G added rows", kAdded, 0, kNone, kAdded, 0);
    recipe.field_blamed_on("4 GB of added strings", kAdded, 4, kNone, kAdded, 0);
    recipe.resized("bytes after the strings of the added tokens", kAdded, 1);
    recipe.field("an added token beyond the strings", kAdded, 8, 8);
    recipe.field_blamed_on("an added token of 4 GB", kAdded, 12, kNone, kAdded, 8);
    recipe.field("an added token of no bytes", kAdded, 12, 0);
    recipe.field("an added id of 4 G", kAdded, 16, kNone);
    recipe.sections(
        "added tokens of a view that share their bytes", CRAYON_CORRUPT_STRUCTURE, kAdded,
        [](HandmadeCartridge& made) {
            put32(made.section(kAdded).bytes, 8 + 2 * 16, 0);
            put32(made.section(kAdded).bytes, 8 + 2 * 16 + 4, 8);
        },
        [](const Bytes& file) { return entry_of(file, kAdded).offset + 8 + 2 * 16 + 4; });
    recipe.sections(
        "an added token of 1025 bytes", CRAYON_CORRUPT_STRUCTURE, kAdded,
        [](HandmadeCartridge& made) {
            Bytes& added = made.section(kAdded).bytes;
            put32(added, 8, get32(added, 4));
            put32(added, 8 + 4, 1025);
            put32(added, 4, get32(added, 4) + 1025);
            added.resize(added.size() + 1025, 'x');
        },
        [](const Bytes& file) { return entry_of(file, kAdded).offset + 8 + 4; });
    recipe.field("a sorted row of another view", kAdded, 8 + 3 * 16, 1);
    recipe.field("a sorted row of 4 G", kAdded, 8 + 3 * 16, kNone);
    recipe.field_blamed_on("sorted rows that descend", kAdded, 8 + 3 * 16 + 4, 1, kAdded, 8 + 3 * 16 + 8);
    recipe.field_blamed_on("added tokens of a view that are equal", kAdded, 8 + 2 * 16, 0, kAdded, 8 + 3 * 16 + 8);
    recipe.field("a sorted row twice", kAdded, 8 + 3 * 16 + 8, 0);
    recipe.field("added ids that descend", kAdded, 8 + 2 * 16 + 8, kHandmadeTokens - 1);
}

void tokens(Recipe& recipe) {
    recipe.field("offsets that start late", kOffsets, 0, 1);
    recipe.field("offsets that descend", kOffsets, 4 * 100, 98);
    recipe.field_blamed_on("an offset past the bytes", kOffsets, 4 * 262, 10000, kOffsets, 4 * 262);
    recipe.field("an offset of 2 GB", kOffsets, 4 * 100, 0x80000000);
    recipe.field("an offset of 4 GB", kOffsets, 4 * 100, kNone);
    recipe.field("offsets that end early", kOffsets, 4 * kHandmadeTokens, u32(recipe.length(kTokenBytes) - 1));
    recipe.resized("an offset too many", kOffsets, 4);
    recipe.resized("an offset too few", kOffsets, -4);
    recipe.sections(
        "token bytes after the last offset", CRAYON_CORRUPT_STRUCTURE, kOffsets,
        [](HandmadeCartridge& made) { made.section(kTokenBytes).bytes.push_back(0); },
        [](const Bytes& file) { return entry_of(file, kOffsets).offset + 4 * kHandmadeTokens; });
    recipe.sections(
        "a token of 65536 bytes", CRAYON_CORRUPT_STRUCTURE, kModel,
        [](HandmadeCartridge& made) {
            Bytes& offsets = made.section(kOffsets).bytes;
            const u32 begin = get32(offsets, 4 * (kHandmadeTokens - 1));
            put32(offsets, 4 * kHandmadeTokens, begin + 65536);
            made.section(kTokenBytes).bytes.resize(begin + 65536);
            put32(made.section(kModel).bytes, 8, 65536);
        },
        [](const Bytes& file) { return entry_of(file, kModel).offset + 8; });
    // No token is too long and none ends before it begins, but the ends leave the bytes, exceed 2^32 and wrap around.
    recipe.sections(
        "offsets that go round", CRAYON_CORRUPT_STRUCTURE, kOffsets,
        [](HandmadeCartridge& made) {
            Bytes& offsets = made.section(kOffsets).bytes;
            const u32 last = u32(made.section(kTokenBytes).bytes.size());
            offsets.resize(4 * 257);
            std::uint64_t end = 256;
            const std::uint64_t around = (std::uint64_t{1} << 32) + last;
            while (end < around) {
                end = std::min<std::uint64_t>(end + 65535, around);
                offsets.resize(offsets.size() + 4);
                put32(offsets, offsets.size() - 4, u32(end));
            }
            const u32 tokens = u32(offsets.size() / 4 - 1);
            put32(made.section(kModel).bytes, 4, tokens);
            put32(made.section(kModel).bytes, 8, 65535);
            Bytes& splits = made.section(kSplits).bytes;
            splits.resize(8 * tokens);
            for (u32 i = 0; i < 2 * tokens; ++i) put32(splits, 4 * i, i / 2);
            Bytes& views = made.section(kViews).bytes;
            for (std::size_t row : {8, 40}) put32(views, row + 24, tokens);
        },
        [](const Bytes& file) { return entry_of(file, kOffsets).offset + 4 * 257; });
}

// Rules common to all hash tables, and rules of their entries.
void hash_tables(Recipe& recipe) {
    for (Id id : {kPieces8, kPieces24, kPiecesLong, kPairs}) {
        const u32 slots = get32(recipe.valid(), recipe.start_of(id) + 16);
        const u32 buckets = get32(recipe.valid(), recipe.start_of(id) + 12);
        recipe.field("more keys than slots", id, 8, slots + 1);
        recipe.field("no buckets", id, 12, 0);
        recipe.field_blamed_on("4 G buckets", id, 12, kNone, id, 0);
        recipe.field("no slots", id, 16, 0);
        recipe.field_blamed_on("a slot more", id, 16, slots + 1, id, 0);
        recipe.field_blamed_on("4 G slots", id, 16, kNone, id, 0);
        recipe.field("entries of another size", id, 20, 8);
        recipe.field("entries of no size", id, 20, 0);
        recipe.byte("reserved of a hash table, first", recipe.start_of(id) + 24, id);
        recipe.byte("reserved of a hash table, last", recipe.start_of(id) + 63, id);
        recipe.resized("bytes after the entries", id, 4);
        recipe.resized("an entry cut short", id, -4);
        if (buckets % 64 != 0) {
            recipe.byte("padding after the pilots, first", recipe.start_of(id) + 64 + buckets, id);
            recipe.byte("padding after the pilots, last", recipe.start_of(id) + recipe.entries(id) - 1, id);
        }
    }
    // The refusal names the entry, not the field in it.
    const std::size_t piece8 = recipe.entries(kPieces8) + 16 * 100, piece24 = recipe.entries(kPieces24) + 32 * 2;
    recipe.field_blamed_on("a short piece with an id outside the vocabulary", kPieces8, piece8 + 8, kHandmadeTokens, kPieces8,
                           piece8);
    recipe.field_blamed_on("a short piece with id 4 G", kPieces8, piece8 + 8, kNone, kPieces8, piece8);
    recipe.field_blamed_on("a short piece of 9 bytes", kPieces8, piece8 + 12, 9, kPieces8, piece8);
    recipe.field_blamed_on("a short piece of 4 GB", kPieces8, piece8 + 12, kNone, kPieces8, piece8);
    recipe.field_blamed_on("a middle piece with an id outside the vocabulary", kPieces24, piece24 + 24, kHandmadeTokens,
                           kPieces24, piece24);
    recipe.field_blamed_on("a middle piece with id 2 G", kPieces24, piece24 + 24, 0x80000000, kPieces24, piece24);
    for (u32 length : {1u, 8u, 25u, 32u, 41u, 256u, 0x80000010u, kNone}) {
        recipe.field_blamed_on("a middle piece of another length", kPieces24, piece24 + 28, length, kPieces24, piece24);
    }
    for (u32 id : {kHandmadeTokens, 0x7FFFFFFFu, 0x80000000u, kNone - 1}) {
        recipe.field("a long piece with an id outside the vocabulary", kPiecesLong, recipe.entries(kPiecesLong) + 4, id);
    }
    for (u32 slot : {kHandmadeTokens, (1u << 21) - 1, kHandmadeTokens | 5u << 21, kNone - 1}) {
        recipe.field("a pair with an id outside the vocabulary", kPairs, recipe.entries(kPairs) + 4 * 3, slot);
    }
    // Each byte must be a token: remove the entry of byte 0 (or the one in its slot).
    for (u32 byte : {0u, u32{'a'}, 255u}) {
        Bytes file = recipe.valid();
        for (std::size_t at = recipe.start_of(kPieces8) + recipe.entries(kPieces8);; at += 16) {
            if (get32(file, at) != byte || get32(file, at + 4) != 0 || get32(file, at + 12) != 1) continue;
            put32(file, at + 12, 0);
            recipe.add("a byte that is no token", CRAYON_CORRUPT_STRUCTURE, kPieces8, at, file);
            put32(file, at + 12, 1);
            for (u32 id : {256u, byte ^ 1, 261u}) {
                put32(file, at + 8, id);
                recipe.add("a byte that is another token", CRAYON_CORRUPT_STRUCTURE, kPieces8, at, file);
            }
            put32(file, at + 8, byte);
            put32(file, at, byte | 0x100);
            recipe.add("a byte whose entry has another key", CRAYON_CORRUPT_STRUCTURE, kPieces8, at, file);
            break;
        }
    }
}

void splits_and_trie(Recipe& recipe) {
    recipe.field("a token split into itself and another", kSplits, 8 * 257, 257);
    recipe.field_blamed_on("a token split into another and itself", kSplits, 8 * 257 + 4, 257, kSplits, 8 * 257);
    recipe.field("a cycle of splits", kSplits, 8 * 257, 258);
    recipe.field_blamed_on("a split whose right half comes later", kSplits, 8 * 257 + 4, 258, kSplits, 8 * 257);
    recipe.field("a split into the token after the last", kSplits, 8 * 262, kHandmadeTokens);
    recipe.field("a split into 4 G", kSplits, 8 * 257, kNone);
    recipe.field("token 0 split", kSplits, 0, 1);
    recipe.resized("a split too many", kSplits, 8);
    recipe.resized("half a split too few", kSplits, -4);

    const u32 units = get32(recipe.valid(), recipe.start_of(kTrie));
    recipe.field("no units", kTrie, 0, 0);
    recipe.field("units that are no multiple of 256", kTrie, 0, units - 1);
    recipe.field("more units than bases can name", kTrie, 0, (1u << 22) + 256);
    recipe.field_blamed_on("more units than there are", kTrie, 0, units + 256, kTrie, 0);
    recipe.field_blamed_on("fewer units than there are", kTrie, 0, units - 256, kTrie, 0);
    for (u32 count : {0u, 255u, 257u, (1u << 22) + 256}) {
        recipe.sections(
            "a trie with all its units, but a wrong number of them", CRAYON_CORRUPT_STRUCTURE, kTrie,
            [&](HandmadeCartridge& made) {
                Bytes& trie = made.section(kTrie).bytes;
                trie.assign(64 + 4 * std::size_t{count}, 0);
                put32(trie, 0, count);
                for (u32 i = 0; i < count; ++i) put32(trie, 64 + 4 * i, 256);
            },
            [](const Bytes& file) { return entry_of(file, kTrie).offset; });
    }
    recipe.field("values that are neither there nor not", kTrie, 4, 2);
    recipe.field_blamed_on("values that nobody mentions", kTrie, 4, 0, kTrie, 0);
    recipe.byte("reserved of the trie", recipe.start_of(kTrie) + 8, kTrie);
    recipe.resized("bytes after the trie", kTrie, 4);
    recipe.resized("a trie cut short", kTrie, -4);
    recipe.field("a root with a label", kTrie, 64, 256u << 10);
    recipe.field("a child of nodes without children", kTrie, 64 + 4 * 97, 97);
    recipe.field("a base outside the units", kTrie, 64 + 4 * 300, 256 | units << 10);
    recipe.field("the greatest base", kTrie, 64 + 4 * (units - 1), 256 | 0x3FFFFFu << 10);
    recipe.field("a label above 256", kTrie, 64 + 4 * 300, 257);
    recipe.field("a value outside the vocabulary", kTrie, 64 + 4 * (units + 300), kHandmadeTokens);
    recipe.field("a value of 4 G", kTrie, 64 + 4 * (units + units - 1), kNone);
}

void crossings(Recipe& recipe) {
    for (int length : {1, 2, 3}) {
        recipe.resized("a count of crossings cut short", kCrossings, length - int(recipe.length(kCrossings)));
    }
    recipe.field("a crossing less than there are", kCrossings, 0, 1);
    recipe.field("a crossing more than there are", kCrossings, 0, 3);
    recipe.field("2^30 crossings more, which are 4 GB", kCrossings, 0, (1u << 30) + 2);
    recipe.field("4 G crossings", kCrossings, 0, kNone);
    recipe.resized("a byte after the crossings", kCrossings, 1);
    recipe.resized("bytes after the crossings", kCrossings, 4);
    recipe.resized("a crossing cut short", kCrossings, -1);
    for (u32 id : {kHandmadeTokens, 0x80000000u, kNone}) {
        recipe.field("a crossing outside the vocabulary", kCrossings, 8, id);
    }
    recipe.field_blamed_on("a crossing twice", kCrossings, 4, 265, kCrossings, 8);
    recipe.field_blamed_on("crossings that descend", kCrossings, 8, 262, kCrossings, 8);
    recipe.sections(
        "the first crossing outside the vocabulary", CRAYON_CORRUPT_STRUCTURE, kCrossings,
        [](HandmadeCartridge& made) {
            Bytes& section = made.section(kCrossings).bytes;
            section.assign(8, 0);
            put32(section, 0, 1);
            put32(section, 4, kHandmadeTokens);
        },
        [](const Bytes& file) { return entry_of(file, kCrossings).offset + 4; });
}

}  // namespace

std::vector<Rejection> rejections() {
    Recipe recipe;
    header(recipe);
    table(recipe);
    ends_of_file(recipe);
    model(recipe);
    views(recipe);
    tokens(recipe);
    hash_tables(recipe);
    splits_and_trie(recipe);
    crossings(recipe);
    return recipe.take();
}

}  // namespace crayon::test
