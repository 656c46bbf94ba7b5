// Implements crayon.h's accelerator functions on top of the classes: checks arguments, no logic.
#include <algorithm>
#include <cstring>

#include "base/status.h"
#include "gpu/decode_job.h"
#include "gpu/matrix_job.h"
#include "gpu/text_job.h"

using namespace crayon;

namespace {

Device* from_c(crayon_device* device) { return reinterpret_cast<Device*>(device); }
DeviceJob* from_c(crayon_device_job* job) { return reinterpret_cast<DeviceJob*>(job); }
DeviceMemory* from_c(crayon_device_memory* memory) { return reinterpret_cast<DeviceMemory*>(memory); }
const TextJob* texts_of(const crayon_device_job* job) {
    return const_cast<DeviceJob*>(reinterpret_cast<const DeviceJob*>(job))->texts();
}

const DecodeJob* decoding_of(const crayon_device_job* job) {
    return const_cast<DeviceJob*>(reinterpret_cast<const DeviceJob*>(job))->decoding();
}

constexpr u32 kRowFlags = CRAYON_DNA_TEMPLATE | CRAYON_DNA_TRUNCATE | CRAYON_DNA_PAD_LEFT | CRAYON_DNA_PAD_RIGHT;

DeviceSettings settings_of(const u32* words, u32 count) {
    u32 all[4] = {};
    if (count > 0) std::memcpy(all, words, std::min<size_t>(count, std::size(all)) * sizeof(u32));
    DeviceSettings settings;
    settings.slice_bytes = all[0];
    settings.time_limit_ms = all[1];
    settings.memory_budget = u64{all[2]} * 1024;
    settings.lanes = std::min(all[3], kMostLanes);
    return settings;
}

}  // namespace

