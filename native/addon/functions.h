// The functions of the module. lib/native/addon.ts declares and documents them. After a failure, which `failure` then
// describes, they return -1, or undefined if the result is not a number. None throws: lib/ creates the error, on the
// caller's line.
#pragma once

#include <node_api.h>

namespace crayon::addon {

// open.cpp
napi_value statuses(napi_env env, napi_callback_info info);
napi_value kernels(napi_env env, napi_callback_info info);
napi_value failure(napi_env env, napi_callback_info info);
napi_value load(napi_env env, napi_callback_info info);
napi_value describe(napi_env env, napi_callback_info info);
napi_value sections(napi_env env, napi_callback_info info);
napi_value share(napi_env env, napi_callback_info info);
napi_value retire(napi_env env, napi_callback_info info);
napi_value close(napi_env env, napi_callback_info info);

// encode.cpp
napi_value encode(napi_env env, napi_callback_info info);
napi_value encode_bytes(napi_env env, napi_callback_info info);
napi_value count(napi_env env, napi_callback_info info);
napi_value count_bytes(napi_env env, napi_callback_info info);
napi_value encode_with_offsets(napi_env env, napi_callback_info info);
napi_value encode_bytes_with_offsets(napi_env env, napi_callback_info info);
napi_value take_overflow(napi_env env, napi_callback_info info);

// session.cpp
napi_value begin(napi_env env, napi_callback_info info);
napi_value feed(napi_env env, napi_callback_info info);
napi_value feed_bytes(napi_env env, napi_callback_info info);
napi_value feed_rows(napi_env env, napi_callback_info info);
napi_value feed_joined(napi_env env, napi_callback_info info);
napi_value take(napi_env env, napi_callback_info info);
napi_value session_position(napi_env env, napi_callback_info info);
napi_value take_offsets(napi_env env, napi_callback_info info);
napi_value end(napi_env env, napi_callback_info info);

// jobs.cpp
napi_value start_background(napi_env env, napi_callback_info info);
napi_value job_begin(napi_env env, napi_callback_info info);
napi_value job_feed(napi_env env, napi_callback_info info);
napi_value job_feed_bytes(napi_env env, napi_callback_info info);
napi_value job_feed_rows(napi_env env, napi_callback_info info);
napi_value job_feed_joined(napi_env env, napi_callback_info info);
napi_value job_set_rows(napi_env env, napi_callback_info info);
napi_value job_set_text(napi_env env, napi_callback_info info);
napi_value job_end(napi_env env, napi_callback_info info);
napi_value job_submit(napi_env env, napi_callback_info info);
napi_value job_start(napi_env env, napi_callback_info info);
napi_value job_run(napi_env env, napi_callback_info info);
napi_value job_run_for(napi_env env, napi_callback_info info);
napi_value job_result(napi_env env, napi_callback_info info);
napi_value job_position(napi_env env, napi_callback_info info);
napi_value job_totals(napi_env env, napi_callback_info info);
napi_value job_take(napi_env env, napi_callback_info info);
napi_value job_release(napi_env env, napi_callback_info info);

// fit.cpp
napi_value fit(napi_env env, napi_callback_info info);
napi_value split(napi_env env, napi_callback_info info);

// decode.cpp
napi_value decode(napi_env env, napi_callback_info info);
napi_value decode_length(napi_env env, napi_callback_info info);
napi_value decode_into(napi_env env, napi_callback_info info);
napi_value token_bytes(napi_env env, napi_callback_info info);
napi_value id_of(napi_env env, napi_callback_info info);

// compile.cpp
napi_value compile(napi_env env, napi_callback_info info);
napi_value recompile(napi_env env, napi_callback_info info);

// train.cpp
napi_value train_begin(napi_env env, napi_callback_info info);
napi_value train_resume(napi_env env, napi_callback_info info);
napi_value train_feed(napi_env env, napi_callback_info info);
napi_value train_start(napi_env env, napi_callback_info info);
napi_value train_step(napi_env env, napi_callback_info info);
napi_value train_result(napi_env env, napi_callback_info info);
napi_value train_end(napi_env env, napi_callback_info info);

// dna.cpp
napi_value dna_compile(napi_env env, napi_callback_info info);
napi_value dna_open(napi_env env, napi_callback_info info);
napi_value dna_describe(napi_env env, napi_callback_info info);
napi_value dna_count(napi_env env, napi_callback_info info);
napi_value dna_count_rows(napi_env env, napi_callback_info info);
napi_value dna_encode(napi_env env, napi_callback_info info);
napi_value dna_encode_rows(napi_env env, napi_callback_info info);
napi_value dna_job_begin(napi_env env, napi_callback_info info);
napi_value dna_device_job(napi_env env, napi_callback_info info);
napi_value dna_close(napi_env env, napi_callback_info info);
napi_value dna_bases(napi_env env, napi_callback_info info);

// devices.cpp
napi_value device_open(napi_env env, napi_callback_info info);
napi_value device_describe(napi_env env, napi_callback_info info);
napi_value device_close(napi_env env, napi_callback_info info);
napi_value device_supports(napi_env env, napi_callback_info info);
napi_value device_texts(napi_env env, napi_callback_info info);
napi_value device_job_pad(napi_env env, napi_callback_info info);
napi_value device_job_columns(napi_env env, napi_callback_info info);
napi_value device_job_matrix(napi_env env, napi_callback_info info);
napi_value device_job_run(napi_env env, napi_callback_info info);
napi_value device_job_submit(napi_env env, napi_callback_info info);
napi_value device_job_result(napi_env env, napi_callback_info info);
napi_value device_job_totals(napi_env env, napi_callback_info info);
napi_value device_job_take(napi_env env, napi_callback_info info);
napi_value device_job_progress(napi_env env, napi_callback_info info);
napi_value device_job_release(napi_env env, napi_callback_info info);

// records.cpp
napi_value records_begin(napi_env env, napi_callback_info info);
napi_value records_read(napi_env env, napi_callback_info info);
napi_value records_end(napi_env env, napi_callback_info info);

}  // namespace crayon::addon
