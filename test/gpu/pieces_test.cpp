// Pieces of the published patterns on the emulated device.
#include "crayon/layout/cartridge.h"
#include "naive/pattern.h"
#include "naive/published_patterns.h"
#include "naive/utf.h"
#include "scan/safe_splits.h"
#include "tables.h"

namespace crayon::gpu::test::pieces_test {
namespace {

using crayon::test::sample;

crayon_gpu_tables tables_of(u32 pretokenizer) {
    crayon_gpu_tables tables{};
    tables.size = sizeof tables;
    tables.kind = CRAYON_GPU_PIECES;
    set_pieces(tables, pretokenizer);
    return tables;
}

struct Family {
    std::string_view name;
    u32 pretokenizer;
};
constexpr Family kFamilies[] = {{"gpt2", layout::kGpt2},   {"cl100k", layout::kCl100k}, {"o200k", layout::kO200k},
                                {"qwen2", layout::kQwen2}, {"tekken", layout::kTekken}, {"deepseek3", layout::kDeepseek3}};

// The lengths of the pieces.
std::vector<u64> naive_pieces(const naive::Pattern& pattern, const std::string& text) {
    const auto characters = naive::decode_utf8(text);
    std::vector<u64> lengths;
    std::size_t begin = 0;
    for (const std::size_t end : pattern.split(characters.code_points)) {
        lengths.push_back(characters.offsets[end] - begin);
        begin = characters.offsets[end];
    }
    return lengths;
}

TEST(PieceKernels, EqualThePublishedPatterns) {
    for (const Family& family : kFamilies) {
        std::string_view published;
        for (const auto& each : naive::kPublishedPatterns) published = each.family == family.name ? each.pattern : published;
        const naive::Pattern pattern(published);
        u64 pieces = 0;
        for (u64 number = 0, cases = sample(60, 3); number < cases; ++number) {
            crayon::test::TextGenerator texts(number * 3 + family.pretokenizer);
            Documents documents;
            for (u64 n = 0; n < 60; ++n)
                documents.add(n % 5 == 4 ? texts.utf8_of_pages(texts.random().below(1024)) : texts.utf8());
            documents.add("");
            std::string all = documents.bytes;
            documents.add(all);
            std::vector<std::vector<u64>> rows;
            for (u64 i = 0; i < documents.count(); ++i) rows.push_back(naive_pieces(pattern, documents[i]));

            Watched watched(order_of(number));
            if (number > 0) watched.state.machine.recorder = nullptr;
            EmulatedDevice device(watched.state);
            const crayon_gpu_tables tables = tables_of(family.pretokenizer);
            ASSERT_TRUE(is_possible(tables));
            const DeviceModel model = upload(device, tables);
            const Outcome outcome = run(watched.state, model, documents.batch(CRAYON_GPU_IDS, 4), 64);
            ASSERT_EQ(outcome.status, CRAYON_GPU_OK);
            ASSERT_EQ(outcome.result.failure, CRAYON_GPU_NO_FAILURE);
            for (u64 i = 0; i < documents.count(); ++i)
                ASSERT_EQ(outcome.rows[i], rows[i]) << family.name << ": " << documents[i];
            pieces += outcome.result.count;
        }
        EXPECT_GT(pieces, 1000u);
    }
}

// A long document is divided there: the parts have the pieces of the whole.
TEST(SureCuts, DivideTextsBetweenPieces) {
    for (const Family& family : kFamilies) {
        std::string_view published;
        for (const auto& each : naive::kPublishedPatterns) published = each.family == family.name ? each.pattern : published;
        const naive::Pattern pattern(published);
        u64 blanks = 0, newlines = 0, commas = 0;
        for (u64 number = 0, cases = sample(800, 200); number < cases; ++number) {
            crayon::test::TextGenerator texts(number * 5 + family.pretokenizer);
            std::string text = number % 3 == 0 ? texts.utf8_of_pages(0x138 + texts.random().below(200)) : texts.utf8();
            for (u64 n = texts.random().below(12); n > 0; --n) {  // among whatever there is
                constexpr const char* kParts[] = {" ",      "\t",   "\n",           "\n\n",         "a\n",
                                                  "/",      "!\n",  "\u4E2D\u3002", "\u9FFF\uFF0C", "\u3001",
                                                  "\u3000", "\xC2", "\xE5\xB0"};
                text.insert(texts.random().below(text.size() + 1), kParts[texts.random().below(std::size(kParts))]);
            }
            const std::vector<u64> whole = naive_pieces(pattern, text);
            const u8* const bytes = reinterpret_cast<const u8*>(text.data());
            for (u64 at = 1, tried = 0; at < text.size() && tried < 8; ++at) {
                if (!is_safe_split(bytes, at, text.size(), family.pretokenizer) || texts.random().one_in(2)) continue;
                ++tried;
                ++(text[at] == ' ' || text[at] == '\t' ? blanks : text[at - 1] == '\n' ? newlines : commas);
                std::vector<u64> parts = naive_pieces(pattern, text.substr(0, at));
                for (const u64 length : naive_pieces(pattern, text.substr(at))) parts.push_back(length);
                ASSERT_EQ(parts, whole) << family.name << " at " << at << ": " << text;
            }
        }
        EXPECT_GT(blanks, 50u);
        EXPECT_GT(commas, 20u);
        EXPECT_EQ(newlines > 20, family.pretokenizer != layout::kGpt2);
    }
}

TEST(PieceKernels, LeaveLongPiecesToTheEngine) {
    for (const Family& family : kFamilies) {
        EmulatedState state;
        EmulatedDevice device(state);
        const crayon_gpu_tables tables = tables_of(family.pretokenizer);
        const DeviceModel model = upload(device, tables);
        const auto outcome_of = [&](const Documents& documents) {
            return run(state, model, documents.batch(CRAYON_GPU_IDS, 4), 64);
        };
        const Outcome longest = outcome_of(Documents({"a b", std::string(kLongestPiece, 'a')}));
        EXPECT_EQ(longest.result.failure, CRAYON_GPU_NO_FAILURE);
        EXPECT_EQ(longest.rows, (std::vector<std::vector<u64>>{{1, 2}, {kLongestPiece}}));
        for (const char c : {'a', ' ', '.', '\n'}) {
            const Outcome longer = outcome_of(Documents({"a b", "c", std::string(kLongestPiece + 1, c)}));
            EXPECT_EQ(longer.result.failure, CRAYON_GPU_PIECE_TOO_LONG);
            EXPECT_EQ(longer.result.failed_document, 2u);
        }
        // A suffix of o200k counts; for the others it is a piece.
        const Outcome suffixed = outcome_of(Documents({"a b", std::string(kLongestPiece - 1, 'a') + "'s"}));
        const u32 expected = family.pretokenizer == layout::kO200k ? CRAYON_GPU_PIECE_TOO_LONG : CRAYON_GPU_NO_FAILURE;
        EXPECT_EQ(suffixed.result.failure, expected) << family.name;
    }
    EXPECT_FALSE(devices_split_by(layout::kBert, {}));
    crayon_gpu_tables tables = tables_of(layout::kCl100k);
    tables.pattern = nullptr;
    EXPECT_FALSE(is_possible(tables));
    tables = tables_of(layout::kDeepseek3);
    tables.class_count -= 1;
    EXPECT_FALSE(is_possible(tables));
}

}  // namespace
}  // namespace crayon::gpu::test::pieces_test
