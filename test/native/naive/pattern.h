// A small leftmost-first backtracking regular-expression matcher over code points: the meaning of a pretokenizer pattern, parsed
// from its published form.
//
// Only what those patterns use: alternation, (?:…), (?i:…) over literals, (?!…), literals, \r \n \s \S \p{…}, bracketed sets of
// these and of ranges (negated or not), and the greedy quantifiers ? * + {m,n}, on a single character or, only ?, on a group.
// Anything else is refused. Recursion is as deep as the pattern is long, whatever the text.
//
// Several lines are several patterns: each splits the pieces of the previous one, as separate texts.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace crayon::naive {

class Pattern {
public:
    // Prints the error and aborts if the pattern is not of this kind: a pattern is part of a test's source.
    explicit Pattern(std::string_view pattern);
    ~Pattern();
    Pattern(Pattern&&) noexcept;

    static constexpr std::size_t kNoMatch = ~std::size_t{0};

    // The ends of the pieces: the consecutive matches, and the text between them. Aborts if a match is empty.
    std::vector<std::size_t> split(std::u32string_view text) const;

    struct Node;

private:
    std::vector<std::unique_ptr<Node>> nodes_;
    std::vector<const Node*> starts_;
};

}  // namespace crayon::naive
