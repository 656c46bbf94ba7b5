// Trains a vocabulary, on the calling JavaScript thread and on separate threads.

#include <cstring>

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

// Token i is bytes[offsets[i], offsets[i + 1]).
bool reserve(crayon_trainer* trainer, const Elements<const std::uint8_t>& bytes, const Elements<const std::uint32_t>& offsets,
             crayon_result& result) {
    for (std::size_t i = 0; i + 1 < offsets.count; ++i) {
        const std::uint32_t begin = offsets.data[i], end = offsets.data[i + 1];
        result.status = CRAYON_INVALID_ARGUMENT;
        if (begin > end || end > bytes.count) return false;
        if (crayon_trainer_reserve(trainer, bytes.data + begin, end - begin, &result) != CRAYON_OK) return false;
    }
    return true;
}

}  // namespace

napi_value train_begin(napi_env env, napi_callback_info info) {
    Arguments<7> in(env, info);
    Elements<const std::uint32_t> numbers(env, in.at[0]);
    Elements<const std::uint8_t> alphabet(env, in.at[1]), pretokenizer(env, in.at[2]), reserved(env, in.at[3]);
    Elements<const std::uint32_t> offsets(env, in.at[4]);
    Elements<const std::uint8_t> pattern(env, in.at[5]);  // empty unless the pretokenizer is "pattern"
    if (numbers.count < 5 || alphabet.count != 256 || !pretokenizer.valid || pretokenizer.count > 64 || !reserved.valid) {
        return in.environment->fail(env, CRAYON_INVALID_ARGUMENT);
    }
    const crayon_trainer_options options = {numbers.data[0], numbers.data[1], numbers.data[2], numbers.data[3], numbers.data[4]};
    const char* const name = reinterpret_cast<const char*>(pretokenizer.data);
    const std::uint32_t name_length = static_cast<std::uint32_t>(pretokenizer.count);
    crayon_result result = {};
    crayon_trainer* trainer = nullptr;
    if (crayon_trainer_create(&options, alphabet.data, name, name_length, nullptr, 0, &trainer, &result) != CRAYON_OK) {
        return in.environment->fail(env, result);
    }
    const bool is_pattern = pattern.valid && pattern.count > 0;
    const std::uint32_t pattern_length = static_cast<std::uint32_t>(pattern.count);
    if ((is_pattern && crayon_trainer_set_pattern(trainer, pattern.data, pattern_length, &result) != CRAYON_OK) ||
        !reserve(trainer, reserved, offsets, result)) {
        crayon_trainer_release(trainer);
        return in.environment->fail(env, result);
    }
    const bool has_pieces = name_length != 4 || std::memcmp(name, "none", 4) != 0;
    return add(env, *in.environment, trainer, in.integer(6), has_pieces && !is_pattern);
}

napi_value train_resume(napi_env env, napi_callback_info info) {
    Arguments<2> in(env, info);
    Elements<const std::uint8_t> bytes(env, in.at[0]);
    crayon_result result = {};
    crayon_trainer* trainer = nullptr;
    if (!bytes.valid || bytes.count > 0xFFFFFFFF) return in.environment->fail(env, CRAYON_INVALID_ARGUMENT);
    if (crayon_trainer_restore(bytes.data, static_cast<std::uint32_t>(bytes.count), nullptr, 0, &trainer, &result) != CRAYON_OK) {
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
        return part == 0 ? copy_of(env, bytes, numbers[count]) : copy_of(env, numbers, count + 1);
    }
    if (training && part == 2) {
        std::uint32_t count = 0;
        numbers = crayon_trainer_merges(training->trainer(), &count);
        return copy_of(env, numbers, 3 * count);
    }
    if (training && part == 3 && crayon_trainer_save(training->trainer(), &bytes, &result) == CRAYON_OK) {
        return copy_of(env, bytes, result.count);
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
