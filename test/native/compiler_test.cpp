// The compiler through crayon.h: what it refuses and where, and that its output passes the validator and contains its input.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "crayon/crayon.h"
#include "read_sections.h"

namespace crayon::test::compiler_test {
namespace {

using u32 = std::uint32_t;

class Compiling {
public:
    Compiling() { EXPECT_EQ(crayon_compiler_create(&compiler_, &result), u32{CRAYON_OK}); }
    ~Compiling() { crayon_compiler_release(compiler_); }
    Compiling(const Compiling&) = delete;
    Compiling& operator=(const Compiling&) = delete;

    u32 bpe(const std::vector<std::string>& tokens) {
        std::string bytes;
        std::vector<u32> offsets = {0};
        for (const std::string& token : tokens) {
            bytes += token;
            offsets.push_back(static_cast<u32>(bytes.size()));
        }
        return bpe(bytes, offsets);
    }
    u32 bpe(const std::string& bytes, const std::vector<u32>& offsets) {
        return crayon_compiler_set_bpe(compiler_, reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                       static_cast<u32>(bytes.size()), offsets.data(), static_cast<u32>(offsets.size() - 1),
                                       &result);
    }
    u32 longest_match(std::string_view token) {
        const u32 offsets[] = {0, static_cast<u32>(token.size())};
        return crayon_compiler_set_longest_match(compiler_, reinterpret_cast<const std::uint8_t*>(token.data()), offsets[1],
                                                 offsets, 1, 0xFFFFFFFF, &result);
    }
    u32 metadata(std::string_view json) {
        return crayon_compiler_set_metadata(compiler_, json.data(), static_cast<u32>(json.size()), &result);
    }
    u32 view(std::string_view name, std::string_view pretokenizer = "gpt2") {
        return crayon_compiler_add_view(compiler_, name.data(), static_cast<u32>(name.size()), pretokenizer.data(),
                                        static_cast<u32>(pretokenizer.size()), &result);
    }
    u32 token(std::string_view bytes, u32 id, u32 flags = CRAYON_ADDED_SPECIAL) {
        return crayon_compiler_add_token(compiler_, reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                         static_cast<u32>(bytes.size()), id, flags, &result);
    }
    u32 normalizer(u32 normalizer) { return crayon_compiler_set_normalizer(compiler_, normalizer, &result); }
    u32 words(const std::vector<u32>& ranges) {
        return crayon_compiler_set_words(compiler_, ranges.data(), static_cast<u32>(ranges.size() / 2), &result);
    }
    u32 finish() {
        const std::uint8_t* bytes = nullptr;
        const u32 status = crayon_compiler_finish(compiler_, &bytes, &result);
        file.clear();
        if (status == CRAYON_OK) file.assign(bytes, bytes + result.count);
        EXPECT_EQ(bytes == nullptr, status != CRAYON_OK);
        return status;
    }

