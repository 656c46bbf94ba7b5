#include "engine.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace crayon::bench {

namespace {

void require(crayon_status status, const std::string& what) {
    if (status == CRAYON_OK) return;
    std::fprintf(stderr, "%s: %s\n", what.c_str(), crayon_status_sentence(status));
    std::exit(1);
}

std::uint32_t view_index(crayon_cartridge* cartridge, const std::string& view) {
    std::uint32_t length = 0;
    for (std::uint32_t index = 0; const char* name = crayon_cartridge_view_name(cartridge, index, &length); ++index) {
        if (view == std::string_view(name, length)) return index;
    }
    return ~0u;
}

// Passes a row in windows: feed(from, length, last), then read(), for each.
template <class Feed, class Read>
void windows(crayon_encoder* encoder, std::uint32_t begin, std::uint32_t end, Feed feed, Read read) {
    crayon_result result;
    crayon_encoder_begin(encoder, CRAYON_SPECIAL_AS_TEXT, nullptr, 0, &result);
    do {
        const std::uint32_t length = std::min(kWindow, end - begin);
        require(feed(begin, length, begin + length == end, &result), "feed");
        read(&result);
        begin += length;
    } while (begin < end);
}

}  // namespace

Cartridge open_cartridge(const std::string& path) {
    crayon_cartridge* cartridge = nullptr;
    crayon_result result;
    require(crayon_cartridge_open_file(path.data(), static_cast<std::uint32_t>(path.size()), 0, &cartridge, &result), path);
    return Cartridge(cartridge);
}

Tokenizer create_tokenizer(crayon_cartridge* cartridge, const std::string& view, const std::string& kernel) {
    crayon_tokenizer* tokenizer = nullptr;
    crayon_result result;
    require(crayon_tokenizer_create(cartridge, view_index(cartridge, view), kernel.data(),
                                    static_cast<std::uint32_t>(kernel.size()), &tokenizer, &result),
            view);
    return Tokenizer(tokenizer);
}

Encoder create_encoder(crayon_tokenizer* tokenizer) {
    crayon_encoder* encoder = nullptr;
    crayon_result result;
    require(crayon_encoder_create(tokenizer, &encoder, &result), "encoder");
    return Encoder(encoder);
}

std::string cartridge_path(const std::string& folder, const std::string& view) {
    const std::filesystem::path named = std::filesystem::path(folder) / (view + ".cray");
    if (std::filesystem::exists(named)) return named.string();
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
        if (entry.path().extension() != ".cray") continue;
        const std::string path = entry.path().string();
        if (view_index(open_cartridge(path).get(), view) != ~0u) return path;
    }
    return {};
}

std::uint32_t encode_utf8(crayon_encoder* encoder, const Text& text, std::size_t row, std::uint32_t* ids) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.bytes.data());
    std::uint32_t count = 0;
    windows(
        encoder, text.offsets[row], text.offsets[row + 1],
        [&](std::uint32_t from, std::uint32_t length, bool last, crayon_result* result) {
            return crayon_encoder_feed_utf8(encoder, bytes + from, length, last, result);
        },
        [&](crayon_result* result) {
            require(crayon_encoder_read(encoder, ids + count, 0x7FFFFFFF, result), "read");
            count += result->count;
        });
    return count;
}

std::uint32_t encode_utf16(crayon_encoder* encoder, const Text& text, std::size_t row, std::uint32_t* ids) {
    std::uint32_t count = 0;
    windows(
        encoder, text.unit_offsets[row], text.unit_offsets[row + 1],
        [&](std::uint32_t from, std::uint32_t length, bool last, crayon_result* result) {
            return crayon_encoder_feed_utf16(encoder, text.units.data() + from, length, last, result);
        },
        [&](crayon_result* result) {
            require(crayon_encoder_read(encoder, ids + count, 0x7FFFFFFF, result), "read");
            count += result->count;
        });
    return count;
}

std::uint32_t count_utf8(crayon_encoder* encoder, const Text& text, std::size_t row) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.bytes.data());
    std::uint32_t count = 0;
    windows(
        encoder, text.offsets[row], text.offsets[row + 1],
        [&](std::uint32_t from, std::uint32_t length, bool last, crayon_result* result) {
            return crayon_encoder_feed_utf8(encoder, bytes + from, length, last, result);
        },
        [&](crayon_result* result) {
            require(crayon_encoder_count(encoder, 0xFFFFFFFF, result), "count");
            count += result->count;
        });
    return count;
}

}  // namespace crayon::bench
