// crayon_dna_*, except the compiler: checks arguments, no logic.
#include <algorithm>
#include <new>

#include "base/status.h"
#include "dna/dna.h"
#include "dna/dna_job.h"
#include "platform/large_pages.h"

using namespace crayon;

namespace {

const Dna* from_c(const crayon_dna* dna) { return reinterpret_cast<const Dna*>(dna); }

constexpr u32 kRowFlags = CRAYON_DNA_TEMPLATE | CRAYON_DNA_TRUNCATE | CRAYON_DNA_PAD_LEFT | CRAYON_DNA_PAD_RIGHT;
constexpr u32 kPartFlags = CRAYON_DNA_CONTINUED | CRAYON_DNA_UNFINISHED;

Dna::Padding padding_of(u32 flags) {
    return flags & CRAYON_DNA_PAD_LEFT    ? Dna::Padding::kLeft
           : flags & CRAYON_DNA_PAD_RIGHT ? Dna::Padding::kRight
                                          : Dna::Padding::kNone;
}

bool is_valid(const Dna* dna, u32 flags, u32 known_flags, u32 width) {
    const u32 sides = CRAYON_DNA_PAD_LEFT | CRAYON_DNA_PAD_RIGHT;
    return dna && (flags & ~known_flags) == 0 && (flags & sides) != sides &&
           (width == 1 || width == 2 || width == 4 || width == 8) && width >= dna->least_width();
}

bool is_valid(const Dna* dna, const Dna::Matrix& matrix) {
    return is_valid(dna, matrix.flags, kRowFlags, matrix.width) && (matrix.offsets || !matrix.rows) &&
           (matrix.bytes || !matrix.byte_count) && (matrix.ids || !matrix.rows || !matrix.columns);
}

crayon_status encode_rows(const Dna& dna, const Dna::Matrix& matrix, crayon_result* result) {
    auto [status, longest, row] = dna.encode_rows(matrix, 0, matrix.rows);
    if (!status.ok()) status.section = row;
    return report(status, result, longest);
}

Dna::Matrix matrix_of(const crayon_dna* dna, const uint8_t* bytes, uint32_t byte_count, const uint32_t* offsets, uint32_t rows,
                      uint32_t columns, uint32_t flags, uint32_t width, void* ids, uint8_t* mask, uint32_t* unknown) {
    const Dna::Padding chosen = padding_of(flags);
    const bool is_default = dna && chosen == Dna::Padding::kNone;
    const Dna::Padding padding = is_default ? from_c(dna)->default_padding() : chosen;
    return {bytes, byte_count, offsets, rows, columns, flags, width, padding, static_cast<u8*>(ids), mask, unknown};
}

// Calls the function with a kernel's implementation.
template <class Function>
crayon_status with_kernel(const void* in, const void* out, uint32_t length, const char* name, uint32_t name_length,
                          crayon_result* result, Function function) {
    if (((!in || !out) && length) || (!name && name_length)) return report(kInvalidArgument, result);
    const Kernel* kernel = kernel_named(name, name_length);
    if (!kernel) return report({CRAYON_UNKNOWN_KERNEL}, result);
    return function(*kernel->dna);
}

}  // namespace

