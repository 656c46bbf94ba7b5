// A vocabulary on a device, and the same on the CPU.
#pragma once

#include <memory>
#include <thread>

#include "device.h"
#include "engine.h"

namespace crayon::bench {

class Model {
public:
    // `name`: a view of a cartridge, or pieces:cl100k, pieces:o200k, pieces:qwen2 (on devices alone). Null if the plugin has no
    // kernels for it.
    static std::unique_ptr<Model> open(const Device& device, const std::string& proxy, const std::string& cartridges,
                                       const std::string& name);
    ~Model();
    Model(const Model&) = delete;

    crayon_gpu_model* on_device() const { return model_; }
    bool is_dna() const { return dna_ != nullptr; }
    bool is_on_cpu() const { return tokenizer_ != nullptr; }

    // The ids of a batch, with all threads of the machine, in memory that is used again.
    const u8* encode(const Batch& batch, u64* count);

private:
    explicit Model(const Device& device) : device_(device) {}
    const Device& device_;
    Cartridge cartridge_;
    Tokenizer tokenizer_;
    std::unique_ptr<crayon_dna, Releaser<crayon_dna_release>> dna_;
    crayon_gpu_model* model_ = nullptr;
    crayon_pool* pool_ = nullptr;
    std::vector<std::thread> helpers_;
    std::vector<u8> ids_;
};

}  // namespace crayon::bench
