// The interface of a plugin, over the emulated device, as an engine uses it.
#include <cstddef>
#include <cstdlib>
#include <future>
#include <sstream>

#include "crayon_gpu.h"
#include "tables.h"

namespace crayon::gpu::test::plugin_test {
namespace {

using crayon::test::Form;
using crayon::test::MatchVocabulary;

const crayon_gpu_api& api() { return *crayon_gpu_plugin(CRAYON_GPU_ABI_VERSION); }

// Faults, in the environment as long as this lives.
class InEnvironment {
public:
    explicit InEnvironment(const Faults& faults) {
        std::ostringstream text;
        text << "no_device=" << faults.no_device << " allocation=" << faults.allocation
             << " pinned_allocation=" << faults.pinned_allocation << " copy=" << faults.copy << " launch=" << faults.launch
             << " lost=" << faults.lost << " hang=" << faults.hang << " device_memory=" << faults.device_memory
             << " warp_size=" << faults.warp_size << " seed=" << faults.seed;
        setenv("CRAYON_EMULATED_DEVICE", text.str().c_str(), 1);
    }
    ~InEnvironment() { unsetenv("CRAYON_EMULATED_DEVICE"); }
    InEnvironment(const InEnvironment&) = delete;
};

// An instance, a context and a model, with faults.
class Opened {
public:
    explicit Opened(const Faults& faults = {}, u64 budget = 0, u32 time_limit_ms = 0) {
        const InEnvironment wished(faults);
        const crayon_gpu_options options = {sizeof options, 0};
        EXPECT_EQ(api().open(&options, &instance), CRAYON_GPU_OK);
        if (api().device_count(instance) == 0) return;
        const crayon_gpu_context_options context_options = {sizeof context_options, time_limit_ms, budget};
        created = api().context_create(instance, 0, &context_options, &context);
        if (created != CRAYON_GPU_OK) return;
        MatchVocabulary v;
        v.tokens = {"aaa", "a", "b", "ab"};
        const MatchTables tables(compile_matches(v, Form::kFull));
        uploaded = api().model_upload(context, &tables.tables, &model);
        if (uploaded != CRAYON_GPU_OK) return;
        EXPECT_EQ(api().stream_create(context, &stream), CRAYON_GPU_OK);
    }
    ~Opened() {
        if (stream) api().stream_release(stream);
        if (model) api().model_release(model);
        if (context) api().context_release(context);
        api().close(instance);
    }
    Opened(const Opened&) = delete;

    // All of a job. The ids of all documents, if there is no failure.
    crayon_gpu_status encode(const Documents& documents, std::vector<u32>* ids, crayon_gpu_stream* on = nullptr) const {
        const crayon_gpu_batch batch = documents.batch(CRAYON_GPU_IDS, 4);
        crayon_gpu_job* job = nullptr;
        crayon_gpu_status status = api().submit(on ? on : stream, model, &batch, &job);
        if (status != CRAYON_GPU_OK) return status;
        while ((status = api().wait(job, 1000)) == CRAYON_GPU_PENDING) {
        }
        crayon_gpu_result result{};
        result.size = sizeof result;
        if (status == CRAYON_GPU_OK) status = api().result(job, &result);
        if (status == CRAYON_GPU_OK) {
            ids->resize(result.count);
            const crayon_gpu_destination to = {sizeof to, 0, ids->data(), nullptr, nullptr};
            status = api().fetch(job, &to);
        }
        if (status == CRAYON_GPU_OK) {
            while ((status = api().wait(job, 1000)) == CRAYON_GPU_PENDING) {
            }
        }
        api().job_release(job);
        return status;
    }

