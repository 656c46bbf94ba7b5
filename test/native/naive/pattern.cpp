#include "naive/pattern.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "naive/unicode_properties.h"
#include "naive/utf.h"

namespace crayon::naive {
namespace {

struct Set {
    std::u32string characters;
    std::vector<std::pair<char32_t, char32_t>> ranges;
    Properties properties = 0;
    bool negated = false;
    bool ignores_case = false;

    bool contains(char32_t c) const {
        if (ignores_case) c = fold(c);
        bool found = (properties_of(c) & properties) != 0 || characters.find(c) != std::u32string::npos;
        for (const auto& [first, last] : ranges) found |= first <= c && c <= last;
        return found != negated;
    }
};

}  // namespace

// A state of the matcher. `next` must match after it; null means that the match is complete.
struct Pattern::Node {
    enum Kind { kCharacters, kAlternatives, kNotAhead } kind;
    const Node* next = nullptr;
    Set set;                           // kCharacters: from `least` to `most` of these, as many as possible
    std::size_t least = 1, most = 1;   //
    std::vector<const Node*> choices;  // kAlternatives: the first that leads to a match; each continues to `next` itself.
                                       // kNotAhead: one, which must not match here
};

namespace {

using Node = Pattern::Node;

constexpr std::size_t kUnlimited = ~std::size_t{0};

// Recursive descent. The successor of an item is not known when it is read, so each parse function returns an item with its
// dangling ends, and `link` joins them to the successor.
class Parser {
public:
    Parser(std::string_view pattern, std::vector<std::unique_ptr<Node>>& nodes) : pattern_(pattern), nodes_(nodes) {}

    const Node* parse() {
        Item whole = alternatives(false);
        if (at_ < pattern_.size()) refuse("unexpected )");
        return whole.first;
    }

private:
    struct Item {
        const Node* first = nullptr;
        std::vector<const Node**> ends;  // to be set to the successor
    };

    [[noreturn]] void refuse(const char* why) const {
        std::fprintf(stderr, "pattern refused at %zu: %s\n%.*s\n", at_, why, static_cast<int>(pattern_.size()), pattern_.data());
        std::abort();
    }
    bool ahead(std::string_view word) const { return pattern_.substr(at_).starts_with(word); }
    bool take(std::string_view word) {
        if (!ahead(word)) return false;
        at_ += word.size();
        return true;
    }
    char take_any() {
        if (at_ == pattern_.size()) refuse("the pattern ends too early");
        return pattern_[at_++];
    }
    Node* add(Node::Kind kind) {
        nodes_.push_back(std::make_unique<Node>());
        nodes_.back()->kind = kind;
        return nodes_.back().get();
    }

    Item alternatives(bool ignores_case) {
        Node* node = add(Node::kAlternatives);
        Item item{node, {}};
        std::vector<Item> choices;
        do {
            choices.push_back(sequence(ignores_case));
        } while (take("|"));
        node->choices.resize(choices.size());
        for (std::size_t i = 0; i < choices.size(); ++i) {
            node->choices[i] = choices[i].first;
            item.ends.insert(item.ends.end(), choices[i].ends.begin(), choices[i].ends.end());
        }
        return item;
    }

    Item sequence(bool ignores_case) {
        Item whole;
        while (at_ < pattern_.size() && !ahead("|") && !ahead(")")) {
            Item item = ahead("(") ? group(ignores_case) : characters(ignores_case);
            if (!whole.first) whole.first = item.first;
            for (const Node** end : whole.ends) *end = item.first;
            whole.ends = item.ends;
        }
        if (!whole.first) refuse("an alternative is empty");
        return whole;
    }

    Item group(bool ignores_case) {
        bool not_ahead = take("(?!");
        if (!not_ahead) {
            if (take("(?i:")) {
                ignores_case = true;
            } else if (!take("(?:")) {
                refuse("unknown kind of group");
            }
        }
        Item inside = alternatives(ignores_case);
        if (!take(")")) refuse("expected )");
        if (not_ahead) {
            Node* node = add(Node::kNotAhead);
            node->choices = {inside.first};
            return {node, {&node->next}};
        }
        if (take("?")) {
            // Inside, or else straight on. A null choice would end the match, so "straight on" is an empty node.
            Node* skip = add(Node::kCharacters);
            skip->least = skip->most = 0;
            Node* node = add(Node::kAlternatives);
            node->choices = {inside.first, skip};
            inside.first = node;
            inside.ends.push_back(&skip->next);
        }
        if (ahead("*") || ahead("+") || ahead("{") || ahead("?")) refuse("a group takes no quantifier but ?");
        return inside;
    }

    Item characters(bool ignores_case) {
        Node* node = add(Node::kCharacters);
        if (take("[")) {
            if (ignores_case) refuse("a bracketed set inside (?i:");
            node->set.negated = take("^");
            while (!take("]")) add_member(node->set, true);
        } else {
            add_member(node->set, false);
            if (ignores_case) {
                if (node->set.properties || node->set.negated) refuse("a property inside (?i:");
                node->set.ignores_case = true;
                for (char32_t& c : node->set.characters) c = fold(c);
            }
        }
        if (take("?")) {
            node->least = 0;
        } else if (take("*")) {
            node->least = 0, node->most = kUnlimited;
        } else if (take("+")) {
            node->most = kUnlimited;
        } else if (take("{")) {
            node->least = number();
            if (!take(",")) refuse("expected ,");
            node->most = number();
            if (!take("}")) refuse("expected }");
        }
        if (ahead("?") || ahead("+") || ahead("*")) refuse("only greedy quantifiers");
        return {node, {&node->next}};
    }

