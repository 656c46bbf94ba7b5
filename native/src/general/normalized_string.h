// The reference's NormalizedString: a part of a text, and what normalizers have made of it, with the place in the text that each
// byte comes from. It is what normalizers rewrite, what pretokenizers cut, and what gives tokens their offsets.
//
// Its quirks are part of the ids:
// * A character that is put in front of everything has no width: it comes from nowhere, (0, 0). `transform` means to replace all
//   of the string, but finds its extent by the original text, and so leaves out what has no width in front (`whole`). What it
//   makes of all characters is then put in place of the others: texts are repeated, or the reference stops with a panic. That is
//   TEXT_REFUSED here.
// * What replaces a match comes from the last character of the match. What replaces an empty match comes from the one before it.
#pragma once

#include "base/buffer.h"
#include "base/integers.h"
#include "base/status.h"
#include "base/utf8.h"
#include "normalize/unicode_forms.h"

namespace crayon::general {

inline constexpr u32 kNoId = ~u32{0};

// TEXT_REFUSED: the reference has no ids for a text. `at`: the byte.
inline Status refused(u64 at) { return {CRAYON_TEXT_REFUSED, 0, at}; }

// The bytes [start, start + width) of the whole text: one character of it, or none. The reference counts from where its
// string begins.
struct Alignment {
    u32 start : 29, width : 3;
    u32 end() const { return start + width; }
    static Alignment of(u32 start, u32 width) { return {start & kMostStart, width & 7}; }
    static constexpr u32 kMostStart = (1u << 29) - 1;
};
static_assert(sizeof(Alignment) == 4);
inline constexpr size_t kMostText = Alignment::kMostStart;

struct Range {
    u32 begin, end;
    u32 length() const { return end - begin; }
};

// Normalized text: UTF-8, and as many alignments.
struct NormalizedText {
    Buffer<u8> bytes;
    Buffer<Alignment> alignments;

    u32 size() const { return static_cast<u32>(bytes.size()); }
    void clear() {
        bytes.clear();
        alignments.clear();
    }
    Status append(const u8* more, const Alignment* aligned, size_t count) {
        if (bytes.size() + count > kMostText) return {CRAYON_TEXT_TOO_LONG};
        return bytes.append(more, count) && alignments.append(aligned, count) ? Status{} : Status::out_of_memory();
    }
    // Whether `put` may append a byte.
    bool has_room() const { return bytes.size() < bytes.capacity() && alignments.size() < alignments.capacity(); }
    void put(u8 byte, Alignment aligned) {
        static_cast<void>(bytes.resize(bytes.size() + 1) && alignments.resize(alignments.size() + 1));  // within the capacity
        bytes.back() = byte;
        alignments.back() = aligned;
    }
    void swap(NormalizedText& other) {
        bytes.swap(other.bytes);
        alignments.swap(other.alignments);
    }
};

// A view, whose bytes and alignments are in a NormalizedText.
struct NormalizedString {
    const u8* bytes = nullptr;
    const Alignment* alignments = nullptr;
    u32 length = 0;
    Range original = {0, 0};  // bytes of the whole text

    bool empty() const { return length == 0; }
    // The part [begin, end) of the normalized text, not empty, and the original that it comes from.
    NormalizedString slice(u32 begin, u32 end) const {
        return {bytes + begin, alignments + begin, end - begin, {alignments[begin].start, alignments[end - 1].end()}};
    }
    // Where the bytes [begin, end) come from. As in the reference, an empty range and one that ends beyond the text are their own
    // result: the first from where the original begins on, the second from the beginning of the text.
    Range convert_offsets(u32 begin, u32 end) const {
        if (begin == end) return {original.begin + begin, original.begin + end};
        if (begin > end || end > length) return {begin, end};
        return {alignments[begin].start, alignments[end - 1].end()};
    }
    // What `transform` replaces: the range of the normalized text for the whole original. False: it does nothing.
    bool whole(Range* range) const;
};

// The character at a byte of text that is UTF-8.
inline Character character_at(const u8* text) { return decode_character(text); }

// Calls `visit(code, begin, end)` for each character.
template <class Visit>
void each_character(const NormalizedString& string, Visit visit) {
    for (u32 at = 0; at < string.length;) {
        const Character c = character_at(string.bytes + at);
        visit(c.code_point, at, at + c.length);
        at += c.length;
    }
}

// The reference's `transform_range`: replaces a range of a string by characters that say what they replace. Appends the result to
// a text.
class Transformation {
public:
    // The first `removed` characters of the range are left out.
    Transformation(const NormalizedString& from, Range range, u32 removed, NormalizedText* to);
    // The next character. `change` 1: it is put in, and comes from where the character before it does; 0: it replaces the next
    // one; −N: and N more are left out.
    void put(u32 code, int change) {
        const bool is_ascii = change == 0 && code < 0x80 && at_ < range_.end && from_.bytes[at_] < 0x80;
        if (!is_ascii || !to_->has_room()) return put_any(code, change);
        to_->put(static_cast<u8>(code), from_.alignments[at_++]);
    }
    // TEXT_REFUSED, TEXT_TOO_LONG, OUT_OF_MEMORY.
    Status finish();

private:
    void put_any(u32 code, int change);
    void skip(u32 characters);

