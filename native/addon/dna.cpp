// Matrices of DNA that the process's threads write, or a device. The calls that write one here are in bindings.cpp.

#include "background.h"
#include "call.h"
#include "devices.h"
#include "functions.h"

namespace crayon::addon {

namespace {

// The arguments that all jobs have: (dna, bytes, offsets, columns, flags, …, …, unknown, …).
struct Rows {
    const crayon_dna* dna;
    Array<const std::uint8_t> bytes;
    Array<const std::uint32_t> offsets;
    std::uint32_t columns, flags, count;
    Array<std::uint32_t> unknown;

    explicit Rows(Call<9>& in)
        : dna(in.handle<crayon_dna>(0)),
          bytes(in.array<const std::uint8_t>(1)),
          offsets(in.array<const std::uint32_t>(2)),
          columns(in.u32(3)),
          flags(in.u32(4)),
          unknown(in.array<std::uint32_t>(7)) {
        in.need(offsets.count > 0);
        count = in.length(offsets.count - 1);
        in.need(unknown.count >= count);
    }
    std::uint64_t size() const { return std::uint64_t{count} * columns; }
};

// The arrays that a job writes: arguments 5 and 6.
struct Output {
    Ids ids;
    Array<std::uint8_t> mask;  // or none

    Output(Call<9>& in, std::uint64_t size) : ids(in.ids(5)), mask(in.optional<std::uint8_t>(6)) {
        in.need(ids.count >= size && (!mask.data || mask.count >= size));
    }
};

// Keeps arguments alive; null if memory is short.
napi_value array_of(const Arguments<9>& in, std::initializer_list<std::size_t> arguments) {
    napi_value arrays = nullptr;
    std::uint32_t count = 0;
    if (napi_create_array(in.env, &arrays) != napi_ok) return nullptr;
    for (const std::size_t each : arguments) napi_set_element(in.env, arrays, count++, in.at[each]);
    return arrays;
}

}  // namespace

// A job, which keeps the arrays alive; `lib/` does not modify them.
napi_value dna_job_begin(napi_env env, napi_callback_info info) {
    Call<9> in(env, info);
    Environment& environment = *in.arguments().environment;
    const Rows rows(in);
    const Output to(in, rows.size());
    const std::uint32_t byte_count = in.length(rows.bytes.count);
    in.need(environment.background && rows.size() > 0);
    crayon_job* job = nullptr;
    if (!in.is_valid() ||
        crayon_job_create_dna(rows.dna, rows.bytes.data, byte_count, rows.offsets.data, rows.count, rows.columns, rows.flags,
                              to.ids.width, to.ids.data, to.mask.data, rows.unknown.data, &job, in.result()) != CRAYON_OK) {
        return in.refused();
    }
    crayon_job_set_threads(job, in.u32(8));
    BackgroundJob* const added = environment.background->add(job);
    if (!added) {
        crayon_job_release(job);
        return environment.fail(env, CRAYON_OUT_OF_MEMORY);
    }
    if (napi_create_reference(env, array_of(in.arguments(), {1, 2, 5, 6, 7}), 1, &added->memory) != napi_ok) {
        environment.background->release(env, *added);
        return environment.fail(env, CRAYON_OUT_OF_MEMORY);
    }
    return number(env, static_cast<double>(added->handle));
}

// The same on an accelerator; its handle follows the matrix.
napi_value dna_device_job(napi_env env, napi_callback_info info) {
    Call<9> in(env, info);
    Environment& environment = *in.arguments().environment;
    crayon_device* const device = environment.devices.find(in.arguments().handle(8));
    if (!device) return environment.fail(env, CRAYON_CLOSED);
    const Rows rows(in);
    const Output to(in, rows.size());
    crayon_device_job* job = nullptr;
    if (!in.is_valid() || crayon_device_create_dna(device, rows.dna, rows.bytes.data, rows.bytes.count, rows.offsets.data,
                                                   rows.count, rows.columns, rows.flags, to.ids.width, to.ids.data, to.mask.data,
                                                   rows.unknown.data, &job, in.result()) != CRAYON_OK) {
        return in.refused();
    }
    return add_device_job(env, environment, job, array_of(in.arguments(), {1, 5, 6, 7}));
}

// The same for a matrix that stays on the device, without arrays for it. Arguments 5 and 6 are the bytes of an id and of an
// element of the mask.
napi_value dna_kept_job(napi_env env, napi_callback_info info) {
    Call<9> in(env, info);
    Environment& environment = *in.arguments().environment;
    crayon_device* const device = environment.devices.find(in.arguments().handle(8));
    if (!device) return environment.fail(env, CRAYON_CLOSED);
    const Rows rows(in);
    crayon_device_job* job = nullptr;
    if (!in.is_valid() ||
        crayon_device_create_dna(device, rows.dna, rows.bytes.data, rows.bytes.count, rows.offsets.data, rows.count, rows.columns,
                                 rows.flags, in.u32(5), nullptr, nullptr, rows.unknown.data, &job, in.result()) != CRAYON_OK) {
        return in.refused();
    }
    if (crayon_device_job_keep(job, in.u32(6), in.result()) != CRAYON_OK) {
        crayon_device_job_release(job);
        return in.refused();
    }
    return add_device_job(env, environment, job, array_of(in.arguments(), {1, 7}));
}

}  // namespace crayon::addon
