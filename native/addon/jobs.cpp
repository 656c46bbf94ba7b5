// Jobs: texts and batches encoded by the process's threads, mostly while JavaScript does other work.

#include <algorithm>

#include "background.h"
#include "environment.h"
#include "functions.h"
#include "policy.h"

namespace crayon::addon {

namespace {

BackgroundJob* find(const Environment& environment, std::int64_t handle) {
    return environment.background ? environment.background->find(handle) : nullptr;
}

// The return value of a call: `value`, or a failure, which is stored.
napi_value answer(Environment& environment, napi_env env, const crayon_result& result, double value = 0) {
    return result.status == CRAYON_OK ? number(env, value) : environment.fail(env, result);
}

// The same for a job that has failed in some row.
napi_value outcome(Environment& environment, napi_env env, BackgroundJob& job) {
    crayon_result result = {};
    if (crayon_job_result(job.job, &result) == CRAYON_OK) {
        return number(env, static_cast<double>(crayon_job_token_count(job.job)));
    }
    environment.failed_row = result.count;
    environment.failure = result;
    return number(env, -1);
}

// The ids as a Uint32Array, or nullptr. Large results are already in one block, written by the threads.
napi_value ids_of(napi_env env, crayon_job* job) {
    const std::size_t count = static_cast<std::size_t>(crayon_job_token_count(job)), bytes = count * sizeof(std::uint32_t);
    napi_value buffer = nullptr, ids = nullptr;
    void* data = nullptr;
    std::uint32_t* const gathered = crayon_job_detach_ids(job);
    if (gathered) return owned_ids(env, gathered, count);
    if (napi_create_arraybuffer(env, bytes, &data, &buffer) == napi_ok) {
        crayon_result result;
        crayon_job_copy(job, static_cast<std::uint32_t*>(data), &result);
    }
    const bool ok = buffer && napi_create_typedarray(env, napi_uint32_array, count, buffer, 0, &ids) == napi_ok;
    return ok ? ids : nullptr;
}

}  // namespace

// Another handle of a tokenizer, which is released separately.
napi_value share(napi_env env, napi_callback_info info) {
    const Arguments<1> in(env, info);
    auto& tokenizers = in.environment->table<crayon_tokenizer>();
    crayon_tokenizer* const tokenizer = tokenizers.find(in.handle(0));
    if (!tokenizer) return in.environment->fail(env, CRAYON_CLOSED);
    const std::int64_t handle = tokenizers.add(tokenizer);
    if (handle == 0) return in.environment->fail(env, CRAYON_OUT_OF_MEMORY);
    crayon_tokenizer_retain(tokenizer);
    return number(env, static_cast<double>(handle));
}

// Of the pool: the encoders of a tokenizer whose caches exceed so many bytes, and what the process has freed; or the encoders of
// released tokenizers.
napi_value trim(napi_env env, napi_callback_info info) {
    const Arguments<2> in(env, info);
    const crayon_tokenizer* const tokenizer = in.environment->table<crayon_tokenizer>().find(in.handle(0));
    Background* const background = in.environment->background;
    if (background && tokenizer) {
        crayon_tokenizer_trim(tokenizer, background->pool(), static_cast<std::uint64_t>(in.handle(1)));
    } else if (background) {
        crayon_pool_trim(background->pool());
    }
    if (tokenizer) {
        in.environment->gathered.release();
        crayon_memory_trim();
    }
    return nullptr;
}

napi_value start_background(napi_env env, napi_callback_info info) {
    Arguments<2> in(env, info);
    Environment& environment = *in.environment;
    if (!environment.background) environment.background = Background::create(env, in.at[0], in.integer(1));
    return environment.background ? number(env, 0) : environment.fail(env, CRAYON_OUT_OF_MEMORY);
}

napi_value job_begin(napi_env env, napi_callback_info info) {
    Arguments<6> in(env, info);
    Environment& environment = *in.environment;
    crayon_tokenizer* const tokenizer = environment.table<crayon_tokenizer>().find(in.handle(0));
    if (!tokenizer) return environment.fail(env, CRAYON_CLOSED);
    if (!environment.background) return environment.fail(env, CRAYON_INVALID_ARGUMENT);
    Policy policy(env, in.at[1]);
    crayon_result result = {};
    crayon_job* job = nullptr;
    if (crayon_job_create(tokenizer, policy.special, policy.allowed, policy.allowed_count, in.integer(2), &job, &result) !=
        CRAYON_OK) {
        return environment.fail(env, result);
    }
    crayon_job_set_threads(job, in.integer(3));
    crayon_job_cache_limit(job, static_cast<std::uint64_t>(in.handle(5)));
    const std::int64_t bytes = in.handle(4);
    BackgroundJob* added = nullptr;
    if (crayon_job_reserve(job, static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, 0)), &result) == CRAYON_OK) {
        added = environment.background->add(job);
        result.status = CRAYON_OUT_OF_MEMORY;
    }
    if (!added) {
        crayon_job_release(job);
        return environment.fail(env, result);
    }
    return number(env, static_cast<double>(added->handle));
}

