#include "general/added_vocabulary.h"

#include <algorithm>

#include "base/whitespace.h"

namespace crayon::general {

Status AddedVocabulary::add(bool normalized, u32 added, std::string_view text) {
    if (text.empty()) {
        searches_[normalized].empty = std::min(searches_[normalized].empty, added);
        return {};
    }
    const Entry entry = {static_cast<u32>(texts_.size()), static_cast<u32>(text.size()), added};
    const bool allocated =
        texts_.append(reinterpret_cast<const u8*>(text.data()), text.size()) && searches_[normalized].entries.push_back(entry);
    return allocated ? Status{} : Status::out_of_memory();
}

void AddedVocabulary::sort() {
    for (Search& search : searches_) {
        std::sort(search.entries.begin(), search.entries.end(), [this](const Entry& a, const Entry& b) {
            const int order = text_of(a).compare(text_of(b));
            return order != 0 ? order < 0 : a.added < b.added;
        });
        u32 at = 0;
        for (u32 byte = 0; byte < 256; ++byte) {
            while (at < search.entries.size() && texts_[search.entries[at].offset] < byte) ++at;
            search.first[byte] = at;
        }
        search.first[256] = static_cast<u32>(search.entries.size());
    }
}

// Narrows down the entries that the text begins with, byte by byte.
const AddedVocabulary::Entry* AddedVocabulary::longest_at(const Search& search, const u8* text, u32 length) const {
    const Entry* low = search.entries.data() + search.first[text[0]];
    const Entry* high = search.entries.data() + search.first[text[0] + 1];
    const Entry* longest = nullptr;
    for (u32 depth = 1; low != high; ++depth) {
        if (low->length == depth) longest = low;
        while (low != high && low->length == depth) ++low;
        if (depth == length) break;
        const u8 byte = text[depth];
        // Mostly they all go on with it.
        if (low == high || (texts_[low->offset + depth] == byte && texts_[high[-1].offset + depth] == byte)) continue;
        low = std::partition_point(low, high, [&](const Entry& entry) { return texts_[entry.offset + depth] < byte; });
        high = std::partition_point(low, high, [&](const Entry& entry) { return texts_[entry.offset + depth] == byte; });
    }
    return longest;
}

Status AddedVocabulary::split(bool normalized, const AddedChoice& choice, const NormalizedString& string,
                              PreTokenizedString::Parts& parts) const {
    const Search& search = searches_[normalized];
    if (!has(normalized)) return parts.add(0, string.length) ? Status{} : Status::out_of_memory();
    const u8* const text = string.bytes;
    u32 done = 0;
    Range run = {1, 0};  // whitespace that has been read: no more than once, however many tokens strip it
    for (u32 at = 0; at <= string.length;) {
        const bool may_begin = at < string.length && search.first[text[at]] != search.first[text[at] + 1];
        const Entry* const entry = may_begin ? longest_at(search, text + at, string.length - at) : nullptr;
        const u32 added = entry ? entry->added : search.empty;
        u32 begin = at, end = at + (entry ? entry->length : 0);
        at = entry ? end : at + 1;
        if (added == kNoId) continue;
        const layout::AddedToken& token = view_->added[added];
        const Range original =
            begin < end ? string.slice(begin, end).original : Range{string.original.begin, string.original.begin};
        if (!choice.counts(choice.context, added, original)) continue;
        if (end < string.length && is_continuation(text[end])) return refused(original.begin);
        if (token.flags & layout::kSingleWord) {
            const bool is_free = begin == 0 || !words_.has(character_before(text, begin));
            if (!is_free || (end < string.length && words_.has(character_at(text + end).code_point))) continue;
        }
        if (choice.forbids(choice.context, added)) return {CRAYON_SPECIAL_FORBIDDEN, 0, original.begin};
        if (token.flags & layout::kLstrip) {
            u32 from = begin;
            while (from > done) {
                u32 before = from - 1;
                while (is_continuation(text[before])) --before;
                if (!is_whitespace(character_at(text + before).code_point)) break;
                from = before;
            }
            begin = std::max(from, done);
        }
        if (token.flags & layout::kRstrip) {
            if (end < run.begin || end > run.end) {
                run = {end, end};
                while (run.end < string.length) {
                    const Character next = character_at(text + run.end);
                    if (!is_whitespace(next.code_point)) break;
                    run.end += next.length;
                }
            }
            end = run.end;
        }
        if (begin > end) return refused(original.begin);  // all of it is part of the token before
        if (done < begin && !parts.add(done, begin)) return Status::out_of_memory();
        if (!parts.add(begin, end, added)) return Status::out_of_memory();
        done = end;
    }
    return done == string.length || parts.add(done, string.length) ? Status{} : Status::out_of_memory();
}

}  // namespace crayon::general
