#include "compile/merge_list_writer.h"

#include <bit>

#include "crayon/layout/merges.h"
#include "tables/ranking.h"

namespace crayon {

namespace {

using layout::kLeadClasses;
using layout::Run;

// A ranking that also maps each id to its position.
class IndexedRanking {
public:
    [[nodiscard]] bool start(u32 id_count) {
        if (!ranking_.start(id_count) || !positions_.resize(id_count)) return false;
        for (u32 id = 0; id < id_count; ++id) positions_[id] = id;
        return true;
    }
    bool started() const { return ranking_.started(); }
    // Counts a use; returns the id's previous position.
    u32 use(u32 id) {
        const u32 position = positions_[id], now = ranking_.use(position);
        positions_[ranking_.id_at(position)] = position;
        positions_[id] = now;
        return position;
    }

private:
    Ranking ranking_;
    Buffer<u32> positions_;
};

class LowBits {
public:
    bool write(u32 value, u32 count) {
        pending_ |= u64{value} << pending_count_;
        pending_count_ += count;
        for (; pending_count_ >= 8; pending_count_ -= 8, pending_ >>= 8) {
            if (!bytes_.push_back(static_cast<u8>(pending_))) return false;
        }
        return true;
    }
    bool finish() { return pending_count_ == 0 || bytes_.push_back(static_cast<u8>(pending_)); }
    const Buffer<u8>& bytes() const { return bytes_; }

private:
    Buffer<u8> bytes_;
    u64 pending_ = 0;
    u32 pending_count_ = 0;
};

class MergeWriter {
public:
    MergeWriter(const TokenList& tokens, const layout::Split* splits) : tokens_(tokens), splits_(splits) {}

    bool gather() {
        if (!left_ranking_.start(tokens_.count)) return false;
        for (u32 id = 0; id < tokens_.count; ++id) {
            if (!(splits_[id].left == id ? add_to_run(id) : add_merge(id))) return false;
        }
        return low_.finish();
    }

    bool write(Buffer<u8>* section) const {
        layout::MergeList header{};
        header.run_count = static_cast<u32>(runs_.size());
        header.run_bytes = static_cast<u32>(run_bytes_.size());
        header.merge_count = static_cast<u32>(left_.size());
        header.low_bytes = static_cast<u32>(low_.bytes().size());
        header.token_bytes = tokens_.offsets[tokens_.count];
        for (u32 i = 0; i < kLeadClasses; ++i) header.class_counts[i] = static_cast<u32>(right_[i].size());
        bool allocated = section->append(reinterpret_cast<const u8*>(&header), sizeof header) &&
                         section->append(reinterpret_cast<const u8*>(runs_.data()), runs_.size() * sizeof(Run)) &&
                         section->append(run_bytes_.data(), run_bytes_.size()) && section->append(left_.data(), left_.size());
        for (const Buffer<u8>& symbols : right_) allocated = allocated && section->append(symbols.data(), symbols.size());
        return allocated && section->append(low_.bytes().data(), low_.bytes().size());
    }

private:
    bool add_to_run(u32 id) {
        const u32 length = tokens_.length(id);
        const bool goes_on = !runs_.empty() && runs_.back().first + runs_.back().count == id && runs_.back().length == length;
        if (goes_on) {
            ++runs_.back().count;
        } else if (!runs_.push_back({id, 1, length})) {
            return false;
        }
        return run_bytes_.append(tokens_.token(id), length);
    }

    bool add_merge(u32 id) {
        const auto [left, right] = splits_[id];
        const u32 side = class_of(left);
        if (!right_rankings_[side].started() && !right_rankings_[side].start(tokens_.count)) return false;
        return add_position(left_ranking_.use(left), &left_) && add_position(right_rankings_[side].use(right), &right_[side]);
    }

    bool add_position(u32 position, Buffer<u8>* symbols) {
        if (position < 8) return symbols->push_back(static_cast<u8>(position));
        const u32 low_count = static_cast<u32>(std::bit_width(position)) - 4;
        const u32 symbol = (low_count + 1) << 3 | (position >> low_count & 7);
        return symbols->push_back(static_cast<u8>(symbol)) && low_.write(position & ((1u << low_count) - 1), low_count);
    }

    // The class of a token's last character.
    u32 class_of(u32 id) const {
        for (u32 i = tokens_.length(id); i > 0; --i) {
            const u32 found = layout::lead_class(tokens_.token(id)[i - 1]);
            if (found != layout::kContinuationClass) return found;
        }
        return layout::kContinuationClass;
    }

    const TokenList& tokens_;
    const layout::Split* splits_;
    IndexedRanking left_ranking_;
    IndexedRanking right_rankings_[kLeadClasses];
    Buffer<Run> runs_;
    Buffer<u8> run_bytes_;
    Buffer<u8> left_;
    Buffer<u8> right_[kLeadClasses];
    LowBits low_;
};

}  // namespace

Status write_merge_list(const TokenList& tokens, const layout::Split* splits, Buffer<u8>* section) {
    if (tokens.offsets[tokens.count] > layout::kMaxSlimTokenBytes) return {CRAYON_VOCABULARY_TOO_LARGE, 0, 0};
    MergeWriter writer(tokens, splits);
    return writer.gather() && writer.write(section) ? Status{} : Status::out_of_memory();
}

}  // namespace crayon
