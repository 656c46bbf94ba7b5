// Characters that a normalizer program rewrites by themselves, whatever lone characters are next to them: nearly all of most
// texts. Runs of these are rewritten by tables: to find and rewrite each stretch by itself costs some 150 ns.
//
// The stretches of such a run are a character of ASCII; one with a space before it, where a step drops whitespace, and so puts
// what stands for that in front of the next character, or only sees whether there are several; or another character that stays,
// or gets a space before and after it, as ideographs do for BERT.
#pragma once

#include <atomic>

#include "normalize/character_state.h"
#include "normalize/marked_spaces.h"
#include "normalize/normalizer.h"

namespace crayon {

class LoneCharacters {
public:
    static constexpr u8 kRelations = kJoins | kSpans | kDrops | kMerges;

    LoneCharacters();
    // States by code point, which may become known later.
    void use(const std::atomic<u8>* states) { states_ = states; }
    // What has become of a character of ASCII, of one with a space before it, or of an ideograph, is in a scratch. The pairs with
    // a space are set after all others, in the order of their characters.
    void set(u8 character, bool changed, const Normalizer::Scratch& made);
    void set_after_space(u8 character, const Normalizer::Scratch& made);
    void set_spaced(const Normalizer::Scratch& made);
    // A space stays, unless another one is next to it. After all characters.
    void set_lone_space();
    // After all of these.
    void finish();
    // What a character of ASCII becomes: sets `bytes`, `characters` and `changed` as Normalizer::rewrite does. False if that is
    // not known.
    bool rewrites_alone(u8 character, Normalizer::Scratch& scratch, bool* changed, bool* has_memory) const;

    // As those of Normalizer.
    Normalizer::Run run(const u8* text, size_t from, size_t end) const;
    bool rewrite(const u8* text, size_t begin, size_t end, const Normalizer::Target& to) const;

private:
    static constexpr u8 kNotMade = 0xFF;
    static constexpr size_t kMostBytes = 4;
    // Where a run ends, so many of its last characters may belong to what follows.
    static constexpr u32 kOpen = 2;

    struct Row {
        u8 count = 0;  // of characters
        Rewritten characters[3];
    };
    static bool set_row(const Normalizer::Scratch& from, Row* row);
    size_t ascii_end(const u8* text, size_t from, size_t end, size_t* length, bool* stays) const;
    size_t pass_words(const u8* text, size_t at, size_t end, u32 changing, size_t* length, bool* stays) const;
    u32 sum_of(const u8* word) const;
    size_t beyond_ascii(const u8* text, size_t at, size_t end, bool* is_spaced) const;
    size_t before(const u8* text, size_t from, size_t at) const;
    size_t length_of(const u8* text, size_t begin, size_t end) const;
    u8* put_ascii(const u8* text, size_t begin, size_t at, size_t end, u8* out, const Normalizer::Target& to,
                  AlikeRows& marks) const;
    u8* put_words(const u8* text, size_t* at, size_t end, u8* out) const;
    AlikeStretches mark_stretches() const;

    // Of a character of ASCII, or of a space with the next one: what it becomes, up to the character that stays.
    struct Bytes {
        u8 bytes[kMostBytes] = {};
    };
    Bytes made_[128];
    u8 lengths_[256];         // of these; kNotMade for all others
    bool changes_[256] = {};  // to something else
    bool moves_[256] = {};    // what follows, so that there is a row
    bool has_pairs_ = false;  // a space is of one stretch with the character after it, or may be taken to be
    bool is_paired_[256] = {};
    Row alone_[128], after_space_[128], spaced_;
    const std::atomic<u8>* states_ = nullptr;

    // Of characters of ASCII, eight of which can be added up: the bytes that one becomes, how many change, of these how many
    // to more or fewer bytes, and what is no part of a word. A space that becomes a mark is none that changes.
    static constexpr u32 kWord = 8, kLengths = 63, kChanges = 15 << 6, kMoves = 15 << 10, kStops = ~u32{0} << 14;
    static constexpr u16 kChange = 1 << 6, kMove = 1 << 10, kStop = 1 << 14;
    u16 words_[256];
    u8 bytes_[128] = {};  // what those become that move nothing
    SpaceMark mark_;      // with a length if spaces become one
};

}  // namespace crayon
