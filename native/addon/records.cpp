// Reads the records of FASTA and FASTQ, and the texts of lines of JSON.

#include <cstring>

#include "environment.h"
#include "functions.h"

namespace crayon::addon {

namespace {

// Words of a crayon_record_part, and of a call's report to JavaScript.
constexpr std::size_t kPartWords = sizeof(crayon_record_part) / sizeof(std::uint32_t);
constexpr std::size_t kProgressWords = 6;

}  // namespace

napi_value records_begin(napi_env env, napi_callback_info info) {
    Arguments<1> in(env, info);
    crayon_result result = {};
    crayon_records* records = nullptr;
    if (crayon_records_create(in.integer(0), nullptr, 0, &records, &result) != CRAYON_OK) {
        return in.environment->fail(env, result);
    }
    const std::int64_t handle = in.environment->records.add(records);
    if (handle != 0) return number(env, static_cast<double>(handle));
    crayon_records_release(records);
    return in.environment->fail(env, CRAYON_OUT_OF_MEMORY);
}

napi_value records_read(napi_env env, napi_callback_info info) {
    Arguments<6> in(env, info);
    crayon_records* const records = in.environment->records.find(in.handle(0));
    Elements<const std::uint8_t> input(env, in.at[1]);
    Elements<std::uint8_t> bytes(env, in.at[3]);
    Elements<std::uint32_t> parts(env, in.at[4]), told(env, in.at[5]);
    if (!records || !input.valid || !bytes.data || !parts.data || told.count < kProgressWords || input.count > 0xFFFFFFFF ||
        bytes.count > 0xFFFFFFFF || parts.count > 0xFFFFFFFF) {
        return in.environment->fail(env, CRAYON_INVALID_ARGUMENT);
    }
    crayon_result result = {};
    crayon_records_progress progress = {};
    crayon_records_read(records, input.data, static_cast<std::uint32_t>(input.count), in.truth(2), bytes.data,
                        static_cast<std::uint32_t>(bytes.count), reinterpret_cast<crayon_record_part*>(parts.data),
                        static_cast<std::uint32_t>(parts.count / kPartWords), &progress, &result);
    const std::uint32_t words[kProgressWords] = {progress.consumed, progress.produced,    progress.reason,
                                                 progress.record,   progress.record_high, result.count};
    for (std::size_t i = 0; i < kProgressWords; ++i) told.data[i] = words[i];
    return result.status == CRAYON_OK ? number(env, result.more) : in.environment->fail(env, result);
}

napi_value records_end(napi_env env, napi_callback_info info) {
    Arguments<1> in(env, info);
    crayon_records_release(in.environment->records.remove(in.handle(0)));
    return number(env, 0);
}

// The path: its keys' bytes, and where each ends. `told`: the fields of crayon_json_progress.
napi_value json_texts(napi_env env, napi_callback_info info) {
    Arguments<7> in(env, info);
    Elements<const std::uint8_t> keys(env, in.at[0]), input(env, in.at[2]);
    Elements<const std::uint32_t> key_ends(env, in.at[1]);
    Elements<std::uint8_t> bytes(env, in.at[3]);
    Elements<std::uint32_t> rows(env, in.at[5]), told(env, in.at[6]);
    constexpr std::size_t kRowWords = sizeof(crayon_json_row) / sizeof(std::uint32_t);
    constexpr std::size_t kToldWords = sizeof(crayon_json_progress) / sizeof(std::uint32_t);
    const bool are_keys = keys.valid && key_ends.count > 0 && key_ends.data[key_ends.count - 1] <= keys.count;
    if (!are_keys || !input.valid || bytes.count < input.count || told.count < kToldWords || !rows.valid ||
        input.count > 0x80000000) {
        return in.environment->fail(env, CRAYON_INVALID_ARGUMENT);
    }
    crayon_result result = {};
    crayon_json_progress progress = {};
    crayon_json_texts(nullptr, 0, keys.data, key_ends.data, static_cast<std::uint32_t>(key_ends.count), input.data,
                      static_cast<std::uint32_t>(input.count), bytes.data, in.integer(4),
                      reinterpret_cast<crayon_json_row*>(rows.data), static_cast<std::uint32_t>(rows.count / kRowWords),
                      &progress, &result);
    std::memcpy(told.data, &progress, sizeof progress);
    return result.status == CRAYON_OK ? number(env, 0) : in.environment->fail(env, result);
}

}  // namespace crayon::addon
