#include "normalize/sentence_piece.h"

#include <cstring>

#include "base/utf8.h"
#include "normalize/marked_spaces.h"
#include "normalize/rewrites.h"

namespace crayon {

namespace {

constexpr u8 kMark[] = {0xE2, 0x96, 0x81};         // U+2581
constexpr u8 kReplacement[] = {0xEF, 0xBF, 0xBD};  // U+FFFD
constexpr u8 kPlainSpace[] = {' '};
// The most output of one bite of a run.
constexpr size_t kMostBytes = 8, kMostCharacters = kMostBytes;

bool is_mark(const u8* bytes) { return std::memcmp(bytes, kMark, sizeof kMark) == 0; }

// UTF-16 units; bytes that are not UTF-8 count one for each maximal subpart.
u32 units_of(const u8* text, size_t begin, size_t end) {
    u32 units = 0;
    for (size_t at = begin; at < end;) {
        const Character character = character_in(text, at, end);
        units += character.length == 4 ? 2 : 1;
        at += character.length;
    }
    return units;
}

}  // namespace

Status SentencePiece::create(const layout::NormalizerProgram* section) {
    const u8* const bytes = reinterpret_cast<const u8*>(section);
    const layout::NormalizerStep& step = *reinterpret_cast<const layout::NormalizerStep*>(section + 1);
    flags_ = step.flags;
    const bool is_put = has_flag(layout::kPutsSpace), is_behind = has_flag(layout::kSpaceBehind);
    acts_at_start_ = has_flag(layout::kCollapsesSpaces) || (is_put && !is_behind);
    acts_at_end_ = has_flag(layout::kCollapsesSpaces) || (is_put && is_behind);
    const bool is_marked = has_flag(layout::kMarksSpaces);
    space_ = is_marked ? kMark : kPlainSpace;
    space_length_ = is_marked ? sizeof kMark : sizeof kPlainSpace;
    has_charsmap_ = step.first_length > 0;
    if (has_charsmap_) charsmap_ = Charsmap(bytes + step.first_offset, step.first_length);
    if (step.second_length > 0) symbols_ = Symbols(bytes + step.second_offset);
    // A symbol keeps its spaces. (Without any, a number before the symbols may look like one, which is harmless.)
    const bool has_spaces = std::memchr(bytes + step.second_offset, ' ', step.second_length) != nullptr;
    only_marks_spaces_ = is_marked && !has_charsmap_ && !has_spaces && !acts_at_end_ && !has_flag(layout::kCollapsesSpaces);
    note_ascii();
    note_beyond_ascii();
    return {};
}

// Up to bytes that are not UTF-8, or a character still incomplete.
size_t SentencePiece::kept_up_to(const u8* text, size_t from, size_t end) const {
    constexpr u64 kHighBits = 0x8080808080808080;
    size_t at = from;
    while (at < end) {
        if (text[at] < 0x80) {
            u64 word;
            while (end - at >= sizeof word && (std::memcpy(&word, text + at, sizeof word), (word & kHighBits) == 0))
                at += sizeof word;
            while (at < end && text[at] < 0x80) ++at;
            continue;
        }
        const Character character = decode_character(text + at);
        if (end - at < character.length || is_ill_formed(character, text + at)) break;
        at += character.length;
    }
    return at;
}

void SentencePiece::note_ascii() {
    std::memset(word_lengths_, kNoWord, sizeof word_lengths_);
    for (u32 first = 0; first < 0x80; ++first) {
        bool is_alone_always = true;
        for (u32 second = 0; second < 0x80 && is_alone_always; ++second) {
            is_alone_always = is_alone(static_cast<u8>(first), static_cast<u8>(second));
        }
        if (!is_alone_always) continue;
        const u8 text[] = {static_cast<u8>(first), 0, 0, 0};
        Bite bite;
        take(text, 0, 1, true, &bite);
        if (is_space(bite)) {
            kinds_[first] = kSpaces;
        } else if (bite.output_length == 1 && *bite.output == first) {
            kinds_[first] = kStays;
        }
    }
    for (u32 each = 0; each < 0x80; ++each) {
        if (kinds_[each] == kStays) word_lengths_[each] = 1;
    }
    if (kinds_[u8{' '}] == kSpaces) word_lengths_[u8{' '}] = static_cast<u8>(space_length_);
}

void SentencePiece::note_beyond_ascii() {
    for (u32 index = 0; index < 64 * 64; ++index) {
        const u8 text[] = {static_cast<u8>(0xC0 | index >> 6), static_cast<u8>(0x80 | (index & 63))};
        const bool may_be_mark = has_flag(layout::kCollapsesSpaces) && std::memcmp(text, kMark, sizeof text) == 0;
        stays_beyond_[index] = !may_be_mark && !begins_rule(text);
    }
}

// Whether a symbol or a rule begins with these two bytes, or is a prefix of them.
bool SentencePiece::begins_rule(const u8* text) const {
    const Symbols::Longest symbol = symbols_.find(text, 2);
    if (symbol.is_open || symbol.length > 0) return true;
    if (!has_charsmap_) return false;
    const Charsmap::Longest rule = charsmap_.find_longest(text, 2);
    return rule.is_open || rule.length > 0;
}

// Whether no bite ever takes both of these.
bool SentencePiece::is_alone(u8 first, u8 second) const {
    const u8 text[] = {first, second};
    const Symbols::Longest symbol = symbols_.find(text, sizeof text);
    if (symbol.is_open || symbol.length > 1) return false;
    if (!has_charsmap_) return true;
    const Charsmap::Longest rule = charsmap_.find_longest(text, sizeof text);
    return !rule.is_open && rule.length <= 1;
}

// False if text after text[at, size), which is not the `last`, may belong to the bite.
bool SentencePiece::take(const u8* text, size_t at, size_t size, bool last, Bite* bite) const {
    const Symbols::Longest symbol = symbols_.find(text + at, size - at);
    if (symbol.is_open && !last) return false;
    if (symbol.length > 0) {
        *bite = {symbol.length, text + at, symbol.length};
        return true;
    }
    if (has_charsmap_) {
        const Charsmap::Longest rule = charsmap_.find_longest(text + at, size - at);
        if (rule.is_open && !last) return false;
        if (rule.length > 0) {
            *bite = {rule.length, rule.text, rule.text_length};
            return true;
        }
    }
    if (!last && size - at < layout::announced_length(text[at])) return false;
    const Character character = character_in(text, at, size);
    if (is_ill_formed(character, text + at)) {
        *bite = {1, kReplacement, sizeof kReplacement};
    } else {
        *bite = {character.length, text + at, character.length};
    }
    return true;
}

// Whether it begins with a character that is never stripped and that a preceding space does not affect.
bool SentencePiece::begins_kept(const u8* output, size_t length) const {
    if (length == 0) return false;
    if (!has_flag(layout::kCollapsesSpaces)) return true;
    return *output != ' ' && !(has_flag(layout::kMarksSpaces) && length >= sizeof kMark && is_mark(output));
}

bool SentencePiece::ends_kept(const u8* output, size_t length) const {
    if (!has_flag(layout::kCollapsesSpaces)) return true;
    if (length == 0) return false;
    const u8* const end = output + length;
    return end[-1] != ' ' && !(has_flag(layout::kMarksSpaces) && length >= sizeof kMark && is_mark(end - sizeof kMark));
}

bool SentencePiece::stays(const u8* text, const Bite& bite) const {
    return bite.output_length == bite.length && std::memcmp(bite.output, text, bite.length) == 0 &&
           !(std::memchr(bite.output, ' ', bite.output_length) &&
             (has_flag(layout::kMarksSpaces) || has_flag(layout::kCollapsesSpaces)));
}

// The end of ASCII characters that are unchanged in any context.
size_t SentencePiece::pass(const u8* text, size_t at, size_t end) const {
    while (at + 1 < end && kinds_[text[at]] == kStays && text[at + 1] < 0x80) ++at;
    return at;
}

// The end of words: ASCII characters that are unchanged, and lone spaces, all followed by ASCII. Adds the length of the result.
size_t SentencePiece::pass_words(const u8* text, size_t at, size_t end, size_t* length) const {
    constexpr size_t kWord = 8;
    const bool collapses = has_flag(layout::kCollapsesSpaces);
    while (end - at > kWord) {
        const u8* const p = text + at;
        u32 sum = 0;
        for (size_t i = 0; i < kWord; ++i) sum += word_lengths_[p[i]];
        if (sum >= kNoWord || p[kWord] >= 0x80) break;
        at += kWord;
        if (collapses) {
            const u64 spaces = spaces_in_word(p);
            if (spaces & spaces >> 1) {
                at -= kWord;
                break;
            }
            // The next byte decides about the last one.
            if (spaces >> (kWord - 1)) {
                --at;
                sum -= static_cast<u32>(space_length_);
            }
        }
        *length += sum;
    }
    for (; end - at > 1 && text[at + 1] < 0x80; ++at) {
        const u8 output = word_lengths_[text[at]];
        if (output == kNoWord || (collapses && text[at] == ' ' && kinds_[text[at + 1]] != kStays)) break;
        *length += output;
    }
    return at;
}

// The end of other characters that are unchanged in any context.
size_t SentencePiece::pass_beyond_ascii(const u8* text, size_t at, size_t end) const {
    while (at < end && text[at] >= 0xC0) {
        const u32 length = layout::announced_length(text[at]);
        if (length < 2 || end - at < length || !stays_beyond_[(text[at] & 63u) << 6 | (text[at + 1] & 63u)]) break;
        if (decode_character(text + at).length != length) break;
        at += length;
    }
    return at;
}

// From `searched` on, an open range does not end in a kept character.
Normalizer::Checked SentencePiece::check(const u8* text, size_t from, size_t searched, size_t size, bool last, u32 edges) const {
    const bool opens = acts_at_start_ && (edges & kOpensSegment) != 0;
    size_t begin = from, at = from;
    bool is_dirty = opens, ends = false;
    if (searched > from) {
        at = searched;
        is_dirty = true;
    }
    while (at < size) {
        if (!is_dirty) {
            const size_t passed = pass(text, at, size);
            if (passed > at) {
                begin = at = passed;
                ends = true;
            }
        }
        Bite bite;
        if (!take(text, at, size, last, &bite)) break;
        const bool is_first = opens && begin == from;
        if (at > begin && (ends || (!is_first && begins_kept(bite.output, bite.output_length)))) {
            if (is_dirty) return {begin, at, at};
            begin = at;
        }
        is_dirty = is_dirty || !stays(text + at, bite);
        ends = ends_kept(bite.output, bite.output_length);
        at += bite.length;
    }
    if (!last) return {begin, begin, at > begin && !ends ? at : begin};
    is_dirty = is_dirty || has_flag(layout::kSpaceBehind) || !ends;
    return is_dirty && begin < size ? Checked{begin, size, size} : Checked{size, size, size};
}

Status SentencePiece::rewrite(const u8* text, size_t begin, size_t end, u32 edges, Scratch& scratch, bool* changed) const {
    scratch.characters.clear();
    scratch.bytes.clear();
    const bool collapses = has_flag(layout::kCollapsesSpaces), opens = (edges & kOpensSegment) != 0;
    const bool ends = (edges & kEndsSegment) != 0, is_behind = has_flag(layout::kSpaceBehind);
    size_t at = begin, sequence_end = begin;  // in bytes that are not UTF-8
    u32 units = 0;
    // The origin of the character in front is known when the next one arrives, or never.
    bool is_front_open = false;
    const auto put = [&](const u8* bytes, size_t length, const Rewritten& from) {
        if (!scratch.bytes.append(bytes, length)) return false;
        Rewritten output = from;
        output.end = static_cast<u32>(scratch.bytes.size());
        if (is_front_open) {
            is_front_open = false;
            const u32 front_end = scratch.characters[0].end;
            scratch.characters[0] = output;
            scratch.characters[0].end = front_end;
        }
        return scratch.characters.push_back(output);
    };
    Bite bite = {};
    const auto next = [&] {
        if (at == end) return false;
        take(text, at, end, true, &bite);
        if (bite.length > end - at) bite.length = end - at;
        return true;
    };
    if (opens && collapses) {
        while (next() && is_space(bite)) {
            units += units_of(text, at, at + bite.length);
            at += bite.length;
        }
    }
    const bool is_empty = at == end && opens && ends && collapses;
    const u32 raw_size = static_cast<u32>(end - begin);
    const Rewritten whole = {0, 0, raw_size, 0, units_of(text, begin, end)};
    if (opens && !is_empty && has_flag(layout::kPutsSpace) && !is_behind) {
        if (!put(space_, space_length_, whole)) return Status::out_of_memory();
        is_front_open = true;
    }
    bool is_after_space = opens && collapses;
    while (next()) {
        const bool goes_on = bite.output == kReplacement && at < sequence_end;
        if (bite.output == kReplacement && !goes_on) sequence_end = at + character_in(text, at, end).length;
        const u32 bite_units = goes_on ? 0 : units_of(text, at, at + bite.length);
        const u32 byte = static_cast<u32>(at - begin);
        const Rewritten from = {0, byte, byte + static_cast<u32>(bite.length), units - goes_on, units + bite_units};
        size_t i = 0;
        while (is_after_space && i < bite.output_length && bite.output[i] == ' ') ++i;
        if (i > 0 && i == bite.output_length && !is_front_open && !scratch.characters.empty()) {
            // For spaces that become one.
            scratch.characters.back().raw_end = from.raw_end;
            scratch.characters.back().units_end = from.units_end;
        }
        const bool has_any = i < bite.output_length;
        for (size_t length; i < bite.output_length; i += length) {
            length = character_in(bite.output, i, bite.output_length).length;
            const bool is_output_space = bite.output[i] == ' ';
            if (!put(is_output_space ? space_ : bite.output + i, is_output_space ? space_length_ : length, from)) {
                return Status::out_of_memory();
            }
        }
        if (has_any) is_after_space = bite.output[bite.output_length - 1] == ' ';
        is_after_space = is_after_space && collapses;
        at += bite.length;
        units += bite_units;
    }
    if (ends && collapses) {
        while (!scratch.characters.empty()) {
            const size_t size = scratch.bytes.size();
            const bool is_last_space =
                size >= space_length_ && std::memcmp(scratch.bytes.data() + size - space_length_, space_, space_length_) == 0;
            if (!is_last_space) break;
            scratch.bytes.truncate(size - space_length_);
            scratch.characters.truncate(scratch.characters.size() - 1);
        }
    }
    if (ends && !is_empty && has_flag(layout::kPutsSpace) && is_behind) {
        const Rewritten from = scratch.characters.empty() ? whole : scratch.characters.back();
        if (!put(space_, space_length_, from)) return Status::out_of_memory();
    }
    scratch.units = whole.units_end;
    const size_t size = scratch.bytes.size();
    *changed = size != end - begin || std::memcmp(scratch.bytes.data(), text + begin, size) != 0;
    return {};
}

// Each of them originates from the whole unit.
u32 SentencePiece::characters_of(const Unit& unit, size_t length, u32 units, Rewritten* characters) {
    u32 count = 0;
    for (size_t i = 0; i < unit.output_length; ++count) {
        i += character_in(unit.output, i, unit.output_length).length;
        characters[count] = {static_cast<u32>(i), 0, static_cast<u32>(length), 0, units};
    }
    return count;
}

// False for anything not simple, or that may continue past `end`; if it is the `last`, nothing relevant follows.
bool SentencePiece::take_unit(const u8* text, size_t at, size_t end, bool last, Unit* unit) const {
    const bool collapses = has_flag(layout::kCollapsesSpaces);
    const size_t begin = at;
    Bite bite;
    if (!take(text, at, end, last, &bite)) return false;
    if (is_space(bite)) {
        at += bite.length;
        while (collapses && !(last && at == end)) {
            if (at >= end || !take(text, at, end, last, &bite)) return false;
            if (!is_space(bite)) break;
            at += bite.length;
        }
        if (collapses && !(last && at == end) && !begins_kept(bite.output, bite.output_length)) return false;
        const bool same = space_length_ == at - begin && std::memcmp(text + begin, space_, space_length_) == 0;
        *unit = {at, space_, space_length_, same};
        return true;
    }
    if (bite.output_length == 0 || bite.output_length > kMostBytes || std::memchr(bite.output, ' ', bite.output_length))
        return false;
    if (!begins_kept(bite.output, bite.output_length) || !ends_kept(bite.output, bite.output_length)) return false;
    *unit = {at + bite.length, bite.output, bite.output_length, stays(text + at, bite)};
    return true;
}

Normalizer::Run SentencePiece::run(const u8* text, size_t from, size_t end) const {
    Run run = {from, 0, true};
    // Text that gets a space after it is not part of a run.
    if (has_flag(layout::kSpaceBehind) && end > from) --end;
    for (;;) {
        size_t length = 0;
        const size_t words = pass_words(text, run.end, end, &length), passed = pass_beyond_ascii(text, words, end);
        run.stays = run.stays && length == words - run.end;
        run.length += length + (passed - words);
        run.end = passed;
        Unit unit;
        if (run.end >= end || !take_unit(text, run.end, end, false, &unit)) return run;
        run.length += unit.output_length;
        run.stays = run.stays && unit.stays;
        run.end = unit.end;
    }
}

bool SentencePiece::rewrite_run(const u8* text, size_t begin, size_t end, const Target& to) const {
    const Rewritten mark_from = {static_cast<u32>(space_length_), 0, 1, 0, 1};
    AlikeRows marks({mark_from.end, 1, 1, 1, &mark_from}, to);
    SpaceMark mark;
    mark.length = mark_from.end;
    std::memcpy(mark.bytes, space_, space_length_);
    u8* out = to.bytes;
    for (size_t at = begin; at < end;) {
        size_t length = 0;
        const size_t words = pass_words(text, at, end, &length), passed = pass_beyond_ascii(text, words, end);
        if (length == words - at) {
            std::memcpy(out, text + at, passed - at);
            out += passed - at;
        } else {
            out = put_marked(text, begin, at, words, mark, out, to.bytes, marks);
            if (!out) return false;
            std::memcpy(out, text + words, passed - words);
            out += passed - words;
        }
        at = passed;
        if (at == end) break;
        // The text after the run was already checked: none of it belongs to these bites.
        Unit unit;
        if (!take_unit(text, at, end, true, &unit)) return false;
        std::memcpy(out, unit.output, unit.output_length);
        const size_t taken = unit.end - at;
        if (unit.output == space_ && taken == 1) {
            if (!unit.stays && !marks.add(static_cast<size_t>(out - to.bytes), at - begin)) return false;
        } else if (!unit.stays) {
            Rewritten characters[kMostCharacters];
            characters[0].units_end = 0;  // GCC does not see that there is always at least one
            const u32 count = characters_of(unit, taken, units_of(text, at, unit.end), characters);
            const bool moves = count != 1 || unit.output_length != taken;
            if (moves && (!marks.end() ||
                          !to.rewrites->add_at(to.position + static_cast<u64>(out - to.bytes), to.raw_position + (at - begin),
                                               taken, characters[0].units_end, characters, count, false))) {
                return false;
            }
        }
        out += unit.output_length;
        at = unit.end;
    }
    return marks.end();
}

}  // namespace crayon
