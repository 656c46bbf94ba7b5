#include "encode/encoder.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "module_features.h"

namespace crayon {

Encoder::Encoder(Tokenizer& tokenizer)
    : tokenizer_(tokenizer), policy_(tokenizer), pieces_(tokenizer), model_(tokenizer), words_(tokenizer) {
    tokenizer.retain();
    if (const u64 limit = tokenizer.cache_limit(); limit > 0) set_cache_limit(limit);
}

Encoder::~Encoder() {
    delete general_;
    delete kept_normalizing_;
    if (published_ > 0) tokenizer_.count_cache_bytes(published_, 0);
    tokenizer_.release();
}

Status Encoder::create(Tokenizer& tokenizer, Encoder** out) {
    Encoder* const encoder = new (std::nothrow) Encoder(tokenizer);
    if (!encoder) return Status::out_of_memory();
    const Status status = encoder->start();
    if (status.ok()) {
        *out = encoder;
    } else {
        delete encoder;
    }
    return status;
}

Status Encoder::start() {
    if (tokenizer_.model_kind() == layout::kDnaModel) return {CRAYON_INVALID_ARGUMENT};
    if (tokenizer_.general()) {
        if (Status status = kFeatures.general_path(tokenizer_, policy_, &general_); !status.ok()) return status;
    }
    return begin(CRAYON_SPECIAL_AS_TEXT, nullptr, 0);
}

Status Encoder::begin(u32 special, const u32* allowed, u32 allowed_count) {
    if (Status status = policy_.choose(special, {allowed, allowed_count}); !status.ok()) return status;
    if (policy_version_ != policy_.version()) {
        if (Status status = use_policy(); !status.ok()) return status;
    }
    restart(0);
    return {};
}

Status Encoder::begin_masked(std::span<const u32> control, std::span<const u32> ranges) {
    Status status = policy_.choose_masked(control, ranges);
    if (status.ok()) status = use_policy();
    if (status.ok()) restart(0);
    return status;
}

Status Encoder::use_policy() {
    if (general_) {
        policy_version_ = policy_.version();
        return {};
    }
    search_.set(tokenizer_.added(), policy_.uses(), policy_.allowance());
    const bool is_needed = Normalizing::is_needed(tokenizer_, policy_);
    if (is_needed && !kept_normalizing_) {
        if (Status status = kFeatures.normalizing(tokenizer_, policy_, &kept_normalizing_); !status.ok()) return status;
    }
    normalizing_ = is_needed ? kept_normalizing_ : nullptr;
    if (normalizing_) normalizing_->use_policy();
    policy_version_ = policy_.version();
    return {};
}

void Encoder::restart(u64 origin, bool opens_segment) {
    ++texts_;
    reading_end_ = kNowhere;
    text_.restart(origin);
    if (normalizing_) normalizing_->restart(origin, opens_segment);
    if (general_) general_->restart(origin);
    is_decided_ = !normalizing_ || !normalizing_->may_keep();
    search_.restart();
    pieces_.clear();
    if (pieces_.are_raw()) pieces_.use_raw(nullptr);
    model_.restart();
    offsets_.restart();
    open_segment(0);
}

void Encoder::open_segment(size_t begin) {
    segments_.open(begin);
    pieces_.open(begin);
}

// --- feeding ---

Status Encoder::feed_utf8(const u8* bytes, size_t length, bool last) {
    Status status = open_window();
    if (status.ok()) status = text_.feed_utf8(bytes, length, last);
    return status.ok() ? close_window() : status;
}

Status Encoder::feed_utf16(const u16* units, size_t length, bool last) {
    Status status = open_window();
    if (status.ok()) status = text_.feed_utf16(tokenizer_.kernel(), units, length, last);
    return status.ok() ? close_window() : status;
}

// Drops encoded text, unless some of its ids are unread.
Status Encoder::open_window() {
    if (text_.is_last()) return {CRAYON_INVALID_ARGUMENT};
    text_.unseal();
    const size_t removed = text_.encoded();
    if (removed == 0 || pieces_.count() > 0 || model_.has_rest()) return {};
    text_.drop_encoded();
    segments_.rebase(removed);
    pieces_.rebase(removed);
    offsets_.rebase(removed);
    if (normalizing_) normalizing_->drop_settled();
    return {};
}

Status Encoder::close_window() { return is_decided_ ? make_ready() : Status{}; }

// The text is read for the first time: fed text has waited for the kind of read.
Status Encoder::decide_spaces() {
    is_decided_ = true;
    if (offsets_.allow_other_pieces()) {
        normalizing_->keep();
        if (const RawWords* const words = tokenizer_.raw_words()) {
            pieces_.use_raw(words);
            if (!model_.use_raw()) return Status::out_of_memory();
        }
    }
    return make_ready();
}

Status Encoder::make_ready() {
    if (!normalizing_) {
        text_.make_ready(text_.raw());
    } else if (Status status = normalizing_->make_ready(text_); !status.ok()) {
        return status;
    }
    if (segments_.is_complete()) text_.seal(segments_.end());  // the fed text follows a token
    return {};
}

// --- segments ---

// Moves the end of the segment forward as far as the text allows; sets `found` if there is more to scan than before.
Status Encoder::next_segment(bool* found) {
    *found = false;
    const u64 end = text_.position(segments_.end());
    if (segments_.is_forbidden()) {
        return {CRAYON_SPECIAL_FORBIDDEN, 0, normalizing_ ? normalizing_->raw_position(end) : end};
    }
    if (segments_.is_complete() || (segments_.end() == text_.ready() && !text_.is_last())) return {};
    AddedSearch::Found hit = {text_.ready(), nullptr};
    if (!policy_.finds_any()) {
        // The whole window.
    } else if (!normalizing_) {
        hit = search_.find({text_.bytes(), text_.origin(), segments_.end(), text_.ready(), text_.is_last()});
    } else if (Status status = normalizing_->find_added(text_, segments_.end(), &hit); !status.ok()) {
        return status;
    }
    // The text before a forbidden token is encoded first, so that its ids do not depend on the windows.
    *found = segments_.grow(hit, hit.token && policy_.forbids(*hit.token), text_.is_last());
    if (hit.token) text_.seal(segments_.end());
    return {};
}

// --- reading ---

// `ids` more have been read.
void Encoder::settle(u32 ids) { normalizing_->settle(text_, !model_.has_rest(), ids); }

// How many of the found pieces can be encoded without other checks.
u32 Encoder::pieces_at_once() const {
    const u32* const ends = pieces_.ends();
    u32 count = pieces_.count();
    if (reading_end_ != kNowhere) {
        const u64 stop = normalizing_ ? normalizing_->ready_position(reading_end_) : reading_end_;
        if (text_.position(ends[count - 1]) >= stop) {
            const u32 at = static_cast<u32>(std::max(stop, text_.origin()) - text_.origin());
            count = static_cast<u32>(std::lower_bound(ends, ends + count, at) - ends) + 1;
        }
    }
    return normalizing_ ? normalizing_->up_to_safe_split(text_, ends, count) : count;
}

// Encodes the next piece word by word; its ids remain to be taken.
Status Encoder::encode_apart() {
    const size_t begin = text_.encoded(), end = pieces_.ends()[0];
    if (!model_.encode_apart(text_.bytes() + begin, static_cast<u32>(end - begin))) return Status::out_of_memory();
    words_.add_apart(model_.apart());
    pieces_.take(1);
    text_.set_encoded(end);
    if (normalizing_) settle(0);
    return {};
}

// A failure after ids of the same read is left to the next one.
static bool fails_later(u32 written, Encoder::Read* read) {
    read->more = written > 0;
    return read->more;
}

// Without `ids`, only counts. Numbered, reads piece by piece and writes what WordNumbers tells of each id to `numbers`: a
// function of its own, since the other is most of the time of a short text.
template <bool kNumbered>
Status Encoder::run(u32* ids, u32 capacity, Read* read, u32* numbers) {
    if (general_) [[unlikely]]
        return read_general(ids, numbers, capacity, CRAYON_UNIT_WORDS, read);
    u32 written = 0, told = 0;
    *read = {0, false};
    if constexpr (kNumbered) words_.begin(texts_);
    if (!is_decided_) {
        if (Status status = decide_spaces(); !status.ok()) return status;
    }
    for (;;) {
        if constexpr (kNumbered) {
            words_.write(numbers + 2 * told, written - told);
            told = written;
        }
        if (written >= capacity) {
            read->more = true;
            break;
        }
        if (model_.has_rest()) {
            const u32 taken = model_.take_rest(ids ? ids + written : nullptr, capacity - written);
            written += taken;
            if (normalizing_) settle(taken);
            continue;
        }
        if (model_.is_stuck()) {
            if (fails_later(written, read)) break;
            return {CRAYON_UNKNOWN_CHARACTER, 0, text_.position(text_.encoded())};
        }
        if (position() >= reading_end_ && ids_beyond_position() == 0) break;
        if (pieces_.count() > 0) {
            if (kNumbered && words_.are_in_pieces()) {
                if (Status status = encode_apart(); !status.ok()) return status;
                continue;
            }
            const u32 limit = tokenizer_.ends_at_tokens() ? static_cast<u32>(segments_.end()) : 0;
            const u32 begin = static_cast<u32>(text_.encoded());
            const PieceSequence pieces{text_.bytes(), begin, pieces_.ends(), kNumbered ? 1 : pieces_at_once(), limit};
            if constexpr (kNumbered) words_.add_piece(text_.bytes() + begin, *pieces.boundaries - begin);
            PieceProgress done;
            if (!model_.encode_next(pieces, ids ? ids + written : nullptr, capacity - written, &done)) {
                return model_.failure();
            }
            written += done.ids;
            pieces_.take(done.pieces);
            text_.set_encoded(done.end);
            if (normalizing_) settle(done.ids);
            continue;
        }
        if (pieces_.find(text_.bytes(), segments_.end(), segments_.is_complete())) continue;
        if (const layout::AddedToken* const token = segments_.token()) {
            const bool drops = tokenizer_.dropped().any(), has_gap = drops && offsets_.are_located();
            if (has_gap && written > 0) {  // locate those first
                read->more = true;
                break;
            }
            text_.unseal();
            if (has_gap) offsets_.skip_to(tokenizer_, text_, normalizing_, segments_.end());
            if (ids) ids[written] = drops ? token->id | layout::kAddedMark : token->id;
            if constexpr (kNumbered) words_.add_token();
            ++written;
            text_.set_encoded(segments_.end() + token->length);
            open_segment(text_.encoded());
            if (!normalizing_) continue;
            settle(1);
            continue;
        }
        bool found;
        if (Status status = next_segment(&found); !status.ok()) {
            if (fails_later(written, read)) break;
            return status;
        }
        if (!found) break;
    }
    read->count = written;
    return {};
}

// All ids or none: those of the whole text.
Status Encoder::read_general(u32* ids, u32* offsets, u32 capacity, u32 unit, Read* read) {
    *read = {0, false};
    if (!text_.is_last()) return {};
    if (Status status = general_->encode(text_.bytes(), text_.ready(), unit == CRAYON_UNIT_SPACES); !status.ok()) return status;
    if (offsets && unit < CRAYON_UNIT_WORDS && text_.origin() + text_.ready() > 0xFFFFFFFF) return {CRAYON_TEXT_TOO_LONG};
    const u32 count = std::min(capacity, general_->left());
    general_->take(count, ids, offsets, unit);
    *read = {count, general_->left() > 0};
    if (!read->more) text_.set_encoded(text_.ready());
    return {};
}

Status Encoder::read_marked(u32* ids, u32 capacity, Read* read) {
    offsets_.read_without();
    return run<false>(ids, capacity, read);
}

Status Encoder::read(u32* ids, u32 capacity, Read* read) {
    const Status status = read_marked(ids, capacity, read);
    if (status.ok()) model_.replace_unknown(ids, read->count);
    return status;
}

Status Encoder::count(u32 limit, Read* read) {
    offsets_.read_without();
    return run<false>(nullptr, limit, read);
}

Status Encoder::read_with_offsets(u32* ids, u32* offsets, u32 capacity, u32 unit, Read* read) {
    *read = {0, false};
    if (!offsets_.read_in(unit)) return {CRAYON_INVALID_ARGUMENT};
    if (general_) return read_general(ids, offsets, capacity, unit, read);
    if (unit == CRAYON_UNIT_SPACES) return {CRAYON_INVALID_ARGUMENT};
    if (unit == CRAYON_UNIT_PIECES) return read_pieces(ids, offsets, capacity, read);
    if (unit == CRAYON_UNIT_WORDS) {
        const Status status = run<true>(ids, capacity, read, offsets);
        if (status.ok()) model_.replace_unknown(ids, read->count);
        return status;
    }
    Status status = run<false>(ids, capacity, read);
    if (!status.ok()) return status;
    const bool was_sealed = text_.is_sealed();
    text_.unseal();  // a character may continue into the token that ends the segment
    status = offsets_.locate(tokenizer_, text_, normalizing_, ids, read->count, offsets);
    if (was_sealed) text_.seal(segments_.end());
    if (status.ok()) model_.replace_unknown(ids, read->count);
    return status;
}

// Reads one piece or added token at a time, and gives all of its ids the same start and end.
Status Encoder::read_pieces(u32* ids, u32* offsets, u32 capacity, Read* read) {
    while (!read->more) {
        if (!model_.has_rest()) piece_begin_ = position();  // otherwise the next ids are of the piece that did not fit
        stop_reading_at(piece_begin_ + 1);
        Read piece;
        if (Status status = run<false>(ids + read->count, capacity - read->count, &piece); !status.ok()) {
            if (fails_later(read->count, read)) break;
            return status;
        }
        if (piece.count == 0 && !piece.more) {
            if (position() == piece_begin_) break;
            continue;  // a piece without tokens
        }
        if (position() > 0xFFFFFFFF) return {CRAYON_TEXT_TOO_LONG};
        const u32 both[2] = {static_cast<u32>(piece_begin_), static_cast<u32>(position())};
        for (u32 i = read->count; i < read->count + piece.count; ++i) std::memcpy(offsets + 2 * i, both, sizeof both);
        read->count += piece.count;
        read->more = piece.more;
    }
    stop_reading_at(kNowhere);
    model_.replace_unknown(ids, read->count);
    return {};
}

}  // namespace crayon