napi_value job_set_overlap(napi_env env, napi_callback_info info) {
    Arguments<4> in(env, info);
    BackgroundJob* job = find(*in.environment, in.handle(0));
    if (!job) return in.environment->fail(env, CRAYON_CLOSED);
    crayon_result result = {};
    crayon_job_set_overlap(job->job, in.integer(1), in.integer(2), in.integer(3), &result);
    return answer(*in.environment, env, result);
}

// (job, {limit, overlap, unit, kind of cuts}, separators, their numbers)
napi_value job_set_parts(napi_env env, napi_callback_info info) {
    Arguments<4> in(env, info);
    BackgroundJob* job = find(*in.environment, in.handle(0));
    if (!job) return in.environment->fail(env, CRAYON_CLOSED);
    const Elements<const std::uint32_t> limits(env, in.at[1]), numbers(env, in.at[3]);
    const Elements<const std::uint8_t> separators(env, in.at[2]);
    crayon_result result = {};
    if (limits.count < 4 || !separators.valid || separators.count > 0x7FFFFFFF || !numbers.valid || numbers.count > 0x7FFFFFFF) {
        return in.environment->fail(env, CRAYON_INVALID_ARGUMENT);
    }
    const std::uint32_t* const of = limits.data;
    const crayon_part_form form = {of[0],
                                   of[1],
                                   of[2],
                                   of[3],
                                   separators.data,
                                   numbers.data,
                                   static_cast<std::uint32_t>(separators.count),
                                   static_cast<std::uint32_t>(numbers.count / 2)};
    crayon_job_set_parts(job->job, &form, &result);
    return answer(*in.environment, env, result);
}

napi_value job_feed(napi_env env, napi_callback_info info) {
    Arguments<3> in(env, info);
    Environment& environment = *in.environment;
    BackgroundJob* job = find(environment, in.handle(0));
    if (!job) return environment.fail(env, CRAYON_CLOSED);
    std::size_t length = 0;
    if (!in.units(1, length)) return environment.fail(env, CRAYON_INVALID_ARGUMENT);
    crayon_result result = {};
    crayon_job_append_utf16(job->job, reinterpret_cast<const std::uint16_t*>(environment.units()),
                            static_cast<std::uint32_t>(length), in.truth(2), &result);
    return answer(environment, env, result);
}

napi_value job_feed_bytes(napi_env env, napi_callback_info info) {
    Arguments<3> in(env, info);
    Environment& environment = *in.environment;
    BackgroundJob* job = find(environment, in.handle(0));
    if (!job) return environment.fail(env, CRAYON_CLOSED);
    Elements<const std::uint8_t> bytes(env, in.at[1]);
    if (!bytes.valid || bytes.count > 0x7FFFFFFF) return environment.fail(env, CRAYON_INVALID_ARGUMENT);
    crayon_result result = {};
    crayon_job_append_utf8(job->job, bytes.data, static_cast<std::uint32_t>(bytes.count), in.truth(2), &result);
    return answer(environment, env, result);
}

// The offsets are copied first, because another thread may be changing them.
napi_value job_feed_rows(napi_env env, napi_callback_info info) {
    Arguments<5> in(env, info);
    Environment& environment = *in.environment;
    BackgroundJob* job = find(environment, in.handle(0));
    if (!job) return environment.fail(env, CRAYON_CLOSED);
    Elements<const std::uint8_t> bytes(env, in.at[1]);
    Elements<const std::uint32_t> offsets(env, in.at[2]);
    const std::size_t first = in.integer(3), last = in.integer(4);
    if (!bytes.valid || last < first || last >= offsets.count || last - first >= Environment::kWindow) {
        return environment.fail(env, CRAYON_INVALID_ARGUMENT);
    }
    std::uint32_t* const row_ends = environment.numbers();
    std::memcpy(row_ends, offsets.data + first, (last - first + 1) * sizeof(std::uint32_t));
    crayon_result result = {};
    result.status = CRAYON_INVALID_ARGUMENT;
    const std::uint32_t rows = static_cast<std::uint32_t>(last - first);
    if (row_ends[rows] <= bytes.count) crayon_job_append_rows(job->job, bytes.data, row_ends, rows, &result);
    return answer(environment, env, result);
}

