// One vocabulary on a device, by the interface of its plugin: bench/gpu/run.mjs and bench/gpu/model.mjs start it and read what
// it prints, one JSON object.
//
//   crayon_gpu_bench WHAT --plugin=FILE --proxy=FILE --model=NAME [--cartridges=DIR] [--text=FILE] [--length=BYTES]
//                    [--document=BYTES] [--output=ids|matrix|counts|bytes] [--width=4] [--slice=BYTES] [--streams=3] [--rounds=5]
//                    [--processors=4] [--warp=32]
//
//   record    the counts of a recorded plugin for a batch, on a device with these processors and warps
//   check     the ids of a batch, compared with the CPU's
//   measure   the same, then times: resident, from pinned memory with the ids left on the device and returned, and the CPU, in
//   turns
//
// Without a text: random bases. A text that is shorter than the length is repeated.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>

#include "model.h"

namespace {

using namespace crayon::bench;

std::map<std::string, std::string> options = {
    {"plugin", ""},      {"proxy", ""},         {"model", ""},     {"cartridges", CRAYON_PROJECT_DIR "/cartridges"},
    {"text", ""},        {"length", "0"},       {"document", "0"}, {"output", "ids"},
    {"width", "4"},      {"slice", "33554432"}, {"streams", "3"},  {"rounds", "5"},
    {"processors", "4"}, {"warp", "32"}};

u64 number(const char* name) { return std::strtoull(options[name].c_str(), nullptr, 10); }

std::string read_text() {
    std::string text;
    u64 length = number("length");
    if (options["text"].empty()) {
        u64 state = 42;
        for (text.resize(length); char& base : text) {
            state ^= state << 13, state ^= state >> 7, state ^= state << 17;
            base = "ACGT"[state >> 40 & 3];
        }
        return text;
    }
    std::ifstream stream(options["text"], std::ios::binary);
    if (!stream) fail(options["text"] + " cannot be read");
    text.assign(std::istreambuf_iterator<char>(stream), {});
    const std::size_t once = text.size();
    if (length == 0) length = once;
    if (text.size() > length) text.resize(length);
    while (text.size() < length) text.append(text, 0, std::min<u64>(once, length - text.size()));
    return text;
}

// Documents of that many bytes, which end where characters do; of DNA, all of them equally long.
std::vector<u64> divided(const std::string& text, u64 document, bool is_equal) {
    std::vector<u64> offsets = {0};
    if (document == 0) document = text.size();
    while (offsets.back() < text.size()) {
        u64 end = std::min<u64>(offsets.back() + document, text.size());
        while (!is_equal && end < text.size() && (static_cast<u8>(text[end]) & 0xC0) == 0x80) ++end;
        if (is_equal && end - offsets.back() < document && offsets.size() > 1) break;
        offsets.push_back(end);
    }
    return offsets;
}

using Clock = std::chrono::steady_clock;
u64 since(Clock::time_point begin) {
    return static_cast<u64>(std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count());
}

// The streams, each with memory for ids.
class Streams {
public:
    Streams(const Device& device, crayon_gpu_model* model, u64 count) : device_(device), model_(model), streams_(count) {
        for (crayon_gpu_stream*& stream : streams_) {
            must(device.api().stream_create(device.context(), &stream), "a stream");
            ids_.push_back(std::make_unique<Pinned>(device));
        }
    }
    ~Streams() {
        for (crayon_gpu_stream* stream : streams_) device_.api().stream_release(stream);
    }
    Streams(const Streams&) = delete;
    crayon_gpu_stream* first() const { return streams_[0]; }
    Pinned& ids() { return *ids_[0]; }

