// Finds the matches of patterns, for test/lib/regex.test.ts: the matcher has no other way into JavaScript.
//
// Standard input: for each pattern the count of words of its program, the words, the count of texts, and for each its size and
// bytes; all numbers are u32. Standard output: a line for each pattern, with "begin,end " for each match and ";" behind each text;
// "!status position" if matching fails, "?position" in place of all if check_regex refuses the program. With the argument "remember",
// failed places are remembered from the beginning.
#include <cstdio>
#include <cstring>
#include <vector>

#include "general/regex.h"

using namespace crayon;

namespace {

bool read_bytes(void* to, size_t size) { return std::fread(to, 1, size, stdin) == size; }

u32 read_number() {
    u32 number = 0;
    return read_bytes(&number, sizeof number) ? number : 0;
}

void print_matches(general::Regex& regex, const std::vector<u8>& text) {
    regex.start(text.data(), text.size());
    for (;;) {
        general::Match match;
        const Status status = regex.next(match);
        if (!status.ok()) std::printf("!%d %llu", status.code, static_cast<unsigned long long>(status.position));
        if (!status.ok() || !match.found) return;
        std::printf("%zu,%zu ", match.begin, match.end);
    }
}

}  // namespace

int main(int count, char** arguments) {
    const bool remembers = count > 1 && std::strcmp(arguments[1], "remember") == 0;
    u32 size = 0;
    while (read_bytes(&size, sizeof size)) {
        std::vector<u32> words(size);
        if (!read_bytes(words.data(), size * sizeof(u32))) return 1;
        const Status status = general::check_regex(words.data(), words.size());
        if (!status.ok()) std::printf("?%llu", static_cast<unsigned long long>(status.position));
        for (u32 texts = read_number(); texts > 0; --texts) {
            std::vector<u8> text(read_number());
            if (!read_bytes(text.data(), text.size())) return 1;
            if (!status.ok()) continue;
            general::Regex regex(words.data());
            if (remembers && !(words[1] & layout::kRegexBudget)) regex.allow_work(0);
            print_matches(regex, text);
            std::printf(";");
        }
        std::printf("\n");
    }
    return 0;
}