extern "C" {

crayon_status crayon_device_open(const char* path, uint32_t path_length, const uint32_t* settings, uint32_t setting_count,
                                 crayon_device** out, crayon_result* result) {
    if (!path || !out || (!settings && setting_count)) return report(kInvalidArgument, result);
    Device* device = nullptr;
    const Status status = Device::open({path, path_length}, settings_of(settings, setting_count), &device);
    *out = reinterpret_cast<crayon_device*>(device);
    return report(status, result);
}

void crayon_device_release(crayon_device* device) {
    if (device) from_c(device)->release();
}

void crayon_device_describe(crayon_device* device, crayon_device_facts* out) {
    crayon_gpu_device about;
    from_c(device)->describe(&about, out->reason);
    out->kind = about.kind;
    out->is_usable = about.is_usable;
    out->processors = about.processors;
    out->warp_size = about.warp_size;
    out->major_architecture = about.major_architecture;
    out->minor_architecture = about.minor_architecture;
    out->memory = about.memory;
    out->held_bytes = from_c(device)->kept_bytes();
    static_assert(sizeof out->name == sizeof about.name && sizeof out->reason == Device::kReason);
    std::memcpy(out->name, about.name, sizeof out->name);
}

uint32_t crayon_device_supports(const crayon_tokenizer* tokenizer) {
    return TextJob::is_possible(*reinterpret_cast<const Tokenizer*>(tokenizer));
}

crayon_status crayon_device_create_texts(crayon_device* device, crayon_tokenizer* tokenizer, uint32_t special,
                                         const uint32_t* allowed, uint32_t allowed_count, uint32_t flags, const uint8_t* bytes,
                                         uint64_t length, const uint32_t* offsets, uint32_t rows, crayon_device_job** out,
                                         crayon_result* result) {
    if (!device || !tokenizer || !out || !offsets || (!bytes && length) || (!allowed && allowed_count)) {
        return report(kInvalidArgument, result);
    }
    TextJob* job = nullptr;
    const Status status = TextJob::create(*from_c(device), *reinterpret_cast<Tokenizer*>(tokenizer), special, allowed,
                                          allowed_count, (flags & CRAYON_JOB_COUNT) != 0, bytes, length, offsets, rows, &job);
    *out = reinterpret_cast<crayon_device_job*>(static_cast<DeviceJob*>(job));
    return report(status, result);
}

crayon_status crayon_device_create_dna(crayon_device* device, const crayon_dna* dna, const uint8_t* bytes, uint64_t length,
                                       const uint32_t* offsets, uint32_t rows, uint32_t columns, uint32_t flags, uint32_t width,
                                       void* ids, uint8_t* mask, uint32_t* unknown, crayon_device_job** out,
                                       crayon_result* result) {
    const Dna* const from = reinterpret_cast<const Dna*>(dna);
    const bool is_width = width == 1 || width == 2 || width == 4 || width == 8;
    if (!device || !dna || !out || !offsets || (!bytes && length) || (flags & ~kRowFlags) || !is_width ||
        width < from->least_width()) {
        return report(kInvalidArgument, result);
    }
    const Dna::Padding padding = flags & CRAYON_DNA_PAD_LEFT    ? Dna::Padding::kLeft
                                 : flags & CRAYON_DNA_PAD_RIGHT ? Dna::Padding::kRight
                                                                : from->default_padding();
    MatrixJob* job = nullptr;
    const Dna::Matrix matrix = {bytes, length, offsets, rows, columns, flags, width, padding, static_cast<u8*>(ids),
                                mask,  unknown};
    const Status status = MatrixJob::create(*from_c(device), *from, matrix, length, &job);
    *out = reinterpret_cast<crayon_device_job*>(static_cast<DeviceJob*>(job));
    return report(status, result);
}

crayon_status crayon_device_create_decoding(crayon_device* device, crayon_tokenizer* tokenizer, uint32_t flags,
                                            const uint32_t* ids, uint64_t count, const uint32_t* offsets, uint32_t rows,
                                            crayon_device_job** out, crayon_result* result) {
    if (!device || !tokenizer || !out || !offsets || (!ids && count)) return report(kInvalidArgument, result);
    DecodeJob* job = nullptr;
    const bool skips = (flags & CRAYON_DECODE_SKIP_SPECIAL) != 0;
    const Status status =
        DecodeJob::create(*from_c(device), *reinterpret_cast<Tokenizer*>(tokenizer), skips, ids, count, offsets, rows, &job);
    *out = reinterpret_cast<crayon_device_job*>(static_cast<DeviceJob*>(job));
    return report(status, result);
}

crayon_status crayon_device_job_pad(crayon_device_job* job, const uint32_t* words, uint32_t count, crayon_result* result) {
    TextJob* const texts = from_c(job)->texts();
    PaddedRows::Form form;
    const bool is_form = texts && words && count >= 6 && (words[1] == 4 || words[1] == 8) && words[2] <= 3 &&
                         words[4] <= PaddedRows::kMostAround && words[5] <= PaddedRows::kMostAround &&
                         count == 6 + words[4] + words[5] && words[0] >= words[4] + words[5] && words[0] > 0;
    if (!is_form) return report(kInvalidArgument, result);
    form.columns = words[0];
    form.width = words[1];
    form.is_left = (words[2] & 1) != 0;
    form.truncates = (words[2] & 2) != 0;
    form.stays = texts->device_matrix().is_wanted();
    form.pad_id = words[3];
    form.before_count = words[4];
    form.after_count = words[5];
    std::copy_n(words + 6, count - 6, form.around);
    const u32 mask_width = texts->device_matrix().mask_width();
    if (form.stays && (form.columns == PaddedRows::kLongest || (mask_width && mask_width != form.width))) {
        return report(kInvalidArgument, result);
    }
    return report(texts->pad(form) ? Status() : Status::out_of_memory(), result);
}

crayon_status crayon_device_job_run(crayon_device_job* job, crayon_result* result) {
    u64 row = 0;
    Status status = from_c(job)->run(&row);
    if (status.code == CRAYON_ROW_REFUSED) status.position = row;
    return report(status, result);
}

void crayon_device_job_use_pool(crayon_device_job* job, crayon_pool* pool, uint32_t most_threads) {
    if (TextJob* const texts = from_c(job)->texts()) texts->use({reinterpret_cast<Pool*>(pool), most_threads});
}

crayon_status crayon_device_job_keep(crayon_device_job* job, uint32_t mask_width, crayon_result* result) {
    DeviceJob& from = *from_c(job);
    const u32 width = from.kept_width();  // for texts, known only with the form, which is checked then
    if (width && mask_width > 1 && mask_width != width) return report(kInvalidArgument, result);
    from.device_matrix().want(mask_width);
    return report({}, result);
}

crayon_device_memory* crayon_device_job_detach_memory(crayon_device_job* job, crayon_device_matrix* out) {
    DeviceJob& from = *from_c(job);
    DeviceMemory* const memory = from.device_matrix().detach();
    if (!memory) return nullptr;
    out->address = reinterpret_cast<std::uintptr_t>(memory->address());
    out->size = memory->size();
    out->mask_offset = from.device_matrix().mask_offset();
    out->device = from.device_index();
    return reinterpret_cast<crayon_device_memory*>(memory);
}

crayon_status crayon_device_memory_read(crayon_device_memory* memory, uint64_t offset, uint64_t length, void* to,
                                        crayon_result* result) {
    if (!to && length) return report(kInvalidArgument, result);
    return report(from_c(memory)->read(offset, length, to), result);
}

void crayon_device_memory_release(crayon_device_memory* memory) {
    if (memory) from_c(memory)->release();
}

void crayon_device_job_cancel(crayon_device_job* job) { from_c(job)->cancel(); }
void crayon_device_job_release(crayon_device_job* job) { delete from_c(job); }

uint64_t crayon_device_job_token_count(const crayon_device_job* job) { return texts_of(job) ? texts_of(job)->token_count() : 0; }
uint64_t crayon_device_job_row_count(const crayon_device_job* job) {
    if (decoding_of(job)) return decoding_of(job)->row_count();
    return texts_of(job) ? texts_of(job)->row_count() : 0;
}

crayon_status crayon_device_job_row_offsets(const crayon_device_job* job, uint32_t* offsets, crayon_result* result) {
    if (!offsets || (!texts_of(job) && !decoding_of(job))) return report(kInvalidArgument, result);
    return report(decoding_of(job) ? decoding_of(job)->row_offsets(offsets) : texts_of(job)->row_offsets(offsets), result);
}

uint64_t crayon_device_job_byte_count(const crayon_device_job* job) {
    return decoding_of(job) ? decoding_of(job)->byte_count() : 0;
}

uint32_t* crayon_device_job_detach_bytes(crayon_device_job* job) {
    DecodeJob* const decoding = from_c(job)->decoding();
    return decoding ? reinterpret_cast<uint32_t*>(decoding->detach_bytes()) : nullptr;
}

uint32_t* crayon_device_job_detach_ids(crayon_device_job* job) {
    TextJob* const texts = from_c(job)->texts();
    return texts ? texts->detach_ids() : nullptr;
}

int64_t crayon_device_job_columns(const crayon_device_job* job, uint64_t* words) {
    const TextJob* const texts = texts_of(job);
    const bool is_matrix = texts && texts->padded().has_columns();
    *words = is_matrix ? texts->padded().words() : 0;
    return is_matrix ? static_cast<int64_t>(texts->padded().columns()) : -1;
}

uint32_t* crayon_device_job_detach_matrix(crayon_device_job* job, uint32_t mask) {
    TextJob* const texts = from_c(job)->texts();
    if (!texts) return nullptr;
    return mask ? texts->padded().detach_mask() : texts->padded().detach_ids();
}

void crayon_device_job_progress(const crayon_device_job* job, uint64_t out[8]) {
    const DeviceJob::Progress& progress = reinterpret_cast<const DeviceJob*>(job)->progress();
    static_assert(sizeof progress == 8 * sizeof *out);
    std::memcpy(out, &progress, sizeof progress);
}

}  // extern "C"