    // All slices, each by the stream that is free first. 0 if the memory of the device is too small for them.
    u64 run(const std::vector<Batch>& slices, bool returns) {
        std::atomic<u64> next{0};
        std::atomic<bool> fits{true};
        std::vector<std::thread> threads;
        const auto begin = Clock::now();
        for (u64 i = 0; i < streams_.size(); ++i) {
            threads.emplace_back([&, i] {
                crayon_gpu_result result;
                for (u64 slice; fits && (slice = next++) < slices.size();) {
                    if (run_job(device_, streams_[i], model_, slices[slice], returns ? ids_[i].get() : nullptr, &result) !=
                        CRAYON_GPU_OK)
                        fits = false;
                }
            });
        }
        for (std::thread& thread : threads) thread.join();
        return fits ? since(begin) : 0;
    }

private:
    const Device& device_;
    crayon_gpu_model* model_;
    std::vector<crayon_gpu_stream*> streams_;
    std::vector<std::unique_ptr<Pinned>> ids_;
};

std::vector<Batch> sliced(const Batch& batch, u64 size) {
    std::vector<Batch> slices;
    for (u64 first = 0; first < batch.documents();) {
        u64 last = first + 1;
        while (last < batch.documents() && batch.offsets[last + 1] - batch.offsets[first] <= size) ++last;
        slices.push_back(batch.part(first, last));
        first = last;
    }
    return slices;
}

void print_all(const char* name, const std::vector<u64>& values) {
    std::printf(",\"%s\":[", name);
    for (std::size_t i = 0; i < values.size(); ++i)
        std::printf("%s%llu", i ? "," : "", static_cast<unsigned long long>(values[i]));
    std::printf("]");
}

// Whether the device has the ids of the CPU. Each slice by itself: batches are divided between documents.
bool is_same(const Batch& batch, Model& model, Streams& streams, const Device& device) {
    for (const Batch& slice : sliced(batch, number("slice"))) {
        crayon_gpu_result result;
        if (run_job(device, streams.first(), model.on_device(), slice, &streams.ids(), &result) != CRAYON_GPU_OK)
            fail("the slices are too large for the device");
        u64 count = 0;
        const u8* const expected = model.encode(slice, &count);
        if (count != slice.ids_of(result) || std::memcmp(expected, streams.ids().data(), count * slice.id_width) != 0)
            return false;
    }
    return true;
}

void measure(const Batch& batch, Model& model, Streams& streams, const Device& device) {
    const std::vector<Batch> slices = sliced(batch, number("slice"));
    std::vector<u64> resident, compute, copy_in, kept, returned, cpu;
    u64 count = 0, cpu_count = 0;
    u32 repaired = 0;
    for (u64 round = 0; round <= number("rounds"); ++round) {
        crayon_gpu_result result;
        const auto begin = Clock::now();
        const bool fits = run_job(device, streams.first(), model.on_device(), batch, nullptr, &result) == CRAYON_GPU_OK;
        const u64 wall = since(begin);
        const u64 kept_time = streams.run(slices, false), returned_time = streams.run(slices, true);
        const auto cpu_begin = Clock::now();
        if (model.is_on_cpu()) model.encode(batch, &cpu_count);
        const u64 cpu_time = since(cpu_begin);
        count = result.count;
        repaired = result.repaired;
        if (round == 0) continue;  // memory is allocated, caches are filled
        if (fits) {
            resident.push_back(wall);
            compute.push_back(result.compute_ns);
            copy_in.push_back(result.copy_in_ns);
        }
        if (kept_time) kept.push_back(kept_time);
        if (returned_time) returned.push_back(returned_time);
        if (model.is_on_cpu()) cpu.push_back(cpu_time);
    }
    std::printf(",\"count\":%llu,\"repaired\":%u,\"slices\":%zu,\"threads\":%u", static_cast<unsigned long long>(count), repaired,
                slices.size(), std::thread::hardware_concurrency());
    print_all("resident", resident);
    print_all("compute", compute);
    print_all("copyIn", copy_in);
    print_all("kept", kept);
    print_all("returned", returned);
    print_all("cpu", cpu);
}

}  // namespace

int main(int argc, char** argv) {
    const std::string what = argc > 1 ? argv[1] : "";
    for (int i = 2; i < argc; ++i) {
        const std::string argument = argv[i];
        const std::size_t equals = argument.find('=');
        const std::string name = argument.rfind("--", 0) == 0 && equals != argument.npos ? argument.substr(2, equals - 2) : "";
        if (!options.count(name)) fail("unknown option: " + argument);
        options[name] = argument.substr(equals + 1);
    }
    if (what != "record" && what != "check" && what != "measure")
        fail("usage: crayon_gpu_bench record|check|measure --plugin=… (see bench/gpu/native/main.cpp)");

    const Device device(options["plugin"], static_cast<u32>(number("processors")), static_cast<u32>(number("warp")));
    const std::unique_ptr<Model> model = Model::open(device, options["proxy"], options["cartridges"], options["model"]);
    std::printf("{\"device\":\"%s\",\"kind\":%u,\"processors\":%u,\"architecture\":[%u,%u],\"memory\":%llu", device.about().name,
                device.about().kind, device.about().processors, device.about().major_architecture,
                device.about().minor_architecture, static_cast<unsigned long long>(device.about().memory));
    if (!model) {
        std::printf(",\"supported\":false}\n");
        return 0;
    }
    const std::string text = read_text();
    Batch batch;
    batch.offsets = divided(text, number("document"), model->is_dna());
    batch.output = options["output"] == "matrix"   ? CRAYON_GPU_MATRIX
                   : options["output"] == "counts" ? CRAYON_GPU_COUNTS
                   : options["output"] == "bytes"  ? CRAYON_GPU_BYTES
                                                   : CRAYON_GPU_IDS;
    batch.id_width = static_cast<u32>(number("width"));
    Pinned input(device);
    std::memcpy(input.reserve(text.size()), text.data(), text.size());
    batch.bytes = input.data();
    std::printf(",\"supported\":true,\"length\":%llu,\"documents\":%llu", static_cast<unsigned long long>(batch.length()),
                static_cast<unsigned long long>(batch.documents()));

    int code = 0;
    Streams streams(device, model->on_device(), what == "measure" ? number("streams") : 1);
    if (what == "record") {
        const auto recording = reinterpret_cast<const char* (*)()>(device.symbol("crayon_gpu_recording"));
        if (!recording) fail("the plugin records nothing");
        crayon_gpu_result result;
        must(run_job(device, streams.first(), model->on_device(), batch, &streams.ids(), &result), "the job");
        std::printf(",\"count\":%llu,\"kernels\":%s", static_cast<unsigned long long>(result.count), recording());
    } else {
        const bool same = !model->is_on_cpu() || is_same(batch, *model, streams, device);
        std::printf(",\"same\":%s", same ? "true" : "false");
        code = same ? 0 : 1;
        if (same && what == "measure") measure(batch, *model, streams, device);
    }
    std::printf("}\n");
    return code;
}
