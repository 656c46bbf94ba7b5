#include "tables/merge_list.h"

#include <cstddef>
#include <cstring>

#include "crayon/layout/merges.h"
#include "tables/ranking.h"

namespace crayon {

namespace {

using layout::kLeadClasses;
using layout::MergeList;
using layout::Run;

// The stream of positions' low bits; the first is in the lowest bit of the first byte.
class LowBits {
public:
    LowBits(const u8* bytes, u32 length) : bytes_(bytes), length_(u64{length} * 8) {}

    // At most 17 bits. False if the stream ends early.
    bool read(u32 count, u32* value) {
        if (at_ + count > length_) return false;
        u32 word = 0;
        const u64 byte = at_ / 8;
        if (byte + 4 <= length_ / 8) {
            std::memcpy(&word, bytes_ + byte, 4);
        } else {
            for (u64 i = byte; i < length_ / 8; ++i) word |= u32{bytes_[i]} << (8 * (i - byte));
        }
        *value = word >> (at_ % 8) & ((1u << count) - 1);
        at_ += count;
        return true;
    }
    // Whether only zeros remain, as padding of the last byte.
    bool at_end() const {
        const u64 rest = length_ - at_;
        return rest < 8 && (rest == 0 || bytes_[at_ / 8] >> (at_ % 8) == 0);
    }

private:
    const u8* bytes_;
    u64 length_;  // in bits
    u64 at_ = 0;
};

class MergeReader {
public:
    MergeReader(const u8* section, u64 length, u64 offset, const layout::Model& model, MergedTokens* out)
        : section_(section), length_(length), offset_(offset), model_(model), out_(*out) {}

    Status read() {
        Status status = read_header();
        if (status.ok()) status = allocate();
        if (status.ok()) status = read_tokens();
        return status.ok() ? check_end() : status;
    }

private:
    Status corrupt(u64 at) const { return {CRAYON_CORRUPT_STRUCTURE, layout::kMerges, offset_ + at}; }

    Status read_header() {
        if (length_ < sizeof header_) return corrupt(0);
        std::memcpy(&header_, section_, sizeof header_);
        if (header_.token_bytes > layout::kMaxSlimTokenBytes) return corrupt(offsetof(MergeList, token_bytes));
        u64 rights = 0;
        for (u32 count : header_.class_counts) rights += count;
        if (rights != header_.merge_count) return corrupt(offsetof(MergeList, merge_count));
        for (u32 i = 0; i < 2; ++i) {
            if (header_.reserved[i] != 0) return corrupt(offsetof(MergeList, reserved) + i * sizeof(u32));
        }
        u64 at = sizeof header_ + u64{header_.run_count} * sizeof(Run);
        run_bytes_at_ = at;
        left_at_ = at += header_.run_bytes;
        at += header_.merge_count;
        for (u32 i = 0; i < kLeadClasses; ++i) {
            right_at_[i] = at;
            right_end_[i] = at += header_.class_counts[i];
        }
        low_at_ = at;
        return at + header_.low_bytes == length_ ? Status{} : corrupt(0);
    }

    Status allocate() {
        const u32 count = model_.token_count;
        bool allocated = out_.bytes.resize(header_.token_bytes) && out_.offsets.resize(size_t{count} + 1) &&
                         out_.splits.resize(count) && classes_.resize(count) && left_ranking_.start(count);
        for (u32 i = 0; i < kLeadClasses && allocated; ++i) {
            allocated = header_.class_counts[i] == 0 || right_rankings_[i].start(count);
        }
        return allocated ? Status{} : Status::out_of_memory();
    }

    Status read_tokens() {
        LowBits low(section_ + low_at_, header_.low_bytes);
        u64 run_at = sizeof header_;
        out_.offsets[0] = 0;
        for (u32 run_index = 0; run_index <= header_.run_count; ++run_index, run_at += sizeof(Run)) {
            Run run = {model_.token_count, 0, 0};  // after the last run
            if (run_index < header_.run_count) {
                std::memcpy(&run, section_ + run_at, sizeof run);
                const bool inside = run.count > 0 && run.first >= next_ && u64{run.first} + run.count <= model_.token_count;
                if (!inside || run.length > model_.max_token_length) return corrupt(run_at);
            }
            while (next_ < run.first) {
                Status status = read_merge(low);
                if (!status.ok()) return status;
            }
            if (run_index < header_.run_count && !read_run(run)) return corrupt(run_at);
        }
        return low.at_end() ? Status{} : corrupt(low_at_);
    }