// Each row is converted separately: a surrogate at its end does not join the next row.
napi_value job_feed_joined(napi_env env, napi_callback_info info) {
    Arguments<3> in(env, info);
    Environment& environment = *in.environment;
    BackgroundJob* job = find(environment, in.handle(0));
    if (!job) return environment.fail(env, CRAYON_CLOSED);
    Elements<const std::uint32_t> lengths(env, in.at[2]);
    std::size_t length = 0;
    if (!lengths.valid || !in.units(1, length)) {
        return environment.fail(env, CRAYON_INVALID_ARGUMENT);
    }
    std::uint64_t total = 0;
    for (std::size_t row = 0; row < lengths.count; ++row) total += lengths.data[row];
    if (total != length) return environment.fail(env, CRAYON_INVALID_ARGUMENT);
    crayon_result result = {};
    crayon_job_append_rows_utf16(job->job, reinterpret_cast<const std::uint16_t*>(environment.units()), lengths.data,
                                 static_cast<std::uint32_t>(lengths.count), &result);
    return answer(environment, env, result);
}

// Not copied: `lib/` does not modify the bytes until the job is done, and nobody else has them.
napi_value job_set_rows(napi_env env, napi_callback_info info) {
    Arguments<3> in(env, info);
    Environment& environment = *in.environment;
    BackgroundJob* job = find(environment, in.handle(0));
    if (!job) return environment.fail(env, CRAYON_CLOSED);
    Elements<const std::uint8_t> bytes(env, in.at[1]);
    Elements<const std::uint32_t> offsets(env, in.at[2]);
    crayon_result result = {};
    result.status = CRAYON_INVALID_ARGUMENT;
    const bool is_within =
        bytes.valid && offsets.count > 0 && offsets.count <= 0xFFFFFFFF && offsets.data[offsets.count - 1] <= bytes.count;
    if (is_within && !job->memory && napi_create_reference(env, in.at[1], 1, &job->memory) == napi_ok) {
        crayon_job_set_rows(job->job, bytes.data, offsets.data, static_cast<std::uint32_t>(offsets.count - 1), &result);
    }
    return answer(environment, env, result);
}

// Not copied: `lib/` does not modify the bytes, and nobody else has them.
napi_value job_set_text(napi_env env, napi_callback_info info) {
    Arguments<3> in(env, info);
    Environment& environment = *in.environment;
    BackgroundJob* job = find(environment, in.handle(0));
    if (!job) return environment.fail(env, CRAYON_CLOSED);
    Elements<const std::uint8_t> bytes(env, in.at[1]);
    if (!bytes.valid || job->memory || napi_create_reference(env, in.at[1], 1, &job->memory) != napi_ok) {
        return environment.fail(env, CRAYON_INVALID_ARGUMENT);
    }
    crayon_result result = {};
    crayon_job_set_text(job->job, bytes.data, bytes.count, in.truth(2), &result);
    return answer(environment, env, result);
}

napi_value job_map_text(napi_env env, napi_callback_info info) {
    Arguments<5> in(env, info);
    BackgroundJob* job = find(*in.environment, in.handle(0));
    if (!job) return in.environment->fail(env, CRAYON_CLOSED);
    crayon_result result = {};
    crayon_job_map_text(job->job, static_cast<std::int32_t>(in.integer(1)), static_cast<std::uint64_t>(in.handle(2)),
                        in.integer(3), in.truth(4), &result);
    return answer(*in.environment, env, result);
}

napi_value job_can_map(napi_env env, napi_callback_info info) {
    Arguments<1> in(env, info);
    return number(env, crayon_job_can_map(static_cast<std::int32_t>(in.integer(0))));
}

napi_value job_end(napi_env env, napi_callback_info info) {
    Arguments<1> in(env, info);
    BackgroundJob* job = find(*in.environment, in.handle(0));
    if (!job) return in.environment->fail(env, CRAYON_CLOSED);
    crayon_result result = {};
    crayon_job_end(job->job, &result);
    return answer(*in.environment, env, result);
}

napi_value job_submit(napi_env env, napi_callback_info info) {
    Arguments<1> in(env, info);
    BackgroundJob* job = find(*in.environment, in.handle(0));
    if (!job) return in.environment->fail(env, CRAYON_CLOSED);
    crayon_result result = {};
    // Registered first, because it may be reported at any moment.
    in.environment->background->expect(env, *job);
    if (crayon_pool_submit(in.environment->background->pool(), job->job, &result) != CRAYON_OK) {
        in.environment->background->expect_no_more(env, *job);
    }
    return answer(*in.environment, env, result);
}

napi_value job_start(napi_env env, napi_callback_info info) {
    Arguments<1> in(env, info);
    BackgroundJob* job = find(*in.environment, in.handle(0));
    if (!job) return in.environment->fail(env, CRAYON_CLOSED);
    crayon_result result = {};
    job->is_started = crayon_job_start(in.environment->background->pool(), job->job, &result) == CRAYON_OK;
    return answer(*in.environment, env, result);
}

