// SentencePiece's own normalization: kStepSentencePiece, the only step of a normalizer program.
//
// From the left, each *bite* takes the longest user-defined symbol at its position, unchanged; else the longest text in the
// charsmap, replaced; else one character, or one byte that is not UTF-8, replaced by U+FFFD. In the output of bites,
// depending on the step's flags, spaces are collapsed, stripped at both ends, and written as U+2581, and one is added in
// front or at the end. Bites form a chain: each depends only on the text from its start on.
//
// A range ends between two bites if the first ends in a character that is never stripped, or the second begins with one:
// then no space on one side can affect the other.
#pragma once

#include "crayon/layout/normalizer.h"
#include "normalize/charsmap.h"
#include "normalize/normalizer.h"
#include "normalize/symbols.h"

namespace crayon {

class SentencePiece final : public Normalizer {
public:
    // `section`: checked; must outlive this. OUT_OF_MEMORY.
    Status create(const layout::NormalizerProgram* section);

    Checked check(const u8* text, size_t from, size_t searched, size_t size, bool last, u32 edges) const override;
    Status rewrite(const u8* text, size_t begin, size_t end, u32 edges, Scratch& scratch, bool* changed) const override;
    bool depends_on_edges() const override { return acts_at_start_ || acts_at_end_; }
    bool only_marks_spaces() const override { return only_marks_spaces_; }
    size_t kept_up_to(const u8* text, size_t from, size_t end) const override;
    Run run(const u8* text, size_t from, size_t end) const override;
    bool rewrite_run(const u8* text, size_t begin, size_t end, const Target& to) const override;

private:
    struct Bite {
        size_t length;
        const u8* output;
        size_t output_length;
    };
    // Several bites of a run: spaces, or one bite without any.
    struct Unit {
        size_t end;
        const u8* output;
        size_t output_length;
        bool stays;
    };
    // Kinds of ASCII characters, when followed by ASCII.
    enum Kind : u8 { kOther, kStays, kSpaces };

    bool take(const u8* text, size_t at, size_t size, bool last, Bite* bite) const;
    bool take_unit(const u8* text, size_t at, size_t end, bool last, Unit* unit) const;
    static u32 characters_of(const Unit& unit, size_t length, u32 units, Rewritten* characters);
    bool has_flag(u32 flag) const { return (flags_ & flag) != 0; }
    bool begins_kept(const u8* output, size_t length) const;
    bool ends_kept(const u8* output, size_t length) const;
    bool stays(const u8* text, const Bite& bite) const;
    bool is_space(const Bite& bite) const { return bite.output_length == 1 && *bite.output == ' '; }
    size_t pass(const u8* text, size_t at, size_t end) const;
    size_t pass_words(const u8* text, size_t at, size_t end, size_t* length) const;
    size_t pass_beyond_ascii(const u8* text, size_t at, size_t end) const;
    bool is_alone(u8 first, u8 second) const;
    bool begins_rule(const u8* text) const;
    void note_ascii();
    void note_beyond_ascii();

    u32 flags_ = 0;
    bool acts_at_start_ = false, acts_at_end_ = false, only_marks_spaces_ = false;
    const u8* space_ = nullptr;  // as it is written
    size_t space_length_ = 0;
    bool has_charsmap_ = false;
    Charsmap charsmap_;
    Symbols symbols_;
    Kind kinds_[256] = {};
    // Written length of an ASCII character that is unchanged when followed by ASCII, or of a lone space there.
    static constexpr u8 kNoWord = 0x80;
    u8 word_lengths_[256];
    // Indexed by six bits of the first byte and six of the second: whether a multi-byte character is unchanged in any context.
    bool stays_beyond_[64 * 64] = {};
};

}  // namespace crayon
