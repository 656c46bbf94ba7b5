#include "normalize/lone_characters.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "base/utf8.h"
#include "normalize/rewrites.h"

namespace crayon {

namespace {

constexpr u8 kSpace = ' ';

}  // namespace

LoneCharacters::LoneCharacters() {
    std::memset(lengths_, kNotMade, sizeof lengths_);
    std::fill(std::begin(words_), std::end(words_), kStop);
}

bool LoneCharacters::set_row(const Normalizer::Scratch& from, Row* row) {
    if (from.characters.size() > std::size(row->characters)) return false;
    row->count = static_cast<u8>(from.characters.size());
    std::copy(from.characters.begin(), from.characters.end(), row->characters);
    return true;
}

void LoneCharacters::set(u8 character, bool changed, const Normalizer::Scratch& output) {
    const size_t length = output.bytes.size();
    if (length > kMostBytes || !set_row(output, &alone_[character])) return;
    lengths_[character] = static_cast<u8>(length);
    changes_[character] = changed;
    moves_[character] = length != 1;
    std::copy(output.bytes.begin(), output.bytes.end(), made_[character].bytes);
}

// Accepted if the space becomes the same before each character, and the character stays.
void LoneCharacters::set_after_space(u8 character, const Normalizer::Scratch& output) {
    const size_t length = output.bytes.size();
    if (length < 2 || length > kMostBytes + 1 || lengths_[character] == kNotMade || changes_[character]) return;
    if (output.bytes[length - 1] != character) return;
    if (has_pairs_ &&
        (lengths_[kSpace] != length - 1 || !std::equal(output.bytes.begin(), output.bytes.end() - 1, made_[kSpace].bytes)))
        return;
    Row& row = after_space_[character];
    if (!set_row(output, &row)) return;
    // The row must not depend on the character, either.
    const Row& first = *std::find_if(after_space_, std::end(after_space_), [](const Row& each) { return each.count > 0; });
    if (row.count != first.count || std::memcmp(row.characters, first.characters, row.count * sizeof(Rewritten)) != 0) {
        row.count = 0;
        return;
    }
    has_pairs_ = changes_[kSpace] = moves_[kSpace] = is_paired_[character] = true;
    lengths_[kSpace] = static_cast<u8>(length - 1);
    std::copy(output.bytes.begin(), output.bytes.end() - 1, made_[kSpace].bytes);
}

void LoneCharacters::set_lone_space() {
    has_pairs_ = true;
    lengths_[kSpace] = 1;
    made_[kSpace].bytes[0] = kSpace;
    for (u32 each = 0; each < 128; ++each) is_paired_[each] = each != kSpace && lengths_[each] == 1;
}

void LoneCharacters::set_spaced(const Normalizer::Scratch& output) { set_row(output, &spaced_); }

void LoneCharacters::finish() {
    if (moves_[kSpace] && lengths_[kSpace] != kNotMade && lengths_[kSpace] > 1) {
        mark_.length = lengths_[kSpace];
        std::copy(std::begin(made_[kSpace].bytes), std::end(made_[kSpace].bytes), mark_.bytes);
    }
    for (u32 each = 0; each < 128; ++each) {
        bytes_[each] = made_[each].bytes[0];
        if (lengths_[each] == kNotMade) continue;
        if (each == kSpace && (mark_.length > 0 || (has_pairs_ && !changes_[kSpace]))) {
            words_[each] = lengths_[each];
        } else if (has_pairs_ ? is_paired_[each] : true) {
            words_[each] = static_cast<u16>(lengths_[each] | (changes_[each] ? kChange : 0) | (moves_[each] ? kMove : 0));
        }
    }
}

// For marks; in pairs, a mark is put before the next character.
AlikeRewrites LoneCharacters::mark_rewrites() const {
    if (mark_.length == 0) return {};
    const Row* row = &alone_[kSpace];
    if (has_pairs_) row = std::find_if(after_space_, std::end(after_space_), [](const Row& each) { return each.count > 0; });
    const u32 more = has_pairs_;
    return {mark_.length + more, 1 + more, 1 + more, row->count, row->characters};
}

u32 LoneCharacters::sum_of(const u8* word) const {
    u32 sum = 0;
    for (u32 i = 0; i < kWord; ++i) sum += words_[word[i]];
    return sum;
}

// The end of words in which only the changes in `changing` (kChanges, kMoves) occur, apart from spaces that become marks:
// takes eight bytes at a time, as long as the last is not a space that belongs to the next character. Adds up the length of
// the result.
size_t LoneCharacters::pass_words(const u8* text, size_t at, size_t end, u32 changing, size_t* length, bool* stays) const {
    u32 changes = 0;
    size_t bytes = 0;
    const size_t from = at;
    while (end - at >= kWord) {
        u32 sum = sum_of(text + at);
        if (sum & (kStops | ((kChanges | kMoves) & ~changing))) break;
        u32 taken = kWord;
        if (has_pairs_) {
            const u64 spaces = spaces_in_word(text + at);
            if (spaces & spaces >> 1) break;
            if (spaces >> (kWord - 1)) {
                --taken;
                sum -= words_[kSpace];
            }
        }
        changes |= sum;
        bytes += sum & kLengths;
        at += taken;
    }
    *stays = *stays && (changes & kChanges) == 0 && bytes == at - from;
    *length += bytes;
    return at;
}

bool LoneCharacters::rewrites_alone(u8 character, Normalizer::Scratch& scratch, bool* changed, bool* has_memory) const {
    if (lengths_[character] == kNotMade || (has_pairs_ && character == kSpace)) return false;
    const Row& row = alone_[character];
    *changed = changes_[character];
    *has_memory =
        scratch.bytes.append(made_[character].bytes, lengths_[character]) && scratch.characters.append(row.characters, row.count);
    return true;
}

// The end of the ASCII characters that are in the tables; excludes a space at the end that belongs to the next character.
size_t LoneCharacters::ascii_end(const u8* text, size_t from, size_t end, size_t* length, bool* stays) const {
    size_t sum = 0, at = pass_words(text, from, end, kChanges | kMoves, length, stays);
    bool is_after_space = false;
    u32 changes = 0;
    if (!has_pairs_) {
        from = at;
        while (at < end && lengths_[text[at]] != kNotMade) ++at;
        for (size_t i = from; i < at; ++i) {
            sum += lengths_[text[i]];
            changes |= changes_[text[i]];
        }
    }
    for (; has_pairs_ && at < end; ++at) {
        const u8 byte = text[at], size = lengths_[byte];
        if (size == kNotMade || (is_after_space && !is_paired_[byte])) break;
        sum += size;
        changes |= changes_[byte];
        is_after_space = byte == kSpace;
    }
    if (is_after_space) {
        --at;
        sum -= lengths_[kSpace];
    }
    *length += sum;
    *stays = *stays && changes == 0;
    return at;
}

// The end of another character that can be in a run; `at` if it cannot.
size_t LoneCharacters::beyond_ascii(const u8* text, size_t at, size_t end, bool* is_spaced) const {
    const u32 length = layout::announced_length(text[at]);
    if (length < 2 || length > 3 || end - at < length) return at;
    const Character character = decode_character(text + at);
    if (character.length != length) return at;
    const u8 state = states_[character.code_point].load(std::memory_order_relaxed);
    *is_spaced = (state & kStays) == 0;
    if ((state & (kKnown | kRelations)) != kKnown) return at;
    return (state & kStays) || ((state & kSpaced) && length == 3 && spaced_.count > 0) ? at + length : at;
}

// The start of the range that ends at `at`, in a run from `from` on.
size_t LoneCharacters::before(const u8* text, size_t from, size_t at) const {
    do --at;
    while (is_continuation(text[at]));
    return has_pairs_ && at > from && text[at] < 0x80 && text[at - 1] == kSpace ? at - 1 : at;
}

// The length of a range's result.
size_t LoneCharacters::length_of(const u8* text, size_t begin, size_t end) const {
    if (text[begin] < 0x80) return lengths_[text[begin]] + (end - begin - 1);
    bool is_spaced = false;
    beyond_ascii(text, begin, end, &is_spaced);
    return end - begin + 2 * is_spaced;
}

Normalizer::Run LoneCharacters::run(const u8* text, size_t from, size_t end) const {
    Normalizer::Run run = {from, 0, true};
    size_t ranges = 0;  // at least
    while (run.end < end) {
        size_t next = run.end;
        if (text[next] < 0x80) next = ascii_end(text, next, end, &run.length, &run.stays);
        if (next == run.end) {
            bool is_spaced = false;
            next = beyond_ascii(text, run.end, end, &is_spaced);
            if (next == run.end) break;
            run.length += next - run.end + 2 * is_spaced;
            run.stays = run.stays && !is_spaced;
        }
        ranges += text[run.end] < 0x80 ? (next - run.end + 1) / 2 : 1;
        run.end = next;
    }
    if (ranges < kOpen) return {from, 0, true};
    for (u32 open = 0; open < kOpen; ++open) {
        const size_t begin = before(text, from, run.end);
        run.length -= length_of(text, begin, run.end);
        run.end = begin;
    }
    return run;
}

// Writes words in which no character changes its length.
u8* LoneCharacters::put_words(const u8* text, size_t* at, size_t end, u8* out) const {
    for (; end - *at >= kWord; *at += kWord, out += kWord) {
        const u8* const word = text + *at;
        const u32 sum = sum_of(word);
        if (sum & (kStops | kMoves)) break;
        if (sum & kChanges) {
            for (u32 i = 0; i < kWord; ++i) out[i] = bytes_[word[i]];
        } else {
            std::memcpy(out, word, kWord);
        }
    }
    return out;
}

// Writes ASCII characters of a run that begins at `begin`. Null if memory is short.
u8* LoneCharacters::put_ascii(const u8* text, size_t begin, size_t at, size_t end, u8* out, const Normalizer::Target& to,
                              AlikeRows& marks) const {
    while (at < end) {
        if (mark_.length > 0) {
            size_t length = 0;
            bool stays = true;
            const size_t words = pass_words(text, at, end, 0, &length, &stays);
            out = put_marked(text, begin, at, words, mark_, out, to.bytes, marks);
            if (!out) return nullptr;
            at = words;
        } else {
            out = put_words(text, &at, end, out);
        }
        // Without branches: most words begin with a space.
        u32 offsets[kWord];
        u8 indices[kWord];
        size_t rows = 0;
        const size_t size = std::min<size_t>(end - at, kWord);
        for (size_t i = 0; i < size; ++i) {
            const u8 byte = text[at + i];
            std::memcpy(out, made_[byte].bytes, kMostBytes);
            offsets[rows] = static_cast<u32>(out - to.bytes);
            indices[rows] = static_cast<u8>(i);
            rows += moves_[byte];
            out += lengths_[byte];
        }
        for (size_t i = 0; i < rows; ++i) {
            const size_t raw = at + indices[i];
            if (mark_.length > 0 && text[raw] == kSpace) {
                if (!marks.add(offsets[i], raw - begin)) return nullptr;
                continue;
            }
            const bool is_pair = has_pairs_ && text[raw] == kSpace;
            const Row& row = is_pair ? after_space_[text[raw + 1]] : alone_[text[raw]];
            const u32 bytes = is_pair ? 2 : 1;
            if (!marks.end() || !to.rewrites->add_at(to.position + offsets[i], to.raw_position + (raw - begin), bytes, bytes,
                                                     row.characters, row.count, false)) {
                return nullptr;
            }
        }
        at += size;
    }
    return out;
}

bool LoneCharacters::rewrite(const u8* text, size_t begin, size_t end, const Normalizer::Target& to) const {
    u8* out = to.bytes;
    AlikeRows marks(mark_rewrites(), to), spaced({5, 3, 1, spaced_.count, spaced_.characters}, to);
    for (size_t at = begin; at < end;) {
        size_t next = at;
        for (size_t block = end - at; block >= sizeof(u64); block = end - next) {
            u64 bytes;
            std::memcpy(&bytes, text + next, sizeof bytes);
            if (bytes & 0x8080808080808080) break;
            next += sizeof bytes;
        }
        while (next < end && text[next] < 0x80) ++next;
        if (next > at && !spaced.end()) return false;
        out = put_ascii(text, begin, at, next, out, to, marks);
        if (!out) return false;
        for (at = next; at < end && text[at] >= 0x80; at = next) {
            bool is_spaced = false;
            next = beyond_ascii(text, at, end, &is_spaced);
            if (is_spaced && !(marks.end() && spaced.add(static_cast<size_t>(out - to.bytes), at - begin))) return false;
            if (is_spaced) *out++ = ' ';
            std::memcpy(out, text + at, 4);
            out += next - at;
            if (is_spaced) *out++ = ' ';
        }
    }
    return marks.end() && spaced.end();
}

}  // namespace crayon