    crayon_gpu_instance* instance = nullptr;
    crayon_gpu_context* context = nullptr;
    crayon_gpu_model* model = nullptr;
    crayon_gpu_stream* stream = nullptr;
    crayon_gpu_status created = CRAYON_GPU_NO_DEVICE, uploaded = CRAYON_GPU_NO_DEVICE;
};

TEST(Plugin, HasOneVersion) {
    EXPECT_EQ(crayon_gpu_plugin(0), nullptr);
    EXPECT_EQ(crayon_gpu_plugin(CRAYON_GPU_ABI_VERSION + 1), nullptr);
    ASSERT_NE(crayon_gpu_plugin(CRAYON_GPU_ABI_VERSION), nullptr);
    EXPECT_EQ(api().size, sizeof(crayon_gpu_api));
    EXPECT_EQ(api().version, CRAYON_GPU_ABI_VERSION);
}

TEST(Plugin, DescribesDevices) {
    Faults faults;
    faults.warp_size = 64;
    faults.device_memory = 1 << 20;
    const Opened opened(faults);
    ASSERT_EQ(api().device_count(opened.instance), 1u);
    crayon_gpu_device about{};
    about.size = sizeof about;
    ASSERT_EQ(api().device(opened.instance, 0, &about), CRAYON_GPU_OK);
    EXPECT_EQ(about.size, sizeof about);
    EXPECT_EQ(about.kind, CRAYON_GPU_KIND_EMULATED);
    EXPECT_EQ(about.warp_size, 64u);
    EXPECT_EQ(about.memory, 1u << 20);
    EXPECT_EQ(about.is_usable, 1u);
    EXPECT_STREQ(about.reason, "");
    EXPECT_EQ(api().device(opened.instance, 1, &about), CRAYON_GPU_NO_DEVICE);
    // A caller with an older, shorter struct.
    crayon_gpu_device shorter;
    std::memset(&shorter, 0x5A, sizeof shorter);
    shorter.size = offsetof(crayon_gpu_device, processors);
    ASSERT_EQ(api().device(opened.instance, 0, &shorter), CRAYON_GPU_OK);
    EXPECT_EQ(shorter.memory, 1u << 20);
    EXPECT_EQ(shorter.processors, 0x5A5A5A5Au);
    EXPECT_EQ(shorter.size, offsetof(crayon_gpu_device, processors));
}

TEST(Plugin, LivesWithoutADevice) {
    Faults faults;
    faults.no_device = 1;
    const Opened none(faults);
    EXPECT_EQ(api().device_count(none.instance), 0u);
    EXPECT_STRNE(api().reason(none.instance), "");
    faults.no_device = 2;
    const Opened unusable(faults);
    EXPECT_EQ(unusable.created, CRAYON_GPU_NO_DEVICE);
    crayon_gpu_device about{};
    about.size = sizeof about;
    ASSERT_EQ(api().device(unusable.instance, 0, &about), CRAYON_GPU_OK);
    EXPECT_EQ(about.is_usable, 0u);
    EXPECT_STRNE(about.reason, "");
}

TEST(Plugin, Encodes) {
    const Opened opened;
    std::vector<u32> ids;
    ASSERT_EQ(opened.encode(Documents({"aaaab", "b", "", "ab"}), &ids), CRAYON_GPU_OK);
    EXPECT_EQ(ids, (std::vector<u32>{0, 3, 2, 3}));
    ASSERT_EQ(opened.encode(Documents(), &ids), CRAYON_GPU_OK);
    EXPECT_EQ(ids, std::vector<u32>());
    // From several threads, a stream each.
    std::vector<std::future<void>> threads;
    for (u64 thread = 0; thread < 3; ++thread) {
        threads.push_back(std::async(std::launch::async, [&opened, thread] {
            crayon_gpu_stream* stream = nullptr;
            EXPECT_EQ(api().stream_create(opened.context, &stream), CRAYON_GPU_OK);
            for (u64 n = 1; n < 20; ++n) {
                std::vector<u32> each;
                EXPECT_EQ(opened.encode(Documents({std::string(3 * n * (thread + 1), 'a')}), &each, stream), CRAYON_GPU_OK);
                EXPECT_EQ(each, std::vector<u32>(n * (thread + 1), 0));
            }
            api().stream_release(stream);
        }));
    }
    for (auto& thread : threads) thread.get();
}

TEST(Plugin, ReportsTheDocumentThatFails) {
    const Opened opened;
    const Documents documents({"ab", "ab?", "?"});
    const crayon_gpu_batch batch = documents.batch(CRAYON_GPU_IDS, 4);
    crayon_gpu_job* job = nullptr;
    ASSERT_EQ(api().submit(opened.stream, opened.model, &batch, &job), CRAYON_GPU_OK);
    while (api().wait(job, 1000) == CRAYON_GPU_PENDING) {
    }
    crayon_gpu_result result{};
    result.size = sizeof result;
    ASSERT_EQ(api().result(job, &result), CRAYON_GPU_OK);
    EXPECT_EQ(result.failure, CRAYON_GPU_NO_ID);
    EXPECT_EQ(result.failed_document, 1u);
    const crayon_gpu_destination to = {sizeof to, 0, nullptr, nullptr, nullptr};
    EXPECT_EQ(api().fetch(job, &to), CRAYON_GPU_INVALID_ARGUMENT);
    api().job_release(job);
}

TEST(Plugin, RefusesWhatItCannotDo) {
    const Opened opened;
    std::vector<u32> ids;
    crayon_gpu_tables tables{};
    tables.size = sizeof tables;
    crayon_gpu_model* model = nullptr;
    EXPECT_EQ(api().model_upload(opened.context, &tables, &model), CRAYON_GPU_INVALID_ARGUMENT);
    MatchVocabulary v;
    v.tokens = {std::string(kLongestToken + 1, 'a')};
    const MatchTables too_long(compile_matches(v, Form::kFull));
    EXPECT_EQ(api().model_upload(opened.context, &too_long.tables, &model), CRAYON_GPU_UNSUPPORTED);
    // A width that ids do not fit, an unknown output, offsets that begin elsewhere.
    Documents documents({"ab"});
    for (int kind = 0; kind < 3; ++kind) {
        crayon_gpu_batch batch = documents.batch(kind == 1 ? 99u : 1u, kind == 0 ? 2 : 4);
        const u64 offsets[] = {1, 2};
        if (kind == 2) batch.offsets = offsets;
        crayon_gpu_job* job = nullptr;
        ASSERT_EQ(api().submit(opened.stream, opened.model, &batch, &job), CRAYON_GPU_OK);
        crayon_gpu_status status;
        while ((status = api().wait(job, 1000)) == CRAYON_GPU_PENDING) {
        }
        EXPECT_EQ(status, CRAYON_GPU_INVALID_ARGUMENT);
        api().job_release(job);
    }
    EXPECT_EQ(opened.encode(documents, &ids), CRAYON_GPU_OK);
}

TEST(Plugin, GoesOnAfterMemoryRanOut) {
    const Opened opened({}, 60000);
    std::vector<u32> ids;
    EXPECT_EQ(opened.encode(Documents({std::string(9999, 'a')}), &ids), CRAYON_GPU_OUT_OF_DEVICE_MEMORY);
    ASSERT_EQ(opened.encode(Documents({std::string(999, 'a')}), &ids), CRAYON_GPU_OK);
    EXPECT_EQ(ids, std::vector<u32>(333, 0));
    const Documents fits({std::string(999, 'a')});
    const crayon_gpu_batch batch = fits.batch(CRAYON_GPU_IDS, 4);
    u64 most = 0;
    ASSERT_EQ(api().needed_memory(opened.model, &batch, &most), CRAYON_GPU_OK);
    EXPECT_LT(most, 60000u);
}

TEST(Plugin, FailsForGoodWhenTheDeviceDoes) {
    for (const auto& [fault, status] :
         {std::pair(&Faults::launch, CRAYON_GPU_DEVICE_FAULT), std::pair(&Faults::lost, CRAYON_GPU_DEVICE_LOST),
          std::pair(&Faults::hang, CRAYON_GPU_TIMED_OUT)}) {
        Faults faults;
        faults.*fault = 4;
        const Opened opened(faults, 0, 20);
        std::vector<u32> ids;
        EXPECT_EQ(opened.encode(Documents({"ab"}), &ids), status);
        EXPECT_EQ(opened.encode(Documents({"ab"}), &ids), status);
        crayon_gpu_stream* stream = nullptr;
        EXPECT_EQ(api().stream_create(opened.context, &stream), status);
    }
    Faults faults;
    faults.pinned_allocation = 4;  // two have been for the upload
    const Opened opened(faults);
    void* memory = nullptr;
    ASSERT_EQ(api().pinned_allocate(opened.context, 100, &memory), CRAYON_GPU_OK);
    std::memset(memory, 1, 100);
    api().pinned_release(opened.context, memory);
    EXPECT_EQ(api().pinned_allocate(opened.context, 100, &memory), CRAYON_GPU_OUT_OF_MEMORY);
}

// The clock of the emulated device: a nanosecond for a byte that is copied, and for a thread of a kernel.
TEST(Plugin, SaysHowLongADeviceTook) {
    const Opened opened;
    for (const u64 documents : {1, 5, 40}) {
        const Documents texts(std::vector<std::string>(documents, "aaaab"));
        const crayon_gpu_batch batch = texts.batch(CRAYON_GPU_IDS, 4);
        crayon_gpu_job* job = nullptr;
        ASSERT_EQ(api().submit(opened.stream, opened.model, &batch, &job), CRAYON_GPU_OK);
        while (api().wait(job, 1000) == CRAYON_GPU_PENDING) {
        }
        crayon_gpu_result counted{}, fetched{};
        counted.size = fetched.size = sizeof counted;
        ASSERT_EQ(api().result(job, &counted), CRAYON_GPU_OK);
        const u64 inputs = 5 * documents + 8 * (documents + 1);
        EXPECT_GE(counted.copy_in_ns, inputs);
        EXPECT_LT(counted.copy_in_ns, inputs + 500);  // and numbers
        EXPECT_GT(counted.compute_ns, documents);
        EXPECT_GT(counted.copy_out_ns, 0u);
        EXPECT_LT(counted.copy_out_ns, 500u);
        std::vector<u32> ids(counted.count);
        std::vector<u64> rows(documents + 1);
        const crayon_gpu_destination to = {sizeof to, 0, ids.data(), rows.data(), nullptr};
        ASSERT_EQ(api().fetch(job, &to), CRAYON_GPU_OK);
        while (api().wait(job, 1000) == CRAYON_GPU_PENDING) {
        }
        ASSERT_EQ(api().result(job, &fetched), CRAYON_GPU_OK);
        EXPECT_EQ(fetched.copy_in_ns, counted.copy_in_ns);
        EXPECT_EQ(fetched.compute_ns, counted.compute_ns);
        EXPECT_EQ(fetched.copy_out_ns, counted.copy_out_ns + 4 * ids.size() + 8 * rows.size());
        EXPECT_EQ(ids.size(), 2 * documents);
        api().job_release(job);
    }
}

// From memory that is pinned, and that is not, to the same, in all sizes around those of the buffers in between. What the
// emulated device copies from pinned memory, it reads late: whatever is in the buffers then.
TEST(Plugin, CopiesFromAnyMemory) {
    const Opened opened;
    for (const u64 length : {1, 100, 511, 512, 513, 2047, 2048, 2049, 4095, 4097, 9000, 20001}) {
        Documents texts;
        std::vector<u32> expected;
        for (u64 left = length; left > 0;) {
            const u64 part = std::min<u64>(left, 1 + texts.count() % 7);
            texts.add(std::string(part, 'a'));
            expected.insert(expected.end(), part / 3, 0);
            expected.insert(expected.end(), part % 3, 1);
            left -= part;
        }
        void* pinned[2] = {};
        for (void*& memory : pinned) ASSERT_EQ(api().pinned_allocate(opened.context, 4 * length, &memory), CRAYON_GPU_OK);
        std::memcpy(pinned[0], texts.bytes.data(), length);
        for (int kind = 0; kind < 4; ++kind) {
            crayon_gpu_batch batch = texts.batch(CRAYON_GPU_IDS, 4);
            if (kind & 1) batch.bytes = static_cast<const u8*>(pinned[0]);
            crayon_gpu_job* job = nullptr;
            ASSERT_EQ(api().submit(opened.stream, opened.model, &batch, &job), CRAYON_GPU_OK);
            while (api().wait(job, 1000) == CRAYON_GPU_PENDING) {
            }
            crayon_gpu_result result{};
            result.size = sizeof result;
            ASSERT_EQ(api().result(job, &result), CRAYON_GPU_OK);
            ASSERT_EQ(result.count, expected.size());
            std::vector<u32> ids(result.count);
            std::vector<u64> rows(texts.count() + 1);
            const crayon_gpu_destination to = {sizeof to, 0, kind & 2 ? pinned[1] : ids.data(), rows.data(), nullptr};
            ASSERT_EQ(api().fetch(job, &to), CRAYON_GPU_OK);
            while (api().wait(job, 1000) == CRAYON_GPU_PENDING) {
            }
            if (kind & 2) std::memcpy(ids.data(), pinned[1], 4 * ids.size());
            EXPECT_EQ(ids, expected) << length << " bytes, kind " << kind;
            EXPECT_EQ(rows.back(), expected.size());
            EXPECT_GE(result.copy_in_ns, length);
            EXPECT_LT(result.copy_in_ns, length + 8 * (texts.count() + 1) + 500);  // each byte once
            api().job_release(job);
        }
        for (void* const memory : pinned) api().pinned_release(opened.context, memory);
    }
}

const crayon_gpu_memory_api& memory_api() { return *crayon_gpu_plugin_memory(CRAYON_GPU_ABI_VERSION); }

crayon_gpu_status waited(crayon_gpu_job* job) {
    crayon_gpu_status status;
    while ((status = api().wait(job, 1000)) == CRAYON_GPU_PENDING) {
    }
    return status;
}

// A matrix of documents of "ab", "b" and "aaab", counted.
crayon_gpu_job* counted(const Opened& opened, const Documents& documents, crayon_gpu_batch& batch) {
    batch.columns = 3;
    batch.pad_id = 9;
    crayon_gpu_job* job = nullptr;
    EXPECT_EQ(api().submit(opened.stream, opened.model, &batch, &job), CRAYON_GPU_OK);
    EXPECT_EQ(waited(job), CRAYON_GPU_OK) << documents.count();
    return job;
}

TEST(Plugin, KeepsMatricesInMemoryThatOutlivesJobs) {
    EXPECT_EQ(crayon_gpu_plugin_memory(CRAYON_GPU_ABI_VERSION + 1), nullptr);
    EXPECT_EQ(memory_api().size, sizeof(crayon_gpu_memory_api));
    const Opened opened;
    const Documents documents({"ab", "b", "aaab"});
    const std::vector<u64> ids = {3, 9, 9, 2, 9, 9, 0, 2, 9}, mask = {1, 0, 0, 1, 0, 0, 1, 1, 0};
    for (const u32 width : {4u, 8u}) {
        for (const u32 mask_width : {0u, 1u, width}) {
            const u64 count = ids.size(), begin = 16, mask_begin = begin + count * width + 24;
            crayon_gpu_memory* memory = nullptr;
            const std::string before(mask_begin + count * mask_width + 8, 'x');
            ASSERT_EQ(memory_api().memory_create(opened.context, before.size(), &memory), CRAYON_GPU_OK);
            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory_api().address(memory)) % 256, 0u);
            ASSERT_EQ(memory_api().write(memory, 0, before.size(), before.data()), CRAYON_GPU_OK);
            crayon_gpu_batch batch = documents.batch(CRAYON_GPU_MATRIX, width);
            crayon_gpu_job* const job = counted(opened, documents, batch);
            ASSERT_EQ(memory_api().keep(job, memory, begin, mask_begin, mask_width), CRAYON_GPU_OK);
            crayon_gpu_result result{};
            result.size = sizeof result;
            ASSERT_EQ(api().result(job, &result), CRAYON_GPU_OK);
            const u64 copied_out = result.copy_out_ns;
            const crayon_gpu_destination nowhere = {sizeof nowhere, 0, nullptr, nullptr, nullptr};
            ASSERT_EQ(api().fetch(job, &nowhere), CRAYON_GPU_OK);
            ASSERT_EQ(waited(job), CRAYON_GPU_OK);
            ASSERT_EQ(api().result(job, &result), CRAYON_GPU_OK);
            EXPECT_EQ(result.copy_out_ns, copied_out);
            api().job_release(job);
            std::string expected = before;
            for (u64 i = 0; i < count; ++i) {
                std::memcpy(expected.data() + begin + i * width, &ids[i], width);
                std::memcpy(expected.data() + mask_begin + i * mask_width, &mask[i], mask_width);
            }
            std::string found(before.size(), '?');
            ASSERT_EQ(memory_api().read(memory, 0, found.size(), found.data()), CRAYON_GPU_OK);
            EXPECT_EQ(found, expected) << width << " " << mask_width;
            // A range that ends at its end, and ranges outside it.
            std::string part(5, '?');
            ASSERT_EQ(memory_api().read(memory, found.size() - 5, 5, part.data()), CRAYON_GPU_OK);
            EXPECT_EQ(part, expected.substr(found.size() - 5));
            for (const u64 offset : {found.size() - 4, found.size() + 1, ~std::size_t{0}}) {
                EXPECT_EQ(memory_api().read(memory, offset, 5, part.data()), CRAYON_GPU_INVALID_ARGUMENT);
                EXPECT_EQ(memory_api().write(memory, offset, 5, part.data()), CRAYON_GPU_INVALID_ARGUMENT);
            }
            memory_api().memory_release(memory);
        }
    }
}