    bool read_run(Run run) {
        for (; run.count > 0; --run.count) {
            if (run_bytes_at_ + run.length > left_end_of_runs() || !has_capacity(run.length)) return false;
            const u8* token = section_ + run_bytes_at_;
            if (run.length > 0) std::memcpy(out_.bytes.data() + written_, token, run.length);
            run_bytes_at_ += run.length;
            if (run.length == 1) has_byte_[token[0]] = true;
            out_.splits[next_] = {next_, next_};
            classes_[next_] = class_of(token, run.length);
            end_token(run.length);
        }
        return true;
    }

    Status read_merge(LowBits& low) {
        u32 left, right;
        const u64 left_at = left_at_;
        if (left_at_ == right_at_start() || !read_id(left_at_++, left_ranking_, low, &left)) return corrupt(left_at);
        const u32 side = classes_[left];
        const u64 right_at = right_at_[side];
        if (right_at == right_end_[side] || !read_id(right_at_[side]++, right_rankings_[side], low, &right)) {
            return corrupt(right_at);
        }
        const u32 left_length = length_of(left), right_length = length_of(right);
        if (left_length + right_length > model_.max_token_length || !has_capacity(left_length + right_length)) {
            return corrupt(left_at);
        }
        u8* token = out_.bytes.data() + written_;
        std::memcpy(token, out_.bytes.data() + out_.offsets[left], left_length);
        std::memcpy(token + left_length, out_.bytes.data() + out_.offsets[right], right_length);
        out_.splits[next_] = {left, right};
        classes_[next_] = classes_[right] == layout::kContinuationClass ? classes_[left] : classes_[right];
        end_token(left_length + right_length);
        return {};
    }

    // The id that a symbol and its low bits encode: an earlier token, not a hole.
    bool read_id(u64 symbol_at, Ranking& ranking, LowBits& low, u32* id) {
        const u32 symbol = section_[symbol_at];
        u32 low_bits = 0;
        if (symbol > layout::kMaxSymbol || !low.read(layout::low_bit_count(symbol), &low_bits)) return false;
        const u32 position = layout::position_of(symbol, low_bits);
        if (position >= model_.token_count) return false;
        *id = ranking.id_at(position);
        if (*id >= next_ || length_of(*id) == 0) return false;
        ranking.use(position);
        return true;
    }

    Status check_end() const {
        // All symbols have been read: there are as many as tokens outside runs, or a missing one would have been reported
        // above.
        if (left_at_ != right_at_start() || run_bytes_at_ != left_end_of_runs()) return corrupt(0);
        if (written_ != header_.token_bytes) return corrupt(offsetof(MergeList, token_bytes));
        if (longest_ != model_.max_token_length) return corrupt(0);
        for (bool has : has_byte_) {
            if (!has) return corrupt(0);
        }
        return {};
    }

    // The start and end of the left symbols.
    u64 left_end_of_runs() const { return sizeof header_ + u64{header_.run_count} * sizeof(Run) + header_.run_bytes; }
    u64 right_at_start() const { return left_end_of_runs() + header_.merge_count; }

    bool has_capacity(u32 length) const { return u64{written_} + length <= header_.token_bytes; }
    u32 length_of(u32 id) const { return out_.offsets[id + 1] - out_.offsets[id]; }
    void end_token(u32 length) {
        written_ += length;
        if (length > longest_) longest_ = length;
        out_.offsets[++next_] = written_;
    }

    // The class of a token's last character.
    static u8 class_of(const u8* token, u32 length) {
        for (u32 i = length; i > 0; --i) {
            const u32 found = layout::lead_class(token[i - 1]);
            if (found != layout::kContinuationClass) return static_cast<u8>(found);
        }
        return layout::kContinuationClass;
    }

    const u8* section_;
    u64 length_;
    u64 offset_;
    const layout::Model& model_;
    MergedTokens& out_;
    MergeList header_;
    // The next positions to read.
    u64 run_bytes_at_ = 0;
    u64 left_at_ = 0;
    u64 right_at_[kLeadClasses];
    u64 right_end_[kLeadClasses];
    u64 low_at_ = 0;

    u32 next_ = 0;     // the next token
    u32 written_ = 0;  // bytes of the tokens before it
    u32 longest_ = 0;
    bool has_byte_[256] = {};
    Buffer<u8> classes_;  // of the last character of each token
    Ranking left_ranking_;
    Ranking right_rankings_[kLeadClasses];
};

}  // namespace

Status read_merge_list(const u8* section, u64 length, u64 offset, const layout::Model& model, MergedTokens* out) {
    return MergeReader(section, length, offset, model, out).read();
}

}  // namespace crayon
