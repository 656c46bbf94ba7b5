// An environment's jobs on accelerators. A job runs on the calling thread, or on one of libuv's, which Node waits for when
// the environment ends.
#pragma once

#include <node_api.h>

#include <cstdint>

#include "crayon/crayon.h"

namespace crayon::addon {

class Environment;

struct DeviceWork {
    crayon_device_job* job = nullptr;
    std::int64_t handle = 0;
    napi_ref memory = nullptr;  // keeps arrays that the job reads and writes alive: the rule in background.h
    Environment* home = nullptr;
    napi_async_work work = nullptr;  // while it runs on another thread
    napi_deferred done = nullptr;
    crayon_result result = {};
    bool is_released = false;   // by JavaScript, while it runs
    bool uses_threads = false;  // of the process: it keeps them
};

// A matrix that stays on a device, with a JavaScript handle.
struct DeviceMatrix {
    crayon_device_memory* memory = nullptr;
    crayon_device_matrix about = {};
};

// Releases it; `env` is null when the environment ends.
void drop(napi_env env, DeviceMatrix* matrix);

// The handle of a new job, which keeps `memory` alive; if there is none, the failure is stored.
napi_value add_device_job(napi_env env, Environment& environment, crayon_device_job* job, napi_value memory);
void drop(napi_env env, DeviceWork* work);

}  // namespace crayon::addon
