// The reference's AddedVocabulary: tokens that are found in a text before its model sees it.
//
// Two searches: first for the tokens that are not *normalized*, in the text; then for the others, by what the normalizer makes of
// them, in what it makes of each split that the first search has left. A search takes the leftmost token, and of those at one
// place the longest, and goes on behind it. Quirks:
// * A token that does not count, because it is part of a word or the caller takes special tokens for text, is passed over like
//   any other: no token inside of it is found.
// * With rstrip, the whitespace behind is part of the token, but the search goes on in it. A token that begins with whitespace is
//   then found in text that is part of a token already, and that text is encoded twice.
// * Of tokens that the normalizer makes equal, the order of a hash table decides; here the first one is found.
// * A token of which the normalizer leaves nothing is found at each byte where no other is: it cuts the text there, and the
// reference
//   cannot go on where the byte is inside of a character.
#pragma once

#include "cartridge/cartridge.h"
#include "general/pre_tokenized_string.h"

namespace crayon::general {

// What the caller says about the tokens of a text, by their index.
struct AddedChoice {
    const void* context;
    // Whether a token counts; `at`: its bytes in the whole text.
    bool (*counts)(const void* context, u32 added, Range at);
    // Whether the text is refused for it: SPECIAL_FORBIDDEN.
    bool (*forbids)(const void* context, u32 added);
};

class AddedVocabulary {
public:
    // `normalize(text, length, normalized)` is the normalizer. Its failures.
    template <class Normalize>
    Status create(const TokenizerView& view, std::span<const layout::WordRange> words, Normalize normalize) {
        view_ = &view;
        words_ = CharacterSet(words);
        Status status;
        for (u32 i = 0; i < view.added.size() && status.ok(); ++i) {
            const std::string_view content = view.bytes(view.added[i]);
            if ((view.added[i].flags & layout::kNormalized) == 0) {
                status = add(0, i, content);
                continue;
            }
            NormalizedString normalized;
            status = normalize(content, &normalized);
            const std::string_view text(reinterpret_cast<const char*>(normalized.bytes), normalized.length);
            if (status.ok()) status = add(1, i, text);
        }
        sort();
        return status;
    }
    bool has(bool normalized) const { return !searches_[normalized].entries.empty() || searches_[normalized].empty != kNoId; }
    u32 id_of(u32 added) const { return view_->added[added].id; }

    // Cuts a string where tokens are. SPECIAL_FORBIDDEN, TEXT_REFUSED, OUT_OF_MEMORY. Cost: linear in text × the longest token.
    Status split(bool normalized, const AddedChoice& choice, const NormalizedString& string,
                 PreTokenizedString::Parts& parts) const;

private:
    struct Entry {
        u32 offset, length, added;
    };
    struct Search {
        Buffer<Entry> entries;  // ascending by text
        u32 first[257];         // of the entries with each first byte
        u32 empty = kNoId;      // the token of which the normalizer leaves nothing
    };
    Status add(bool normalized, u32 added, std::string_view text);
    void sort();
    std::string_view text_of(const Entry& entry) const {
        return {reinterpret_cast<const char*>(texts_.data()) + entry.offset, entry.length};
    }
    const Entry* longest_at(const Search& search, const u8* text, u32 length) const;

    const TokenizerView* view_ = nullptr;
    CharacterSet words_;
    Buffer<u8> texts_;
    Search searches_[2];
};

}  // namespace crayon::general
