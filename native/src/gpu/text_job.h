// Texts on a device, for longest match without a pretokenizer, for BPE with one that the device has or with none, and for
// WordPiece. Added tokens are found here: the parts between them are the documents of the device. A long text is divided where no
// token and no character crosses (scan/joined_bytes.h), or no piece (scan/safe_splits.h, scan/pattern_breaks.h,
// encode/normalized_text.h). Ranges with a piece that may be too long for the device are encoded here. So are, if the
// normalizer is NFC, ranges that may not be in NFC: the device gets only text in NFC. For WordPiece and for BPE of
// SentencePiece, texts are normalized here (prepared_text.h).
#pragma once

#include "encode/added_policy.h"
#include "encode/encoder.h"
#include "gpu/device_job.h"
#include "gpu/own_texts.h"
#include "gpu/padded_rows.h"
#include "gpu/prepared_text.h"
#include "scan/pattern_breaks.h"

namespace crayon {

class TextJob final : public DeviceJob {
public:
    // Whether a device can have kernels for it.
    static bool is_possible(const Tokenizer& tokenizer);

    // Row i is bytes[offsets[i], offsets[i + 1]), in an array of `size` bytes, which must stay until the job has run. If they
    // change meanwhile, the ids are meaningless. DEVICE_UNSUPPORTED, also for added tokens that include whitespace around them;
    // INVALID_ARGUMENT for offsets that do not ascend; UNKNOWN_SPECIAL as Encoder::begin.
    static Status create(Device& device, Tokenizer& tokenizer, u32 special, const u32* allowed, u32 allowed_count, bool counts,
                         const u8* bytes, u64 size, const u32* offsets, u32 rows, TextJob** out);
    ~TextJob() override;
    TextJob* texts() override { return this; }
    // Threads that help with what the device does not do; call it before the job runs.
    void use(const Helpers& helpers) {
        prepared_.use(helpers);
        own_.use(helpers);
    }
    u32 kept_width() const override { return padded_.form().width; }

    // Pads the rows; call it before the job runs. With a given number of columns, the device pads slices of whole texts. Without,
    // the longest row of all slices decides, and padding is done here, at the end: counting first would mean encoding twice, and
    // packed ids are smaller to copy out. A row with more ids than columns is refused (ROW_REFUSED), unless it is to be cut.
    // False if there is no memory for the matrix. A matrix that stays on the device needs a given number of columns.
    bool pad(const PaddedRows::Form& form) { return padded_.begin(form, rows_); }
    // After it has run: the matrix, if there was memory for it and it does not stay on the device; else the ids are available as
    // without `pad`.
    PaddedRows& padded() { return padded_; }
    const PaddedRows& padded() const { return padded_; }

    // When it has run.
    u64 token_count() const { return total_; }
    u64 row_count() const { return rows_; }
    // TEXT_TOO_LONG if they need more than 32 bits. `totals`: rows + 1.
    Status row_offsets(u32* totals) const;
    // The memory of the ids, which std::free releases, once; nullptr if there are none.
    u32* detach_ids() { return ids_.detach(); }

private:
    explicit TextJob(Device& device, Tokenizer& tokenizer)
        : DeviceJob(device), tokenizer_(tokenizer), own_(tokenizer), prepared_(tokenizer) {}

    Status upload(crayon_gpu_model** model) override;
    Status prepare() override;
    Status plan(Lane& lane, u64 limit, bool* planned) override;
    void rewind(const Lane& lane) override;
    Status allocate_output(Lane& lane, crayon_gpu_destination* to) override;
    Status accept(Lane& lane) override;
    Status complete() override;
    u64 matrix_bytes(const Lane& lane) const override;
    u64 row_of(const Lane& lane, u64 document) const override;

    void begin_row();
    void find_token();
    u64 most_documents(u64 limit) const;
    bool is_matrix(const Lane& lane) const;
    bool reserve_ids(const Lane& lane, u64 more);
    Status pad_rows();
    Status pad_kept_rows();
    bool cuts_at(u64 begin, u64 at, u64 end) const;
    bool breaks_at(u64 begin, u64 at) const;
    bool is_in_nfc() const { return tokenizer_.view().normalizer == layout::kNfc; }
    u64 longest_piece() const;
    u64 cut_of(u64 begin, u64 end, u64 capacity) const;
    void find_engine_text();
    u64 next_cut(u64 begin, u64 at) const;
    u64 normal_end();
    Status add_document(Lane& lane, u64 begin, u64 end, bool is_own, u32 token, bool ends_row);
    Status add_documents(Lane& lane, u64 limit);
    Status write_documents(Lane& lane, u64 limit);
    Status encode_own(const Lane& lane);
    Status upload_longest_match(crayon_gpu_model** model);
    Status upload_bpe(crayon_gpu_model** model);
    Status upload_word_piece(crayon_gpu_model** model);

    Tokenizer& tokenizer_;
    const PatternBreaks* breaks_ = nullptr;  // of a pattern of the file
    Encoder* encoder_ = nullptr;             // knows which added tokens are found; nullptr: none are
    AddedFinder finder_;
    u32 special_ = 0;
    bool counts_ = false;
    const u8* bytes_ = nullptr;
    u64 size_ = 0;
    Buffer<u32> offsets_;
    u64 rows_ = 0;

    // The next part to plan.
    u64 row_ = 0, at_ = 0, row_end_ = 0;
    u32 edges_ = 0;  // SegmentEdges there
    u64 searched_row_ = ~u64{0};
    u64 token_at_ = 0;  // where the next added token of the row is; row_end_ if there is none
    const layout::AddedToken* token_ = nullptr;
    u64 engine_begin_ = 0, engine_end_ = 0;  // for the engine, the next one before it; empty, at token_at_, if there is none
    u64 normal_row_ = ~u64{0}, normal_end_ = 0, normal_token_ = 0;  // how far that row is in NFC, up to that token
    OwnTexts own_;                                                  // of the slice that is being accepted
    PreparedText prepared_;                                         // of the slice that is being planned
    u64 growth_ = 1;                                                // how many times as long as its raw text a slice has been

    Buffer<u32> ids_;
    Buffer<u64> totals_;
    u64 total_ = 0;
    PaddedRows padded_;
    u64 padded_count_ = 0;  // rows that are in it
};

}  // namespace crayon
