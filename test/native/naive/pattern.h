// A small leftmost-first backtracking regular-expression matcher over code points: the meaning of a pretokenizer
// pattern, read from the pattern as it was published.
//
// Only what those patterns use: alternation, (?:…), (?i:…) over literals, (?!…), literals, \r \n \s \S \p{…}, bracketed
// sets of these (negated or not), and the greedy quantifiers ? * + {m,n}, on a single character or, ? alone, on a
// group. Anything else is refused. Recursion is as deep as the pattern is long, whatever the text.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace crayon::naive {

class Pattern {
public:
    // Prints what is wrong and aborts if the pattern is not of the kind above: a pattern is part of a test's source.
    explicit Pattern(std::string_view pattern);
    ~Pattern();
    Pattern(Pattern&&) noexcept;

    static constexpr std::size_t kNoMatch = ~std::size_t{0};

    // Where the match that starts at `position` ends; kNoMatch if none starts there.
    std::size_t match_at(std::u32string_view text, std::size_t position) const;

    // The ends of the consecutive matches that cover the text. Aborts if they leave a gap or one is empty: a
    // pretokenizer pattern matches somewhere at every position.
    std::vector<std::size_t> split(std::u32string_view text) const;

    struct Node;

private:
    std::vector<std::unique_ptr<Node>> nodes_;
    const Node* start_ = nullptr;
};

}  // namespace crayon::naive
