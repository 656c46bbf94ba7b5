#include "normalize/program.h"

#include <cstring>

#include "base/utf8.h"
#include "crayon/layout/cartridge.h"

namespace crayon {

namespace {

// The number of ranges remembered: a power of two.
constexpr u32 kRemembered = 1024;
constexpr size_t kBlockBytes = 32;
constexpr u32 kIdeograph = 0x4E00;

using Remembered = Normalizer::Scratch::Remembered;

// The slot of a short text; null if memory is short.
Remembered* remembered_at(const u8* text, size_t length, Normalizer::Scratch& scratch) {
    if (scratch.remembered.empty() && !scratch.remembered.zeroed(kRemembered)) return nullptr;
    u64 words[2] = {};
    std::memcpy(words, text, length);
    const u64 hash = (words[0] ^ words[1] * 0x9E3779B97F4A7C15 ^ length) * 0xD6E8FEB86659FD93;
    return scratch.remembered.data() + (hash >> 40) % kRemembered;
}

// Remembers the result of a text, if it is short.
void remember(const u8* text, size_t length, bool changed, const Normalizer::Scratch& scratch, Remembered* known) {
    const size_t byte_count = scratch.bytes.size(), character_count = scratch.characters.size();
    if (byte_count > Remembered::kMostBytes || character_count > Remembered::kMostCharacters) return;
    std::memcpy(known->text, text, length);
    known->length = static_cast<u8>(length);
    known->changed = changed;
    known->units = static_cast<u8>(scratch.units);
    known->byte_count = static_cast<u8>(byte_count);
    known->character_count = static_cast<u8>(character_count);
    if (byte_count > 0) std::memcpy(known->bytes, scratch.bytes.data(), byte_count);
    if (character_count > 0) std::memcpy(known->characters, scratch.characters.data(), character_count * sizeof(Rewritten));
}

// Whether text[at, size) may be the start of a character that continues past it.
bool may_go_on(const u8* text, size_t at, size_t size) { return size - at < layout::announced_length(text[at]); }

// The number of stand-ins for bytes that are not UTF-8: a single byte, or the start of a three- or four-byte character.
constexpr u32 kIllFormedCount = 0x100 + 32 * 64 + 8 * 64 * 64;
u32 ill_formed(u32 code) {
    const u32 length = code >> 24 & 3, first = code & 0xFF, second = code >> 8 & 0x3F, third = code >> 16 & 0x3F;
    if (length == 1) return first;
    return 0x100 + (length == 2 ? (first & 31) * 64 + second : 32 * 64 + ((first & 7) * 64 + second) * 64 + third);
}

}  // namespace

Status Program::create(const layout::NormalizerProgram* section) {
    if (Status status = steps_.create(section); !status.ok()) return status;
    follows_tokens_ = steps_.is_metaspace();
    only_marks_spaces_ = steps_.only_mark_spaces();
    for (u32 step = 0; step < steps_.count(); ++step) {
        acts_at_edges_ = acts_at_edges_ || steps_.acts_at_edges(step);
        sees_graphemes_ = sees_graphemes_ || steps_.sees_graphemes(step);
    }
    for (u32 step = 0; step < steps_.count(); ++step) {
        if (Status status = note_later(step); !status.ok()) return status;
        merges_ = merges_ || is_known_later_[step];
    }
    if (!states_.make(layout::kLastCodePoint + 1 + kIllFormedCount) || !note_ascii()) return Status::out_of_memory();
    return {};
}

// Determines whether later steps may react to the step's result for several characters.
Status Program::note_later(u32 step) {
    Scratch scratch;
    const Steps::Makes makes = steps_.makes(step, &scratch.text);
    if (makes == Steps::kNoMemory) return Status::out_of_memory();
    if (makes == Steps::kNothingNew) return {};
    for (u32 later = step + 1; later < steps_.count() && !is_known_later_[step]; ++later) {
        if (makes == Steps::kAnything) {
            is_known_later_[step] = steps_.has_relations(later) || steps_.acts_at_edges(later);
            continue;
        }
        u32 relations = scratch.text.empty() && steps_.has_relations(later);
        for (const StepCharacter& each : scratch.text) relations |= steps_.relation(later, each.code);
        is_known_later_[step] = relations != 0 || (steps_.acts_at_edges(later) && steps_.passes_over(later, scratch.text));
        const Status status = steps_.run(later, 0, Steps::most_of(0), scratch);
        if (status.code == CRAYON_TEXT_TOO_LONG)
            is_known_later_[step] = true;  // of what remains, nobody knows
        else if (!status.ok())
            return status;
    }
    return {};
}

// Records the results of lone characters. False if memory is short.
bool Program::note_alone() {
    Scratch scratch;
    bool changed = false;
    const auto makes = [&](const char* text, size_t size) {
        return run_steps(reinterpret_cast<const u8*>(text), 0, size, 0, scratch, &changed).ok();
    };
    lone_.use(&state_at(0));
    for (u8 code = 0; code < 0x80; ++code) {
        if ((state_of(code) & LoneCharacters::kRelations) != 0) continue;
        const char text = static_cast<char>(code);
        if (!makes(&text, 1)) return false;
        lone_.set(code, changed, scratch);
    }
    const bool space_drops = (state_of(' ') & LoneCharacters::kRelations) == kDrops;
    for (u8 code = 0; space_drops && code < 0x80; ++code) {
        if ((state_of(code) & LoneCharacters::kRelations) != 0) continue;
        const char text[] = {' ', static_cast<char>(code)};
        if (!makes(text, 2)) return false;
        if (changed) lone_.set_after_space(code, scratch);
    }
    const u8 space = state_of(' ');
    if ((space & kStays) && (space & LoneCharacters::kRelations) == kSpans) lone_.set_lone_space();
    if ((state_of(kIdeograph) & kSpaced) != 0) {
        if (!makes("\u4E00", 3)) return false;
        lone_.set_spaced(scratch);
    }
    lone_.finish();
    return true;
}

bool Program::note_ascii() {
    Scratch scratch;
    u32 ranges = 0;
    for (u32 code = 0; code < 0x80; ++code) {
        const u8 state = find_state(code, scratch);
        if (state == 0) return false;
        state_at(code).store(state, std::memory_order_relaxed);
        if ((state & ~kBlank) != (kKnown | kStays) || ranges > kRanges) continue;
        if (ranges > 0 && first_[ranges - 1] + span_[ranges - 1] + 1u == code) {
            ++span_[ranges - 1];
        } else if (ranges == kRanges) {
            ranges = kRanges + 1;  // too many
        } else {
            first_[ranges++] = static_cast<u8>(code);
        }
    }
    has_ranges_ = ranges >= 1 && ranges <= kRanges;
    for (u32 i = 0; has_ranges_ && i < ranges; ++i) {
        for (u32 byte = first_[i]; byte <= u32{first_[i]} + span_[i]; ++byte) passes_[byte] = true;
    }
    for (u32 i = ranges; i < kRanges; ++i) {
        first_[i] = first_[0];
        span_[i] = span_[0];
    }
    return note_alone();
}

// 0 if memory is short. Leaves the character's result in scratch.text.
u8 Program::find_state(u32 code, Scratch& scratch) const {
    u8 state = kKnown;
    scratch.text.clear();
    if (!scratch.text.push_back({code, 0})) return 0;
    for (u32 step = 0; step < steps_.count(); ++step) {
        if (scratch.text.empty() && steps_.has_relations(step)) state |= kJoins;
        u32 relations = 0;
        for (const StepCharacter& each : scratch.text) relations |= steps_.relation(step, each.code);
        state |= (relations & Steps::kJoins ? kJoins : 0) | (relations & Steps::kSpans ? kSpans : 0) |
                 (relations & Steps::kDrops ? kDrops : 0);
        if (relations != 0 && is_known_later_[step]) state |= kJoins | kMerges | kBlank;
        if (steps_.acts_at_edges(step) && steps_.passes_over(step, scratch.text)) state |= kBlank;
        const Status status = steps_.run(step, 0, Steps::most_of(1), scratch);
        if (status.code == CRAYON_TEXT_TOO_LONG) return kKnown | kJoins;  // and so does rewriting
        if (!status.ok()) return 0;
    }
    const StepText& text = scratch.text;
    if (text.size() == 1 && text[0].code == code) state |= kStays;
    if (text.size() == 3 && text[0].code == ' ' && text[1].code == code && text[2].code == ' ') state |= kSpaced;
    return state;
}

// Steps that act at edges, or see graphemes, look further than relations indicate. Spaces between words are taken out unseen.
Normalizer::Words Program::words() const {
    const Words words = steps_.words();
    return words == kNoWords && !acts_at_edges_ && !sees_graphemes_ && steps_.keep_spaces() ? kOfCharacters : words;
}

size_t Program::steady_up_to(const u8* text, size_t from, size_t end) const {
    constexpr u8 kAsked = LoneCharacters::kRelations | kKnown | kStays;
    size_t at = from;
    while (at < end && text[at] >= 0x80) {
        const Character character = decode_character(text + at);
        // Bytes that are not UTF-8 are handled elsewhere.
        if (character.code_point == 0xFFFD || character.length > end - at) break;
        u8 state = state_at(character.code_point).load(std::memory_order_relaxed);
        if (state == 0) state = state_of(character.code_point);
        if ((state & kAsked) != (kKnown | kStays)) break;
        at += character.length;
    }
    return at;
}

u8 Program::state_of(u32 code) const {
    std::atomic<u8>& known = state_at(code < kIllFormedBytes ? code : layout::kLastCodePoint + 1 + ill_formed(code));
    u8 state = known.load(std::memory_order_relaxed);
    if (state == 0) {
        Scratch scratch;
        state = find_state(code, scratch);
        if (state == 0) return kKnown | kJoins;  // rewriting will fail, too
        known.store(state, std::memory_order_relaxed);
    }
    return state;
}

// Up to the first byte that is not an unchanged ASCII character without relations.
size_t Program::pass(const u8* text, size_t at, size_t size) const {
    const auto stays = [&](u8 byte) {
        u8 is_in = 0;
        for (u32 i = 0; i < kRanges; ++i) is_in |= static_cast<u8>(byte - first_[i]) <= span_[i] ? 0xFF : 0;
        return is_in;
    };
    // Most words end before the first full block would.
    const size_t near = size - at < kBlockBytes / 2 ? size : at + kBlockBytes / 2;
    while (at < near && passes_[text[at]]) ++at;
    if (at < near) return at;
    for (; size - at >= kBlockBytes; at += kBlockBytes) {
        u8 block[kBlockBytes];
        for (size_t i = 0; i < kBlockBytes; ++i) block[i] = stays(text[at + i]);
        u64 words[kBlockBytes / 8];
        std::memcpy(words, block, kBlockBytes);
        if (~(words[0] & words[1] & words[2] & words[3])) break;
    }
    while (at < size && passes_[text[at]]) ++at;
    return at;
}

// `searched` is the start of the second last character of an open range: its states are computed again from there.
Normalizer::Checked Program::check(const u8* text, size_t from, size_t searched, size_t size, bool last, u32 edges) const {
    const bool opens = acts_at_edges_ && (edges & kOpensSegment) != 0;
    size_t begin = from, at = from;
    u8 before_that = 0, before = 0, next = 0;
    size_t at_before = from, at_before_that = from;
    u32 joined = 0;  // characters known to continue the range
    if (searched > from) {
        at = at_before = at_before_that = searched;
        joined = 2;
    }
    bool is_dirty = opens || joined > 0,
         is_blank = opens;  // the range is blank so far; an opening range extends to the text that steps put something
                            // before
    while (at < size) {
        if (has_ranges_ && !is_dirty && text[at] < 0x80 && (before & (kJoins | kDrops)) == 0) {
            size_t passed = pass(text, at, size);
            // The next character may join the last one.
            if (merges_ && passed > at && !(last && passed == size)) --passed;
            if (passed > at) {
                begin = at_before = passed - 1;
                at = passed;
                before_that = before = kKnown | kStays;
                next = 0;
                continue;
            }
        }
        if (!last && may_go_on(text, at, size)) break;
        const Character character = character_in(text, at, size);
        const u8 state = next ? next : state_of(step_code(text + at, character));
        if (merges_) {
            const size_t behind = at + character.length;
            next = 0;
            if (behind < size) {
                if (!last && may_go_on(text, behind, size)) break;
                next = state_of(step_code(text + behind, character_in(text, behind, size)));
            } else if (!last) {
                break;
            }
        }
        if (joined > 0) {
            --joined;
            is_dirty = true;
        } else if (at > begin) {
            const bool is_apart = are_apart(before, state, before_that | next) && !is_blank;
            if (!is_apart) {
                is_dirty = true;
            } else if (!is_dirty) {
                begin = at;
            } else {
                return {begin, at, at};
            }
        }
        is_dirty = is_dirty || !(state & kStays);
        is_blank = is_blank && ((state & kBlank) || ((before | next) & kMerges));
        before_that = before;
        before = state;
        at_before_that = at_before;
        at_before = at;
        at += character.length;
    }
    if (!last) return {begin, begin, at_before_that > begin ? at_before_that : begin};
    is_dirty = is_dirty || acts_at_edges_;
    return is_dirty && begin < size ? Checked{begin, size, size} : Checked{size, size, size};
}

Status Program::rewrite(const u8* text, size_t begin, size_t end, u32 edges, Scratch& scratch, bool* changed) const {
    scratch.characters.clear();
    scratch.bytes.clear();
    if (!acts_at_edges_) edges = 0;
    if (bool has_memory = true;
        end - begin == 1 && edges == 0 && lone_.rewrites_alone(text[begin], scratch, changed, &has_memory)) {
        scratch.units = 1;
        return has_memory ? Status{} : Status::out_of_memory();
    }
    if (edges != 0 || end - begin > Scratch::Remembered::kLongest) return run_steps(text, begin, end, edges, scratch, changed);
    Scratch::Remembered* const known = remembered_at(text + begin, end - begin, scratch);
    if (known && known->length == end - begin && std::memcmp(known->text, text + begin, end - begin) == 0) {
        scratch.units = known->units;
        *changed = known->changed;
        const bool is_put = scratch.bytes.append(known->bytes, known->byte_count) &&
                            scratch.characters.append(known->characters, known->character_count);
        return is_put ? Status{} : Status::out_of_memory();
    }
    if (Status status = run_steps(text, begin, end, edges, scratch, changed); !status.ok()) return status;
    if (known) remember(text + begin, end - begin, *changed, scratch, known);
    return {};
}

// Runs all steps in order.
Status Program::run_steps(const u8* text, size_t begin, size_t end, u32 edges, Scratch& scratch, bool* changed) const {
    scratch.text.clear();
    scratch.offsets.clear();
    scratch.extended.clear();
    Scratch::Offset offset = {0, 0};
    for (size_t at = begin; at < end;) {
        const Character character = character_in(text, at, end);
        const u32 index = static_cast<u32>(scratch.text.size());
        if (!scratch.text.push_back({step_code(text + at, character), index}) || !scratch.offsets.push_back(offset)) {
            return Status::out_of_memory();
        }
        offset.bytes += character.length;
        offset.units += character.length == 4 ? 2 : 1;
        at += character.length;
    }
    if (!scratch.offsets.push_back(offset)) return Status::out_of_memory();
    scratch.units = offset.units;
    const size_t count = scratch.text.size();
    for (u32 step = 0; step < steps_.count(); ++step) {
        if (Status status = steps_.run(step, edges, Steps::most_of(count), scratch); !status.ok()) return status;
    }
    if (!scratch.bytes.resize(4 * scratch.text.size()) || !scratch.characters.resize(scratch.text.size())) {
        return Status::out_of_memory();
    }
    u32 size = 0;
    for (size_t i = 0; i < scratch.text.size(); ++i) {
        const StepCharacter& each = scratch.text[i];
        size += put_character(each.code, scratch.bytes.data() + size);
        const Scratch::Offset& first = scratch.offsets[each.source];
        const Scratch::Offset& next = scratch.offsets[each.source + 1];
        scratch.characters[i] = {size, first.bytes, next.bytes, first.units, next.units};
    }
    for (const Scratch::Extended& each : scratch.extended) {
        const Scratch::Offset& end = scratch.offsets[each.source + 1];
        scratch.characters[each.character].raw_end = end.bytes;
        scratch.characters[each.character].units_end = end.units;
    }
    scratch.bytes.truncate(size);
    // A part of a grapheme may change where the whole does not; and what one step composes and the next decomposes has other
    // offsets.
    *changed =
        (sees_graphemes_ && count > 1) || size != end - begin || std::memcmp(scratch.bytes.data(), text + begin, size) != 0;
    for (size_t i = 0; i < scratch.text.size() && !*changed; ++i) *changed = scratch.text[i].source != i;
    return {};
}

}  // namespace crayon