TEST(Plugin, KeepsNothingElsewhere) {
    const Opened opened;
    const Documents documents({"ab", "b", "aaab"});
    crayon_gpu_memory* memory = nullptr;
    ASSERT_EQ(memory_api().memory_create(opened.context, 9 * 4 + 9, &memory), CRAYON_GPU_OK);
    crayon_gpu_batch batch = documents.batch(CRAYON_GPU_MATRIX, 4);
    crayon_gpu_job* const job = counted(opened, documents, batch);
    EXPECT_EQ(memory_api().keep(job, memory, 12, 0, 0), CRAYON_GPU_INVALID_ARGUMENT);  // its end
    EXPECT_EQ(memory_api().keep(job, memory, 2, 0, 0), CRAYON_GPU_INVALID_ARGUMENT);   // between two ids
    EXPECT_EQ(memory_api().keep(job, memory, 0, 37, 1), CRAYON_GPU_INVALID_ARGUMENT);
    EXPECT_EQ(memory_api().keep(job, memory, 0, 0, 2), CRAYON_GPU_INVALID_ARGUMENT);
    EXPECT_EQ(memory_api().keep(job, memory, 0, 0, 4), CRAYON_GPU_OK);
    EXPECT_EQ(memory_api().keep(job, memory, 0, 36, 1), CRAYON_GPU_OK);
    const crayon_gpu_destination nowhere = {sizeof nowhere, 0, nullptr, nullptr, nullptr};
    ASSERT_EQ(api().fetch(job, &nowhere), CRAYON_GPU_OK);
    ASSERT_EQ(waited(job), CRAYON_GPU_OK);
    EXPECT_EQ(memory_api().keep(job, memory, 0, 36, 1), CRAYON_GPU_INVALID_ARGUMENT);  // too late
    api().job_release(job);
    crayon_gpu_batch packed = documents.batch(CRAYON_GPU_IDS, 4);
    crayon_gpu_job* const other = counted(opened, documents, packed);
    EXPECT_EQ(memory_api().keep(other, memory, 0, 0, 0), CRAYON_GPU_INVALID_ARGUMENT);  // no matrix
    api().job_release(other);
    memory_api().memory_release(memory);
}

