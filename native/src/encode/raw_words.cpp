#include "encode/raw_words.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "base/space_mark.h"
#include "base/utf8.h"
#include "model/unigram.h"
#include "model/word_piece.h"
#include "normalize/graphemes.h"
#include "normalize/unicode_forms.h"
#include "tokenizer.h"

namespace crayon {

namespace {

constexpr u32 kLastSpace = 0x3000;
// Shorter ones are rewritten stretch by stretch.
constexpr size_t kLeastRunOfWord = 16;
constexpr u32 kMostEnds = 256;
// Enough to see what a word begins with.
constexpr u32 kLooked = 24;

// A model for PieceEncoder, over the one of normalized pieces.
template <class Inner>
class RawModel {
public:
    using Scratch = RawWordsScratch;
    static constexpr bool kFindsWhole = false;
    static constexpr bool kMakesTogether = Inner::kMakesTogether;

    RawModel(const RawWords& words, const Inner& inner) : words_(words), inner_(inner) {}

    bool make(const u8* word, u32 length, u32, RawWordsScratch& scratch, u32* end) const {
        *end = length;
        scratch.ids.clear();
        bool is_one = false;
        // Some memory, whatever there is of ids: without any, it would be short.
        if (!scratch.ids.reserve(length) || !words_.normalize(word, length, scratch, &is_one)) return false;
        const u32 size = static_cast<u32>(scratch.word.size() - kScanPadding);
        if (is_one) return put_piece(0, size, scratch);
        const Tokenizer& tokenizer = words_.tokenizer();
        const ScanFunction scan = tokenizer.scan();
        ScanState state;
        state.joined_bytes = &tokenizer.joined_bytes();
        state.patterns = &tokenizer.patterns();
        state.restart(0);
        u32 ends[kMostEnds], begin = 0;
        while (begin < size) {
            const u32 count = scan(state, scratch.word.data(), size, true, ends, kMostEnds);
            for (u32 i = 0; i < count; ++i) {
                if (!put_piece(begin, ends[i], scratch)) return false;
                begin = ends[i];
            }
            if (count == 0) break;
        }
        return true;
    }
    // Words with more ids than there is room for, or none, are made one by one.
    bool make_all(UnmadePiece* words, u32 count, RawWordsScratch& scratch) const {
        for (UnmadePiece* word = words; word != words + count; ++word) {
            u32 end;
            if (!make(word->bytes, word->length, 0, scratch, &end)) return false;
            const u32 made = static_cast<u32>(scratch.ids.size());
            word->count = made > word->length ? 0 : made;
            if (word->count > 0) std::memcpy(word->ids, scratch.ids.data(), word->count * sizeof(u32));
        }
        return true;
    }

private:
    bool put_piece(u32 begin, u32 end, RawWordsScratch& scratch) const {
        if (!scratch.word_ids.resize(end - begin)) return false;
        UnmadePiece piece = {scratch.word.data() + begin, end - begin, scratch.word_ids.data(), 0};
        return inner_.make_all(&piece, 1, scratch) && scratch.ids.append(piece.ids, piece.count);
    }