    crayon_result result{};
    Bytes file;

private:
    crayon_compiler* compiler_ = nullptr;
};

std::vector<std::string> bytes_and(const std::vector<std::string>& more) {
    std::vector<std::string> tokens;
    for (int byte = 0; byte < 256; ++byte) tokens.emplace_back(1, static_cast<char>(byte));
    tokens.insert(tokens.end(), more.begin(), more.end());
    return tokens;
}

Bytes section_of(const Bytes& file, u32 id) {
    const SectionEntry entry = entry_of(file, id);
    const auto begin = file.begin() + static_cast<std::ptrdiff_t>(entry.offset);
    return {begin, begin + static_cast<std::ptrdiff_t>(entry.length)};
}

u32 open_status(const Bytes& file) {
    crayon_cartridge* cartridge = nullptr;
    crayon_result result;
    const u32 status = crayon_cartridge_open_bytes(file.data(), static_cast<u32>(file.size()), 0, &cartridge, &result);
    crayon_cartridge_release(cartridge);
    return status;
}

TEST(Compiler, WritesItsInput) {
    Compiling c;
    ASSERT_EQ(c.bpe(bytes_and({"ab", "", "abab", "", ""})), u32{CRAYON_OK});
    ASSERT_EQ(c.metadata("{\"name\":\"x\"}"), u32{CRAYON_OK});
    ASSERT_EQ(c.view("first", "cl100k"), u32{CRAYON_OK});
    ASSERT_EQ(c.token("<b>", 300), u32{CRAYON_OK});
    ASSERT_EQ(c.token("<a>", 257), u32{CRAYON_OK});        // a hole
    ASSERT_EQ(c.token("<same>", 300, 0), u32{CRAYON_OK});  // decodes to <b>
    ASSERT_EQ(c.view("second", "o200k"), u32{CRAYON_OK});
    ASSERT_EQ(c.token("abab", 258, 0), u32{CRAYON_OK});  // the token itself
    ASSERT_EQ(c.view("third"), u32{CRAYON_OK});
    ASSERT_EQ(c.finish(), u32{CRAYON_OK});
    ASSERT_EQ(open_status(c.file), u32{CRAYON_OK});

    std::vector<u32> ids;
    for (const SectionEntry& entry : section_entries(c.file)) ids.push_back(entry.id);
    EXPECT_EQ(ids, (std::vector<u32>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}));
    const Bytes metadata = section_of(c.file, 1), model = section_of(c.file, 2), views = section_of(c.file, 3),
                added = section_of(c.file, 4), offsets = section_of(c.file, 5);
    EXPECT_EQ(std::string(metadata.begin(), metadata.end()), "{\"name\":\"x\"}");
    EXPECT_EQ(get32(model, 0), 1u);
    EXPECT_EQ(get32(model, 4), 259u);  // the two holes at the end have no ids
    EXPECT_EQ(get32(model, 8), 4u);
    EXPECT_EQ(offsets.size(), 260u * 4);
    EXPECT_EQ(section_of(c.file, 13), Bytes(4));  // no crossings

    // name_offset, name_length, pretokenizer, unicode, first_added, added_count, vocabulary_size, reserved
    const std::vector<std::vector<u32>> view_rows = {
        {0, 5, 2, 0x1000, 0, 3, 301, 0}, {5, 6, 3, 0x1000, 3, 1, 259, 0}, {11, 5, 1, 0x1000, 4, 0, 259, 0}};
    ASSERT_EQ(views.size(), 8 + 3 * 32 + 16u);
    EXPECT_EQ(get32(views, 0), 3u);
    EXPECT_EQ(get32(views, 4), 16u);
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t field = 0; field < 8; ++field) {
            EXPECT_EQ(get32(views, 8 + 32 * row + 4 * field), view_rows[row][field]) << row << " " << field;
        }
    }
    EXPECT_EQ(std::string(views.end() - 16, views.end()), "firstsecondthird");

    struct Row {
        std::string bytes;
        u32 id, flags;
    };
    const Row added_rows[] = {{"<a>", 257, 1}, {"<b>", 300, 1}, {"<same>", 300, 0}, {"abab", 258, 0}};
    ASSERT_EQ(get32(added, 0), 4u);
    for (std::size_t row = 0; row < 4; ++row) {
        const std::size_t at = 8 + 16 * row;
        const auto begin = added.begin() + static_cast<std::ptrdiff_t>(8 + (16 + 4) * 4 + get32(added, at));
        EXPECT_EQ(std::string(begin, begin + get32(added, at + 4)), added_rows[row].bytes);
        EXPECT_EQ(get32(added, at + 8), added_rows[row].id);
        EXPECT_EQ(get32(added, at + 12), added_rows[row].flags);
    }
    const u32 sorted[] = {0, 1, 2, 0};  // of each view
    for (std::size_t row = 0; row < 4; ++row) EXPECT_EQ(get32(added, 8 + 16 * 4 + 4 * row), sorted[row]);
}

// Prefixes that many tokens share, and zeros, which the first sort key cannot tell from the end of a token.
TEST(Compiler, SortsAddedTokensByTheirBytes) {
    Compiling c;
    ASSERT_EQ(c.bpe(bytes_and({})), u32{CRAYON_OK});
    ASSERT_EQ(c.view("view", "gpt2"), u32{CRAYON_OK});
    std::vector<std::string> tokens;
    const std::string zeros(20, '\0');
    for (std::size_t length = 1; length <= 20; ++length) tokens.push_back(zeros.substr(0, length));
    for (u32 i = 0; i < 3000; ++i) tokens.push_back("<|reserved_special_token_" + std::to_string(i * 7919 % 3000) + "|>");
    for (u32 i = 0; i < 1500; ++i)
        tokens.push_back("<|reserved_special_token_" + std::to_string(i) + zeros.substr(0, i % 20 + 1));
    for (u32 i = 0; i < tokens.size(); ++i) ASSERT_EQ(c.token(tokens[i], 300 + i), u32{CRAYON_OK});
    ASSERT_EQ(c.finish(), u32{CRAYON_OK});
    const Bytes added = section_of(c.file, 4);
    const std::size_t sorted_at = 8 + 16 * tokens.size();
    std::vector<std::string> sorted;
    for (std::size_t i = 0; i < tokens.size(); ++i) sorted.push_back(tokens.at(get32(added, sorted_at + 4 * i)));
    std::sort(tokens.begin(), tokens.end());
    EXPECT_EQ(sorted, tokens);
}

