// Characters that a normalizer program rewrites alone, regardless of the lone characters next to them: nearly all of most
// texts. Runs of these are rewritten by tables: finding and rewriting each range separately costs some 150 ns.
//
// A range of such a run is one of: an ASCII character; an ASCII character with a space before it, where a step drops
// whitespace and so puts its replacement before the next character, or only checks for several spaces; or another character
// that is unchanged, or gets a space on both sides, as ideographs do in BERT.
#pragma once

#include <atomic>

#include "normalize/marked_spaces.h"
#include "normalize/normalizer.h"

namespace crayon {

class LoneCharacters {
public:
    static constexpr u8 kRelations = kJoins | kSpans | kDrops | kMerges;

    LoneCharacters();
    // States by code point; some may become known later.
    void use(const std::atomic<u8>* states) { states_ = states; }
    // Sets the result, in a scratch, for an ASCII character, for one with a space before it, or for an ideograph. Set pairs
    // with a space after all others, in the order of their characters.
    void set(u8 character, bool changed, const Normalizer::Scratch& output);
    void set_after_space(u8 character, const Normalizer::Scratch& output);
    void set_spaced(const Normalizer::Scratch& output);
    // A space stays unless another one is next to it. Call after all characters.
    void set_lone_space();
    // Call after all of these.
    void finish();
    // Rewrites a lone ASCII character: sets `bytes`, `characters` and `changed` like Normalizer::rewrite. False if the
    // result is not known.
    bool rewrites_alone(u8 character, Normalizer::Scratch& scratch, bool* changed, bool* has_memory) const;

    // As in Normalizer.
    Normalizer::Run run(const u8* text, size_t from, size_t end) const;
    bool rewrite(const u8* text, size_t begin, size_t end, const Normalizer::Target& to) const;

private:
    static constexpr u8 kNotMade = 0xFF;
    static constexpr size_t kMostBytes = 4;
    // At the end of a run, this many of its last characters may belong to the text after it.
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
    AlikeRewrites mark_rewrites() const;

    // The result for an ASCII character, or for a space before one: the bytes before the unchanged character.
    struct Bytes {
        u8 bytes[kMostBytes] = {};
    };
    Bytes made_[128];
    u8 lengths_[256];         // in bytes; kNotMade for all others
    bool changes_[256] = {};  // the result differs
    bool moves_[256] = {};    // moves the text after it, so needs a row
    bool has_pairs_ = false;  // a space shares the range of the next character, or may be treated that way
    bool is_paired_[256] = {};
    Row alone_[128], after_space_[128], spaced_;
    const std::atomic<u8>* states_ = nullptr;

    // Summable counts for ASCII characters, eight at a time: the bytes of the result, how many change, how many of these
    // change length, and whether the character is outside words. A space that becomes a mark does not count as a change.
    static constexpr u32 kWord = 8, kLengths = 63, kChanges = 15 << 6, kMoves = 15 << 10, kStops = ~u32{0} << 14;
    static constexpr u16 kChange = 1 << 6, kMove = 1 << 10, kStop = 1 << 14;
    u16 words_[256];
    u8 bytes_[128] = {};  // results of the characters that move nothing
    SpaceMark mark_;      // its length is set if spaces become one
};

}  // namespace crayon
