// Accelerators: describing them, and running batches on them.

#include "devices.h"

#include <iterator>
#include <new>

#include "environment.h"
#include "functions.h"
#include "objects.h"
#include "policy.h"
#include "threads.h"

namespace crayon::addon {

namespace {

template <std::size_t kCount>
DeviceWork* find(const Arguments<kCount>& in) {
    return in.environment->device_jobs.find(in.handle(0));
}

void run(napi_env, void* data) {
    DeviceWork* const work = static_cast<DeviceWork*>(data);
    crayon_device_job_run(work->job, &work->result);
}

void report(napi_env env, napi_status, void* data) {
    DeviceWork* const work = static_cast<DeviceWork*>(data);
    napi_delete_async_work(env, work->work);
    work->work = nullptr;
    const napi_deferred done = work->done;
    if (work->is_released) drop(env, work->home->device_jobs.remove(work->handle));
    napi_value undefined = nullptr;
    if (napi_get_undefined(env, &undefined) == napi_ok) napi_resolve_deferred(env, done, undefined);
}

}  // namespace

void drop(napi_env env, DeviceWork* work) {
    if (env && work->memory) napi_delete_reference(env, work->memory);
    crayon_device_job_release(work->job);
    if (work->uses_threads) Threads::release();
    delete work;
}

void drop(napi_env env, DeviceMatrix* matrix) {
    std::int64_t total;
    if (env) napi_adjust_external_memory(env, -static_cast<std::int64_t>(matrix->about.size), &total);
    crayon_device_memory_release(matrix->memory);
    delete matrix;
}

napi_value add_device_job(napi_env env, Environment& environment, crayon_device_job* job, napi_value memory) {
    DeviceWork* const work = new (std::nothrow) DeviceWork;
    if (work) work->handle = environment.device_jobs.add(work);
    if (!work || work->handle == 0 || napi_create_reference(env, memory, 1, &work->memory) != napi_ok) {
        if (work && work->handle) environment.device_jobs.remove(work->handle);
        crayon_device_job_release(job);
        delete work;
        return environment.fail(env, CRAYON_OUT_OF_MEMORY);
    }
    work->job = job;
    work->home = &environment;
    return number(env, static_cast<double>(work->handle));
}

napi_value device_open(napi_env env, napi_callback_info info) {
    Arguments<2> in(env, info);
    const Utf8 path(env, in.at[0]);
    const Elements<const std::uint32_t> settings(env, in.at[1]);
    crayon_device* device = nullptr;
    crayon_result result = {};
    if (crayon_device_open(path.text, path.length, settings.data, static_cast<std::uint32_t>(settings.count), &device, &result) !=
        CRAYON_OK) {
        return in.environment->fail(env, result);
    }
    const std::int64_t handle = in.environment->devices.add(device);
    if (handle) return number(env, static_cast<double>(handle));
    crayon_device_release(device);
    return in.environment->fail(env, CRAYON_OUT_OF_MEMORY);
}

napi_value device_describe(napi_env env, napi_callback_info info) {
    Arguments<1> in(env, info);
    crayon_device* const device = in.environment->devices.find(in.handle(0));
    if (!device) {
        in.environment->keep_failure(CRAYON_CLOSED);
        return nullptr;
    }
    crayon_device_facts facts = {};
    crayon_device_describe(device, &facts);
    const Napi::Object out = Napi::Object::New(env);
    if (out.IsEmpty()) return nullptr;
    set(out, "kind", facts.kind);
    set(out, "isUsable", facts.is_usable != 0);
    set(out, "name", facts.name);
    set(out, "reason", facts.reason);
    set(out, "memory", static_cast<double>(facts.memory));
    set(out, "heldBytes", static_cast<double>(facts.held_bytes));
    set(out, "processors", facts.processors);
    set(out, "warpSize", facts.warp_size);
    set(out, "majorArchitecture", facts.major_architecture);
    set(out, "minorArchitecture", facts.minor_architecture);
    return out;
}

napi_value device_close(napi_env env, napi_callback_info info) {
    Arguments<1> in(env, info);
    crayon_device_release(in.environment->devices.remove(in.handle(0)));
    return number(env, 0);
}

napi_value device_supports(napi_env env, napi_callback_info info) {
    Arguments<1> in(env, info);
    crayon_tokenizer* const tokenizer = in.environment->table<crayon_tokenizer>().find(in.handle(0));
    if (!tokenizer) return in.environment->fail(env, CRAYON_CLOSED);
    return number(env, crayon_device_supports(tokenizer));
}

// (device, tokenizer, policy, flags, bytes, offsets)
napi_value device_texts(napi_env env, napi_callback_info info) {
    Arguments<6> in(env, info);
    Environment& environment = *in.environment;
    crayon_device* const device = environment.devices.find(in.handle(0));
    crayon_tokenizer* const tokenizer = environment.table<crayon_tokenizer>().find(in.handle(1));
    if (!device || !tokenizer) return environment.fail(env, CRAYON_CLOSED);
    const Policy policy(env, in.at[2]);
    const Elements<const std::uint8_t> bytes(env, in.at[4]);
    const Elements<const std::uint32_t> offsets(env, in.at[5]);
    if (!bytes.valid || offsets.count == 0 || offsets.count > 0xFFFFFFFF) return environment.fail(env, CRAYON_INVALID_ARGUMENT);
    crayon_result result = {};
    crayon_device_job* job = nullptr;
    if (crayon_device_create_texts(device, tokenizer, policy.special, policy.allowed, policy.allowed_count, in.integer(3),
                                   bytes.data, bytes.count, offsets.data, static_cast<std::uint32_t>(offsets.count - 1), &job,
                                   &result) != CRAYON_OK) {
        return environment.fail(env, result);
    }
    return add_device_job(env, environment, job, in.at[4]);
}

// (device, tokenizer, flags, ids, offsets)
napi_value device_decoding(napi_env env, napi_callback_info info) {
    Arguments<5> in(env, info);
    Environment& environment = *in.environment;
    crayon_device* const device = environment.devices.find(in.handle(0));
    crayon_tokenizer* const tokenizer = environment.table<crayon_tokenizer>().find(in.handle(1));
    if (!device || !tokenizer) return environment.fail(env, CRAYON_CLOSED);
    const Elements<const std::uint32_t> ids(env, in.at[3]), offsets(env, in.at[4]);
    if (!ids.valid || offsets.count == 0 || offsets.count > 0xFFFFFFFF) return environment.fail(env, CRAYON_INVALID_ARGUMENT);
    crayon_result result = {};
    crayon_device_job* job = nullptr;
    if (crayon_device_create_decoding(device, tokenizer, in.integer(2), ids.data, ids.count, offsets.data,
                                      static_cast<std::uint32_t>(offsets.count - 1), &job, &result) != CRAYON_OK) {
        return environment.fail(env, result);
    }
    return add_device_job(env, environment, job, in.at[3]);
}

// [words, count], once: `count` bytes, in whole words.
napi_value device_job_bytes(napi_env env, napi_callback_info info) {
    Arguments<1> in(env, info);
    const DeviceWork* const work = find(in);
    if (!work || work->work) return no_value(*in.environment, work ? CRAYON_INVALID_ARGUMENT : CRAYON_CLOSED);
    const std::uint64_t count = crayon_device_job_byte_count(work->job);
    const Napi::Array out = Napi::Array::New(env);
    napi_value const words = owned_ids(env, crayon_device_job_detach_bytes(work->job), static_cast<std::size_t>((count + 3) / 4));
    if (out.IsEmpty() || !words) return no_value(*in.environment, CRAYON_OUT_OF_MEMORY);
    set(out, 0, words);
    set(out, 1, static_cast<double>(count));
    return out;
}

// (job, threads): they help, at most that many, if the process has any.
napi_value device_job_use_threads(napi_env env, napi_callback_info info) {
    Arguments<2> in(env, info);
    DeviceWork* const work = find(in);
    if (!work || work->work) return in.environment->fail(env, work ? CRAYON_INVALID_ARGUMENT : CRAYON_CLOSED);
    if (!work->uses_threads && in.environment->background) {
        crayon_pool* const pool = Threads::retain(1);
        crayon_device_job_use_pool(work->job, pool, in.integer(1));
        work->uses_threads = pool != nullptr;
    }
    return number(env, 0);
}

napi_value device_job_keep(napi_env env, napi_callback_info info) {
    Arguments<2> in(env, info);
    const DeviceWork* const work = find(in);
    crayon_result result = {};
    result.status = work ? CRAYON_INVALID_ARGUMENT : CRAYON_CLOSED;
    if (work && !work->work) crayon_device_job_keep(work->job, in.integer(1), &result);
    return result.status == CRAYON_OK ? number(env, 0) : in.environment->fail(env, result);
}

napi_value device_job_pad(napi_env env, napi_callback_info info) {
    Arguments<2> in(env, info);
    const DeviceWork* const work = find(in);
    const Elements<const std::uint32_t> words(env, in.at[1]);
    crayon_result result = {};
    result.status = work ? CRAYON_INVALID_ARGUMENT : CRAYON_CLOSED;
    if (work && !work->work && words.valid)
        crayon_device_job_pad(work->job, words.data, static_cast<std::uint32_t>(words.count), &result);
    return result.status == CRAYON_OK ? number(env, 0) : in.environment->fail(env, result);
}

// Of the matrix; -1 without one.
napi_value device_job_columns(napi_env env, napi_callback_info info) {
    Arguments<1> in(env, info);
    const DeviceWork* const work = find(in);
    std::uint64_t words = 0;
    return number(env, static_cast<double>(work && !work->work ? crayon_device_job_columns(work->job, &words) : -1));
}

// [ids, mask], as words, once.
napi_value device_job_matrix(napi_env env, napi_callback_info info) {
    Arguments<1> in(env, info);
    const DeviceWork* const work = find(in);
    std::uint64_t words = 0;
    const Napi::Array out = Napi::Array::New(env);
    if (out.IsEmpty()) return nullptr;
    bool is_whole = work && !work->work && crayon_device_job_columns(work->job, &words) >= 0;
    for (std::uint32_t is_mask = 0; is_mask < 2 && is_whole; ++is_mask) {
        napi_value const array =
            owned_ids(env, crayon_device_job_detach_matrix(work->job, is_mask), static_cast<std::size_t>(words));
        is_whole = array != nullptr;
        if (is_whole) set(out, is_mask, array);
    }
    if (is_whole) return out;
    in.environment->keep_failure(work ? CRAYON_OUT_OF_MEMORY : CRAYON_CLOSED);
    return nullptr;
}

napi_value device_job_run(napi_env env, napi_callback_info info) {
    Arguments<1> in(env, info);
    DeviceWork* const work = find(in);
    if (!work || work->work) return in.environment->fail(env, work ? CRAYON_INVALID_ARGUMENT : CRAYON_CLOSED);
    run(env, work);
    return number(env, 0);
}

// A promise that resolves when the job has run; undefined if no thread can take it.
napi_value device_job_submit(napi_env env, napi_callback_info info) {
    Arguments<1> in(env, info);
    DeviceWork* const work = find(in);
    napi_value name = nullptr, promise = nullptr;
    if (!work || work->work) {
        in.environment->keep_failure(work ? CRAYON_INVALID_ARGUMENT : CRAYON_CLOSED);
        return nullptr;
    }
    napi_create_string_utf8(env, "crayon", NAPI_AUTO_LENGTH, &name);
    if (napi_create_async_work(env, nullptr, name, run, report, work, &work->work) == napi_ok &&
        napi_create_promise(env, &work->done, &promise) == napi_ok && napi_queue_async_work(env, work->work) == napi_ok) {
        return promise;
    }
    if (work->work) napi_delete_async_work(env, work->work);
    work->work = nullptr;
    in.environment->keep_failure(CRAYON_OUT_OF_MEMORY);
    return nullptr;
}

// The number of tokens; -1 on failure.
napi_value device_job_result(napi_env env, napi_callback_info info) {
    Arguments<1> in(env, info);
    const DeviceWork* const work = find(in);
    if (!work || work->work) return in.environment->fail(env, work ? CRAYON_INVALID_ARGUMENT : CRAYON_CLOSED);
    if (work->result.status != CRAYON_OK) return in.environment->fail(env, work->result);
    return number(env, static_cast<double>(crayon_device_job_token_count(work->job)));
}

napi_value device_job_totals(napi_env env, napi_callback_info info) {
    Arguments<2> in(env, info);
    const DeviceWork* const work = in.environment->device_jobs.find(in.handle(0));
    const Elements<std::uint32_t> totals(env, in.at[1]);
    crayon_result result = {};
    result.status = work ? CRAYON_INVALID_ARGUMENT : CRAYON_CLOSED;
    if (work && !work->work && totals.valid && totals.count > crayon_device_job_row_count(work->job)) {
        crayon_device_job_row_offsets(work->job, totals.data, &result);
    }
    return result.status == CRAYON_OK ? number(env, 0) : in.environment->fail(env, result);
}

napi_value device_job_take(napi_env env, napi_callback_info info) {
    Arguments<1> in(env, info);
    const DeviceWork* const work = find(in);
    const bool is_done = work && !work->work;
    napi_value const ids = is_done ? owned_ids(env, crayon_device_job_detach_ids(work->job),
                                               static_cast<std::size_t>(crayon_device_job_token_count(work->job)))
                                   : nullptr;
    if (!ids) in.environment->keep_failure(is_done ? CRAYON_OUT_OF_MEMORY : CRAYON_CLOSED);
    return ids;
}

napi_value device_job_progress(napi_env env, napi_callback_info info) {
    Arguments<1> in(env, info);
    const DeviceWork* const work = find(in);
    if (!work || work->work) return nullptr;
    std::uint64_t progress[8];
    crayon_device_job_progress(work->job, progress);
    const Napi::Array out = Napi::Array::New(env);
    if (out.IsEmpty()) return nullptr;
    for (std::uint32_t i = 0; i < std::size(progress); ++i) set(out, i, static_cast<double>(progress[i]));
    return out;
}

napi_value device_job_release(napi_env env, napi_callback_info info) {
    Arguments<1> in(env, info);
    DeviceWork* const work = find(in);
    if (!work) return number(env, 0);
    if (work->work) {
        crayon_device_job_cancel(work->job);
        work->is_released = true;
    } else {
        drop(env, in.environment->device_jobs.remove(work->handle));
    }
    return number(env, 0);
}

// { handle, address, maskOffset, device }, once. Reports the size to the garbage collector, which otherwise would not know
// that a forgotten batch is worth collecting.
napi_value device_job_kept(napi_env env, napi_callback_info info) {
    Arguments<1> in(env, info);
    Environment& environment = *in.environment;
    const DeviceWork* const work = find(in);
    if (!work || work->work) return no_value(environment, work ? CRAYON_INVALID_ARGUMENT : CRAYON_CLOSED);
    const Napi::Object out = Napi::Object::New(env);
    if (out.IsEmpty()) return nullptr;
    DeviceMatrix* const matrix = new (std::nothrow) DeviceMatrix;
    if (!matrix) return no_value(environment, CRAYON_OUT_OF_MEMORY);
    matrix->memory = crayon_device_job_detach_memory(work->job, &matrix->about);
    const std::int64_t handle = matrix->memory ? environment.device_matrices.add(matrix) : 0;
    if (handle == 0) {
        const crayon_status status = matrix->memory ? CRAYON_OUT_OF_MEMORY : CRAYON_INVALID_ARGUMENT;
        crayon_device_memory_release(matrix->memory);
        delete matrix;
        return no_value(environment, status);
    }
    std::int64_t total;
    napi_adjust_external_memory(env, static_cast<std::int64_t>(matrix->about.size), &total);
    napi_value address = nullptr;
    napi_create_bigint_uint64(env, matrix->about.address, &address);
    napi_set_named_property(env, out, "address", address);
    set(out, "handle", static_cast<double>(handle));
    set(out, "maskOffset", static_cast<double>(matrix->about.mask_offset));
    set(out, "device", matrix->about.device);
    return out;
}

// (matrix, offset, array): fills the array with the matrix's bytes from the offset on.
napi_value device_matrix_read(napi_env env, napi_callback_info info) {
    Arguments<3> in(env, info);
    const DeviceMatrix* const matrix = in.environment->device_matrices.find(in.handle(0));
    const Elements<std::uint8_t> to(env, in.at[2]);
    crayon_result result = {};
    result.status = matrix ? CRAYON_INVALID_ARGUMENT : CRAYON_CLOSED;
    if (matrix && to.valid) {
        crayon_device_memory_read(matrix->memory, static_cast<std::uint64_t>(in.handle(1)), to.count, to.data, &result);
    }
    return result.status == CRAYON_OK ? number(env, 0) : in.environment->fail(env, result);
}

napi_value device_matrix_close(napi_env env, napi_callback_info info) {
    Arguments<1> in(env, info);
    if (DeviceMatrix* const matrix = in.environment->device_matrices.remove(in.handle(0))) drop(env, matrix);
    return number(env, 0);
}

}  // namespace crayon::addon
