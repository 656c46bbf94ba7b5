// NFC of texts in UTF-8 (Unicode Standard Annex #15), as Hugging Face tokenizers do it.
//
// A text is normalized in *stretches*: each begins with a character that NFC neither moves nor composes with anything
// before it, and ends before the next such character, or where the text ends. NFC of a text is that of its stretches. Nearly
// all are in NFC as they are, which is found without writing anything:
//   - A character without properties (nfc_tables.h) is a stretch. All before U+0300 are such, and those of some scripts, so
//     most bytes need no other test than which they are (pass_normal.h).
//   - Any other stretch is in NFC if its marks ascend by class, no character is one that is always replaced, and none
//     composes with the starter before it. If the starter is a composite, a mark that could compose may do so with its
//     first half; then the stretch is rewritten, even if nothing changes.
// Each part of a text in NFC is in NFC, too.
//
// Bytes that are not UTF-8 (base/utf8.h) are characters without properties, and stay as they are.
#pragma once

#include <algorithm>

#include "base/utf8.h"
#include "normalize/nfc_tables.h"

namespace crayon {

class Nfc {
public:
    // `pass`: that of a kernel.
    Status create(PassNormal pass) {
        pass_ = pass;
        return tables_.unpack();
    }

    struct Checked {
        size_t normal;    // the text up to here is in NFC, and a stretch ends here
        size_t end;       // the stretch after that is not, and ends here; = normal if there is none such
        size_t searched;  // if no stretch ends after `normal`: up to here
    };
    // Checks text[from, size), of which a stretch begins at `from` and does not end before `searched`. If more text follows
    // (`last` is false), the stretch at its end is open. At least 3 bytes after `size` are readable. Cost: linear in what is
    // checked.
    Checked check(const u8* text, size_t from, size_t searched, size_t size, bool last) const;

    // A character of a rewritten stretch, and which of its bytes it comes from. As Hugging Face aligns them: characters that
    // are composed count as the first of them, which leaves out the others; the second one of a decomposition counts as
    // the character before it.
    struct Rewritten {
        u32 end;                     // of the character, from the beginning of the stretch in NFC
        u32 raw_begin, raw_end;      // in the stretch as it was: bytes,
        u32 units_begin, units_end;  // and UTF-16 units
    };
    // Memory that is kept from one stretch to the next.
    struct Scratch {
        struct Part {
            u32 code;
            u32 mark_class;
            // How many characters of the text it adds to those that it stands for: 1, if a character before it stands for
            // it already; −2, if it is made of three.
            int32_t change;
        };
        struct Place {
            u32 bytes, units;
        };
        Buffer<Part> parts, sorted;
        Buffer<Place> places;  // of the characters, and the end
        Buffer<u8> bytes;
        Buffer<Rewritten> characters;
    };
    // Rewrites text[begin, end), a stretch: sets `bytes` and `characters`. Cost: linear, whatever it contains. `changed`:
    // not, if it is in NFC. OUT_OF_MEMORY.
    Status rewrite(const u8* text, size_t begin, size_t end, Scratch& scratch, bool* changed) const;

private:
    Character character_at(const u8* text, size_t at, size_t size) const;
    Status decompose(const u8* text, size_t begin, size_t end, Scratch& scratch) const;
    Status sort(Scratch& scratch) const;
    void compose(Buffer<Scratch::Part>& parts) const;

    NfcTables tables_;
    PassNormal pass_ = nullptr;
};

}  // namespace crayon
