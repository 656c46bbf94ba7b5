// The parts of a text by the C interface: it is fed in windows, and their numbers are read with any capacity.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "crayon/crayon.h"
#include "generate_text.h"
#include "naive/part_rule.h"
#include "vocabularies.h"

namespace crayon::test {

// Three numbers of each part, then perhaps a failure.
struct ReadParts {
    std::vector<std::uint32_t> numbers;
    std::uint32_t status = CRAYON_OK;
    std::uint64_t position = 0;
    std::uint64_t work = 0;  // bytes that the encoder has read

    bool operator==(const ReadParts& other) const {
        return numbers == other.numbers && status == other.status && (status == CRAYON_OK || position == other.position);
    }
    std::size_t size() const { return numbers.size() / 3; }
    std::size_t begin(std::size_t part) const { return numbers[3 * part]; }
    std::size_t end(std::size_t part) const { return numbers[3 * part + 1]; }
    std::size_t tokens(std::size_t part) const { return numbers[3 * part + 2]; }
};

inline std::uint64_t position_of(const crayon_result& result) {
    return std::uint64_t{result.position_high} << 32 | result.position;
}

inline std::u16string utf16_of(std::u32string_view characters) {
    std::u16string units;
    for (const char32_t c : characters) {
        if (c >= 0x10000) units += static_cast<char16_t>(0xD800 + ((c - 0x10000) >> 10));
        units += static_cast<char16_t>(c >= 0x10000 ? 0xDC00 + (c & 0x3FF) : c);
    }
    return units;
}

inline crayon_status begin_parts(crayon_encoder* encoder, const crayon_part_form& form, crayon_result* result) {
    return crayon_encoder_begin_parts(encoder, form.limit, form.overlap, form.unit, form.cuts, form.separators, form.length,
                                      form.numbers, form.count, result);
}

// Cuts a text in UTF-8 or UTF-16. Without `random`, it is one window; otherwise windows have at most `widest` units.
template <class Text>
ReadParts read_parts(crayon_encoder* encoder, std::uint32_t policy, const crayon_part_form& form, const Text& text,
                     Random* random = nullptr, std::size_t widest = 200) {
    crayon_result result;
    ReadParts parts;
    EXPECT_EQ(crayon_encoder_begin(encoder, policy, nullptr, 0, &result), CRAYON_OK);
    EXPECT_EQ(begin_parts(encoder, form, &result), CRAYON_OK);
    std::vector<std::uint32_t> some(300);
    for (std::size_t fed = 0, size, last = 0; !last && parts.status == CRAYON_OK; fed += size) {
        size = random ? std::min(random->below(widest + 1), text.size() - fed) : text.size();
        last = fed + size == text.size() && !(random && random->one_in(8));
        const auto length = static_cast<std::uint32_t>(size), is_last = static_cast<std::uint32_t>(last);
        if constexpr (sizeof(text[0]) == 1) {
            crayon_encoder_feed_utf8(encoder, reinterpret_cast<const std::uint8_t*>(text.data()) + fed, length, is_last, &result);
        } else {
            crayon_encoder_feed_utf16(encoder, reinterpret_cast<const std::uint16_t*>(text.data()) + fed, length, is_last,
                                      &result);
        }
        EXPECT_EQ(result.status, CRAYON_OK);
        do {
            const std::size_t capacity = random ? 1 + random->below(random->one_in(3) ? 3 : some.size()) : some.size();
            parts.status = crayon_encoder_read(encoder, some.data(), static_cast<std::uint32_t>(capacity), &result);
            if (parts.status != CRAYON_OK) break;
            EXPECT_LE(result.count, capacity);
            parts.numbers.insert(parts.numbers.end(), some.begin(), some.begin() + result.count);
        } while (result.more);
    }
    if (parts.status != CRAYON_OK) parts.position = position_of(result);
    EXPECT_EQ(parts.numbers.size() % 3, 0u);
    EXPECT_EQ(crayon_encoder_position(encoder, &result), CRAYON_OK);
    parts.work = position_of(result);
    return parts;
}

// The tokens of a text alone, for the naive rule.
inline naive::EncodedText encoded_alone(Tokenizing& alone, std::string_view text, std::uint32_t policy) {
    crayon_result result;
    naive::EncodedText encoded;
    crayon_encoder* const encoder = alone.encoder();
    EXPECT_EQ(crayon_encoder_begin(encoder, policy, nullptr, 0, &result), CRAYON_OK);
    crayon_encoder_feed_utf8(encoder, reinterpret_cast<const std::uint8_t*>(text.data()), static_cast<std::uint32_t>(text.size()),
                             1, &result);
    do {
        std::uint32_t ids[64], offsets[128];
        encoded.status = crayon_encoder_read_with_offsets(encoder, ids, offsets, 64, CRAYON_UNIT_BYTES, &result);
        encoded.position = position_of(result);
        if (encoded.status != CRAYON_OK) break;
        for (std::uint32_t i = 0; i < result.count; ++i) encoded.tokens.emplace_back(offsets[2 * i], offsets[2 * i + 1]);
    } while (result.more);
    return encoded;
}
inline naive::PartRule::Encode encoding_of(Tokenizing& alone, std::uint32_t policy) {
    return [&alone, policy](std::string_view text) { return encoded_alone(alone, text, policy); };
}

}  // namespace crayon::test
