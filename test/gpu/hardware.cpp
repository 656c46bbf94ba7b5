#include "hardware.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace crayon::gpu::test {

namespace {

void must(bool is_so, const char* what) {
    if (is_so) return;
    std::fprintf(stderr, "CRAYON_TEST_GPU_PLUGIN: %s\n", what);
    std::exit(1);
}

// An array that each kind of model has.
const void* key_of(const DeviceModel& model) {
    if (model.kind == CRAYON_GPU_LONGEST_MATCH) return Address::of(model.longest_match.units);
    if (model.kind == CRAYON_GPU_DNA) return Address::of(model.kmers.base_ids);
    if (model.kind == CRAYON_GPU_TOKENS) return Address::of(model.tokens.offsets);
    if (model.kind == CRAYON_GPU_WORD_PIECE) return Address::of(model.word_piece.units);
    if (model.is_deepseek3) return Address::of(model.deepseek3.blocks);
    return Address::of(model.automaton.blocks);
}

}  // namespace

Hardware* Hardware::here() {
    static const char* const plugin = std::getenv("CRAYON_TEST_GPU_PLUGIN");
    static Hardware* const device = plugin && *plugin ? new Hardware(plugin) : nullptr;
    return device;
}

Hardware::Hardware(const char* plugin) {
    void* const library = dlopen(plugin, RTLD_NOW | RTLD_LOCAL);
    must(library != nullptr, "the plugin cannot be loaded");
    const auto entry = reinterpret_cast<const crayon_gpu_api* (*)(uint32_t)>(dlsym(library, "crayon_gpu_plugin"));
    api_ = entry ? entry(CRAYON_GPU_ABI_VERSION) : nullptr;
    must(api_ != nullptr, "it is not a plugin of this version");
    crayon_gpu_instance* instance = nullptr;
    const crayon_gpu_options options = {sizeof options, 0};
    must(api_->open(&options, &instance) == CRAYON_GPU_OK, "it does not open");
    must(api_->device_count(instance) > 0, api_->reason(instance));
    crayon_gpu_device about{};
    about.size = sizeof about;
    must(api_->device(instance, 0, &about) == CRAYON_GPU_OK && about.is_usable, about.reason);
    const crayon_gpu_context_options context_options = {sizeof context_options, 60'000, 0};
    must(api_->context_create(instance, 0, &context_options, &context_) == CRAYON_GPU_OK, "the device has no context");
    must(api_->stream_create(context_, &stream_) == CRAYON_GPU_OK, "the device has no stream");
    std::printf("beside the emulated device: %s\n", about.name);
}

void Hardware::upload(const DeviceModel& emulated, const crayon_gpu_tables& tables) {
    // A test uses one at a time, or two; memory of the device is taken by the megabyte.
    if (models_.size() > 3) {
        for (const auto& [key, model] : models_) api_->model_release(model);
        models_.clear();
    }
    crayon_gpu_model*& model = models_[key_of(emulated)];
    if (model) api_->model_release(model);
    model = nullptr;
    // Some tests have tokens that are too long for a device: the emulated one runs their kernels directly.
    EXPECT_EQ(api_->model_upload(context_, &tables, &model), is_supported(tables) ? CRAYON_GPU_OK : CRAYON_GPU_UNSUPPORTED);
    is_refused_[key_of(emulated)] = !is_supported(tables);
}

void Hardware::expect_same(const DeviceModel& emulated, const crayon_gpu_batch& batch, const Outcome& expected) {
    if (is_refused_[key_of(emulated)]) return;
    const auto model = models_.find(key_of(emulated));
    ASSERT_TRUE(model != models_.end() && model->second) << "the device does not have the vocabulary";
    const Outcome outcome = run(model->second, batch);
    ASSERT_EQ(outcome.status, expected.status) << "on the device";
    if (outcome.status != CRAYON_GPU_OK) return;
    ASSERT_EQ(outcome.result.failure, expected.result.failure) << "on the device";
    EXPECT_EQ(outcome.result.failed_document, expected.result.failed_document) << "on the device";
    if (outcome.result.failure) return;
    EXPECT_EQ(outcome.result.count, expected.result.count) << "on the device";
    EXPECT_EQ(outcome.result.longest_row, expected.result.longest_row) << "on the device";
    EXPECT_TRUE(outcome.rows == expected.rows) << "on the device";
    EXPECT_TRUE(outcome.ids == expected.ids) << "on the device";
    EXPECT_TRUE(outcome.mask == expected.mask) << "on the device";
    EXPECT_TRUE(outcome.text == expected.text) << "on the device";
}

crayon_gpu_status Hardware::wait(crayon_gpu_job* job) const {
    crayon_gpu_status status;
    while ((status = api_->wait(job, 1000)) == CRAYON_GPU_PENDING) {
    }
    return status;
}

Outcome Hardware::run(crayon_gpu_model* model, const crayon_gpu_batch& batch) const {
    Outcome outcome;
    crayon_gpu_job* job = nullptr;
    outcome.status = api_->submit(stream_, model, &batch, &job);
    if (outcome.status != CRAYON_GPU_OK) return outcome;
    outcome.status = wait(job);
    outcome.result.size = sizeof outcome.result;
    if (outcome.status == CRAYON_GPU_OK) outcome.status = api_->result(job, &outcome.result);
    if (outcome.status == CRAYON_GPU_OK && !outcome.result.failure) {
        fetch(batch, outcome, [&](const crayon_gpu_destination& to) {
            const crayon_gpu_status status = api_->fetch(job, &to);
            return status == CRAYON_GPU_OK ? wait(job) : status;
        });
    }
    api_->job_release(job);
    return outcome;
}

}  // namespace crayon::gpu::test