extern "C" {

crayon_status crayon_dna_create(crayon_tokenizer* tokenizer, const crayon_dna_policies* policies, crayon_dna** out,
                                crayon_result* result) {
    if (!tokenizer || !out) return report(kInvalidArgument, result);
    const crayon_dna_policies defaults = {CRAYON_DNA_DEFAULT, CRAYON_DNA_DEFAULT, CRAYON_DNA_DEFAULT, CRAYON_DNA_TAIL_DEFAULT};
    Dna* dna = nullptr;
    const Status status = Dna::create(*reinterpret_cast<Tokenizer*>(tokenizer), policies ? *policies : defaults, &dna);
    *out = reinterpret_cast<crayon_dna*>(dna);
    return report(status, result);
}

void crayon_dna_release(crayon_dna* dna) {
    if (dna) from_c(dna)->release();
}

void crayon_dna_describe(const crayon_dna* dna, uint32_t out[137]) {
    const Dna& it = *from_c(dna);
    out[0] = static_cast<u32>(it.rules().unit);
    out[1] = it.rules().k;
    out[2] = it.vocabulary_size();
    out[3] = it.least_width();
    out[4] = it.unknown_id();
    out[5] = it.rules().pad_id;
    out[6] = static_cast<u32>(it.rules().side);
    out[7] = it.rules().before_count;
    out[8] = it.rules().after_count;
    out = std::copy(it.view().before.begin(), it.view().before.end(), out + 9);
    std::copy(it.view().after.begin(), it.view().after.end(), out);
}

crayon_status crayon_dna_count_rows(const crayon_dna* dna, const uint8_t* bytes, uint32_t byte_count, const uint32_t* offsets,
                                    uint32_t rows, uint32_t* counts, crayon_result* result) {
    if (!dna || (!bytes && byte_count) || ((!offsets || !counts) && rows)) return report(kInvalidArgument, result);
    return encode_rows(*from_c(dna),
                       {.bytes = bytes, .byte_count = byte_count, .offsets = offsets, .rows = rows, .counts = counts}, result);
}

crayon_status crayon_dna_encode(const crayon_dna* dna, const uint8_t* bytes, uint32_t length, uint32_t flags, uint32_t width,
                                void* ids, uint32_t capacity, crayon_dna_part* part, crayon_result* result) {
    const bool is_row = (flags & kRowFlags) != 0;
    if (!is_valid(from_c(dna), flags, is_row ? kRowFlags : kPartFlags, width) || (!bytes && length) || (!ids && capacity)) {
        return report(kInvalidArgument, result);
    }
    prefer_large_pages(ids, std::min<size_t>(capacity, length) * width);  // the pages may be new
    const Dna::Output output = {static_cast<u8*>(ids), width, capacity};
    Dna::Part progress;
    Status status;
    if (is_row) {
        Dna::RowCounts counts;
        status = from_c(dna)->encode_row(bytes, length, flags, padding_of(flags), output, nullptr, &counts);
        progress = {length, padding_of(flags) != Dna::Padding::kNone ? capacity : counts.ids, counts.unknown, false};
    } else {
        status = from_c(dna)->encode(bytes, length, flags, output, &progress);
    }
    if (status.ok()) status.position = progress.position;
    if (part) *part = {progress.position, progress.more, progress.unknown};
    return report(status, result, progress.count, progress.more);
}

crayon_status crayon_dna_encode_rows(const crayon_dna* dna, const uint8_t* bytes, uint32_t byte_count, const uint32_t* offsets,
                                     uint32_t rows, uint32_t columns, uint32_t flags, uint32_t width, void* ids, uint8_t* mask,
                                     uint32_t* unknown, crayon_result* result) {
    const Dna::Matrix matrix = matrix_of(dna, bytes, byte_count, offsets, rows, columns, flags, width, ids, mask, unknown);
    if (!is_valid(from_c(dna), matrix)) return report(kInvalidArgument, result);
    prefer_large_pages(ids, matrix.size());
    return encode_rows(*from_c(dna), matrix, result);
}

crayon_status crayon_job_create_dna(const crayon_dna* dna, const uint8_t* bytes, uint32_t byte_count, const uint32_t* offsets,
                                    uint32_t rows, uint32_t columns, uint32_t flags, uint32_t width, void* ids, uint8_t* mask,
                                    uint32_t* unknown, crayon_job** out, crayon_result* result) {
    const Dna::Matrix matrix = matrix_of(dna, bytes, byte_count, offsets, rows, columns, flags, width, ids, mask, unknown);
    if (!out || !is_valid(from_c(dna), matrix)) return report(kInvalidArgument, result);
    PoolJob* const job = new (std::nothrow) DnaJob(*from_c(dna), matrix);
    *out = reinterpret_cast<crayon_job*>(job);
    return report(job ? Status{} : Status::out_of_memory(), result);
}

crayon_status crayon_dna_reverse_complement(const uint8_t* bytes, uint32_t length, uint8_t* out, const char* kernel,
                                            uint32_t kernel_length, crayon_result* result) {
    return with_kernel(bytes, out, length, kernel, kernel_length, result, [&](const DnaKernel& functions) {
        return report(reverse_complement_bases(functions, bytes, length, out), result, length);
    });
}

crayon_status crayon_dna_pack(const uint8_t* bytes, uint32_t length, uint8_t* out, const char* kernel, uint32_t kernel_length,
                              crayon_result* result) {
    return with_kernel(bytes, out, length, kernel, kernel_length, result, [&](const DnaKernel& functions) {
        return report(pack_bases(functions, bytes, length, out), result, length / 4 + (length % 4 != 0));
    });
}

crayon_status crayon_dna_unpack(const uint8_t* packed, uint32_t length, uint8_t* out, const char* kernel, uint32_t kernel_length,
                                crayon_result* result) {
    return with_kernel(packed, out, length, kernel, kernel_length, result, [&](const DnaKernel&) {
        unpack_bases(packed, length, out);
        return report({}, result, length);
    });
}

}  // extern "C"
