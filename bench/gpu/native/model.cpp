#include "model.h"

#include <dlfcn.h>

#include <algorithm>

#include "crayon/layout/pretokenizers.h"
#include "gpu/device_tables.h"

namespace crayon::bench {

namespace {

void require(crayon_status status, const char* what) {
    if (status != CRAYON_OK) fail(std::string(what) + ": " + crayon_status_sentence(status));
}

// By a job on the proxy, which fails after it has passed the tables on.
crayon_gpu_model* upload(const Device& device, const std::string& proxy, crayon_tokenizer* tokenizer, const crayon_dna* dna) {
    void* const library = dlopen(proxy.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) fail(dlerror());
    const auto pass_to =
        reinterpret_cast<void (*)(const crayon_gpu_api*, crayon_gpu_context*)>(dlsym(library, "crayon_gpu_proxy_to"));
    const auto uploaded = reinterpret_cast<crayon_gpu_model* (*)()>(dlsym(library, "crayon_gpu_proxy_model"));
    if (!pass_to || !uploaded) fail(proxy + " is not the proxy");
    pass_to(&device.api(), device.context());
    crayon_result result;
    crayon_device* through = nullptr;
    require(crayon_device_open(proxy.data(), static_cast<u32>(proxy.size()), nullptr, 0, &through, &result), "proxy");
    crayon_device_job* job = nullptr;
    const u8 text[] = "ACGTACGT";
    const u32 offsets[] = {0, 8};
    u64 ids[8];
    const crayon_status status =
        dna ? crayon_device_create_dna(through, dna, text, 8, offsets, 1, 8, 0, 8, ids, nullptr, nullptr, &job, &result)
            : crayon_device_create_texts(through, tokenizer, CRAYON_SPECIAL_AS_TEXT, nullptr, 0, 0, text, 8, offsets, 1, &job,
                                         &result);
    if (status == CRAYON_OK) {
        static_cast<void>(crayon_device_job_run(job, &result));
        crayon_device_job_release(job);
    } else if (status != CRAYON_DEVICE_UNSUPPORTED) {
        require(status, "the vocabulary");
    }
    crayon_device_release(through);
    return status == CRAYON_OK ? uploaded() : nullptr;
}

}  // namespace

std::unique_ptr<Model> Model::open(const Device& device, const std::string& proxy, const std::string& cartridges,
                                   const std::string& name) {
    std::unique_ptr<Model> model(new Model(device));
    if (name.rfind("pieces:", 0) == 0) {
        PieceTables pieces;
        crayon_gpu_tables tables{};
        tables.size = sizeof tables;
        tables.kind = CRAYON_GPU_PIECES;
        if (!pieces.make(layout::pretokenizer_named(name.substr(7)))) fail("there is no memory for the classes of characters");
        pieces.state(tables);
        const crayon_gpu_status status = device.api().model_upload(device.context(), &tables, &model->model_);
        if (status == CRAYON_GPU_UNSUPPORTED) return nullptr;
        must(status, "the pieces");
        return model;
    }
    const std::string path = cartridge_path(cartridges, name);
    if (path.empty()) fail("no cartridge in " + cartridges + " has " + name + ": npm run cartridges makes them");
    model->cartridge_ = open_cartridge(path);
    model->tokenizer_ = create_tokenizer(model->cartridge_.get(), name, "");
    crayon_result result;
    if (std::string(crayon_tokenizer_model(model->tokenizer_.get())) == "dna") {
        crayon_dna* dna = nullptr;
        require(crayon_dna_create(model->tokenizer_.get(), nullptr, &dna, &result), "the vocabulary");
        model->dna_.reset(dna);
    }
    model->model_ = upload(device, proxy, model->tokenizer_.get(), model->dna_.get());
    if (!model->model_) return nullptr;
    const u32 threads = std::max(1u, std::thread::hardware_concurrency());
    require(crayon_pool_create(threads, &model->pool_, &result), "threads");
    for (u32 i = 1; i < threads; ++i) {
        model->helpers_.emplace_back([pool = model->pool_] {
            crayon_job* done[1];
            crayon_result status;
            while (crayon_pool_work(pool, done, 1, &status) == CRAYON_OK) continue;
        });
    }
    return model;
}

Model::~Model() {
    if (pool_) crayon_pool_close(pool_);
    for (std::thread& helper : helpers_) helper.join();
    if (pool_) crayon_pool_release(pool_);
    if (model_) device_.api().model_release(model_);
}

const u8* Model::encode(const Batch& batch, u64* count) {
    crayon_result result;
    crayon_job* job = nullptr;
    const std::vector<u32> offsets(batch.offsets.begin(), batch.offsets.end());
    const u32 rows = static_cast<u32>(batch.documents());
    if (dna_) {
        // All rows have as many ids as the first: the documents are equally long.
        u32 most = 0;
        require(crayon_dna_count_rows(dna_.get(), batch.bytes, offsets[1], offsets.data(), 1, &most, &result), "the CPU");
        const u32 columns = batch.columns ? static_cast<u32>(batch.columns) : most;
        *count = u64{columns} * rows;
        ids_.resize(*count * batch.id_width);
        require(crayon_job_create_dna(dna_.get(), batch.bytes, offsets.back(), offsets.data(), rows, columns, 0, batch.id_width,
                                      ids_.data(), nullptr, nullptr, &job, &result),
                "the CPU");
        require(crayon_job_run(pool_, job, &result), "the CPU");
    } else {
        require(crayon_job_create(tokenizer_.get(), CRAYON_SPECIAL_AS_TEXT, nullptr, 0, 0, &job, &result), "the CPU");
        require(crayon_job_set_rows(job, batch.bytes, offsets.data(), rows, &result), "the CPU");
        require(crayon_job_run(pool_, job, &result), "the CPU");
        *count = crayon_job_token_count(job);
        ids_.resize(*count * 4);
        require(crayon_job_copy(job, reinterpret_cast<u32*>(ids_.data()), &result), "the CPU");
    }
    crayon_job_release(job);
    return ids_.data();
}

}  // namespace crayon::bench
