#include "gpu/text_job.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "gpu/device_tables.h"
#include "platform/large_pages.h"
#include "scan/pattern_breaks.h"
#include "scan/safe_splits.h"

namespace crayon {

using layout::kNone;

namespace {

constexpr u64 kMostDocuments = 1 << 20;  // of a slice
constexpr u64 kLongestTail = 64;         // of a text that is checked for NFC, of which the last range may still go on

}  // namespace

bool TextJob::is_possible(const Tokenizer& tokenizer) {
    if (tokenizer.model_kind() == layout::kBpe) {
        const u32 normalizer = tokenizer.view().normalizer;
        if (tokenizer.view().pretokenizer == layout::kNoPretokenizer) return devices_merge_uncut(tokenizer);
        return devices_split_by(tokenizer.view().pretokenizer, tokenizer.cartridge().pattern_bytes()) &&
               !tokenizer.bpe_view().hidden && !tokenizer.bpe_view().priorities &&
               (normalizer == layout::kNoNormalizer || normalizer == layout::kNfc);
    }
    if (tokenizer.model_kind() == layout::kWordPiece) {
        return devices_cut_words_of(tokenizer) && NormalizedText::is_possible(tokenizer);
    }
    const LongestMatchView& view = tokenizer.longest_match_view();
    return tokenizer.ends_at_tokens() && !tokenizer.normalizer() && view.trie.unit_count > 0 && !view.unknown_bytes;
}

Status TextJob::create(Device& device, Tokenizer& tokenizer, u32 special, const u32* allowed, u32 allowed_count, bool counts,
                       const u8* bytes, u64 size, const u32* offsets, u32 rows, TextJob** out) {
    if (!is_possible(tokenizer)) return {CRAYON_DEVICE_UNSUPPORTED};
    TextJob* const job = new (std::nothrow) TextJob(device, tokenizer);
    if (!job) return Status::out_of_memory();
    tokenizer.retain();
    job->special_ = special;
    job->counts_ = counts;
    job->bytes_ = bytes;
    job->size_ = size;
    job->rows_ = rows;
    Status status;
    if (!job->offsets_.append(offsets, size_t{rows} + 1)) status = Status::out_of_memory();
    if (status.ok() && !ascends(job->offsets_, size)) status = {CRAYON_INVALID_ARGUMENT};
    if (status.ok()) status = Encoder::create(tokenizer, &job->encoder_);
    if (status.ok()) status = job->encoder_->begin(special, allowed, allowed_count);
    if (status.ok() && job->encoder_->looks_around()) status = {CRAYON_DEVICE_UNSUPPORTED};  // they depend on their surroundings
    // Here all tokens are searched for in raw text, at once, also those that belong to normalized text.
    if (status.ok() && tokenizer.normalizer() && job->encoder_->policy().has_late()) {
        const bool is_raw = tokenizer.normalizer()->follows_tokens() && !job->encoder_->policy().has_early();
        if (!is_raw) status = {CRAYON_DEVICE_UNSUPPORTED};
    }
    if (status.ok() && !job->encoder_->policy().finds_any()) {
        delete job->encoder_;
        job->encoder_ = nullptr;
    }
    if (status.ok() && !job->totals_.push_back(0)) status = Status::out_of_memory();
    if (status.ok() && tokenizer.view().pretokenizer == layout::kPatternPretokenizer) {
        job->breaks_ = tokenizer.pattern_breaks();
        if (!job->breaks_) status = Status::out_of_memory();
    }
    if (status.ok()) {
        job->begin_row();
        *out = job;
    } else {
        delete job;
    }
    return status;
}

TextJob::~TextJob() {
    delete encoder_;
    tokenizer_.release();
}

Status TextJob::upload(crayon_gpu_model** model) {
    switch (tokenizer_.model_kind()) {
        case layout::kBpe:
            return upload_bpe(model);
        case layout::kWordPiece:
            return upload_word_piece(model);
        default:
            return upload_longest_match(model);
    }
}

Status TextJob::prepare() {
    if (!kept_.is_wanted()) return {};
    if (!padded_.has_columns()) return {CRAYON_INVALID_ARGUMENT};
    return kept_.begin(device_, rows_, padded_.columns(), padded_.form().width);
}

// Tables of the cartridge, as they are.
Status TextJob::upload_bpe(crayon_gpu_model** model) {
    const BpeView& view = tokenizer_.bpe_view();
    const auto table = [](const auto& hash) {
        return crayon_gpu_hash_table{hash.seed, hash.bucket_count, hash.slot_count, hash.pilots,
                                     reinterpret_cast<const u32*>(hash.entries)};
    };
    u32 byte_ranks[layout::kByteValues];
    for (u32 byte = 0; byte < layout::kByteValues; ++byte) {
        const u8 text[Bpe::kPadding] = {static_cast<u8>(byte)};
        byte_ranks[byte] = view.rank_of(tokenizer_.bpe().token_of(text, 1));
    }
    crayon_gpu_tables tables = {};
    tables.size = sizeof tables;
    tables.kind = CRAYON_GPU_BPE;
    tables.longest_token = view.max_token_length;
    tables.pretokenizer = tokenizer_.view().pretokenizer;
    const bool is_uncut = tables.pretokenizer == layout::kNoPretokenizer;
    // Of views without a pretokenizer, each may have a normalizer that marks spaces, or none.
    const void* const key = is_uncut ? static_cast<const void*>(tokenizer_.joined_bytes().table) : view.splits;
    if ((*model = device_.known_model(key, tables))) return {};
    PieceTables pieces;
    UncutTables uncut;
    if (is_uncut ? !uncut.make(tokenizer_) : !pieces.make(tables.pretokenizer, tokenizer_.cartridge().pattern_bytes())) {
        return Status::out_of_memory();
    }
    is_uncut ? uncut.state(tokenizer_, tables, byte_ranks) : pieces.state(tables);
    tables.token_count = view.token_count;
    tables.token_offsets = view.token_offsets;
    tables.token_bytes = view.token_bytes;
    tables.pieces8 = table(view.pieces8);
    tables.pieces24 = table(view.pieces24);
    tables.pieces_long = table(view.pieces_long);
    tables.pairs = table(view.pairs);
    tables.splits = &view.splits->left;
    tables.byte_ranks = byte_ranks;
    tables.ids = view.ids;
    return device_.model(key, tables, &tokenizer_, nullptr, model);
}

Status TextJob::upload_longest_match(crayon_gpu_model** model) {
    const LongestMatchView& view = tokenizer_.longest_match_view();
    crayon_gpu_tables tables = {};
    tables.size = sizeof tables;
    tables.kind = CRAYON_GPU_LONGEST_MATCH;
    tables.units = view.trie.units;
    tables.values = view.trie.values;
    tables.unit_count = view.trie.unit_count;
    tables.longest_token = view.max_token_length;
    tables.unknown_id = view.unknown_id;
    return device_.model(view.trie.units, tables, &tokenizer_, nullptr, model);
}

Status TextJob::upload_word_piece(crayon_gpu_model** model) {
    const u32* const key = tokenizer_.longest_match_view().trie.units;
    crayon_gpu_tables tables = {};
    tables.size = sizeof tables;
    tables.kind = CRAYON_GPU_WORD_PIECE;
    tables.pretokenizer = tokenizer_.view().pretokenizer;
    tables.unknown_id = tokenizer_.longest_match_view().unknown_id;
    if ((*model = device_.known_model(key, tables))) return {};
    WordTables words;
    if (!words.make(tables.pretokenizer)) return Status::out_of_memory();
    words.state(tokenizer_, tables);
    return device_.model(key, tables, &tokenizer_, nullptr, model);
}

// --- texts to documents ---

void TextJob::begin_row() {
    if (row_ == rows_) return;
    at_ = offsets_[row_];
    row_end_ = offsets_[row_ + 1];
    edges_ = kOpensSegment | kOpensText;
    find_token();
}

void TextJob::find_token() {
    token_at_ = row_end_;
    token_ = nullptr;
    if (!encoder_) return find_engine_text();
    const AddedSearch::Found found =
        finder_.find(tokenizer_, encoder_->policy(), bytes_, at_, row_end_, true, row_ != searched_row_);
    searched_row_ = row_;
    token_ = found.token;
    if (token_) token_at_ = found.position;
    find_engine_text();
}

void TextJob::rewind(const Lane& lane) {
    row_ = lane.first_row;
    at_ = lane.first_byte;
    edges_ = lane.first_edges;
    searched_row_ = normal_row_ = ~u64{0};
    if (row_ == rows_) return;
    row_end_ = offsets_[row_ + 1];
    find_token();
}

// Whether [begin, end) may be divided there.
bool TextJob::cuts_at(u64 begin, u64 at, u64 end) const {
    if (tokenizer_.model_kind() == layout::kWordPiece) return NormalizedText::cuts_words_at(tokenizer_, bytes_, begin, at, end);
    if (tokenizer_.view().pretokenizer == layout::kNoPretokenizer) {
        return tokenizer_.joined_bytes().splits_between(bytes_[at - 1], bytes_[at]) &&
               (!tokenizer_.marks_spaces() || NormalizedText::divides_at(tokenizer_, bytes_, begin, at, end));
    }
    if (breaks_) return breaks_at(begin, at);
    return has_safe_splits(tokenizer_.view().pretokenizer) &&
           is_safe_split(bytes_ + begin, at - begin, end - begin, tokenizer_.view().pretokenizer);
}

// The same for a pattern of the file. NFC changes no character of ASCII, and joins none to another one.
bool TextJob::breaks_at(u64 begin, u64 at) const {
    const PatternTables& pattern = tokenizer_.patterns().tables[0];
    u32 before = bytes_[at - 1], after = bytes_[at];
    if (before >= 0x80 || after >= 0x80) {
        constexpr u32 kIllFormed = 0xFFFD;
        if (tokenizer_.normalizer()) return false;
        before = character_before(bytes_ + begin, at - begin);
        after = character_in(bytes_, at, size_).code_point;
        if (before == kIllFormed || after == kIllFormed) return false;
    }
    return breaks_->between(pattern.class_of(before), pattern.class_of(after));
}

// Where to divide [begin, end), about `capacity` bytes from its beginning; `end` if there is no boundary.
u64 TextJob::cut_of(u64 begin, u64 end, u64 capacity) const {
    const u64 middle = begin + capacity;
    for (u64 at = middle; at > begin + capacity / 2; --at) {
        if (cuts_at(begin, at, end)) return at;
    }
    for (u64 at = middle + 1; at < end; ++at) {
        if (cuts_at(begin, at, end)) return at;
    }
    return end;
}

// The next range that is not for the device: one that may not be in NFC, where that is asked for, or one without a safe split
// point in as many bytes as the longest piece of the device.
void TextJob::find_engine_text() {
    engine_begin_ = engine_end_ = token_at_;
    if (tokenizer_.model_kind() != layout::kBpe) return;
    const u64 normal = is_in_nfc() ? normal_end() : token_at_, longest = longest_piece();
    u64 begin = at_;
    // Mostly a few probes per longest piece.
    while (normal - begin > longest) {
        u64 at = begin + longest;
        while (at > begin && !cuts_at(begin, at, token_at_)) --at;
        if (at == begin) {
            engine_begin_ = begin;
            engine_end_ = next_cut(begin, begin + longest + 1);
            return;
        }
        begin = at;
    }
    if (normal == token_at_) return;
    engine_begin_ = normal;
    while (engine_begin_ > begin && !cuts_at(begin, engine_begin_, token_at_)) --engine_begin_;
    engine_end_ = next_cut(engine_begin_, normal + 1);
}

// In raw text: a normalizer may put text in front. (Longer pieces, of bytes that are not UTF-8, are left to the device, which
// refuses their rows.)
u64 TextJob::longest_piece() const {
    constexpr u64 kInFront = 512;
    return CRAYON_GPU_LONGEST_PIECE - (tokenizer_.marks_spaces() ? kInFront : 0);
}

u64 TextJob::next_cut(u64 begin, u64 at) const {
    while (at < token_at_ && !cuts_at(begin, at, token_at_)) ++at;
    return at;
}

// How far the text from `at_` on, up to the next added token, is in NFC.
u64 TextJob::normal_end() {
    if (normal_row_ == row_ && at_ < normal_end_ && token_at_ == normal_token_) return normal_end_;
    const Normalizer& normalizer = *tokenizer_.normalizer();
    const u8* const text = bytes_ + at_;
    // Three bytes after the checked text must be readable, so the end is checked in a copy.
    const u64 size = token_at_ - at_, readable = size > 3 ? size - 3 : 0;
    Normalizer::Checked checked = {0, 0, 0};
    if (readable > 0) checked = normalizer.check(text, 0, 0, readable, false, 0);
    u64 normal = checked.normal;
    u8 tail[kLongestTail + 3] = {};
    if (checked.end == normal && size - normal <= kLongestTail) {  // else a range of that length is left to the engine
        std::memcpy(tail, text + normal, size - normal);
        normal += normalizer.check(tail, 0, 0, size - normal, true, 0).normal;
    }
    normal_row_ = row_;
    normal_token_ = token_at_;
    return normal_end_ = at_ + normal;
}

Status TextJob::add_document(Lane& lane, u64 begin, u64 end, bool is_own, u32 token, bool ends_row) {
    const u64 length = is_own ? 0 : end - begin;
    const Lane::After after = {token, ends_row, begin, end - begin - length, edges_ != 0};
    if (!prepared_.add(begin, begin + length, edges_) || !lane.after.push_back(after)) return Status::out_of_memory();
    lane.has_more_ids = lane.has_more_ids || token != kNone || is_own;
    return {};
}

Status TextJob::plan(Lane& lane, u64 limit, bool* planned) {
    *planned = row_ < rows_;
    if (!*planned) return {};
    lane.first_row = row_;
    lane.first_byte = at_;
    lane.first_edges = edges_;
    lane.offsets.clear();
    lane.after.clear();
    lane.has_more_ids = false;
    prepared_.begin(bytes_, size_);
    Status status = add_documents(lane, std::max(limit / growth_, u64{1}));
    if (status.ok()) status = write_documents(lane, limit);
    if (!status.ok()) return status;
    lane.batch = {};
    lane.batch.size = sizeof lane.batch;
    lane.batch.output = counts_ ? CRAYON_GPU_COUNTS : CRAYON_GPU_IDS;
    lane.batch.bytes = lane.text.data();
    lane.batch.offsets = lane.offsets.data();
    lane.batch.document_count = lane.after.size();
    lane.batch.id_width = sizeof(u32);
    if (is_matrix(lane)) padded_.shape(&lane.batch);
    return {};
}

// Documents of about `limit` bytes of raw text.
Status TextJob::add_documents(Lane& lane, u64 limit) {
    while (row_ < rows_ && prepared_.raw_length() < limit && lane.after.size() < most_documents(limit)) {
        const u64 length = prepared_.raw_length(), capacity = limit - length;
        const bool is_own = engine_begin_ == at_ && engine_end_ > at_;
        u64 end = is_own ? engine_end_ : engine_begin_;
        if (!is_own && end - at_ > capacity) {
            if (length > limit / 2 || (length > 0 && end - at_ <= limit)) break;  // it begins the next slice
            end = cut_of(at_, end, capacity);
            if (end - at_ > capacity && length > 0) break;
        }
        // The engine would take the text after a token for the beginning of one.
        const bool is_misplaced = is_own && edges_ == kOpensSegment && tokenizer_.marks_spaces();
        const bool is_cut = end < token_at_;
        const layout::AddedToken* const token = is_cut ? nullptr : token_;
        if (is_misplaced || (token && special_ == CRAYON_SPECIAL_FORBID && (token->flags & layout::kSpecial))) {
            if (lane.after.size() > 0) break;  // the text before it may have an error too
            // The part of this row before the token may not be encoded yet; its error would come first, and the engine finds
            // it.
            return refuse_row(row_);
        }
        const bool ends_row = !is_cut && !token;
        const Status status = add_document(lane, at_, end, is_own, token ? token->id : kNone, ends_row);
        if (!status.ok()) return status;
        if (ends_row) {
            ++row_;
            begin_row();
        } else {
            at_ = end + (token ? token->length : 0);
            edges_ = token ? u32{kOpensSegment} : 0;
            if (token) find_token();
            if (is_own && !token) find_engine_text();
        }
    }
    return {};
}

Status TextJob::write_documents(Lane& lane, u64 limit) {
    Status status = prepared_.prepare();
    if (!status.ok()) return status;
    const u64 length = prepared_.length();
    growth_ = std::max(growth_, length / std::max(limit, prepared_.raw_length()));
    if (!lane.offsets.push_back(0) || !prepared_.append_ends(&lane.offsets)) return Status::out_of_memory();
    if (!lane.text.reserve(device_.api(), device_.context(), std::max(limit, length))) return Status::out_of_memory();
    return prepared_.write(lane.text.data());
}

u64 TextJob::most_documents(u64 limit) const {
    if (!padded_.has_columns()) return kMostDocuments;
    return std::clamp(limit / std::max<u64>(padded_.row_bytes(), 1), u64{1}, kMostDocuments);
}

// Whether the device pads its rows: each of its documents is a text, without added tokens.
bool TextJob::is_matrix(const Lane& lane) const {
    if (!padded_.has_columns() || lane.has_more_ids) return false;
    return row_ - lane.first_row == lane.after.size() && lane.first_byte == offsets_[lane.first_row];
}

u64 TextJob::matrix_bytes(const Lane& lane) const {
    if (lane.batch.output != CRAYON_GPU_MATRIX) return 0;
    return lane.batch.document_count * (padded_.row_bytes() + (kept_.mask_width() ? padded_.columns() : 0));
}

// --- ids ---

Status TextJob::allocate_output(Lane& lane, crayon_gpu_destination* to) {
    if (counts_) return {};
    if (kept_.is_wanted() && lane.batch.output == CRAYON_GPU_MATRIX) return kept_.keep(device_, lane.job, lane.first_row);
    const u64 size = lane.batch.output == CRAYON_GPU_MATRIX ? matrix_bytes(lane) : lane.result.count * sizeof(u32);
    if (!lane.ids.reserve(device_.api(), device_.context(), size)) return Status::out_of_memory();
    to->ids = lane.ids.data();
    return {};
}

// Makes room for `more` ids and, judging by the slice, for the rest of the batch: copying the ids when the array grows, and
// touching new memory in small pages, takes longer than the device needs for the slice.
bool TextJob::reserve_ids(const Lane& lane, u64 more) {
    const u64 needed = ids_.size() + more;
    if (needed <= ids_.capacity()) return true;
    // Of the rows alone: they may be a small part of a large array.
    const double all = static_cast<double>(offsets_[rows_] - offsets_[0]);
    const double seen = std::max(static_cast<double>(lane.first_byte + lane.length() - offsets_[0]), 1.0);
    const double expected = 1.02 * static_cast<double>(needed) * all / seen;
    const u64 wanted = std::max(needed, static_cast<u64>(std::min(expected, 2 * all)));
    if (!ids_.reserve(std::max<u64>(wanted, ids_.capacity() + ids_.capacity() / 2)) && !ids_.reserve(needed)) return false;
    prefer_large_pages(ids_.data(), ids_.capacity() * sizeof(u32));
    return true;
}

Status TextJob::accept(Lane& lane) {
    const u32* const ids = reinterpret_cast<const u32*>(lane.ids.data());
    const u64* const begins = lane.row_offsets.data();
    const u64 documents = lane.batch.document_count;
    if (lane.batch.output == CRAYON_GPU_MATRIX) {
        if (!kept_.is_wanted()) padded_.put(lane.first_row, documents, lane.ids.data(), begins);
        padded_count_ += documents;
        for (u64 i = 0; i < documents; ++i) {
            if (!totals_.push_back(total_)) return Status::out_of_memory();
        }
        return {};
    }
    if (const Status status = encode_own(lane); !status.ok()) return status;
    if (!counts_ && !reserve_ids(lane, begins[documents])) return Status::out_of_memory();
    if (!counts_ && !lane.has_more_ids && !ids_.append(ids, begins[documents])) return Status::out_of_memory();
    for (u64 i = 0; i < documents; ++i) {
        const auto& [token, ends_row, own_begin, own_length, own_opens] = lane.after[i];
        const u64 count = begins[i + 1] - begins[i];
        if (!counts_ && lane.has_more_ids && !ids_.append(ids + begins[i], count)) return Status::out_of_memory();
        total_ += count;
        if (own_length > 0) {
            const u32* own_ids;
            const OwnTexts::Part& part = own_.take(&own_ids);
            if (!part.status.ok()) return part.status;
            if (!counts_ && !ids_.append(own_ids, part.ids)) return Status::out_of_memory();
            total_ += part.ids;
        }
        if (token != kNone) {
            if (!counts_ && !ids_.push_back(token)) return Status::out_of_memory();
            ++total_;
        }
        if (ends_row && !totals_.push_back(total_)) return Status::out_of_memory();
    }
    return padded_.has_columns() ? pad_rows() : Status();
}

// What the engine encodes of a slice: before anything of it is accepted, since the threads do it in any order.
Status TextJob::encode_own(const Lane& lane) {
    own_.begin(bytes_);
    for (const Lane::After& after : lane.after) {
        if (after.own_length > 0 && !own_.add(after.own_begin, after.own_length, after.own_opens)) return Status::out_of_memory();
    }
    return own_.encode(!counts_, cancelled());
}

// Pads the rows that have ended and are not in the matrix yet.
Status TextJob::pad_rows() {
    if (kept_.is_wanted()) return pad_kept_rows();
    for (; padded_count_ + 1 < totals_.size(); ++padded_count_) {
        const u64 begin = totals_[padded_count_];
        if (!padded_.put(padded_count_, ids_.data() + begin, totals_[padded_count_ + 1] - begin))
            return refuse_row(padded_count_);
    }
    return {};
}

// Together, as each copy to the device takes its time.
Status TextJob::pad_kept_rows() {
    const u64 rows = totals_.size() - 1 - padded_count_;
    if (rows == 0) return {};
    PaddedRows::Form form = padded_.form();
    form.stays = false;
    PaddedRows some;
    if (!some.begin(form, rows)) return Status::out_of_memory();
    for (u64 i = 0; i < rows; ++i) {
        const u64 row = padded_count_ + i, begin = totals_[row];
        if (!some.put(i, ids_.data() + begin, totals_[row + 1] - begin)) return refuse_row(row);
    }
    const Status status = kept_.write(padded_count_, rows, some.ids(), some.mask());
    padded_count_ += rows;
    return status;
}

Status TextJob::complete() {
    if (!padded_.is_wanted() || padded_.has_columns()) return {};
    u64 longest = 0;
    for (u64 row = 0; row < rows_; ++row) longest = std::max(longest, totals_[row + 1] - totals_[row]);
    return padded_.begin(rows_, longest) ? pad_rows() : Status();
}

u64 TextJob::row_of(const Lane& lane, u64 document) const {
    u64 row = lane.first_row;
    for (u64 i = 0; i < document && i < lane.after.size(); ++i) row += lane.after[i].ends_row;
    return row;
}

Status TextJob::row_offsets(u32* totals) const {
    if (total_ > 0xFFFFFFFF) return {CRAYON_TEXT_TOO_LONG};
    for (size_t i = 0; i < totals_.size(); ++i) totals[i] = static_cast<u32>(totals_[i]);
    return {};
}

}  // namespace crayon