TEST(Plugin, CountsMemoryThatStaysAgainstTheBudget) {
    const Opened opened({}, 100'000);
    crayon_gpu_memory *memory = nullptr, *more = nullptr;
    EXPECT_EQ(memory_api().memory_create(opened.context, 200'000, &memory), CRAYON_GPU_OUT_OF_DEVICE_MEMORY);
    ASSERT_EQ(memory_api().memory_create(opened.context, 60'000, &memory), CRAYON_GPU_OK);
    EXPECT_EQ(memory_api().memory_create(opened.context, 60'000, &more), CRAYON_GPU_OUT_OF_DEVICE_MEMORY);
    memory_api().memory_release(memory);
    ASSERT_EQ(memory_api().memory_create(opened.context, 60'000, &memory), CRAYON_GPU_OK);
    memory_api().memory_release(memory);
    ASSERT_EQ(memory_api().memory_create(opened.context, 0, &memory), CRAYON_GPU_OK);
    memory_api().memory_release(memory);
}

TEST(Plugin, CannotReadMemoryOfALostDevice) {
    Faults faults;
    faults.copy = 40;
    const Opened opened(faults);
    crayon_gpu_memory* memory = nullptr;
    ASSERT_EQ(memory_api().memory_create(opened.context, 3000, &memory), CRAYON_GPU_OK);
    std::string bytes(3000, 'a');
    crayon_gpu_status status = CRAYON_GPU_OK;
    for (int i = 0; i < 50 && status == CRAYON_GPU_OK; ++i) status = memory_api().write(memory, 0, bytes.size(), bytes.data());
    EXPECT_EQ(status, CRAYON_GPU_DEVICE_FAULT);
    EXPECT_EQ(memory_api().read(memory, 0, bytes.size(), bytes.data()), CRAYON_GPU_DEVICE_FAULT);
    crayon_gpu_memory* other = nullptr;
    EXPECT_EQ(memory_api().memory_create(opened.context, 1, &other), CRAYON_GPU_DEVICE_FAULT);
    memory_api().memory_release(memory);
}

// A job that hangs, and those that wait for it.
TEST(Plugin, Cancels) {
    Faults faults;
    faults.hang = 1;
    const Opened opened(faults);
    const Documents documents({"ab"});
    const crayon_gpu_batch batch = documents.batch(CRAYON_GPU_IDS, 4);
    crayon_gpu_job *job = nullptr, *next = nullptr;
    ASSERT_EQ(api().submit(opened.stream, opened.model, &batch, &job), CRAYON_GPU_OK);
    ASSERT_EQ(api().submit(opened.stream, opened.model, &batch, &next), CRAYON_GPU_OK);
    EXPECT_EQ(api().wait(job, 5), CRAYON_GPU_PENDING);
    EXPECT_EQ(api().poll(next), CRAYON_GPU_PENDING);
    api().job_release(next);  // has not begun
    api().cancel(job);
    api().job_release(job);
}

}  // namespace
}  // namespace crayon::gpu::test::plugin_test
