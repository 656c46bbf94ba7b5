// crayon_records_*: checks arguments and converts statuses to results; no logic.
#include <new>

#include "base/status.h"
#include "records/record_parser.h"

using crayon::Kernel;
using crayon::kInvalidArgument;
using crayon::RecordFormat;
using crayon::RecordParser;
using crayon::report;
using crayon::Status;
using crayon::u32;

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
    const Kernel* const row = crayon::kernel_named(kernel, kernel_length);
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

}  // extern "C"
