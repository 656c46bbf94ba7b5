// crayon.h for the benchmarks: handles that release themselves, and the loops of a binding.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "crayon/crayon.h"
#include "texts.h"

namespace crayon::bench {

template <auto kRelease>
struct Releaser {
    template <class Handle>
    void operator()(Handle* handle) const {
        kRelease(handle);
    }
};
using Cartridge = std::unique_ptr<crayon_cartridge, Releaser<crayon_cartridge_release>>;
using Tokenizer = std::unique_ptr<crayon_tokenizer, Releaser<crayon_tokenizer_release>>;
using Encoder = std::unique_ptr<crayon_encoder, Releaser<crayon_encoder_release>>;

// On failure, each prints the engine's message and exits: there is nothing to measure then.
Cartridge open_cartridge(const std::string& path);
Tokenizer create_tokenizer(crayon_cartridge* cartridge, const std::string& view, const std::string& kernel);
Encoder create_encoder(crayon_tokenizer* tokenizer);

// The file that contains a view: FOLDER/<view>.cray, else any cartridge in the folder that has it. Empty if there is none.
std::string cartridge_path(const std::string& folder, const std::string& view);

// The window of the addon.
inline constexpr std::uint32_t kWindow = 65536;

// Writes all ids of a row to `ids`, which has space for one per byte; returns their number.
std::uint32_t encode_utf8(crayon_encoder* encoder, const Text& text, std::size_t row, std::uint32_t* ids);
std::uint32_t encode_utf16(crayon_encoder* encoder, const Text& text, std::size_t row, std::uint32_t* ids);
std::uint32_t count_utf8(crayon_encoder* encoder, const Text& text, std::size_t row);

}  // namespace crayon::bench
