#include "gpu/decode_job.h"

#include <algorithm>
#include <new>

#include "tokenizer.h"

namespace crayon {

namespace {

constexpr u64 kMostRows = 1 << 20;  // in a slice
// Device input and output bytes per id: the id's four, and a typical token's.
constexpr u64 kBytesPerId = 8;

}  // namespace

Status DecodeJob::create(Device& device, Tokenizer& tokenizer, bool skip_special, const u32* ids, u64 count, const u32* offsets,
                         u32 rows, DecodeJob** out) {
    DecodeJob* const job = new (std::nothrow) DecodeJob(device, tokenizer);
    if (!job) return Status::out_of_memory();
    tokenizer.retain();
    job->skip_special_ = skip_special;
    job->ids_ = ids;
    job->rows_ = rows;
    Status status;
    if (!job->offsets_.append(offsets, size_t{rows} + 1) || !job->totals_.push_back(0)) status = Status::out_of_memory();
    if (status.ok() && !ascends(job->offsets_, count)) status = {CRAYON_INVALID_ARGUMENT};
    if (status.ok() && skip_special) status = job->find_special();
    if (status.ok()) {
        job->at_ = offsets[0];
        *out = job;
    } else {
        delete job;
    }
    return status;
}

DecodeJob::~DecodeJob() { tokenizer_.release(); }

Status DecodeJob::find_special() {
    const u32 size = tokenizer_.view().vocabulary_size;
    if (!special_.resize(size)) return Status::out_of_memory();
    for (u32 id = 0; id < size; ++id) {
        u64 all = 0, without_special = 0;
        const bool has_token = tokenizer_.decoded_length(&id, 1, false, &all).ok();
        special_[id] = has_token && tokenizer_.decoded_length(&id, 1, true, &without_special).ok() && without_special < all;
    }
    return {};
}

// The bytes of every id as the engine decodes it; empty for ids it does not decode.
Status DecodeJob::upload(crayon_gpu_model** model) {
    crayon_gpu_tables tables = {};
    tables.size = sizeof tables;
    tables.kind = CRAYON_GPU_TOKENS;
    if ((*model = device_.known_model(&tokenizer_, tables))) return {};
    const u32 size = tokenizer_.view().vocabulary_size;
    Buffer<u32> offsets;
    Buffer<u8> bytes;
    if (!offsets.reserve(size_t{size} + 1) || !offsets.push_back(0)) return Status::out_of_memory();
    for (u32 id = 0; id < size; ++id) {
        u64 length = 0;
        if (tokenizer_.decoded_length(&id, 1, false, &length).ok() && length > 0) {
            const size_t at = bytes.size();
            Tokenizer::Decoded done = {};
            if (!bytes.resize(at + length)) return Status::out_of_memory();
            const Status status = tokenizer_.decode(&id, 1, false, bytes.data() + at, static_cast<u32>(length), &done);
            if (!status.ok()) return status;
        }
        if (!offsets.push_back(static_cast<u32>(bytes.size()))) return Status::out_of_memory();
    }
    if (bytes.empty()) return {CRAYON_DEVICE_UNSUPPORTED};
    tables.token_count = size;
    tables.token_offsets = offsets.data();
    tables.token_bytes = bytes.data();
    return device_.model(&tokenizer_, tables, &tokenizer_, nullptr, model);
}

Status DecodeJob::plan(Lane& lane, u64 limit, bool* planned) {
    *planned = row_ < rows_;
    if (!*planned) return {};
    lane.first_row = row_;
    lane.first_byte = at_;
    lane.offsets.clear();
    lane.after.clear();
    if (!lane.offsets.push_back(0)) return Status::out_of_memory();
    const u64 capacity = std::max<u64>(limit / kBytesPerId, 1);
    if (!lane.text.reserve(device_.api(), device_.context(), capacity * sizeof(u32))) return Status::out_of_memory();
    u32* const to = reinterpret_cast<u32*>(lane.text.data());
    u64 count = 0;
    while (row_ < rows_ && lane.after.size() < kMostRows && (count < capacity || at_ == offsets_[row_ + 1])) {
        const u64 end = offsets_[row_ + 1];
        for (; at_ < end && count < capacity; ++at_) {
            const u32 id = ids_[at_];
            if (!is_left_out(id)) to[count++] = id;
        }
        const bool ends_row = at_ == end;
        if (!lane.offsets.push_back(count) || !lane.after.push_back({layout::kNone, ends_row, 0, 0}))
            return Status::out_of_memory();
        if (!ends_row) break;
        ++row_;
    }
    lane.batch = {};
    lane.batch.size = sizeof lane.batch;
    lane.batch.output = CRAYON_GPU_BYTES;
    lane.batch.bytes = lane.text.data();
    lane.batch.offsets = lane.offsets.data();
    lane.batch.document_count = lane.after.size();
    lane.batch.id_width = sizeof(u32);
    return {};
}

void DecodeJob::rewind(const Lane& lane) {
    row_ = lane.first_row;
    at_ = lane.first_byte;
}

u64 DecodeJob::matrix_bytes(const Lane& lane) const { return lane.length() * (kBytesPerId - 1); }

Status DecodeJob::allocate_output(Lane& lane, crayon_gpu_destination* to) {
    if (!lane.ids.reserve(device_.api(), device_.context(), lane.result.count)) return Status::out_of_memory();
    to->ids = lane.ids.data();
    return {};
}

Status DecodeJob::accept(Lane& lane) {
    const u64 count = lane.result.count, words = (byte_count_ + count + 3) / 4;
    if (!bytes_.resize(words * 4)) return Status::out_of_memory();
    if (count > 0) std::memcpy(bytes_.data() + byte_count_, lane.ids.data(), count);
    for (u64 i = 0; i < lane.batch.document_count; ++i) {
        if (lane.after[i].ends_row && !totals_.push_back(byte_count_ + lane.row_offsets[i + 1])) return Status::out_of_memory();
    }
    byte_count_ += count;
    return {};
}

Status DecodeJob::row_offsets(u32* totals) const {
    if (byte_count_ > 0xFFFFFFFF) return {CRAYON_TEXT_TOO_LONG};
    for (size_t i = 0; i < totals_.size(); ++i) totals[i] = static_cast<u32>(totals_[i]);
    return {};
}

}  // namespace crayon
