#include "encode/raw_words.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "base/utf8.h"
#include "base/whitespace.h"
#include "model/unigram.h"
#include "model/word_piece.h"
#include "normalize/graphemes.h"
#include "normalize/normalizer.h"
#include "normalize/unicode_forms.h"
#include "tokenizer.h"

namespace crayon {

namespace {

constexpr u32 kLastSpace = 0x3000;
// Shorter ones are rewritten range by range.
constexpr size_t kLeastRunOfWord = 16;
constexpr u32 kMostEnds = 256;
// Three characters: how far a decision looks behind a cut.
constexpr size_t kSeenBehind = 12;
// Enough to see what a word begins with.
constexpr u32 kLooked = 24;

// A model for PieceEncoder, over the one of normalized pieces.
class RawModel {
public:
    using Scratch = RawWordsScratch;
    static constexpr bool kFindsWhole = false;

    RawModel(const RawWords& words, const Unigram* unigram, const WordPiece* word_piece)
        : words_(words), tokenizer_(words.tokenizer()), unigram_(unigram), word_piece_(word_piece) {}

    bool make(const u8* word, u32 length, u32, RawWordsScratch& scratch, u32* end) const {
        *end = length;
        bool is_one = false;
        if (!words_.normalize(word, length, scratch, &is_one)) return false;
        const u32 size = static_cast<u32>(scratch.normalized.size() - kScanPadding);
        if (is_one) return make_piece(0, size, scratch);
        // Some memory, whatever there is of ids: without any, it would be short.
        scratch.word_ids.clear();
        if (!scratch.word_ids.reserve(length)) return false;
        const ScanFunction scan = tokenizer_.scan();
        ScanState state;
        state.joined_bytes = &tokenizer_.joined_bytes();
        state.patterns = &tokenizer_.patterns();
        state.restart(0);
        u32 ends[kMostEnds], begin = 0;
        while (begin < size) {
            const u32 count = scan(state, scratch.normalized.data(), size, true, ends, kMostEnds);
            for (u32 i = 0; i < count; ++i) {
                if (!make_piece(begin, ends[i], scratch)) return false;
                if (!scratch.word_ids.append(scratch.ids.data(), scratch.ids.size())) return false;
                begin = ends[i];
            }
            if (count == 0) break;
        }
        scratch.ids.swap(scratch.word_ids);
        return true;
    }
    // Words with more ids than there is room for, or none, are made one by one.
    bool make_all(UnmadePiece* words, u32 count, RawWordsScratch& scratch) const {
        if (!unigram_ && !word_piece_) return make_together(words, count, scratch);
        for (UnmadePiece* word = words; word != words + count; ++word) {
            if (!make_now(word, scratch)) return false;
        }
        return true;
    }

private:
    bool make_now(UnmadePiece* word, RawWordsScratch& scratch) const {
        u32 end;
        if (!make(word->bytes, word->length, 0, scratch, &end)) return false;
        WordsTogether::take(word, scratch.ids.data(), static_cast<u32>(scratch.ids.size()));
        return true;
    }
    bool make_together(UnmadePiece* words, u32 count, RawWordsScratch& scratch) const {
        WordsTogether together(tokenizer_, scratch);
        for (UnmadePiece* word = words; word != words + count; ++word) {
            bool is_one = false;
            if (!words_.normalize(word->bytes, word->length, scratch, &is_one)) return false;
            const u32 size = static_cast<u32>(scratch.normalized.size() - kScanPadding);
            if (!(is_one ? together.make(word, scratch.normalized.data(), size) : make_now(word, scratch))) return false;
        }
        return together.finish();
    }
    // The ids of a piece of the word, into scratch.ids.
    bool make_piece(u32 begin, u32 end, RawWordsScratch& scratch) const {
        const u8* const bytes = scratch.normalized.data() + begin;
        const u32 length = end - begin;
        u32 end_of_word;
        if (unigram_) return unigram_->make(bytes, length, 0, scratch, &end_of_word);
        if (word_piece_) return word_piece_->make(bytes, length, 0, scratch, &end_of_word);
        return encode_piece(tokenizer_, bytes, length, scratch);
    }

