// The example of cartridges/FORMAT.md shows the bytes of the handmade cartridge, and the engine opens it.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "crayon/crayon.h"
#include "handmade_cartridge.h"

namespace crayon::test::format_test {
namespace {

bool is_hex(const std::string& text, std::size_t digits) {
    return text.size() == digits && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

TEST(Format, TheExampleIsTheHandmadeCartridge) {
    const Bytes file = make_handmade_cartridge().file();
    std::ifstream document(CRAYON_PROJECT_DIR "/cartridges/FORMAT.md");
    ASSERT_TRUE(document) << "no FORMAT.md";
    std::size_t lines = 0;
    for (std::string line; std::getline(document, line);) {
        // "0140  01 00 00 00 07 …   what it is"
        std::istringstream words(line);
        std::string word;
        if (line.empty() || line[0] == ' ' || !(words >> word) || !(is_hex(word, 4) || is_hex(word, 5))) continue;
        std::size_t at = std::stoul(word, nullptr, 16);
        ++lines;
        std::string shown, bytes;  // as the document has them, and as the file does
        for (int i = 0; i < 16 && words >> word && is_hex(word, 2); ++i, ++at) {
            ASSERT_LT(at, file.size()) << line;
            constexpr char kDigits[] = "0123456789abcdef";
            shown += word + ' ';
            bytes += {kDigits[file[at] >> 4], kDigits[file[at] & 15], ' '};
        }
        EXPECT_EQ(shown, bytes) << line;
    }
    EXPECT_GT(lines, 20u);
    std::ostringstream size;
    size << file.size() / 1000 << ',' << file.size() % 1000 << " bytes";
    document.clear();
    document.seekg(0);
    std::ostringstream text;
    text << document.rdbuf();
    EXPECT_NE(text.str().find(size.str()), std::string::npos) << size.str();

    crayon_cartridge* cartridge = nullptr;
    EXPECT_EQ(crayon_cartridge_open_bytes(file.data(), static_cast<std::uint32_t>(file.size()), 0, &cartridge, nullptr),
              CRAYON_OK);
    crayon_cartridge_release(cartridge);
}

}  // namespace
}  // namespace crayon::test::format_test
