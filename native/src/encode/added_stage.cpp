#include "encode/added_stage.h"

#include <algorithm>

#include "base/utf8.h"
#include "base/whitespace.h"

namespace crayon {

namespace {

// The start of the last character of text[begin, end) if it may be whitespace that continues past `end`; else `end`.
size_t whole_end(const u8* text, size_t begin, size_t end) {
    if (end - begin >= 1 && text[end - 1] >= 0xC2) return end - 1;
    if (end - begin >= 2 && text[end - 2] >= 0xE0 && is_continuation(text[end - 1])) return end - 2;
    return end;
}

}  // namespace

void AddedStage::restart() {
    search_.restart();
    begin_text();
}

AddedStage::Hit AddedStage::find(const Text& text) {
    if (!is_used_) return {text.end, text.end, text.end, nullptr};
    const Hit hit = strip(search_.find({text.bytes, text.origin, text.at + searched_, text.end, text.last}), text);
    searched_ = hit.position - text.at;
    return hit;
}

// Finds the whitespace that belongs to a token; spaces_before_ bytes of it are known to precede the searched text.
AddedStage::Hit AddedStage::strip(const AddedSearch::Found& found, const Text& text) {
    Hit hit = {found.position, found.position, found.position, found.token};
    if (hit.token) hit.end += hit.token->length;
    if (!policy_.strips()) return hit;
    const size_t from = text.at + searched_;
    if (hit.token && policy_.includes_spaces(*hit.token) && (hit.token->flags & layout::kRstrip)) {
        bool is_open = false;
        const size_t after = std::min(text.end, pass_spaces(text.bytes, hit.end + spaces_after_, text.end, &is_open));
        if (is_open && !text.last) {
            spaces_after_ = after - hit.end;
            hit.token = nullptr;  // report no token yet
        }
        hit.end = after;
    } else if (!hit.token && !text.last) {
        // The search may have stopped inside a character.
        hit.position = std::max(from, whole_end(text.bytes, text.at, hit.position));
        hit.begin = hit.position;
    }
    if (hit.token ? policy_.includes_spaces(*hit.token) && (hit.token->flags & layout::kLstrip) : !text.last) {
        hit.begin = pass_spaces_back(text.bytes, from, hit.position);
        if (hit.begin == from) hit.begin = from - std::min(spaces_before_, from - text.at);
    }
    if (!hit.token) spaces_before_ = hit.position - hit.begin;
    return hit;
}

}  // namespace crayon
