// Where people cut a text: at the ends of its paragraphs, sentences, lines and words, at the headings and blocks of Markdown, at
// the blocks of programs, or at listed strings. Each kind ranks positions; the lowest rank is the strongest separator.
//
// At a line break, the break stays with the part before. At spaces, the spaces go with the part after, since tokens begin with
// their space. The classes of characters are fixed lists, not the host's Unicode data: a text is cut alike everywhere.
//
// Cost of a rank: at most kNear characters on each side, or a line of at most kMostLine bytes; of listed strings, those with the
// byte before the position at that place.
#pragma once

#include "base/buffer.h"
#include "base/status.h"
#include "crayon/crayon.h"
#include "limits/markdown.h"
#include "limits/text_view.h"

namespace crayon {

class Separators {
public:
    static constexpr u32 kNone = ~u32{0};

    // Takes the kind and the list of a form (limits.h). INVALID_ARGUMENT, OUT_OF_MEMORY.
    Status set(const crayon_part_form& form);
    bool any() const;
    // How many bytes before a position its rank may depend on.
    size_t look_back() const { return kLookBack + longest_; }

    // A text begins.
    void restart() { markdown_.restart(); }
    // Prepares ranks up to the end of the text. `origin`: where its first byte is in the whole text, of which nothing before
    // `begin` will be asked for. `last`: the whole text ends there. False if memory is short.
    bool read(const TextView& text, u64 origin, size_t begin, bool last);
    // Ranks are asked for of a part that could end at `end` of the whole text at most.
    void set_end(u64 end) { ends_in_fence_ = kind_ == CRAYON_CUT_MARKDOWN && markdown_.is_in_fence(end); }
    // The rank of a position inside the text, if it is below `below`.
    u32 rank(const TextView& text, u64 origin, size_t at, u32 below);
    // The block of Markdown around a position that should not be cut; nullptr if there is none.
    const MarkdownCuts::Range* block_around(u64 at) const;

private:
    struct Listed {
        u32 begin, length, cut, next;  // the next one of the same key
    };
    // Listed strings by the byte before their cut, else by the one after it, in the order of their ranks.
    static constexpr u32 kKeys = 512;
    static u32 key_before(u8 byte) { return byte; }
    static u32 key_after(u8 byte) { return 256 + byte; }
    u32 listed_at(const TextView& text, size_t at, u32 key, u32 below) const;

    static constexpr size_t kLookBack = 4096;

    u32 kind_ = 0;
    size_t longest_ = 0;
    Buffer<u8> bytes_;
    Buffer<Listed> listed_;
    u32 first_[kKeys] = {};  // of each key
    MarkdownCuts markdown_;
    bool ends_in_fence_ = false;
};

}  // namespace crayon
