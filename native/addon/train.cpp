// Trains a vocabulary, in the thread of JavaScript that calls and in threads of its own. Arguments are read with
// node-addon-api.

#include <napi.h>

#include <cstring>
#include <string>

#include "environment.h"
#include "functions.h"
#include "training.h"

namespace crayon::addon {

namespace {

napi_value add(napi_env env, Environment& environment, crayon_trainer* trainer, std::uint32_t threads, bool cuttable) {
    Training* const training = Training::create(trainer, threads, cuttable);
    const std::int64_t handle = training ? environment.trainings.add(training) : 0;
    if (handle != 0) return number(env, static_cast<double>(handle));
    delete training;
    return environment.fail(env, CRAYON_OUT_OF_MEMORY);
}

bool reserve(crayon_trainer* trainer, const Napi::Value& list, crayon_result& result) {
    const std::uint32_t count = list.IsArray() ? list.As<Napi::Array>().Length() : 0;
    for (std::uint32_t i = 0; i < count; ++i) {
        Elements<const std::uint8_t> bytes(list.Env(), list.As<Napi::Array>().Get(i));
        if (crayon_trainer_reserve(trainer, bytes.data, static_cast<std::uint32_t>(bytes.count), &result) !=
            CRAYON_OK) {
            return false;
        }
    }
    return true;
}

// A copy of some elements; nullptr without memory, or if the thread is terminated.
template <class T>
napi_value copy_of(napi_env env, Environment& environment, const T* elements, std::uint32_t count) {
    void* data = nullptr;
    napi_value buffer = nullptr, array = nullptr;
    if (napi_create_arraybuffer(env, sizeof(T) * std::size_t{count}, &data, &buffer) != napi_ok) {
        environment.keep_failure(CRAYON_OUT_OF_MEMORY);
        return nullptr;
    }
    if (data && count > 0) std::memcpy(data, elements, sizeof(T) * std::size_t{count});
    napi_create_typedarray(env, sizeof(T) == 1 ? napi_uint8_array : napi_uint32_array, count, buffer, 0, &array);
    return array;
}

}  // namespace

napi_value train_begin(napi_env raw, napi_callback_info info) {
    Arguments<2> in(raw, info);
    Napi::Env env(raw);
    Napi::Value value(env, in.at[0]);
    if (!value.IsObject()) return in.environment->fail(raw, CRAYON_INVALID_ARGUMENT);
    Napi::Object settings = value.As<Napi::Object>();
    const auto integer = [&](const char* name) { return settings.Get(name).ToNumber().Uint32Value(); };
    const crayon_trainer_options options = {integer("vocabularySize"), integer("minFrequency"),
                                            integer("maxTokenLength"), integer("ties"), integer("flags")};
    Elements<const std::uint8_t> alphabet(env, settings.Get("alphabet"));
    const std::string scanner = settings.Get("scanner").ToString().Utf8Value();
    crayon_result result = {};
    crayon_trainer* trainer = nullptr;
    if (crayon_trainer_create(&options, alphabet.count == 256 ? alphabet.data : nullptr, scanner.data(),
                              static_cast<std::uint32_t>(scanner.size()), nullptr, 0, &trainer, &result) != CRAYON_OK) {
        return in.environment->fail(raw, result);
    }
    if (!reserve(trainer, settings.Get("reserved"), result)) {
        crayon_trainer_release(trainer);
        return in.environment->fail(raw, result);
    }
    return add(raw, *in.environment, trainer, in.integer(1), scanner != "none");
}

napi_value train_resume(napi_env env, napi_callback_info info) {
    Arguments<2> in(env, info);
    Elements<const std::uint8_t> bytes(env, in.at[0]);
    crayon_result result = {};
    crayon_trainer* trainer = nullptr;
    if (!bytes.valid || bytes.count > 0xFFFFFFFF) return in.environment->fail(env, CRAYON_INVALID_ARGUMENT);
    if (crayon_trainer_restore(bytes.data, static_cast<std::uint32_t>(bytes.count), nullptr, 0, &trainer, &result) !=
        CRAYON_OK) {
        return in.environment->fail(env, result);
    }
    return add(env, *in.environment, trainer, in.integer(1), false);
}

napi_value train_feed(napi_env env, napi_callback_info info) {
    Arguments<3> in(env, info);
    Training* const training = in.environment->trainings.find(in.handle(0));
    Elements<const std::uint8_t> bytes(env, in.at[1]);
    if (!training || !bytes.valid) return in.environment->fail(env, CRAYON_INVALID_ARGUMENT);
    crayon_result result = {};
    const crayon_status status = training->feed(bytes.data, bytes.count, in.truth(2), &result);
    return status == CRAYON_OK ? number(env, 0) : in.environment->fail(env, result);
}

napi_value train_start(napi_env env, napi_callback_info info) {
    Arguments<2> in(env, info);
    Training* const training = in.environment->trainings.find(in.handle(0));
    if (!training) return in.environment->fail(env, CRAYON_INVALID_ARGUMENT);
    crayon_result result = {};
    const crayon_status status = training->start(in.truth(1), &result);
    return status == CRAYON_OK ? number(env, 0) : in.environment->fail(env, result);
}

napi_value train_step(napi_env env, napi_callback_info info) {
    Arguments<3> in(env, info);
    Training* const training = in.environment->trainings.find(in.handle(0));
    Elements<std::uint32_t> progress(env, in.at[2]);
    if (!training || progress.count < 10) return in.environment->fail(env, CRAYON_INVALID_ARGUMENT);
    crayon_result result = {};
    if (crayon_trainer_step(training->trainer(), in.integer(1), &result) != CRAYON_OK) {
        return in.environment->fail(env, result);
    }
    crayon_trainer_progress(training->trainer(), progress.data);
    return number(env, result.more);
}

napi_value train_result(napi_env env, napi_callback_info info) {
    Arguments<2> in(env, info);
    Environment& environment = *in.environment;
    Training* const training = environment.trainings.find(in.handle(0));
    crayon_result result = {};
    result.status = CRAYON_INVALID_ARGUMENT;
    const std::uint8_t* bytes = nullptr;
    const std::uint32_t* numbers = nullptr;
    const std::uint32_t part = in.integer(1);
    if (training && part < 2 && crayon_trainer_tokens(training->trainer(), &bytes, &numbers, &result) == CRAYON_OK) {
        const std::uint32_t count = result.count;
        return part == 0 ? copy_of(env, environment, bytes, numbers[count])
                         : copy_of(env, environment, numbers, count + 1);
    }
    if (training && part == 2) {
        std::uint32_t count = 0;
        numbers = crayon_trainer_merges(training->trainer(), &count);
        return copy_of(env, environment, numbers, 3 * count);
    }
    if (training && part == 3 && crayon_trainer_save(training->trainer(), &bytes, &result) == CRAYON_OK) {
        return copy_of(env, environment, bytes, result.count);
    }
    environment.fail(env, result);
    return nullptr;
}

napi_value train_end(napi_env env, napi_callback_info info) {
    Arguments<1> in(env, info);
    delete in.environment->trainings.remove(in.handle(0));
    return number(env, 0);
}

}  // namespace crayon::addon