TEST(Compiler, TheSameCallsGiveTheSameBytes) {
    auto compiled = [](Compiling& c) {
        EXPECT_EQ(c.bpe(bytes_and({"ab", "abab"})), u32{CRAYON_OK});
        EXPECT_EQ(c.view("v"), u32{CRAYON_OK});
        EXPECT_EQ(c.token("<x>", 900), u32{CRAYON_OK});
        EXPECT_EQ(c.finish(), u32{CRAYON_OK});
        return c.file;
    };
    Compiling first, second;
    const Bytes once = compiled(first);
    EXPECT_EQ(once, compiled(second));
    ASSERT_EQ(first.finish(), u32{CRAYON_OK});  // again
    EXPECT_EQ(once, first.file);
    EXPECT_EQ(section_of(once, 1), (Bytes{'{', '}'}));  // metadata when none is given
}

TEST(Compiler, RefusesVocabulariesByTheirPosition) {
    Compiling c;
    auto expect = [&](u32 status, u32 code, u32 position) {
        EXPECT_EQ(status, code);
        EXPECT_EQ(c.result.status, code);
        EXPECT_EQ(c.result.position, position);
    };
    const std::vector<std::string> bytes = bytes_and({});
    std::vector<std::string> twice = bytes_and({"ab", "cd", "ab"}), lacks = bytes;
    lacks[77] = "";
    expect(c.bpe(twice), CRAYON_DUPLICATE_TOKEN, 258);
    expect(c.bpe(lacks), CRAYON_MISSING_BYTE_TOKEN, 77);
    expect(c.bpe({}), CRAYON_MISSING_BYTE_TOKEN, 0);
    expect(c.bpe(bytes_and({std::string(65536, 'a')})), CRAYON_INVALID_ARGUMENT, 256);

    std::string all;
    std::vector<u32> offsets = {0};
    for (const std::string& token : bytes) {
        all += token;
        offsets.push_back(static_cast<u32>(all.size()));
    }
    auto with = [&](std::size_t index, u32 value) {
        std::vector<u32> changed = offsets;
        changed[index] = value;
        return changed;
    };
    expect(c.bpe(all, with(0, 1)), CRAYON_INVALID_ARGUMENT, 0);
    expect(c.bpe(all, with(9, 8)), CRAYON_MISSING_BYTE_TOKEN, 8);  // a hole, and "\x08\x09"
    expect(c.bpe(all, with(9, 7)), CRAYON_INVALID_ARGUMENT, 9);
    expect(c.bpe(all, with(9, 0xFFFFFFFF)), CRAYON_INVALID_ARGUMENT, 9);
    expect(c.bpe(all, with(256, 257)), CRAYON_INVALID_ARGUMENT, 256);
    expect(c.bpe(all + "x", offsets), CRAYON_INVALID_ARGUMENT, 256);  // a byte that no token has

    ASSERT_EQ(c.view("v"), u32{CRAYON_OK});
    EXPECT_EQ(c.finish(), u32{CRAYON_INVALID_ARGUMENT});  // the whole call was refused
    ASSERT_EQ(c.bpe(bytes_and({"abc", "ab"})), u32{CRAYON_OK});
    expect(c.finish(), CRAYON_BUILD_FAILED, 256);  // made from a token of higher rank
    ASSERT_EQ(c.bpe(bytes_and({"ab", "abc"})), u32{CRAYON_OK});
    EXPECT_EQ(c.finish(), u32{CRAYON_OK});
    expect(c.bpe(twice), CRAYON_DUPLICATE_TOKEN, 258);
    EXPECT_EQ(c.finish(), u32{CRAYON_OK});  // the refused token changed nothing
    EXPECT_EQ(get32(section_of(c.file, 2), 4), 258u);
}

