// Cuts texts to limits by the rule at the top of native/src/limits/part_cutter.h, slowly: each candidate is encoded as a text of
// its own, from its first byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

namespace crayon::naive {

// The tokens of a text, begin and end of each, up to a failure.
struct EncodedText {
    std::vector<std::pair<std::size_t, std::size_t>> tokens;
    std::uint32_t status = 0;
    std::uint64_t position = 0;
};

class PartRule {
public:
    using Encode = std::function<EncodedText(std::string_view)>;
    struct Part {
        std::size_t begin = 0, end = 0, tokens = 0;
        bool operator==(const Part&) const = default;
    };
    // A part, or a failure and its byte; a character that is over the limit is an empty part.
    struct Cut {
        Part part;
        std::uint32_t status = 0;
        std::uint64_t position = 0;
        std::string_view window = {};  // the text looked at
        std::size_t failures = 0;      // candidates that did not fit
        bool is_window = false;        // the part is all of a smaller window
    };
    struct Split {
        std::vector<Part> parts;
        std::uint32_t status = 0;
        std::uint64_t position = 0;
        std::size_t most_failures = 0, windows = 0;  // of any part; parts that are windows
    };

    // The text must stay in place.
    PartRule(std::string_view text, Encode encode);

    Cut from(std::size_t begin, std::uint64_t limit) const;
    Cut up_to(std::size_t end, std::uint64_t limit) const;
    // The last tokens of a part: a part that ends where it does.
    Cut last_of(const Part& part, std::uint64_t limit) const;
    Split split(std::uint64_t limit, std::uint64_t overlap) const;

    bool is_between_characters(std::size_t at) const;
    bool is_between_clusters(std::size_t at) const;

private:
    static constexpr std::size_t kNowhere = ~std::size_t{0};
    // The gap behind each token, or the gap before it, from the token on; the best one first. `fixed`: the other end of the part;
    // `stop`: that of the window.
    using Gap = std::pair<std::size_t, std::size_t>;
    struct Candidates {
        std::vector<Gap> gaps;
        bool are_begins;
        std::size_t fixed, stop;
    };
    std::size_t first_in(const Gap& gap, bool by_cluster) const;
    EncodedText encode(std::size_t begin, std::size_t end) const { return encode_(text_.substr(begin, end - begin)); }
    Cut choose(const Candidates& candidates, std::uint64_t limit) const;
    Cut choose_begin(std::size_t begin, std::size_t end, const EncodedText& encoded, std::uint64_t limit) const;
    std::size_t next(std::size_t at, std::size_t stop, bool is_backwards, bool by_cluster) const;
    std::size_t end_of_window(std::size_t begin, std::uint64_t size) const;
    std::size_t begin_of_window(std::size_t end, std::uint64_t size) const;

    std::string_view text_;
    std::vector<std::size_t> characters_;  // their beginnings, and the end of the text
    Encode encode_;
};

}  // namespace crayon::naive