napi_value job_run(napi_env env, napi_callback_info info) {
    Arguments<1> in(env, info);
    BackgroundJob* job = find(*in.environment, in.handle(0));
    if (!job) return in.environment->fail(env, CRAYON_CLOSED);
    crayon_result result = {};
    crayon_job_run(in.environment->background->pool(), job->job, &result);
    job->is_started = false;
    return outcome(*in.environment, env, *job);
}

napi_value job_run_for(napi_env env, napi_callback_info info) {
    Arguments<2> in(env, info);
    BackgroundJob* job = find(*in.environment, in.handle(0));
    if (!job) return in.environment->fail(env, CRAYON_CLOSED);
    crayon_result result = {};
    const bool goes_on = in.environment->background->run_for(env, *job, in.integer(1), &result);
    return answer(*in.environment, env, result, goes_on ? 0 : 1);
}

napi_value job_result(napi_env env, napi_callback_info info) {
    Arguments<1> in(env, info);
    BackgroundJob* job = find(*in.environment, in.handle(0));
    return job ? outcome(*in.environment, env, *job) : in.environment->fail(env, CRAYON_CLOSED);
}

napi_value job_position(napi_env env, napi_callback_info info) {
    Arguments<1> in(env, info);
    BackgroundJob* job = find(*in.environment, in.handle(0));
    if (!job) return in.environment->fail(env, CRAYON_CLOSED);
    crayon_result result = {};
    crayon_job_result(job->job, &result);
    return answer(*in.environment, env, result, result.position_high * 4294967296.0 + result.position);
}

napi_value job_totals(napi_env env, napi_callback_info info) {
    Arguments<2> in(env, info);
    BackgroundJob* job = find(*in.environment, in.handle(0));
    if (!job) return in.environment->fail(env, CRAYON_CLOSED);
    Elements<std::uint32_t> totals(env, in.at[1]);
    crayon_result result = {};
    if (!totals.valid || totals.count <= crayon_job_row_count(job->job)) {
        result.status = CRAYON_INVALID_ARGUMENT;
    } else {
        crayon_job_row_offsets(job->job, totals.data, &result);
    }
    return answer(*in.environment, env, result);
}

napi_value job_take(napi_env env, napi_callback_info info) {
    Arguments<1> in(env, info);
    BackgroundJob* job = find(*in.environment, in.handle(0));
    napi_value ids = job ? ids_of(env, job->job) : nullptr;
    if (!ids) in.environment->keep_failure(job ? CRAYON_OUT_OF_MEMORY : CRAYON_CLOSED);
    return ids;
}

// Writes the ids to new memory for all of them.
napi_value job_copy(napi_env env, napi_callback_info info) {
    Arguments<2> in(env, info);
    BackgroundJob* job = find(*in.environment, in.handle(0));
    if (!job) return in.environment->fail(env, CRAYON_CLOSED);
    Elements<std::uint32_t> ids(env, in.at[1]);
    crayon_result result = {};
    if (!ids.valid || ids.count != crayon_job_token_count(job->job)) {
        return in.environment->fail(env, CRAYON_INVALID_ARGUMENT);
    }
    if (ids.count == 0) return number(env, 0);
    crayon_memory_prepare(ids.data, ids.count * sizeof(std::uint32_t), 1);
    crayon_job_copy(job->job, ids.data, &result);
    return answer(*in.environment, env, result);
}

napi_value job_write_rows(napi_env env, napi_callback_info info) {
    Arguments<6> in(env, info);
    BackgroundJob* job = find(*in.environment, in.handle(0));
    if (!job) return in.environment->fail(env, CRAYON_CLOSED);
    Elements<const std::uint32_t> before(env, in.at[1]), after(env, in.at[2]);
    Elements<std::uint8_t> out(env, in.at[4]);
    Elements<std::uint32_t> lengths(env, in.at[5]);
    crayon_result result = {};
    if (!before.valid || !after.valid || !out.valid || !lengths.valid || lengths.count < crayon_job_row_count(job->job)) {
        return in.environment->fail(env, CRAYON_INVALID_ARGUMENT);
    }
    const crayon_row_form form = {before.data, after.data, static_cast<std::uint32_t>(before.count),
                                  static_cast<std::uint32_t>(after.count), in.integer(3)};
    crayon_job_write_rows(job->job, &form, out.data, out.count, lengths.data, &result);
    return answer(*in.environment, env, result);
}

napi_value job_release(napi_env env, napi_callback_info info) {
    Arguments<1> in(env, info);
    if (BackgroundJob* job = find(*in.environment, in.handle(0))) in.environment->background->release(env, *job);
    return number(env, 0);
}

}  // namespace crayon::addon