TEST(Compiler, RefusesVocabulariesTooLargeForTheTables) {
    // Two million holes, then a token: one id more than a pair slot can hold.
    std::string all;
    std::vector<u32> offsets = {0};
    for (const std::string& token : bytes_and({})) {
        all += token;
        offsets.push_back(static_cast<u32>(all.size()));
    }
    offsets.resize((1u << 21) - 1, 256);
    Compiling c;
    auto with_last = [&](u32 token_count) {
        std::vector<u32> these = offsets;
        these.resize(token_count, 256);
        these.push_back(258);
        return c.bpe(all + "ab", these);
    };
    ASSERT_EQ(with_last((1u << 21) - 1), u32{CRAYON_OK});
    EXPECT_EQ(with_last(1u << 21), u32{CRAYON_VOCABULARY_TOO_LARGE});
    ASSERT_EQ(c.view("v"), u32{CRAYON_OK});
    ASSERT_EQ(c.finish(), u32{CRAYON_OK});
    EXPECT_EQ(open_status(c.file), u32{CRAYON_OK});
}

TEST(Compiler, RefusesViewsAndMetadata) {
    Compiling c;
    EXPECT_EQ(c.token("<x>", 300), u32{CRAYON_INVALID_ARGUMENT});  // to no view
    EXPECT_EQ(c.view("v", "gpt3"), u32{CRAYON_UNKNOWN_SCANNER});
    EXPECT_EQ(c.view("v", ""), u32{CRAYON_UNKNOWN_SCANNER});
    EXPECT_EQ(c.view(""), u32{CRAYON_INVALID_ARGUMENT});
    ASSERT_EQ(c.bpe(bytes_and({})), u32{CRAYON_OK});
    EXPECT_EQ(c.finish(), u32{CRAYON_INVALID_ARGUMENT});  // no view
    EXPECT_EQ(c.view("v"), u32{CRAYON_OK});
    EXPECT_EQ(c.view("v", "o200k"), u32{CRAYON_INVALID_ARGUMENT});
    for (u32 more = 1; more < 4096; ++more) ASSERT_EQ(c.view("v" + std::to_string(more)), u32{CRAYON_OK});
    EXPECT_EQ(c.view("one more"), u32{CRAYON_INVALID_ARGUMENT});
    for (std::string_view json : {"", "{", "[]", "{} ", "null"}) {
        EXPECT_EQ(c.metadata(json), u32{CRAYON_INVALID_ARGUMENT}) << json;
    }
    EXPECT_EQ(c.finish(), u32{CRAYON_OK});
    EXPECT_EQ(open_status(c.file), u32{CRAYON_OK});
}

TEST(Compiler, RefusesAddedTokens) {
    auto start = [](Compiling& c) {
        ASSERT_EQ(c.bpe(bytes_and({"ab", "", "abab"})), u32{CRAYON_OK});
        ASSERT_EQ(c.view("v"), u32{CRAYON_OK});
    };
    {
        Compiling c;
        start(c);
        EXPECT_EQ(c.token("", 300), u32{CRAYON_INVALID_ARGUMENT});
        EXPECT_EQ(c.normalizer(1), u32{CRAYON_OK});
        EXPECT_EQ(c.token("<x>", 300, CRAYON_ADDED_NORMALIZED | CRAYON_ADDED_LSTRIP), u32{CRAYON_INVALID_ARGUMENT});
        EXPECT_EQ(c.normalizer(0), u32{CRAYON_OK});
        EXPECT_EQ(c.token("<y>", 300, CRAYON_ADDED_NORMALIZED | CRAYON_ADDED_LSTRIP), u32{CRAYON_OK});
        EXPECT_EQ(c.normalizer(1), u32{CRAYON_INVALID_ARGUMENT});  // after tokens
        EXPECT_EQ(c.token("<x>", 300, 64), u32{CRAYON_INVALID_ARGUMENT});
        EXPECT_EQ(c.token("<x>", 0xFFFFFFFF), u32{CRAYON_INVALID_ARGUMENT});
        EXPECT_EQ(c.token(std::string(1025, 'x'), 300), u32{CRAYON_INVALID_ARGUMENT});
        EXPECT_EQ(c.result.position, 300u);
        EXPECT_EQ(c.token(std::string(1024, 'x'), 300), u32{CRAYON_OK});
        EXPECT_EQ(c.token("<x>", 0xFFFFFFFE), u32{CRAYON_OK});
        EXPECT_EQ(c.finish(), u32{CRAYON_OK});
        EXPECT_EQ(open_status(c.file), u32{CRAYON_OK});
    }
    {
        Compiling c;
        start(c);
        ASSERT_EQ(c.token("<x>", 258), u32{CRAYON_OK});
        EXPECT_EQ(c.finish(), u32{CRAYON_INVALID_ARGUMENT});  // 258 is abab
        EXPECT_EQ(c.result.position, 258u);
    }
    {
        Compiling c;
        start(c);
        ASSERT_EQ(c.token("<x>", 300), u32{CRAYON_OK});
        ASSERT_EQ(c.view("w"), u32{CRAYON_OK});
        ASSERT_EQ(c.token("<x>", 301), u32{CRAYON_OK});  // another view, another id
        EXPECT_EQ(c.finish(), u32{CRAYON_OK});
        ASSERT_EQ(c.token("<x>", 302), u32{CRAYON_OK});
        EXPECT_EQ(c.finish(), u32{CRAYON_DUPLICATE_TOKEN});
        EXPECT_EQ(c.result.position, 302u);
    }
}