    void add_member(Set& set, bool bracketed) {
        char c = take_any();
        if (c == '\\') {
            c = take_any();
            switch (c) {
                case 'r':
                    set.characters += U'\r';
                    return;
                case 'n':
                    set.characters += U'\n';
                    return;
                case 's':
                    set.properties |= properties_named("White_Space");
                    return;
                case 'S':
                    if (bracketed) refuse("\\S inside brackets");
                    set.properties = properties_named("White_Space");
                    set.negated = true;
                    return;
                case 'p': {
                    if (!take("{")) refuse("expected {");
                    std::size_t end = pattern_.find('}', at_);
                    if (end == std::string_view::npos) refuse("expected }");
                    Properties named = properties_named(pattern_.substr(at_, end - at_));
                    if (!named) refuse("unknown property");
                    set.properties |= named;
                    at_ = end + 1;
                    return;
                }
                default:
                    if (!bracketed || std::string_view("-[]\\").find(c) == std::string_view::npos) refuse("unknown escape");
                    set.characters += static_cast<char32_t>(c);
                    return;
            }
        }
        constexpr std::string_view kSyntax = "[](){}?*+|^$.-&", kSetSyntax = "[]-";
        if ((bracketed ? kSetSyntax : kSyntax).find(c) != std::string_view::npos || (c == '&' && ahead("&"))) {
            refuse("not a literal");
        }
        --at_;
        const char32_t first = take_literal();
        if (bracketed && take("-")) {
            set.ranges.emplace_back(first, take_literal());
        } else {
            set.characters += first;
        }
    }

    char32_t take_literal() {
        const Characters rest = decode_utf8(pattern_.substr(at_, 4));
        if (rest.code_points.empty() || rest.code_points[0] == U'\uFFFD') refuse("not a literal");
        at_ += rest.offsets[1];
        return rest.code_points[0];
    }

    std::size_t number() {
        std::size_t value = 0;
        if (at_ == pattern_.size() || pattern_[at_] < '0' || pattern_[at_] > '9') refuse("expected a number");
        while (at_ < pattern_.size() && pattern_[at_] >= '0' && pattern_[at_] <= '9') {
            value = value * 10 + static_cast<std::size_t>(pattern_[at_++] - '0');
        }
        return value;
    }

    std::string_view pattern_;
    std::vector<std::unique_ptr<Node>>& nodes_;
    std::size_t at_ = 0;
};

std::size_t match(const Node* node, std::u32string_view text, std::size_t position) {
    if (!node) return position;
    switch (node->kind) {
        case Node::kCharacters: {
            std::size_t count = 0;
            while (count < node->most && position + count < text.size() && node->set.contains(text[position + count])) {
                ++count;
            }
            for (;; --count) {
                if (count < node->least) return Pattern::kNoMatch;
                std::size_t end = match(node->next, text, position + count);
                if (end != Pattern::kNoMatch || count == 0) return end;
            }
        }
        case Node::kAlternatives:
            for (const Node* choice : node->choices) {
                std::size_t end = match(choice, text, position);
                if (end != Pattern::kNoMatch) return end;
            }
            return Pattern::kNoMatch;
        case Node::kNotAhead:
            if (match(node->choices[0], text, position) != Pattern::kNoMatch) return Pattern::kNoMatch;
            return match(node->next, text, position);
    }
    return Pattern::kNoMatch;
}

}  // namespace

Pattern::Pattern(std::string_view pattern) {
    for (std::size_t begin = 0; begin <= pattern.size();) {
        const std::size_t end = std::min(pattern.find('\n', begin), pattern.size());
        starts_.push_back(Parser(pattern.substr(begin, end - begin), nodes_).parse());
        begin = end + 1;
    }
}
Pattern::~Pattern() = default;
Pattern::Pattern(Pattern&&) noexcept = default;

std::vector<std::size_t> Pattern::split(std::u32string_view text) const {
    std::vector<std::size_t> ends;
    if (!text.empty()) ends.push_back(text.size());
    for (const Node* start : starts_) {
        std::vector<std::size_t> inner;
        std::size_t piece = 0;
        for (const std::size_t end : ends) {
            const std::u32string_view alone = text.substr(piece, end - piece);
            std::size_t gap = 0;
            for (std::size_t position = 0; position < alone.size();) {
                const std::size_t match_end = match(start, alone, position);
                if (match_end == position) {
                    std::fprintf(stderr, "the pattern has an empty match at character %zu\n", piece + position);
                    std::abort();
                }
                if (match_end == kNoMatch) {
                    ++position;
                    continue;
                }
                if (gap < position) inner.push_back(piece + position);
                inner.push_back(piece + match_end);
                gap = position = match_end;
            }
            if (gap < alone.size()) inner.push_back(end);
            piece = end;
        }
        ends = inner;
    }
    return ends;
}

}  // namespace crayon::naive
