// How much faster is longest match than the usual loop? That loop walks the trie again and again, each unit or state
// depending on the one before: over BASE, CHECK and VALUES of version 2, and over the XOR units of a cartridge. It
// alternates with `encode`, which cuts the text where no token can cross and looks the pieces up.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

#include "crayon/layout/cartridge.h"
#include "crayon/layout/double_array.h"
#include "plan.h"

namespace crayon::bench {

namespace {

using u8 = std::uint8_t;
using u32 = std::uint32_t;

// A vocabulary for the plain loops. Every byte is a token, so that no character is unknown.
class PlainTries {
public:
    explicit PlainTries(const Encoding& encoding) {
        crayon_compiler* compiler = nullptr;
        const u8* file = nullptr;
        crayon_result result;
        crayon_compiler_create(&compiler, &result);
        crayon_compiler_set_cartridge(compiler, encoding.cartridge.get(), &result);
        if (crayon_compiler_finish_dat(compiler, &file, &result) == CRAYON_OK) {
            std::memcpy(&count_, file + 8, sizeof count_);
            words_.resize(3 * std::size_t{count_});
            std::memcpy(words_.data(), file + 12, words_.size() * sizeof(u32));
        }
        crayon_compiler_release(compiler);
        std::ostringstream bytes;
        bytes << std::ifstream(encoding.path, std::ios::binary).rdbuf();
        u32 row[4];
        for (u32 i = 0; crayon_cartridge_section(encoding.cartridge.get(), i, row); ++i) {
            if (row[0] != layout::kTrie) continue;
            layout::DoubleArray header;
            const std::string section = bytes.str().substr(row[2], row[3]);
            std::memcpy(&header, section.data(), sizeof header);
            units_.resize(2 * std::size_t{header.unit_count});
            std::memcpy(units_.data(), section.data() + sizeof header, units_.size() * sizeof(u32));
        }
    }

    u32 by_arrays(std::string_view text, u32* ids) const {
        const u32 *const base = words_.data(), *const check = base + count_, *const values = check + count_;
        const u8* at = reinterpret_cast<const u8*>(text.data());
        const u8* const end = at + text.size();
        u32 found = 0;
        while (at < end) {
            u32 state = 0, id = 0;
            const u8* after = at + 1;
            for (const u8* p = at; p < end; ++p) {
                const u32 next = base[state] + *p;
                if (next >= count_ || check[next] != state) break;
                state = next;
                if (values[state] == layout::kNone) continue;
                id = values[state];
                after = p + 1;
            }
            ids[found++] = id;
            at = after;
        }
        return found;
    }

    u32 by_units(std::string_view text, u32* ids) const {
        const u32 *const units = units_.data(), *const values = units + units_.size() / 2;
        const u8* at = reinterpret_cast<const u8*>(text.data());
        const u8* const end = at + text.size();
        u32 found = 0;
        while (at < end) {
            u32 base = layout::base_of(units[0]), last = 0;
            const u8* after = at + 1;
            for (const u8* p = at; p < end; ++p) {
                const u32 index = base ^ *p, unit = units[index];
                if (layout::label_of(unit) != *p) break;
                base = layout::base_of(unit);
                if (!layout::is_terminal(unit)) continue;
                last = index;
                after = p + 1;
            }
            ids[found++] = values[last];
            at = after;
        }
        return found;
    }

private:
    u32 count_ = 0;
    std::vector<u32> words_, units_;
};

using Loop = u32 (PlainTries::*)(std::string_view text, u32* ids) const;
constexpr struct {
    const char* name;
    Loop loop;
} kLoops[] = {{"plain-arrays", &PlainTries::by_arrays}, {"plain-xor", &PlainTries::by_units}};

void run(benchmark::State& state, const PlainTries& tries, const Text& text, Loop loop) {
    std::vector<u32> ids(text.size());
    std::size_t tokens = 0;
    for (auto _ : state) {
        tokens = 0;
        for (std::size_t row = 0; row < text.rows(); ++row) tokens += (tries.*loop)(text.row(row), ids.data());
        benchmark::ClobberMemory();
    }
    state.SetBytesProcessed(state.iterations() * text.size());
    state.counters["bytes/token"] = double(text.size()) / double(tokens);
}

// The comparison is valid only if the engine's ids equal the loops'.
bool same_ids(const Encoding& encoding, const PlainTries& tries, const Text& text) {
    const Tokenizer tokenizer = create_tokenizer(encoding.cartridge.get(), encoding.name, "");
    const Encoder encoder = create_encoder(tokenizer.get());
    std::vector<u32> expected(text.size()), ids(text.size());
    for (std::size_t row = 0; row < text.rows(); ++row) {
        const u32 count = encode_utf8(encoder.get(), text, row, expected.data());
        for (const auto& [name, loop] : kLoops) {
            if ((tries.*loop)(text.row(row), ids.data()) == count &&
                std::equal(expected.begin(), expected.begin() + count, ids.begin())) {
                continue;
            }
            std::fprintf(stderr, "WRONG: %s, %s: the ids of %s differ\n", text.name.c_str(), encoding.name.c_str(), name);
            return false;
        }
    }
    return true;
}

}  // namespace

bool register_longest_match(const Plan& plan) {
    bool right = true;
    for (const Encoding& encoding : plan.encodings) {
        if (encoding.pretokenizer != "none") continue;
        const auto tries = std::make_shared<PlainTries>(encoding);
        for (const Text& text : plan.texts) {
            right &= same_ids(encoding, *tries, text);
            for (const auto& [name, loop] : kLoops) {
                benchmark::RegisterBenchmark(
                    (std::string(name) + "/" + text.name + "/" + encoding.name).c_str(),
                    [tries, &text, loop = loop](benchmark::State& state) { run(state, *tries, text, loop); });
            }
        }
    }
    return right;
}

}  // namespace crayon::bench
