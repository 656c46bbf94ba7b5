// crayon_records_* and crayon_json_texts: checks arguments and converts statuses to results; no logic.
#include <new>

#include "base/status.h"
#include "records/json_texts.h"
#include "records/record_parser.h"

using namespace crayon;

static_assert(sizeof(crayon_json_row) == sizeof(JsonTexts::Row));

namespace {

RecordParser* from_c(crayon_records* records) { return reinterpret_cast<RecordParser*>(records); }

}  // namespace

extern "C" {

crayon_status crayon_records_create(uint32_t format, const char* kernel, uint32_t kernel_length, crayon_records** out,
                                    crayon_result* result) {
    if (out) *out = nullptr;
    const bool is_apart = (format & CRAYON_SEQUENCES_APART) != 0;
    format &= ~static_cast<u32>(CRAYON_SEQUENCES_APART);
    if (!out || format > CRAYON_FASTQ || (!kernel && kernel_length > 0)) return report(kInvalidArgument, result);
    const Kernel* const row = kernel_named(kernel, kernel_length);
    if (!row) return report({CRAYON_UNKNOWN_KERNEL}, result);
    RecordParser* const parser = new (std::nothrow) RecordParser(static_cast<RecordFormat>(format), *row, is_apart);
    *out = reinterpret_cast<crayon_records*>(parser);
    return report(parser ? Status{} : Status::out_of_memory(), result);
}

void crayon_records_release(crayon_records* records) { delete from_c(records); }

crayon_status crayon_records_read(crayon_records* records, const uint8_t* input, uint32_t length, uint32_t last, uint8_t* bytes,
                                  uint32_t capacity, crayon_record_part* parts, uint32_t part_capacity,
                                  crayon_records_progress* progress, crayon_result* result) {
    if (progress) *progress = {};
    if (!records || !progress || (!input && length > 0) || (!bytes && capacity > 0) || (!parts && part_capacity > 0)) {
        return report(kInvalidArgument, result);
    }
    RecordParser::Progress done{};
    const Status status = from_c(records)->read({input, length, last != 0}, {bytes, capacity, parts, part_capacity}, &done);
    const RecordParser& parser = *from_c(records);
    const bool failed = status.code == CRAYON_INVALID_RECORD;
    *progress = {static_cast<u32>(done.consumed), static_cast<u32>(done.produced), failed ? parser.reason() : 0,
                 static_cast<u32>(parser.record()), static_cast<u32>(parser.record() >> 32)};
    return report(status, result, done.parts, done.more);
}

crayon_status crayon_json_texts(const char* kernel, uint32_t kernel_length, const uint8_t* keys, const uint32_t* key_ends,
                                uint32_t key_count, const uint8_t* input, uint32_t length, uint8_t* bytes, uint32_t max_bytes,
                                crayon_json_row* rows, uint32_t row_capacity, crayon_json_progress* progress,
                                crayon_result* result) {
    if (progress) *progress = {};
    if ((!kernel && kernel_length > 0) || !key_ends || key_count == 0 || key_count > JsonTexts::kMostKeys || !progress ||
        (!input && length > 0) || length > 0x80000000 || (!bytes && length > 0) || (!rows && row_capacity > 0)) {
        return report(kInvalidArgument, result);
    }
    const Kernel* const chosen = kernel_named(kernel, kernel_length);
    if (!chosen) return report({CRAYON_UNKNOWN_KERNEL}, result);
    JsonTexts::Path path{};
    path.count = key_count;
    for (u32 i = 0, begin = 0; i < key_count; begin = key_ends[i++]) {
        if (key_ends[i] < begin || (!keys && key_ends[i] > 0)) return report(kInvalidArgument, result);
        path.keys[i] = keys ? keys + begin : input;
        path.lengths[i] = key_ends[i] - begin;
    }
    JsonTexts texts(*chosen, path);
    const JsonTexts::Progress done =
        texts.read(input, length, {bytes, max_bytes, reinterpret_cast<JsonTexts::Row*>(rows), row_capacity});
    *progress = {done.consumed, done.produced, done.rows, done.empty, done.stuck};
    return report({}, result);
}

}  // extern "C"
