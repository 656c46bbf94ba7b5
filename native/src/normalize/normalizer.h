// A normalizer: text to the form that a vocabulary knows, before it is scanned, stretch by stretch.
//
// A text is cut into *stretches*, of which each becomes what it becomes whatever is around it: the normalized text is
// that of its stretches, and each part of a normalized text is normalized. Most stretches stay as they are, which is to
// be found fast and without writing anything. To add one: normalize/table.cpp.
#pragma once

#include "base/buffer.h"
#include "base/integers.h"
#include "base/status.h"
#include "normalize/step_text.h"

namespace crayon {

class Rewrites;

// A character of a rewritten stretch, and which of the text it comes from, as Hugging Face aligns them.
struct Rewritten {
    u32 end;                     // of the character, from the beginning of the rewritten stretch
    u32 raw_begin, raw_end;      // in the stretch as it was: bytes,
    u32 units_begin, units_end;  // and UTF-16 units
};

// What is around a stretch, for normalizers that it matters to.
enum StretchEdges : u32 {
    kOpensSegment = 1,  // it begins a text, or follows an added token of the raw text
    kOpensText = 2,     // nothing at all is before it
    kEndsSegment = 4,   // the text ends behind it, or an added token follows
};

// Immutable: several threads may use one at once.
class Normalizer {
public:
    virtual ~Normalizer() = default;

    struct Checked {
        size_t normal;    // the text up to here stays as it is, and a stretch ends here
        size_t end;       // the stretch after that may not, and ends here; = normal if there is none such
        size_t searched;  // if no stretch ends after `normal`: up to here
    };
    // Checks text[from, size), of which a stretch begins at `from` and does not end before `searched`. If more text
    // follows
    // (`last` is false), the stretch at its end is open. At least 3 bytes after `size` are readable. Cost: linear in
    // what is checked. `edges`: of `from`; text[from, size) ends a segment if it is `last`.
    virtual Checked check(const u8* text, size_t from, size_t searched, size_t size, bool last, u32 edges) const = 0;
    // A run of stretches that are rewritten at once.
    struct Run {
        size_t end;
        size_t length;  // of what it becomes, in bytes
        bool stays;     // what it becomes is what it is; not always known
    };
    // Where such a run from `from` on ends, where a stretch begins; there itself if there is none. What follows matters to none
    // of these stretches. `end`, and what is readable: as for check. Cost: linear in the run.
    virtual Run run(const u8*, size_t from, size_t) const { return {from, 0, true}; }
    struct Target {
        u8* bytes;                   // kRunSlack more than the run's `length` may be written
        u64 position, raw_position;  // of its beginning, in normalized and in raw text
        Rewrites* rewrites;
    };
    static constexpr size_t kRunSlack = 16;
    // What text[begin, end), such a run, becomes. kRunSlack more bytes are readable. False if memory is short.
    virtual bool rewrite_run(const u8*, size_t, size_t, const Target&) const { return true; }
    // Whether kOpensSegment, and kEndsSegment, change what a stretch becomes.
    virtual bool depends_on_edges() const { return false; }
    // Whether it writes each space of a text as U+2581, and changes nothing else but where a segment begins, and bytes that are
    // no UTF-8. Then a space may as well stay as it is until it is looked for in the vocabulary (encode/marked_pieces.h).
    virtual bool only_marks_spaces() const { return false; }
    // For such a normalizer: up to where text from `from` on, where no segment begins, stays as it is but for its spaces. `end`,
    // and what is readable: as for run. Cost: linear.
    virtual size_t kept_up_to(const u8*, size_t, size_t end) const { return end; }
    // Of which words each becomes what it becomes whatever is around it, but for what encode/raw_words.h leaves whole: those that
    // begin with whitespace, and end before it; those of BertPreTokenizer, ideographs among them or not; or any that end between
    // two characters that are apart (are_apart of normalize/character_state.h).
    enum Words : u8 { kNoWords, kAfterSpaces, kOfBert, kOfBertAndIdeographs, kOfCharacters };
    virtual Words words() const { return kNoWords; }
    // For the last of these: the CharacterState of one; and up to where characters beyond ASCII stay, whatever is around them.
    // `end`, and what is readable: as for run.
    virtual u8 state_of(u32) const { return 0; }
    virtual size_t steady_up_to(const u8*, size_t from, size_t) const { return from; }
    // Whether late added tokens are searched for before it: it is what a pretokenizer does to a text.
    virtual bool follows_tokens() const { return false; }

    // What a stretch becomes, and memory that is kept from one to the next.
    struct Scratch {
        Buffer<u8> bytes;
        Buffer<Rewritten> characters;
        u32 units = 0;  // UTF-16 units of the stretch as it was

        struct Part {
            u32 code;
            u32 mark_class;
            // How many characters of the text it adds to those that it stands for: 1, if a character before it stands
            // for it already; −2, if it is made of three.
            int32_t change;
        };
        struct Offset {
            u32 bytes, units;
        };
        Buffer<Part> parts, sorted;
        Buffer<Offset> offsets;  // of the characters, and the end
        // Between steps of a program.
        StepText text, spare;
        Buffer<StepChange> changes;
        Buffer<u8> step_bytes;
        // What short stretches have become: most texts have a few hundred different ones, such as a space and a letter.
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
    // Rewrites text[begin, end), a stretch: sets `bytes`, `characters` and `units`. Cost: linear, whatever it contains.
    // `changed`: not, if it stays as it is. OUT_OF_MEMORY.
    virtual Status rewrite(const u8* text, size_t begin, size_t end, u32 edges, Scratch& scratch, bool* changed) const = 0;
};

}  // namespace crayon
