// A normalizer: converts text to the form that a vocabulary expects, before scanning, range by range.
//
// A text is cut into *ranges*, each rewritten independently of its surroundings: the normalized text is the
// concatenation of its normalized ranges, and each part of a normalized text is normalized. Most ranges are
// unchanged, which must be detected fast and without writing anything. To add a normalizer: normalizer.cpp.
#pragma once

#include "base/buffer.h"
#include "base/integers.h"
#include "base/status.h"
#include "crayon/layout/normalizer.h"
#include "normalize/nfc_pages.h"
#include "normalize/step_text.h"

namespace crayon {

class Rewrites;

// A character of a rewritten range and the text it comes from, aligned as in Hugging Face.
struct Rewritten {
    u32 end;                     // of the character, relative to the start of the rewritten range
    u32 raw_begin, raw_end;      // in the original range: bytes,
    u32 units_begin, units_end;  // and UTF-16 units
};

// The surroundings of a range, for normalizers that depend on them.
enum SegmentEdges : u32 {
    kOpensSegment = 1,  // it begins a text, or follows an added token of the raw text
    kOpensText = 2,     // nothing precedes it
    kEndsSegment = 4,   // the text ends after it, or an added token follows
};

// Immutable: several threads may use one at once.
class Normalizer {
public:
    virtual ~Normalizer() = default;

    struct Checked {
        size_t normal;    // the text up to here is unchanged, and a range ends here
        size_t end;       // the end of the next range, which may change; = normal if there is none
        size_t searched;  // the position searched, if no range ends after `normal`
    };
    // Checks text[from, size); a range begins at `from` and does not end before `searched`. If more text follows (`last`
    // is false), the range at its end is open. At least 3 bytes after `size` must be readable. Cost: linear in the text
    // checked. `edges`: of `from`; text[from, size) ends a segment if it is `last`.
    virtual Checked check(const u8* text, size_t from, size_t searched, size_t size, bool last, u32 edges) const = 0;
    // A run of ranges that can be rewritten at once.
    struct Run {
        size_t end;
        size_t length;  // of the result, in bytes
        bool stays;     // the result equals the text; may be false although it does
    };
    // The end of such a run that starts at `from`, the start of a range; `from` itself if there is none. Later text does
    // not affect these ranges. `end` and the readable bytes: as for check. Cost: linear in the run.
    virtual Run run(const u8*, size_t from, size_t) const { return {from, 0, true}; }
    struct Target {
        u8* bytes;                   // up to kRunSlack bytes more than the run's `length` may be written
        u64 position, raw_position;  // of its start, in normalized and in raw text
        Rewrites* rewrites;
    };
    static constexpr size_t kRunSlack = 16;
    // Rewrites text[begin, end), such a run. kRunSlack more bytes must be readable. False if memory is short.
    virtual bool rewrite_run(const u8*, size_t, size_t, const Target&) const { return true; }
    // Whether kOpensSegment and kEndsSegment affect the result of a range.
    virtual bool depends_on_edges() const { return false; }
    // Whether it writes each space of a text as U+2581, and changes nothing else except at the start of a segment and in
    // bytes that are not UTF-8. Then a space may stay until the vocabulary lookup (encode/marked_pieces.h).
    virtual bool only_marks_spaces() const { return false; }
    // For such a normalizer: the position up to which text from `from` on, not the start of a segment, is unchanged except
    // for spaces. `end` and the readable bytes: as for run. Cost: linear.
    virtual size_t kept_up_to(const u8*, size_t, size_t end) const { return end; }
    // The kind of words that are each normalized independently of their surroundings, except those that encode/raw_words.h
    // leaves whole: words that begin with whitespace and end before it; BertPreTokenizer's words, with or without
    // ideographs; or any words that end between two characters that are apart (are_apart).
    enum Words : u8 { kNoWords, kAfterSpaces, kOfBert, kOfBertAndIdeographs, kOfCharacters };
    virtual Words words() const { return kNoWords; }
    // For kOfCharacters: the CharacterState of a character; and the position up to which non-ASCII characters are unchanged
    // in any context. `end` and the readable bytes: as for run.
    virtual u8 state_of(u32) const { return 0; }
    virtual size_t steady_up_to(const u8*, size_t from, size_t) const { return from; }
    // Whether late added tokens are searched for before it, because it acts as a pretokenizer.
    virtual bool follows_tokens() const { return false; }

    // Whether Scratch::finds_special affects the result of a range.
    virtual bool knows_special() const { return false; }

    // The result for a range, and memory reused for the next one.
    struct Scratch {
        Buffer<u8> bytes;
        Buffer<Rewritten> characters;
        u32 units = 0;  // UTF-16 units of the original range

        struct Part {
            u32 code;
            u32 mark_class;
            // How many characters of the original text it adds to those it stands for: 1 if an earlier character already
            // stands for it; −2 if it is made from three.
            int32_t change;
        };
        struct Offset {
            u32 bytes, units;
        };
        Buffer<Part> parts, sorted;
        Buffer<Offset> offsets;  // of the characters, and the end
        // Used between the steps of a program.
        StepText text, spare;
        Buffer<StepChange> changes;
        Buffer<u8> step_bytes;
        // Characters of the result that also stand for raw ones behind theirs, up to `source`.
        struct Extended {
            u32 character, source;
        };
        Buffer<Extended> extended;
        // Whether special tokens are searched for in the result. When it changes, `remembered` is to be cleared.
        bool finds_special = false;
        // Results of short ranges: most texts have a few hundred different ones, such as a space and a letter.
        struct Remembered {
            static constexpr u32 kLongest = 12, kMostBytes = 18, kMostCharacters = 4;
            u8 text[kLongest];
            u8 length;  // 0: none
            bool changed;
            u8 units, byte_count, character_count;
            u8 bytes[kMostBytes];
            Rewritten characters[kMostCharacters];
        };
        Buffer<Remembered> remembered;
    };
    // Rewrites text[begin, end), a range: sets `bytes`, `characters` and `units`. Cost: linear for any content.
    // `changed`: false if the text is unchanged. OUT_OF_MEMORY.
    virtual Status rewrite(const u8* text, size_t begin, size_t end, u32 edges, Scratch& scratch, bool* changed) const = 0;
};

// How a normalizer program treats a character: alone, and because of its neighbours.
enum CharacterState : u8 {
    kKnown = 1,
    kStays = 2,  // alone, it is unchanged
    kJoins = 4,  // as in Steps::Relation
    kSpans = 8,
    kDrops = 16,
    kBlank = 32,    // steps that act at edges look past it, or may do so
    kMerges = 64,   // combined with its neighbours, it may become something that a later step reacts to, unlike each of
                    // them alone
    kSpaced = 128,  // alone, it becomes a space, itself, and a space
};

// Whether a range ends between two characters, if neither begins or ends a segment; `around`: the states of the
// characters before and after the pair.
inline bool are_apart(u32 before, u32 after, u32 around) {
    return ((before | after) & kJoins) == 0 && (before & kDrops) == 0 && (before & after & kSpans) == 0 &&
           (around & kMerges) == 0;
}

// Creates the normalizer with a layout::Normalizer number, for `delete`; nullptr if text is not normalized. `pass`: the
// kernel's; `program`: the cartridge's, if it has one. OUT_OF_MEMORY, FEATURE_MISSING.
Status make_normalizer(u32 number, PassNormal pass, const layout::NormalizerProgram* program, const Normalizer** out);
// Its name; empty if there is none.
const char* normalizer_name(u32 number);

}  // namespace crayon
