#include "gpu/device.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "crayon/layout/cartridge.h"
#include "dna/dna.h"
#include "gpu/device_memory.h"
#include "tokenizer.h"

namespace crayon {

namespace {

using Entry = const crayon_gpu_api* (*)(uint32_t version);
using MemoryEntry = const crayon_gpu_memory_api* (*)(uint32_t version);

const char* sentence_of(crayon_gpu_status status) {
    switch (status) {
#define CRAYON_GPU_STATUS(name, number, sentence) \
    case CRAYON_GPU_##name:                       \
        return sentence;
#include "crayon_gpu_status.def"
#undef CRAYON_GPU_STATUS
    }
    return "the plugin gave a status that has no name";
}

template <class T>
T sized() {
    T value = {};
    value.size = sizeof value;
    return value;
}

}  // namespace

Device* Device::opened_ = nullptr;
Mutex Device::opening_;

Status Device::open(std::string_view path, const DeviceSettings& settings, Device** out) {
    if (path.empty() || path.find('\0') != path.npos) return {CRAYON_INVALID_ARGUMENT};
    const bool is_shared = settings.has_only_budget();
    const Lock lock(opening_);
    for (Device* each = is_shared ? opened_ : nullptr; each; each = each->next_) {
        if (path != each->path_.data() || !(each->settings_ == settings)) continue;
        each->retain();
        *out = each;
        return {};
    }
    Device* const device = new (std::nothrow) Device(settings);
    if (!device) return Status::out_of_memory();
    if (!device->path_.append(path.data(), path.size()) || !device->path_.push_back('\0')) {
        delete device;
        return Status::out_of_memory();
    }
    device->is_shared_ = is_shared;
    if (is_shared) {
        device->next_ = opened_;
        opened_ = device;
    }
    *out = device;
    return {};
}

void Device::release() {
    {
        const Lock lock(opening_);
        if (count_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
        for (Device** link = &opened_; is_shared_ && *link; link = &(*link)->next_) {
            if (*link != this) continue;
            *link = next_;
            break;
        }
    }
    delete this;
}

Device::~Device() {
    release_dropped();
    release_all();
    if (instance_) api_->close(instance_);
}

// --- describing the device ---

void Device::explain(const char* what, const char* why) {
    std::snprintf(reason_, sizeof reason_, "%s%s%s", what, *why ? ": " : "", why);
}

bool Device::load() {
    char why[kReason - 64];
    if (!library_.load(path_.data(), why, sizeof why)) {
        explain("the plugin cannot be loaded", why);
        return false;
    }
    const Entry entry = reinterpret_cast<Entry>(library_.symbol("crayon_gpu_plugin"));
    if (!entry) {
        explain("the file is no plugin of crayon-tokenizer", path_.data());
        return false;
    }
    const crayon_gpu_api* const api = entry(CRAYON_GPU_ABI_VERSION);
    if (!api || api->version != CRAYON_GPU_ABI_VERSION || api->size < sizeof(crayon_gpu_api)) {
        std::snprintf(reason_, sizeof reason_,
                      "the plugin does not have version %u of the interface: install the one of this version of crayon-tokenizer",
                      CRAYON_GPU_ABI_VERSION);
        return false;
    }
    api_ = api;
    const MemoryEntry memory_entry = reinterpret_cast<MemoryEntry>(library_.symbol("crayon_gpu_plugin_memory"));
    const crayon_gpu_memory_api* const memory = memory_entry ? memory_entry(CRAYON_GPU_ABI_VERSION) : nullptr;
    if (memory && memory->size >= sizeof(crayon_gpu_memory_api)) memory_api_ = memory;
    return true;
}

void Device::discover() {
    if (is_discovered_) return;
    is_discovered_ = true;
    if (!load()) return;
    const crayon_gpu_options options = sized<crayon_gpu_options>();
    if (const crayon_gpu_status status = api_->open(&options, &instance_); status != CRAYON_GPU_OK) {
        instance_ = nullptr;
        return explain("the plugin did not start", sentence_of(status));
    }
    const u32 count = api_->device_count(instance_);
    if (count == 0) return explain("there is no device", api_->reason(instance_));
    for (index_ = 0; index_ < count; ++index_) {
        about_ = sized<crayon_gpu_device>();
        if (api_->device(instance_, index_, &about_) != CRAYON_GPU_OK) about_.is_usable = 0;
        about_.name[sizeof about_.name - 1] = about_.reason[sizeof about_.reason - 1] = '\0';
        if (about_.is_usable) break;
    }
    is_usable_ = about_.is_usable != 0;
    if (!is_usable_) explain("the device cannot be used", about_.reason);
}

void Device::describe(crayon_gpu_device* about, char (&reason)[kReason]) {
    const Lock lock(mutex_);
    discover();
    *about = about_;
    about->is_usable = is_usable_;
    std::memcpy(reason, reason_, sizeof reason);
}

// --- running jobs ---

Status Device::begin() {
    running_.lock();
    bool is_usable;
    {
        const Lock lock(mutex_);
        discover();
        is_usable = is_usable_;
    }
    Status status;
    if (!is_usable) {
        status = {CRAYON_DEVICE_UNAVAILABLE};
    } else if (!context_) {
        crayon_gpu_context_options options = sized<crayon_gpu_context_options>();
        options.time_limit_ms = time_limit_ms();
        options.memory_budget = settings_.memory_budget;
        budget_ = settings_.memory_budget ? settings_.memory_budget : about_.free_memory / 5 * 4;
        if (const crayon_gpu_status opened = api_->context_create(instance_, index_, &options, &context_);
            opened != CRAYON_GPU_OK) {
            context_ = nullptr;
            give_up(sentence_of(opened));
            status = {CRAYON_DEVICE_FAILED};
        }
    }
    if (status.ok()) {
        release_dropped();
    } else {
        end();
    }
    return status;
}

void Device::end() {
    release_dropped();
    running_.unlock();
    release_what_waits();
}

void Device::drop(DeviceMemory* memory) {
    {
        const Lock lock(mutex_);
        memory->next_ = dropped_;
        dropped_ = memory;
    }
    release_what_waits();
}

// If this thread does not get the device, the thread that has it will check again after giving it back.
void Device::release_what_waits() {
    for (;;) {
        {
            const Lock lock(mutex_);
            if (!dropped_) return;
        }
        if (!running_.try_lock()) return;
        release_dropped();
        running_.unlock();
    }
}

// Nothing of an abandoned context is released.
void Device::release_dropped() {
    DeviceMemory* next;
    {
        const Lock lock(mutex_);
        next = dropped_;
        dropped_ = nullptr;
    }
    while (next) {
        DeviceMemory* const memory = next;
        next = memory->next_;
        if (context_) memory_api_->memory_release(memory->memory_);
        kept_.fetch_sub(memory->size_, std::memory_order_relaxed);
        delete memory;
    }
}

Status Device::lane(u32 index, Lane** out) {
    if (!lanes_[index]) lanes_[index] = new (std::nothrow) Lane;
    Lane* const lane = lanes_[index];
    if (!lane) return Status::out_of_memory();
    *out = lane;
    if (lane->stream) return {};
    const crayon_gpu_status status = api_->stream_create(context_, &lane->stream);
    if (status != CRAYON_GPU_OK) lane->stream = nullptr;
    return status_of(status);
}

void Device::drop_lanes() {
    for (u32 i = 1; i < kMostLanes; ++i) {
        if (!lanes_[i] || !lanes_[i]->stream) continue;
        api_->stream_release(lanes_[i]->stream);
        lanes_[i]->stream = nullptr;
    }
}

crayon_gpu_model* Device::known_model(const void* key, const crayon_gpu_tables& tables) {
    for (Model& each : models_) {
        const bool is_it = each.key == key && each.unknown_id == tables.unknown_id && each.pretokenizer == tables.pretokenizer;
        if (!each.model || !is_it) continue;
        each.used = ++turn_;
        return each.model;
    }
    return nullptr;
}

Status Device::model(const void* key, const crayon_gpu_tables& tables, Tokenizer* tokenizer, const Dna* dna,
                     crayon_gpu_model** out) {
    if ((*out = known_model(key, tables))) return {};
    Model* slot = models_;
    for (Model& each : models_) {
        if (each.used < slot->used) slot = &each;
    }
    release_model(*slot);
    crayon_gpu_model* model = nullptr;
    const crayon_gpu_status status = api_->model_upload(context_, &tables, &model);
    if (status == CRAYON_GPU_UNSUPPORTED || status == CRAYON_GPU_INVALID_ARGUMENT) return {CRAYON_DEVICE_UNSUPPORTED};
    if (status == CRAYON_GPU_OUT_OF_DEVICE_MEMORY) return refuse("the vocabulary does not fit in the memory of the device");
    if (status != CRAYON_GPU_OK) return status_of(status);
    if (tokenizer) tokenizer->retain();
    if (dna) dna->retain();
    *slot = {key, tables.unknown_id, tables.pretokenizer, model, tokenizer, dna, ++turn_};
    *out = model;
    return {};
}

void Device::release_model(Model& model) {
    if (model.model) api_->model_release(model.model);
    if (model.tokenizer) model.tokenizer->release();
    if (model.dna) model.dna->release();
    model = {};
}

Status Device::status_of(crayon_gpu_status status) {
    switch (status) {
        case CRAYON_GPU_OK:
            return {};
        case CRAYON_GPU_CANCELLED:
            return {CRAYON_CANCELLED};
        case CRAYON_GPU_OUT_OF_MEMORY:
            return Status::out_of_memory();
        case CRAYON_GPU_UNSUPPORTED:
        case CRAYON_GPU_INVALID_ARGUMENT:
            return {CRAYON_DEVICE_UNSUPPORTED};
        case CRAYON_GPU_OUT_OF_DEVICE_MEMORY:
            return refuse("the memory of the device, or its budget, is too small");
        default:
            give_up(sentence_of(status));
            return {CRAYON_DEVICE_FAILED};
    }
}

Status Device::refuse(const char* why) {
    const Lock lock(mutex_);
    explain(why, "");
    return {CRAYON_DEVICE_FAILED};
}

void Device::give_up(const char* why) {
    const Lock lock(mutex_);
    is_usable_ = false;
    explain("the device has been given up", why);
}

// The device may keep using the context indefinitely.
Status Device::abandon() {
    give_up("it does not answer");
    context_ = nullptr;
    instance_ = nullptr;
    std::fill(std::begin(lanes_), std::end(lanes_), nullptr);
    for (Model& each : models_) each = {};
    return {CRAYON_DEVICE_FAILED};
}

void Device::release_all() {
    if (!context_) return;
    for (Lane*& lane : lanes_) {
        if (!lane) continue;
        if (lane->stream) api_->stream_release(lane->stream);
        lane->text.release(*api_, context_);
        lane->ids.release(*api_, context_);
        lane->mask.release(*api_, context_);
        delete lane;
        lane = nullptr;
    }
    for (Model& each : models_) release_model(each);
    api_->context_release(context_);
    context_ = nullptr;
}

bool PinnedBytes::reserve(const crayon_gpu_api& api, crayon_gpu_context* context, u64 length) {
    constexpr u64 kLeast = 64 * 1024;
    if (length <= capacity_ && data_) return true;
    release(api, context);
    const u64 capacity = length <= kLeast ? kLeast : std::bit_ceil(length);
    void* memory = nullptr;
    is_pinned_ = api.pinned_allocate(context, capacity, &memory) == CRAYON_GPU_OK && memory;
    if (!is_pinned_) memory = std::malloc(capacity);
    data_ = static_cast<u8*>(memory);
    capacity_ = memory ? capacity : 0;
    return memory != nullptr;
}

void PinnedBytes::release(const crayon_gpu_api& api, crayon_gpu_context* context) {
    if (is_pinned_) {
        api.pinned_release(context, data_);
    } else {
        std::free(data_);
    }
    data_ = nullptr;
    capacity_ = 0;
    is_pinned_ = false;
}

}  // namespace crayon