    const NormalizedString& from_;
    NormalizedText* const to_;
    const Range range_;
    u32 at_;  // of the next character that is replaced
    Status status_;
};

// A string that is being normalized, by one operation after the other.
class Normalizing {
public:
    explicit Normalizing(const UnicodeForms& forms) : forms_(forms) {}

    void begin(const NormalizedString& string) { string_ = string; }
    const NormalizedString& get() const { return string_; }

    // `produce(transformation)` puts the characters that replace all of the string, but the first `removed`.
    template <class Produce>
    Status transform(u32 removed, Produce produce) {
        Range range;
        if (!string_.whole(&range)) return {};
        return transform_range(range, removed, produce);
    }
    template <class Produce>
    Status transform_range(Range range, u32 removed, Produce produce) {
        NormalizedText& to = next();
        Transformation transformation(string_, range, removed, &to);
        produce(transformation);
        const Status status = transformation.finish();
        if (status.ok()) become(to);
        return status;
    }
    // Takes out the characters that are not to be kept: those behind a character are left out with it.
    template <class Keep>
    Status filter(Keep keep) {
        u32 first = 0, dropped = 0;
        bool found = false;
        each_character(string_, [&](u32 code, u32, u32) {
            const bool stays = keep(code);
            first += !found && !stays;
            found |= stays;
            dropped += !stays;
        });
        // Nothing changes then, unless something has no width.
        if (dropped == 0 && is_aligned()) return {};
        return transform(found ? first : 0, [&](Transformation& to) {
            u32 last = 0;
            int removed = 0;
            bool is_open = false;
            each_character(string_, [&](u32 code, u32, u32) {
                if (!keep(code)) {
                    ++removed;
                    return;
                }
                if (is_open) to.put(last, -removed);
                last = code;
                is_open = true;
                removed = 0;
            });
            if (is_open) to.put(last, -removed);
        });
    }
    template <class Map>
    Status map(Map map) {
        if (keeps_all([&](u32 code) { return map(code) == code; })) return {};
        return transform(0,
                         [&](Transformation& to) { each_character(string_, [&](u32 code, u32, u32) { to.put(map(code), 0); }); });
    }
    Status lowercase();
    Status form(UnicodeForm form);
    Status prepend(const u8* text, u32 length);
    Status strip(bool left, bool right);
    // The text is replaced by `to`, which `next` has returned.
    NormalizedText& next();
    void become(NormalizedText& to) {
        string_.bytes = to.bytes.data();
        string_.alignments = to.alignments.data();
        string_.length = to.size();
    }

    // Whether nothing changes if all characters stay that `stays` holds for: then an operation can be left out.
    template <class Stays>
    bool keeps_all(Stays stays) const {
        bool all = is_aligned();
        for (u32 at = 0; at < string_.length && all;) {
            const Character c = character_at(string_.bytes + at);
            all = stays(c.code_point);
            at += c.length;
        }
        return all;
    }

private:
    // Whether `transform` replaces all of the string.
    bool is_aligned() const;

    const UnicodeForms& forms_;
    NormalizedString string_;
    NormalizedText texts_[2];
    StepText characters_;
    Normalizer::Scratch scratch_;
};

}  // namespace crayon::general
