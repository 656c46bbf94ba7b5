// The texts of lines of JSON, on every kernel: lines are written here from texts that are known. test/lib/json-texts.test.ts
// compares generated and damaged lines with JSON.parse.
#include "records/json_texts.h"

#include "generate_text.h"
#include "kernels.h"
#include "share.h"

namespace crayon::test::json_texts_test {
namespace {

std::string in_json(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += std::string("\\") + c;
        } else if (c == '\n') {
            out += "\\n";
        } else if (static_cast<unsigned char>(c) < 0x20) {
            out += std::string("\\u00") + "01"[static_cast<unsigned char>(c) >> 4] + "0123456789abcdef"[c & 15];
        } else {
            out += c;
        }
    }
    return out + '"';
}

// Reads with buffers that are exactly as long as they must be, so that a sanitizer detects access outside.
std::vector<std::string> texts_of(const Kernel& kernel, const std::string& lines, u32 most, u32 row_capacity) {
    static constexpr u8 kKey[] = {'t', 'e', 'x', 't'};
    const JsonTexts::Path path = {{kKey}, {sizeof kKey}, 1};
    std::vector<std::string> texts;
    for (std::size_t at = 0; at < lines.size();) {
        const std::vector<u8> input(lines.begin() + static_cast<std::ptrdiff_t>(at), lines.end());
        std::vector<u8> bytes(input.size());
        std::vector<JsonTexts::Row> rows(row_capacity);
        JsonTexts reader(kernel, path);
        const JsonTexts::Progress done =
            reader.read(input.data(), static_cast<u32>(input.size()), {bytes.data(), most, rows.data(), row_capacity});
        EXPECT_FALSE(done.stuck) << lines.substr(at, 200);
        EXPECT_GT(done.consumed, 0u);
        if (done.stuck || done.consumed == 0) break;
        u32 begin = 0;
        for (u32 i = 0; i < done.rows; begin += rows[i++].length) {
            texts.emplace_back(bytes.begin() + begin, bytes.begin() + begin + rows[i].length);
        }
        EXPECT_EQ(begin, done.produced);
        at += done.consumed;
    }
    return texts;
}

TEST(JsonTexts, OnEveryKernel) {
    for_each_kernel([](const Kernel& kernel) {
        Random random(9);
        for (u64 n = sample(2000); n > 0; --n) {
            std::string lines;
            std::vector<std::string> texts;
            for (std::size_t line = 1 + random.below(5); line > 0; --line) {
                std::string text;
                for (std::size_t length = random.below(200); length > 0; --length) {
                    text += random.one_in(20) ? "\"\\\n\x1f\x01/\x7f"[random.below(7)] : 'x';
                }
                lines += random.one_in(2)
                             ? "{\"text\":" + in_json(text) + "}\n"
                             : "{ \"id\" : [1, {}], \"text\" : " + in_json(text) + ", \"of\":" + in_json(text) + "}\r\n";
                if (!text.empty()) texts.push_back(text);
            }
            ASSERT_EQ(texts_of(kernel, lines, 1 + static_cast<u32>(random.below(300)), 1 + static_cast<u32>(random.below(4))),
                      texts)
                << lines;
        }
    });
}

// Every byte at every place of a block ends a span or does not.
TEST(JsonTexts, EverySpan) {
    for_each_kernel([](const Kernel& kernel) {
        const RecordKernel& records = *kernel.records;
        for (std::size_t place = 0; place < 130; ++place) {
            for (u32 byte = 0; byte < 256; ++byte) {
                std::vector<u8> bytes(place + 1 + place % 7, 'x');
                bytes[place] = static_cast<u8>(byte);
                const bool ends = byte < 0x20 || byte == '"' || byte == '\\';
                ASSERT_EQ(records.string_span(bytes.data(), bytes.size()), ends ? place : bytes.size())
                    << byte << " at " << place;
            }
        }
        EXPECT_EQ(records.string_span(nullptr, 0), 0u);
    });
}

TEST(JsonTexts, CInterface) {
    const std::string line = "{\"a\":{\"text\":\"one\"}}\n";
    const u8* const input = reinterpret_cast<const u8*>(line.data());
    const u8 keys[] = {'a', 't', 'e', 'x', 't'};
    const u32 ends[] = {1, 5}, falling[] = {5, 1};
    const u32 length = static_cast<u32>(line.size());
    std::vector<u8> bytes(length);
    crayon_json_row row = {};
    crayon_json_progress progress = {};
    crayon_result result = {};
    EXPECT_EQ(crayon_json_texts(nullptr, 0, keys, ends, 2, input, length, bytes.data(), 1, &row, 1, &progress, &result),
              CRAYON_OK);
    EXPECT_EQ(progress.consumed, length);
    EXPECT_EQ(progress.rows, 1u);
    EXPECT_EQ(std::string(bytes.begin(), bytes.begin() + row.length), "one");
    EXPECT_EQ(crayon_json_texts(nullptr, 0, keys, falling, 2, input, length, bytes.data(), 1, &row, 1, &progress, &result),
              CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(crayon_json_texts(nullptr, 0, keys, ends, 0, input, length, bytes.data(), 1, &row, 1, &progress, &result),
              CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(crayon_json_texts(nullptr, 0, keys, ends, 2, input, length, nullptr, 1, &row, 1, &progress, &result),
              CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(crayon_json_texts("no", 2, keys, ends, 2, input, length, bytes.data(), 1, &row, 1, &progress, &result),
              CRAYON_UNKNOWN_KERNEL);
}

}  // namespace
}  // namespace crayon::test::json_texts_test
