// The jobs of an environment on accelerators. One runs in the calling thread, or in one of libuv's, which Node waits for when the
// environment ends.
#pragma once

#include <node_api.h>

#include <cstdint>

#include "crayon/crayon.h"

namespace crayon::addon {

class Environment;

struct DeviceWork {
    crayon_device_job* job = nullptr;
    std::int64_t handle = 0;
    napi_ref memory = nullptr;  // keeps what the job reads and writes
    Environment* home = nullptr;
    napi_async_work work = nullptr;  // while it runs in another thread
    napi_deferred done = nullptr;
    crayon_result result = {};
    bool is_released = false;  // by JavaScript, while it runs
};

// A matrix that stays on a device, for which JavaScript has a handle.
struct DeviceMatrix {
    crayon_device_memory* memory = nullptr;
    crayon_device_matrix about = {};
};

// Lets it go; `env` is null when the environment ends.
void drop(napi_env env, DeviceMatrix* matrix);

// The handle of a new job, which keeps `memory`; the failure is stored if there is none.
napi_value add_device_job(napi_env env, Environment& environment, crayon_device_job* job, napi_value memory);
void drop(napi_env env, DeviceWork* work);

}  // namespace crayon::addon