TEST(Compiler, RefusesWords) {
    Compiling c;
    ASSERT_EQ(c.bpe(bytes_and({})), u32{CRAYON_OK});
    ASSERT_EQ(c.view("v"), u32{CRAYON_OK});
    ASSERT_EQ(c.token("<x>", 300, CRAYON_ADDED_SINGLE_WORD), u32{CRAYON_OK});
    EXPECT_EQ(c.finish(), u32{CRAYON_INVALID_ARGUMENT}) << "only of the general path";
    using Ranges = std::vector<u32>;
    for (const Ranges& ranges : {Ranges{65, 90, 122, 97}, {65, 90, 90, 97}, {65, 90, 97, 0x110000}}) {
        EXPECT_EQ(c.words(ranges), u32{CRAYON_INVALID_ARGUMENT});
        EXPECT_EQ(c.result.position, 1u);
    }
    EXPECT_EQ(c.words({65, 90, 91, 0x10FFFF}), u32{CRAYON_OK});
}

TEST(Compiler, RefusesFlagsThatOnlyBpeHas) {
    for (const u32 flag :
         {u32{CRAYON_ADDED_NORMALIZED}, u32{CRAYON_ADDED_LSTRIP}, u32{CRAYON_ADDED_RSTRIP}, u32{CRAYON_ADDED_SINGLE_WORD}}) {
        Compiling c;
        ASSERT_EQ(c.longest_match("a"), u32{CRAYON_OK});
        ASSERT_EQ(c.view("v"), u32{CRAYON_OK});
        ASSERT_EQ(c.words({65, 90}), u32{CRAYON_OK});
        ASSERT_EQ(c.token("<x>", 300, flag), u32{CRAYON_OK});
        EXPECT_EQ(c.finish(), u32{CRAYON_INVALID_ARGUMENT});
        EXPECT_EQ(c.result.position, 300u);
    }
}

TEST(Compiler, RefusesNullPointers) {
    Compiling c;
    crayon_result result;
    const std::uint8_t* bytes = nullptr;
    EXPECT_EQ(crayon_compiler_create(nullptr, &result), u32{CRAYON_INVALID_ARGUMENT});
    EXPECT_EQ(crayon_compiler_finish(nullptr, &bytes, &result), u32{CRAYON_INVALID_ARGUMENT});
    EXPECT_EQ(crayon_compiler_finish(nullptr, &bytes, nullptr), u32{CRAYON_INVALID_ARGUMENT});
    EXPECT_EQ(crayon_compiler_set_bpe(nullptr, nullptr, 0, nullptr, 0, &result), u32{CRAYON_INVALID_ARGUMENT});
    EXPECT_EQ(crayon_compiler_set_metadata(nullptr, "{}", 2, &result), u32{CRAYON_INVALID_ARGUMENT});
    EXPECT_EQ(crayon_compiler_add_view(nullptr, "v", 1, "gpt2", 4, &result), u32{CRAYON_INVALID_ARGUMENT});
    EXPECT_EQ(crayon_compiler_add_token(nullptr, nullptr, 0, 0, 0, &result), u32{CRAYON_INVALID_ARGUMENT});
    crayon_compiler_release(nullptr);
}

}  // namespace
}  // namespace crayon::test::compiler_test
