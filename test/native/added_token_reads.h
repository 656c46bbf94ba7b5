// Ways to read a text with added tokens, each compared with the ids that a naive search finds: in windows, up to a stop, and in
// parts that fit a limit.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "limits/splitter.h"
#include "read_parts.h"
#include "vocabularies.h"

namespace crayon::test {

using Spans = std::vector<std::pair<std::size_t, std::size_t>>;

// The spans of those ids that are added tokens.
inline Spans added_spans(const std::vector<AddedToken>& added, const std::vector<u32>& ids, const std::vector<u32>& offsets) {
    Spans spans;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const auto is_it = [&](const AddedToken& token) { return token.id == ids[i]; };
        if (std::any_of(added.begin(), added.end(), is_it)) spans.emplace_back(offsets[2 * i], offsets[2 * i + 1]);
    }
    return spans;
}

// Where the windows of a text end.
inline std::vector<std::size_t> random_windows(Random& random, std::size_t size) {
    std::vector<std::size_t> cuts;
    const std::size_t most = 1 + random.below(20);
    for (std::size_t at = 0; cuts.empty() || at < size;) cuts.push_back(at = std::min(size, at + 1 + random.below(most)));
    return cuts;
}

// The ids of a text in windows that end at `cuts`. After each, encoding from the stop position gives the remaining ids.
inline void expect_in_windows(Tokenizing& own, const std::string& text, u32 special, const std::vector<std::size_t>& cuts,
                              const std::vector<u32>& expected, std::vector<u32>* offsets, const std::string& name) {
    Encoder& encoder = own.encoder()->encoder;
    ASSERT_TRUE(encoder.begin(special, nullptr, 0).ok());
    std::vector<u32> ids;
    std::vector<std::size_t> stops, counts;
    std::size_t at = 0;
    for (const std::size_t end : cuts) {
        ASSERT_TRUE(encoder.feed_utf8(reinterpret_cast<const u8*>(text.data()) + at, end - at, end == text.size()).ok());
        at = end;
        for (Encoder::Read read{0, true}; read.more;) {
            u32 some[3], spans[6];
            ASSERT_TRUE(encoder.read_with_offsets(some, spans, 3, CRAYON_UNIT_BYTES, &read).ok());
            ids.insert(ids.end(), some, some + read.count);
            if (offsets) offsets->insert(offsets->end(), spans, spans + 2 * read.count);
        }
        stops.push_back(encoder.position());
        counts.push_back(ids.size() - encoder.ids_beyond_position());
    }
    ASSERT_EQ(ids, expected) << name;
    ASSERT_EQ(stops.back(), text.size()) << name;
    for (std::size_t i = 0; i < stops.size(); ++i) {
        if (i > 0 && stops[i] == stops[i - 1]) continue;
        const std::vector<u32> rest(expected.begin() + counts[i], expected.end());
        ASSERT_EQ(own.encode(text.substr(stops[i]), special), rest) << name << " at " << stops[i];
    }
}

// Reading up to a random byte ends at or after it, where encoding gives the remaining ids.
inline void expect_up_to_a_stop(Tokenizing& own, const std::string& text, u32 special, const std::vector<u32>& expected,
                                Random& random, const std::string& name) {
    Encoder& encoder = own.encoder()->encoder;
    ASSERT_TRUE(encoder.begin(special, nullptr, 0).ok());
    ASSERT_TRUE(encoder.feed_utf8(reinterpret_cast<const u8*>(text.data()), text.size(), true).ok());
    const std::size_t stop = 1 + random.below(text.size());
    encoder.stop_reading_at(stop);
    std::vector<u32> some(expected.size() + 1);
    Encoder::Read read{};
    ASSERT_TRUE(encoder.read(some.data(), static_cast<u32>(some.size()), &read).ok());
    ASSERT_GE(encoder.position(), stop) << name;
    const std::vector<u32> rest(expected.begin() + read.count, expected.end());
    ASSERT_EQ(own.encode(text.substr(encoder.position()), special), rest) << name;
}

// Parts, each of which fits a random limit alone. `count_of`: the naive number of tokens of a text.
template <class CountOf>
void expect_parts_that_fit(Tokenizing& own, const std::string& text, u32 special, Random& random, const CountOf& count_of,
                           const std::string& name) {
    const u32 limit = static_cast<u32>(4 + random.below(20)), overlap = static_cast<u32>(random.below(4));
    const crayon_part_form form{limit, overlap, CRAYON_UNIT_BYTES, CRAYON_CUT_ANYWHERE, nullptr, nullptr, 0, 0};
    const ReadParts parts = read_parts(own.encoder(), special, form, text, &random);
    ASSERT_EQ(parts.status, CRAYON_OK) << name;
    for (std::size_t i = 0; i < parts.size() && parts.begin(i) < parts.end(i); ++i) {
        ASSERT_EQ(count_of(text.substr(parts.begin(i), parts.end(i) - parts.begin(i))), parts.tokens(i)) << name;
        ASSERT_LE(parts.tokens(i), limit) << name;
    }
}

}  // namespace crayon::test