    const RawWords& words_;
    const Inner& inner_;
};

// The character that ends at `at`, which is not 0.
u32 character_before(const u8* text, size_t at) {
    size_t begin = at - 1;
    while (begin > 0 && at - begin < 4 && is_continuation(text[begin])) --begin;
    const Character character = character_in(text, begin, at);
    return character.length == at - begin ? character.code_point : 0xFFFD;
}

}  // namespace

Status RawWords::create(const Tokenizer& tokenizer, RawWords** out) {
    if (!tokenizer.trie_models() || !tokenizer.normalizer() || tokenizer.unknown_id() == layout::kNone) return {};
    if (tokenizer.trie_models()->sums_floats()) return {};
    const ScanFunctions& scans = tokenizer.kernel().scans;
    ScanFunction scan = nullptr;
    const u32 pretokenizer = tokenizer.view().pretokenizer;
    const Normalizer::Words words = tokenizer.normalizer()->words();
    if (words == Normalizer::kAfterSpaces && pretokenizer == layout::kMetaspace) scan = scans.of[layout::kWhitespaceSplit];
    if (words == Normalizer::kOfBert && pretokenizer == layout::kBert) scan = scans.of[layout::kBert];
    if (words == Normalizer::kOfBertAndIdeographs && pretokenizer == layout::kBert) scan = scans.bert_and_ideographs;
    if (!scan) return {};
    RawWords* const made = new (std::nothrow) RawWords(tokenizer);
    if (!made) return Status::out_of_memory();
    made->scan_ = scan;
    made->begins_with_mark_ = words == Normalizer::kAfterSpaces;
    const Status status = made->note_characters();
    if (status.ok()) {
        *out = made;
    } else {
        delete made;
    }
    return status;
}

void RawWords::destroy(RawWords* words) { delete words; }

RawWordsScratch* RawWords::create_scratch() { return new (std::nothrow) RawWordsScratch; }
void RawWords::destroy_scratch(RawWordsScratch* scratch) { delete scratch; }

Status RawWords::note_characters() {
    RawWordsScratch scratch;
    for (u32 code = 0; code <= kLastSpace; ++code) {
        if (!is_white_space(code)) continue;
        if (Status status = note_space(code, scratch); !status.ok()) return status;
    }
    for (u32 i = 0; i < kept_count_; ++i) {
        u8 bytes[4] = {};
        put_character(kept_spaces_[i], bytes);
        may_be_kept_[bytes[0]] = true;
    }
    for (u32 code = 0; code < 0x80; ++code) {
        is_space_[code] = is_white_space(code) && !may_be_kept_[code];
        if (is_white_space(code)) continue;
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
        const u8* const made = changed ? scratch.normalizer.bytes.data() : text;
        const size_t length = changed ? scratch.normalizer.bytes.size() : end + 1;
        if (status.ok() && !out->assign(made, length)) status = Status::out_of_memory();
        return status;
    };
    Buffer<u8> made, wanted;
    if (Status status = between_letters(code, &made); !status.ok()) return status;
    if (Status status = between_letters(' ', &wanted); !status.ok()) return status;
    bool is_same = made.size() == wanted.size() && std::memcmp(made.data(), wanted.data(), made.size()) == 0;
    if (!begins_with_mark_ && !is_same && made.size() > 2) {
        const Character middle = character_in(made.data(), 1, made.size() - 1);
        is_same = middle.length == made.size() - 2 && is_white_space(middle.code_point);
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

u32 RawWords::keep_cuts(const u8* text, size_t end, u32* ends, u32 count) const {
    u32 kept = 0;
    for (u32 i = 0; i < count; ++i) {
        const u32 at = ends[i];
        ends[kept] = at;
        kept += at == end || is_cut(text, at);
    }
    return kept;
}

bool RawWords::encode(const PieceSequence& pieces, RawWordsScratch& scratch, u32* ids, u32 capacity,
                      PieceProgress* progress) const {
    const auto encode_by = [&](const auto& inner) {
        const RawModel model(*this, inner);
        PieceEncoder<RawModel<std::decay_t<decltype(inner)>>> encoder(model, pieces, scratch);
        return ids ? encoder.template encode<false>(ids, capacity, progress)
                   : encoder.template encode<true>(ids, capacity, progress);
    };
    const TrieModels& models = *tokenizer_.trie_models();
    return models.is_unigram() ? encode_by(models.unigram()) : encode_by(models.word_piece());
}

bool RawWords::normalize(const u8* word, u32 length, RawWordsScratch& scratch, bool* is_one) const {
    bool is_put = false;
    if (!put_plain(word, length, scratch, &is_put)) return false;
    *is_one = is_put;
    if (!is_put && !normalize_all(word, length, scratch)) return false;
    const size_t size = scratch.word.size();
    if (!scratch.word.resize(size + kScanPadding)) return false;
    std::memset(scratch.word.data() + size, 0, kScanPadding);
    return true;
}

// A word of ASCII, of which each character becomes one of ASCII.
bool RawWords::put_plain(const u8* word, u32 length, RawWordsScratch& scratch, bool* is_put) const {
    u32 begin = 0;
    while (begin < length && is_space_[word[begin]]) ++begin;
    if (begin == length) return true;
    const u32 mark = begins_with_mark_ ? kSpaceMarkLength : 0;
    if (!scratch.word.resize(mark + length - begin)) return false;
    u8* const out = scratch.word.data();
    std::memcpy(out, kSpaceMark, mark);
    for (u32 i = begin; i < length; ++i) {
        const u8 made = plain_[word[i]];
        if (made == 0) return true;
        out[mark + i - begin] = made;
    }
    *is_put = true;
    return true;
}

// Where a character that stays is the first one after whitespace, so that the mark is put in front of it; `length` if what is
// there may be another one.
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
    Buffer<u8>& out = scratch.word;
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
        if (!normalizer.rewrite(word, at, checked.end, edges, scratch.normalizer, &changed).ok()) return false;
        const Buffer<u8>& made = scratch.normalizer.bytes;
        const bool is_put = changed ? out.append(made.data(), made.size()) : out.append(word + at, checked.end - at);
        if (!is_put) return false;
        edges = 0;
        at = checked.end;
    }
    return true;
}

}  // namespace crayon
