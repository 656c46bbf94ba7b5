#include "model/unigram.h"

#include <algorithm>

#include "base/utf8.h"
#include "crayon/layout/marked_ids.h"
#include "tables/double_array.h"

namespace crayon {

namespace {

// Longer pieces use the scratch for their positions.
constexpr u32 kShort = 128;

// Subtracts a sum far from 0 from the known sums of best[from, to].
template <class Best>
void take_off(Best* best, u32 from, u32 to) {
    const float sum = static_cast<float>(best[from].score);
    for (u32 i = from; i <= to; ++i) {
        if (i == from || best[i].begin != layout::kNone) best[i].score = static_cast<float>(best[i].score) - sum;
    }
}

}  // namespace

template <class Offer>
bool Unigram::offer_tokens(const u8* piece, u32 at, u32 length, Offer offer) const {
    const u32* const units = t_.trie.units;
    const u32* const values = t_.trie.values;
    const u32 character = std::min(character_length(piece + at), length - at);
    bool is_known = false;
    u32 base = layout::base_of(units[0]);
    const u32 stop = at + std::min(length - at, t_.max_token_length);
    for (u32 i = at; i < stop; ++i) {
        const u32 index = base ^ piece[i], unit = units[index];
        if (layout::label_of(unit) != piece[i]) break;
        if (layout::is_terminal(unit)) {
            const u32 id = values[index];
            offer(i + 1, scores_[id], id);
            is_known |= i + 1 - at == character;
        }
        base = layout::base_of(unit);
    }
    if (is_known) return true;
    if (t_.unknown_id == layout::kNone) return false;
    offer(at + character, unknown_score_, t_.unknown_id);
    return true;
}

// Starts from a sum. Returns the end: before the end of the text only at a character that can only be unknown, without an
// unknown id.
template <bool kFloats>
u32 Unigram::find_best(const u8* piece, u32 length, double sum, Best* best) const {
    best[0] = {sum, layout::kNone, 0};
    for (u32 i = 1; i <= length; ++i) best[i].begin = layout::kNone;
    u32 reached = 0;
    for (u32 at = 0; at < length; ++at) {
        if (best[at].begin == layout::kNone) continue;  // inside a character
        if constexpr (kFloats) {
            if (best[at].score < -layout::kMostSum || best[at].score > layout::kMostSum) take_off(best, at, reached);
        }
        const double before = best[at].score;
        const bool goes_on = offer_tokens(piece, at, length, [&](u32 end, double score, u32 id) {
            Best& other = best[end];
            const double after = kFloats ? static_cast<float>(score) + static_cast<float>(before) : score + before;
            if constexpr (kFloats) reached = std::max(reached, end);
            if (other.begin == layout::kNone || after > other.score) other = {after, id, at};
        });
        if (!goes_on) return at;
    }
    return length;
}

// Writes the ids of the pending unknown text, if any.
void Unigram::put_unknown(const u8* piece, Written* written) const {
    if (written->unknown_begin == written->unknown_end) return;
    const u8* const text = piece + written->unknown_begin;
    const u32 length = written->unknown_end - written->unknown_begin;
    written->unknown_begin = written->unknown_end;
    const TrieMatch token = words_ ? TrieMatch{} : longest_prefix(t_.trie, text, length);
    if (token.length == length) {
        written->ids[written->count++] = token.value;
        return;
    }
    const auto has_token = [this](u8 byte) { return byte_ids_[byte] != layout::kNone; };
    if (byte_ids_ && std::all_of(text, text + length, has_token)) {
        for (u32 i = 0; i < length; ++i) {
            written->ids[written->count++] =
                layout::kByteMark | u32{text[i]} << layout::kByteShift | std::min(length - i, layout::kMostRest);
        }
        return;
    }
    written->ids[written->count++] = layout::kUnknownMark | std::min(length, layout::kPartMark - 1);
}

// Writes the ids of the best sequence of piece[begin, end); its last unknown text may continue after it.
void Unigram::take_best(const u8* piece, u32 begin, u32 end, Best* best, Written* written) const {
    // Each links to the previous one. From here on, each links to the next.
    u32 after = layout::kNone;
    const u32 length = end - begin;
    for (u32 at = length; at > 0;) {
        const u32 before = best[at].begin;
        best[at].begin = after;
        after = at;
        at = before;
    }
    for (u32 at = 0; after != layout::kNone; at = after, after = best[after].begin) {
        const u32 id = best[after].id;
        if (id != t_.unknown_id) {
            put_unknown(piece, written);
            written->ids[written->count++] = id;
            continue;
        }
        if (written->unknown_begin == written->unknown_end) written->unknown_begin = begin + at;
        written->unknown_end = begin + after;
    }
}

// nullptr if memory is short.
Unigram::Best* Unigram::space_for(u32 length, PieceScratch& scratch, Best* near) const {
    if (length <= kShort) return near;
    if (!scratch.work.resize((size_t{length} + 1) * sizeof(Best))) return nullptr;
    return reinterpret_cast<Best*>(scratch.work.data());
}

// The entry for a word, valid until the next recall.
const KnownWord& Unigram::recall(const u8* word, u32 length, KnownWords& words) const {
    return recall(word, length, KnownWords::key_of(word, length), words);
}

const KnownWord& Unigram::recall(const u8* word, u32 length, const KnownWords::Key& key, KnownWords& words) const {
    if (const KnownWord* known = words.find(key)) return *known;
    KnownWord known_word;
    const u32 cut = words_->last_cut(word, length);
    if (cut == 0) {
        note(word, length, &known_word);
    } else {
        // Steady if both parts are.
        known_word = recall(word, cut, words);
        const KnownWord& rest = recall(word + cut, length - cut, words);
        if (known_word.count + rest.count > KnownWord::kMostTokens) {
            note(word, length, &known_word);
        } else {
            std::copy(rest.ids, rest.ids + rest.count, known_word.ids + known_word.count);
            std::copy(rest.scores, rest.scores + rest.count, known_word.scores + known_word.count);
            known_word.count += rest.count;
        }
    }
    return *words.keep(key, known_word);
}

// Fills in everything to remember about a word except its key.
void Unigram::note(const u8* word, u32 length, KnownWord* known) const {
    struct Sums {
        double best, second;
        u32 token_count;  // tokens
        u32 id, begin;
    };
    known->count = KnownWord::kUnsteady;
    constexpr double kNothing = -1e300;
    Sums sums[KnownWord::kLongest + 1];
    for (u32 i = 0; i <= length; ++i) sums[i] = {kNothing, kNothing, 0, layout::kNone, 0};
    sums[0].best = 0;
    bool is_bounded = true;
    for (u32 at = 0; at < length; ++at) {
        const Sums before = sums[at];
        if (before.best == kNothing) continue;
        const bool goes_on = offer_tokens(word, at, length, [&](u32 end, double score, u32 id) {
            is_bounded = is_bounded && score <= KnownWord::kMostScore && score >= -KnownWord::kMostScore;
            Sums& other = sums[end];
            const double first = before.best + score, second = before.second + score;
            other.second = std::max(std::min(first, other.best), std::max(second, other.second));
            other.token_count = std::max(other.token_count, before.token_count + 1);
            if (first <= other.best) return;
            other.best = first;
            other.id = id;
            other.begin = at;
        });
        if (!goes_on) return;
    }
    u32 count = 0;
    for (u32 end = length; end > 0; end = sums[end].begin) {
        if (sums[end].id == t_.unknown_id) return;
        ++count;
    }
    // The error of doubles is below a millionth.
    const double off = KnownWord::kOff * (count + sums[length].token_count) + 1e-6;
    if (!is_bounded || count > KnownWord::kMostTokens || !(sums[length].best - sums[length].second > off)) return;
    known->count = count;
    for (u32 end = length; end > 0; end = sums[end].begin) {
        --count;
        known->ids[count] = sums[end].id;
        known->scores[count] = static_cast<float>(scores_[sums[end].id]);
    }
}

// Cuts a segment, word by word. False if memory is short.
bool Unigram::cut_words(const u8* piece, u32 length, PieceScratch& scratch, Written* written, u32* end) const {
    const bool remembers = scratch.words.ready();
    Best near[kShort + 1];
    float sum = 0;
    u32 next_end = length > 0 ? words_->end_of(piece, 0, length) : 0;
    const auto key_at = [&](u32 at) { return KnownWords::key_of(piece + at, std::min(next_end - at, KnownWord::kLongest)); };
    KnownWords::Key key = {}, next_key = {};
    if (remembers) next_key = key_at(0);
    *end = 0;
    for (u32 at = 0; at < length; at = *end) {
        *end = next_end;
        key = next_key;
        if (next_end < length) {
            next_end = words_->end_of(piece, *end, length);
            if (remembers) {
                next_key = key_at(*end);
                scratch.words.prefetch(next_key);
            }
        }
        const u8* const word = piece + at;
        const u32 word_length = *end - at;
        if (remembers && word_length <= KnownWord::kLongest && sum >= -KnownWord::kMostBefore && sum <= KnownWord::kMostBefore) {
            const KnownWord& known = recall(word, word_length, key, scratch.words);
            if (known.count != KnownWord::kUnsteady) {
                put_unknown(piece, written);
                for (u32 i = 0; i < known.count; ++i) {
                    sum += known.scores[i];
                    written->ids[written->count++] = known.ids[i];
                }
                continue;
            }
        }
        Best* const best = space_for(word_length, scratch, near);
        if (!best) return false;
        const u32 found = find_best<true>(word, word_length, double{sum}, best);
        if (found < word_length) {
            *end = at + found;
            return true;
        }
        sum = static_cast<float>(best[word_length].score);
        take_best(piece, at, *end, best, written);
    }
    put_unknown(piece, written);
    return true;
}

// False if memory is short.
bool Unigram::cut(const u8* piece, u32 length, PieceScratch& scratch, u32* ids, u32* count, u32* end) const {
    const u32 begin = dropped_.leading(piece, length);
    piece += begin;
    length -= begin;
    Written written = {ids, 0, 0, 0};
    u32 found = 0;
    if (words_) {
        if (!cut_words(piece, length, scratch, &written, &found)) return false;
    } else {
        Best near[kShort + 1];
        Best* const best = space_for(length, scratch, near);
        if (!best) return false;
        found = find_best<false>(piece, length, 0.0, best);
        if (found == length) {
            take_best(piece, 0, length, best, &written);
            put_unknown(piece, &written);
        }
    }
    *end = begin + found;
    *count = found == length ? written.count : 0;
    return true;
}

bool Unigram::make(const u8* piece, u32 length, u32, PieceScratch& scratch, u32* end) const {
    u32 count = 0;
    if (!scratch.ids.resize(length) || !cut(piece, length, scratch, scratch.ids.data(), &count, end)) return false;
    scratch.ids.truncate(count);
    return true;
}

bool Unigram::make_all(UnmadePiece* pieces, u32 count, PieceScratch& scratch) const {
    for (UnmadePiece* piece = pieces; piece != pieces + count; ++piece) {
        u32 end;
        if (!cut(piece->bytes, piece->length, scratch, piece->ids, &piece->count, &end)) return false;
    }
    return true;
}

}  // namespace crayon