    const RawWords& words_;
    const Tokenizer& tokenizer_;
    const Unigram* const unigram_;  // both nullptr for BPE
    const WordPiece* const word_piece_;
};

}  // namespace

Status RawWords::create(const Tokenizer& tokenizer, RawWords** out) {
    const TrieModels* const models = tokenizer.trie_models();
    if (!tokenizer.normalizer() || !(models || tokenizer.forms_words())) return {};
    if (models && (models->sums_floats() || tokenizer.unknown_id() == layout::kNone)) return {};
    const ScanFunctions& scans = tokenizer.kernel().texts->scans;
    ScanFunction scan = nullptr;
    const u32 pretokenizer = tokenizer.view().pretokenizer;
    const Normalizer::Words words = tokenizer.normalizer()->words();
    if (words == Normalizer::kAfterSpaces && pretokenizer == layout::kMetaspace) scan = scans.of[layout::kWhitespaceSplit];
    if (words == Normalizer::kOfBert && pretokenizer == layout::kBert) scan = scans.of[layout::kBert];
    if (words == Normalizer::kOfBertAndIdeographs && pretokenizer == layout::kBert) scan = scans.bert_and_ideographs;
    const bool by_pattern =
        words == Normalizer::kOfCharacters && pretokenizer == layout::kPatternPretokenizer && tokenizer.patterns().count == 1;
    if (by_pattern) scan = scans.of[layout::kGpt2];
    if (!scan) return {};
    RawWords* const raw_words = new (std::nothrow) RawWords(tokenizer);
    if (!raw_words) return Status::out_of_memory();
    raw_words->scan_ = scan;
    raw_words->begins_with_mark_ = words == Normalizer::kAfterSpaces;
    bool has_any = true;
    const Status status = by_pattern ? raw_words->note_breaks(&has_any) : raw_words->note_characters();
    if (status.ok() && has_any) {
        *out = raw_words;
    } else {
        delete raw_words;
    }
    return status;
}

RawWordsScratch* RawWords::create_scratch() const { return new (std::nothrow) RawWordsScratch; }

Status RawWords::note_characters() {
    RawWordsScratch scratch;
    for (u32 code = 0; code <= kLastSpace; ++code) {
        if (!is_whitespace(code)) continue;
        if (Status status = note_space(code, scratch); !status.ok()) return status;
    }
    for (u32 i = 0; i < kept_count_; ++i) {
        u8 bytes[4] = {};
        put_character(kept_spaces_[i], bytes);
        may_be_kept_[bytes[0]] = true;
    }
    for (u32 code = 0; code < 0x80; ++code) {
        is_space_[code] = is_whitespace(code) && !may_be_kept_[code];
        if (is_whitespace(code)) continue;
        const u8 byte = static_cast<u8>(code);
        bool changed = false;
        if (Status status = tokenizer_.normalizer()->rewrite(&byte, 0, 1, 0, scratch.normalizer, &changed); !status.ok())
            return status;
        const bool is_plain = !changed || (scratch.normalizer.bytes.size() == 1 && scratch.normalizer.bytes[0] < 0x80);
        if (is_plain) plain_[code] = changed ? scratch.normalizer.bytes[0] : byte;
    }
    return {};
}

// Whether there are cuts before such whitespace: if words end there after it is normalized, too.
Status RawWords::note_space(u32 code, RawWordsScratch& scratch) {
    const auto between_letters = [&](u32 space, Buffer<u8>* out) -> Status {
        u8 text[8] = {'a'};
        const size_t end = 1 + put_character(space, text + 1);
        text[end] = 'b';
        bool changed = false;
        Status status = tokenizer_.normalizer()->rewrite(text, 0, end + 1, 0, scratch.normalizer, &changed);
        const u8* const normalized = changed ? scratch.normalizer.bytes.data() : text;
        const size_t length = changed ? scratch.normalizer.bytes.size() : end + 1;
        if (status.ok() && !out->assign(normalized, length)) status = Status::out_of_memory();
        return status;
    };
    Buffer<u8> normalized, wanted;
    if (Status status = between_letters(code, &normalized); !status.ok()) return status;
    if (Status status = between_letters(' ', &wanted); !status.ok()) return status;
    bool is_same = normalized.size() == wanted.size() && std::memcmp(normalized.data(), wanted.data(), normalized.size()) == 0;
    if (!begins_with_mark_ && !is_same && normalized.size() > 2) {
        const Character middle = character_in(normalized.data(), 1, normalized.size() - 1);
        is_same = middle.length == normalized.size() - 2 && is_whitespace(middle.code_point);
    }
    if (!is_same) kept_spaces_[kept_count_++] = code;
    return {};
}

bool RawWords::is_cut(const u8* text, size_t at) const {
    const u8 after = text[at];
    if (may_be_kept_[after]) {
        const u32 code = decode_character(text + at).code_point;
        if (std::find(kept_spaces_, kept_spaces_ + kept_count_, code) != kept_spaces_ + kept_count_) return false;
    }
    if (!begins_with_mark_) return true;
    const u8* const next = text + at + (after < 0x80 ? 1 : character_length(text + at));
    if ((text[at - 1] | *next) < 0x80) return true;
    return !joins_what_follows(character_before(text, at)) && !joins_what_precedes(decode_character(next).code_point);
}

u32 RawWords::keep_cuts(const u8* text, size_t begin, size_t end, bool last, u32* ends, u32 count) const {
    if (breaks_) return keep_breaks(text, begin, end, last, ends, count);
    // Most of these are cuts, which is seen of several at once.
    constexpr u32 kTogether = 32;
    const u32 beyond_ascii = begins_with_mark_ ? 0x80 : 0;
    u32 cut_count = 0;
    for (u32 first = 0, next = 0; first < count; first = next) {
        next = count - first < kTogether ? count : first + kTogether;
        u32 is_odd = 0;
        for (u32 i = first; i < next; ++i) {
            const u8* const at = text + ends[i];
            is_odd |= u32{may_be_kept_[*at]} | (beyond_ascii & (u32{at[-1]} | *at | at[1]));
        }
        if (is_odd == 0) {
            if (cut_count < first) std::memmove(ends + cut_count, ends + first, (next - first) * sizeof(u32));
            cut_count += next - first;
            continue;
        }
        for (u32 i = first; i < next; ++i) {
            const u32 at = ends[i];
            ends[cut_count] = at;
            cut_count += at == end || is_cut(text, at);
        }
    }
    return cut_count;
}

// --- words that a pattern makes ---

// `has_any`: whether such words end at spaces, at least.
Status RawWords::note_breaks(bool* has_any) {
    *has_any = false;
    const Normalizer& normalizer = *tokenizer_.normalizer();
    breaks_ = tokenizer_.pattern_breaks();
    if (!breaks_) return Status::out_of_memory();
    const PatternTables& pattern = tokenizer_.patterns().tables[0];
    Normalizer::Scratch scratch;
    for (u32 code = 0; code < 0x80; ++code) {
        const u8 byte = static_cast<u8>(code);
        bool changed = false;
        const Status status = normalizer.rewrite(&byte, 0, 1, 0, scratch, &changed);
        if (status.code == CRAYON_TEXT_TOO_LONG) return {};  // a failure of texts, which only an encoder reports
        if (!status.ok()) return status;
        states_[code] = normalizer.state_of(code);
        classes_[code] = kNoClass;
        if (states_[code] & kMerges) return {};
        if (changed && (scratch.bytes.size() != 1 || scratch.bytes[0] >= 0x80)) continue;
        const u8 normalized = changed ? scratch.bytes[0] : byte;
        classes_[code] = pattern.blocks[normalized];
        if (is_whitespace(code)) {
            is_space_[code] = (states_[code] & (kJoins | kDrops)) == 0 && pattern.drops(normalized);
        } else if ((states_[code] & (kJoins | kDrops | kSpans)) == 0) {
            plain_[code] = normalized;
        }
    }
    for (u32 before = 0; before < 0x80; ++before) {
        for (u32 after = 0; after < 0x80; ++after) {
            if (!are_apart(states_[before], states_[after], 0)) continue;
            ascii_apart_[before][after / 64] |= u64{1} << after % 64;
            if (classes_[before] == kNoClass || classes_[after] == kNoClass) continue;
            ascii_breaks_[before][after / 64] |= u64{breaks_->between(classes_[before], classes_[after])} << after % 64;
        }
    }
    for (u8 letter = 'a'; letter <= 'z'; ++letter) *has_any = *has_any || (ascii_breaks_[letter][0] >> ' ' & 1) != 0;
    return {};
}

u32 RawWords::keep_breaks(const u8* text, size_t begin, size_t end, bool last, u32* ends, u32 count) const {
    u32 cut_count = 0;
    for (u32 i = 0; i < count; ++i) {
        const u32 at = ends[i];
        ends[cut_count] = at;
        if (!last && end - at < kSeenBehind) break;
        const u8 *const after = text + at, *const before = after - 1;
        // Text outside the word counts as a character without relations.
        const u32 before_that = at - begin > 1 ? before[-1] : 0, first = at - begin > 2 ? before[-2] : 0;
        const auto has = [](const u64(&bits)[2], u8 code) { return (bits[code / 64] >> code % 64 & 1) != 0; };
        const bool is_ascii = (first | before_that | *before | *after | after[1] | after[2]) < 0x80;
        const bool is_kept = is_ascii ? has(ascii_breaks_[*before], *after) && has(ascii_apart_[*after], after[1]) &&
                                            has(ascii_apart_[before_that], *before)
                                      : is_break(text, begin, at);
        const bool is_cut = is_kept || at == end;
        cut_count += is_cut;
        begin = is_cut ? at : begin;
    }
    return cut_count;
}

// The same if a character is not ASCII: each of the two must be normalized as if it were alone. Dropped characters are not asked
// for their result.
bool RawWords::is_break(const u8* text, size_t begin, size_t at) const {
    constexpr u32 kIllFormed = 0xFFFD, kSeen = 3;
    const Normalizer& normalizer = *tokenizer_.normalizer();
    const PatternTables& pattern = tokenizer_.patterns().tables[0];
    u32 before[kSeen] = {}, after[kSeen];
    u8 states_before[kSeen], states_after[kSeen];
    u32 all = 0;
    size_t from = at;
    for (u32 i = 0; i < kSeen; ++i) {
        if (from > begin) {
            before[i] = character_before(text + begin, from - begin);
            from -= before[i] < 0x80 ? 1 : before[i] < 0x800 ? 2 : before[i] < 0x10000 ? 3 : 4;
        }
        const Character character = decode_character(text + at);
        at += character.length;
        after[i] = character.code_point;
        if (before[i] == kIllFormed || after[i] == kIllFormed) return false;
        all |= states_before[i] = normalizer.state_of(before[i]);
        all |= states_after[i] = normalizer.state_of(after[i]);
    }
    if (!are_apart(states_before[0], states_after[0], all) || !are_apart(states_before[1], states_before[0], all) ||
        !are_apart(states_after[0], states_after[1], all))
        return false;
    const auto class_of = [&](u32 code, u8 state) -> u32 {
        if (code < 0x80) return classes_[code];
        return state & kStays ? pattern.class_of(code) : u32{kNoClass};
    };
    const u32 class_before = class_of(before[0], states_before[0]), class_after = class_of(after[0], states_after[0]);
    return class_before != kNoClass && class_after != kNoClass && breaks_->between(class_before, class_after);
}

// --- words as pieces ---

bool RawWords::encode(const PieceSequence& pieces, PieceScratch& scratch, u32* ids, u32 capacity, PieceProgress* progress) const {
    const TrieModels* const models = tokenizer_.trie_models();
    const bool is_unigram = models && models->is_unigram();
    const Unigram unigram = is_unigram ? models->unigram() : Unigram();
    const WordPiece word_piece = models && !is_unigram ? models->word_piece() : WordPiece();
    const RawModel model(*this, is_unigram ? &unigram : nullptr, models && !is_unigram ? &word_piece : nullptr);
    return ModelSource<RawModel>(model).encode(pieces, scratch, ids, capacity, progress);
}

bool RawWords::normalize(const u8* word, u32 length, RawWordsScratch& scratch, bool* is_one) const {
    bool is_put = false;
    if (!put_plain(word, length, scratch, &is_put)) return false;
    if (!is_put && !normalize_all(word, length, scratch)) return false;
    const size_t size = scratch.normalized.size();
    if (!scratch.normalized.resize(size + kScanPadding)) return false;
    std::memset(scratch.normalized.data() + size, 0, kScanPadding);
    *is_one = is_put;
    if (breaks_) *is_one = tokenizer_.patterns().tables[0].matches_all(scratch.normalized.data(), static_cast<u32>(size));
    return true;
}

// A word of characters that become one of ASCII each, or, where a pattern makes the words, stay.
bool RawWords::put_plain(const u8* word, u32 length, RawWordsScratch& scratch, bool* is_put) const {
    u32 begin = 0;
    while (begin < length && is_space_[word[begin]]) ++begin;
    if (begin == length) return true;
    const u32 mark = begins_with_mark_ ? kSpaceMarkLength : 0;
    if (!scratch.normalized.resize(mark + length - begin)) return false;
    u8* const out = scratch.normalized.data();
    std::memcpy(out, kSpaceMark, mark);
    for (u32 i = begin; i < length; ++i) {
        u8 normalized = plain_[word[i]];
        if (normalized == 0) [[unlikely]] {
            if (!breaks_ || word[i] < 0x80) return true;
            const u32 end = static_cast<u32>(tokenizer_.normalizer()->steady_up_to(word, i, length));
            if (end == i) return true;
            std::memcpy(out + i - begin, word + i, end - i);
            i = end - 1;
            continue;
        }
        out[mark + i - begin] = normalized;
    }
    *is_put = true;
    return true;
}

// Where the first kept character after whitespace is, in front of which the mark goes; `length` if that may be another character.
u32 RawWords::first_after_spaces(const u8* word, u32 length) const {
    u32 begin = 0;
    while (begin < length && is_space_[word[begin]]) ++begin;
    if (begin == length) return length;
    const u8 byte = word[begin];
    if (byte < 0x80) return plain_[byte] == byte && (begin + 1 == length || word[begin + 1] < 0x80) ? begin : length;
    const bool is_mark = length - begin >= kSpaceMarkLength && std::memcmp(word + begin, kSpaceMark, kSpaceMarkLength) == 0;
    return !is_mark && tokenizer_.normalizer()->run(word, begin, std::min(length, begin + kLooked)).end > begin ? begin : length;
}

// Any word, as encode/normalizing.h does it. No step of such a normalizer acts at the end of a segment.
bool RawWords::normalize_all(const u8* word, u32 length, RawWordsScratch& scratch) const {
    const Normalizer& normalizer = *tokenizer_.normalizer();
    Buffer<u8>& out = scratch.normalized;
    out.clear();
    u32 edges = begins_with_mark_ ? u32{kOpensSegment} : 0;
    size_t at = 0;
    if (const u32 first = begins_with_mark_ ? first_after_spaces(word, length) : length; first < length) {
        if (!out.append(kSpaceMark, kSpaceMarkLength)) return false;
        edges = 0;
        at = first;
    }
    while (at < length) {
        const Normalizer::Run run = edges ? Normalizer::Run{at, 0, true} : normalizer.run(word, at, length);
        if (run.end - at >= kLeastRunOfWord) {
            const size_t begin = at;
            at = run.end;
            if (run.stays) {
                if (!out.append(word + begin, at - begin)) return false;
                continue;
            }
            const size_t before = out.size();
            if (!out.resize(before + run.length + Normalizer::kRunSlack)) return false;
            scratch.rewrites.restart();
            if (!normalizer.rewrite_run(word, begin, at, {out.data() + before, 0, 0, &scratch.rewrites})) return false;
            out.truncate(before + run.length);
            continue;
        }
        const Normalizer::Checked checked = normalizer.check(word, at, at, length, true, edges);
        if (!out.append(word + at, checked.normal - at)) return false;
        if (checked.normal > at) edges = 0;
        at = checked.normal;
        if (checked.end == checked.normal) continue;
        bool changed = false;
        scratch.failure = normalizer.rewrite(word, at, checked.end, edges, scratch.normalizer, &changed);
        if (!scratch.failure.ok()) return false;
        const Buffer<u8>& normalized = scratch.normalizer.bytes;
        const bool is_put = changed ? out.append(normalized.data(), normalized.size()) : out.append(word + at, checked.end - at);
        if (!is_put) return false;
        edges = 0;
        at = checked.end;
    }
    return true;
}

}  // namespace crayon
