// The gain of long texts from threads, inside the engine: bench/lopt/engine.mjs writes the texts and starts this program,
// bench/README.md describes the measurements. One line of JSON per measurement. All ids are compared with reference ids; the
// program exits with 1 if any differ.
//
//   crayon_lopt --texts=DIR --cartridges=DIR --encodings=NAME,… --cores=N --rounds=N
//
// The name of a text says what is measured with it: sweep-NAME the length of slices and the number of threads,
// stages-NAME what the parts of a job take, run-NAME texts that are hard to divide (and retries when parts overlap, by the number
// of common split points that are asked for), batch-NAME documents. The first two
// are met for the first time, by encoders that have met warm-NAME, the others again and again.
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "clock.h"
#include "engine.h"
#include "job_ids.h"
#include "texts.h"
#include "threads.h"
#include "virtual_threads.h"

namespace crayon::lopt {
namespace {

using bench::Text;
using Ids = std::vector<std::uint32_t>;

std::string argument(int argc, char** argv, const std::string& name) {
    for (int i = 1; i < argc; ++i) {
        const std::string text = argv[i];
        if (text.rfind("--" + name + "=", 0) == 0) return text.substr(name.size() + 3);
    }
    std::fprintf(stderr, "--%s is missing\n", name.c_str());
    std::exit(2);
}

std::vector<std::string> split(const std::string& list) {
    std::vector<std::string> out(1);
    for (const char each : list) {
        if (each == ',') {
            out.emplace_back();
        } else {
            out.back().push_back(each);
        }
    }
    return out;
}

// As bench/lopt/strategies.mjs has them.
constexpr u64 kOverlappingPart = 16'384, kOverlap = 512;

// A contender in a measurement: a pass returns its milliseconds, and writes the ids.
struct Variant {
    std::string name;
    unsigned threads;
    std::uint64_t slice;  // 0: the engine's choice
    std::function<double(Ids&)> pass;
    std::vector<double> times = {};
    bool is_exact = true;
};

class Measurements {
public:
    Measurements(std::string encoding, const std::string& cartridges, const std::string& folder, const std::vector<Text>& texts,
                 unsigned cores, unsigned rounds)
        : encoding_(std::move(encoding)),
          folder_(folder),
          texts_(texts),
          cores_(cores),
          rounds_(rounds),
          cartridge_(bench::open_cartridge(bench::cartridge_path(cartridges, encoding_))),
          handle_(bench::create_tokenizer(cartridge_.get(), encoding_, "")),
          encoder_(bench::create_encoder(handle_.get())) {}

    void measure(const Text& text) {
        expected_ = bench::read_reference(folder_, text.name, encoding_);
        encoder_ = bench::create_encoder(handle_.get());  // as new as the threads' encoders
        const auto begins = [&](const char* prefix) { return text.name.rfind(prefix, 0) == 0; };
        if (begins("sweep-")) {
            slices(text);
            threads(text);
        }
        if (begins("stages-")) stages(text);
        if (begins("run-")) runs(text);
        if (begins("batch-")) batches(text);
    }
    bool is_exact() const { return is_exact_; }

private:
    Tokenizer& tokenizer() { return *reinterpret_cast<Tokenizer*>(handle_.get()); }

    std::unique_ptr<EncodeJob> job_of(const Text& text, std::size_t first, std::size_t last) {
        EncodeJob* job = nullptr;
        if (!EncodeJob::create(tokenizer(), CRAYON_SPECIAL_AS_TEXT, nullptr, 0, false, &job).ok()) fail("a job");
        std::unique_ptr<EncodeJob> owner(job);
        const auto* bytes = reinterpret_cast<const u8*>(text.bytes.data());
        const std::uint32_t begin = text.offsets[first], end = text.offsets[last];
        if (last == first + 1) {
            if (!job->set_text(bytes + begin, end - begin, true).ok()) fail("a text");
        } else if (!job->set_rows(bytes, text.offsets.data() + first, static_cast<u32>(last - first)).ok()) {
            fail("rows");
        }
        return owner;
    }

    // Rows one after the other, by one encoder.
    template <class SomeClock = Clock>
    double encode_alone(const Text& text, std::size_t rows, Ids& ids) {
        const SomeClock clock;
        std::size_t count = 0;
        for (std::size_t row = 0; row < rows; ++row) {
            count += bench::encode_utf8(encoder_.get(), text, row, ids.data() + count);
        }
        const double spent = clock.nanoseconds();
        ids.resize(count);
        return spent / 1e6;
    }

    // Rows [first, last) as one job. Returns milliseconds; writes the ids, and adds their number to `count`.
    double encode_job(Threads& threads, const Text& text, std::size_t first, std::size_t last, u32* ids, std::size_t* count) {
        const Clock clock;
        const auto job = job_of(text, first, last);
        threads.encode(*job);
        const JobIds result(*job, ids);
        const double spent = clock.nanoseconds();
        result.write();
        *count += result.count();
        return spent / 1e6;
    }

    double encode_with(Threads& threads, const Text& text, std::size_t rows, Ids& ids) {
        std::size_t count = 0;
        const double spent = encode_job(threads, text, 0, rows, ids.data(), &count);
        ids.resize(count);
        return spent;
    }

    // One document after the other, each by all threads.
    double encode_each_with(Threads& threads, const Text& text, std::size_t rows, Ids& ids) {
        std::size_t count = 0;
        double spent = 0;
        for (std::size_t row = 0; row < rows; ++row) {
            spent += encode_job(threads, text, row, row + 1, ids.data() + count, &count);
        }
        ids.resize(count);
        return spent;
    }

    // In turns; the first turn, which fills caches, does not count. The ids are the reference's first ones.
    void in_turns(const char* section, const Text& text, std::size_t rows, std::vector<Variant> variants) {
        for (unsigned round = 0; round <= rounds_; ++round) {
            for (Variant& variant : variants) {
                ids_.resize(text.offsets[rows]);
                const double time = variant.pass(ids_);
                if (round > 0) variant.times.push_back(time);
                variant.is_exact &= has_right_ids(rows == text.rows());
            }
        }
        for (Variant& variant : variants) {
            is_exact_ &= variant.is_exact;
            std::vector<double>& times = variant.times;
            std::sort(times.begin(), times.end());
            print_head(section, text);
            std::printf("\"contender\":\"%s\",\"threads\":%u,\"slice\":%" PRIu64
                        ",\"documents\":%zu,\"bytes\":%u,\"unit\":\"ms\",\"value\":%.4g,\"low\":%.4g,\"high\":%.4g,"
                        "\"exact\":%d}\n",
                        variant.name.c_str(), variant.threads, variant.slice, rows, text.offsets[rows], times[times.size() / 2],
                        times.front(), times.back(), variant.is_exact);
        }
    }

    bool has_right_ids(bool is_all) const {
        if (is_all ? ids_.size() != expected_.size() : ids_.size() > expected_.size()) return false;
        return std::equal(ids_.begin(), ids_.end(), expected_.begin());
    }

    void print_head(const char* section, const Text& text) const {
        std::printf("{\"section\":\"%s\",\"encoding\":\"%s\",\"text\":\"%s\",", section, encoding_.c_str(),
                    text.name.substr(text.name.find('-') + 1).c_str());
    }

    // The text that encoders have seen before this one.
    const Text& before(const Text& text) const {
        const std::string name = "warm-" + text.name.substr(text.name.find('-') + 1);
        for (const Text& other : texts_) {
            if (name.rfind(other.name, 0) == 0) return other;
        }
        fail("there is no text to begin with");
    }

    Variant alone(const Text& text, std::size_t rows) {
        return {"one encoder", 1, 0, [this, &text, rows](Ids& ids) { return encode_alone(text, rows, ids); }};
    }

    // A new encoder each time, which has seen the other text.
    template <class SomeClock = Clock>
    Variant alone_at_first(const Text& text) {
        return {"one encoder", 1, 0, [this, &text](Ids& ids) {
                    encoder_ = bench::create_encoder(handle_.get());
                    encode_alone(before(text), 1, ids);
                    ids.resize(text.size());
                    return encode_alone<SomeClock>(text, 1, ids);
                }};
    }

    // New threads each time, all of which have seen the other text.
    Variant threads_at_first(const Text& text, unsigned count, std::uint64_t slice) {
        return {"threads", count, slice, [this, &text, count, slice](Ids& ids) {
                    Threads threads(count, slice);
                    for (unsigned pass = 0; pass < count; ++pass) {
                        encode_with(threads, before(text), 1, ids);
                        ids.resize(text.size());
                    }
                    return encode_with(threads, text, 1, ids);
                }};
    }

    void slices(const Text& text) {
        std::vector<Variant> variants = {alone_at_first(text)};
        for (const std::uint64_t kib : {4, 16, 64, 128, 256, 1024}) {
            const std::uint64_t slice = 1024 * kib;
            for (unsigned count = 1; count <= cores_; count *= 2) variants.push_back(threads_at_first(text, count, slice));
        }
        in_turns("slices", text, 1, std::move(variants));
    }

    void threads(const Text& text) {
        std::vector<Variant> variants = {alone_at_first(text)};
        for (unsigned count = 1; count <= 4 * cores_; count += count < cores_ ? 1 : count) {
            variants.push_back(threads_at_first(text, count, 0));
        }
        in_turns("threads", text, 1, std::move(variants));
    }

    void batches(const Text& text) {
        std::uint64_t longest = 0;
        for (std::size_t row = 0; row < text.rows(); ++row) {
            longest = std::max<std::uint64_t>(longest, text.row(row).size());
        }
        Threads whole(cores_, longest), within(cores_, 0), both(cores_, 0);
        for (std::size_t rows = 1; rows <= text.rows(); rows *= 2) {
            in_turns("batches", text, rows,
                     {alone(text, rows),
                      {"a document each", cores_, longest, [&](Ids& ids) { return encode_with(whole, text, rows, ids); }},
                      {"one document together", cores_, 0, [&](Ids& ids) { return encode_each_with(within, text, rows, ids); }},
                      {"one job", cores_, 0, [&](Ids& ids) { return encode_with(both, text, rows, ids); }}});
        }
    }

    // Encodes with virtual threads, all of which have seen another text, or this one: returns the work of the pass with the
    // median span.
    Work work_of(const Text& text, unsigned count, const Text& met, u32 threshold, bool* is_exact) {
        std::vector<Work> all;
        for (unsigned round = 0; round <= (rounds_ + 2) / 3; ++round) {
            VirtualThreads threads(tokenizer(), count);
            ids_.resize(text.size());
            threads.meet(met, ids_.data());
            const auto job = job_of(text, 0, 1);
            if (threshold > 0) job->set_overlap(kOverlap, kOverlappingPart, threshold);
            const Work work = threads.encode(*job, ids_.data());
            if (round > 0) all.push_back(work);
            ids_.resize(job->token_count());
            *is_exact &= has_right_ids(true);
        }
        is_exact_ &= *is_exact;
        std::sort(all.begin(), all.end(), [](const Work& a, const Work& b) { return a.span < b.span; });
        return all[all.size() / 2];
    }

    // `threshold`: 0 where parts do not overlap.
    void print_work(const char* section, const Text& text, unsigned count, const Text& met, u32 threshold = 0) {
        bool is_exact = true;
        const Work work = work_of(text, count, met, threshold, &is_exact);
        print_head(section, text);
        std::printf(
            "\"contender\":\"virtual threads\",\"threads\":%u,\"threshold\":%u,\"bytes\":%zu,\"unit\":\"ms\",\"value\":%.4g,"
            "\"cut\":%.3g,\"encode\":%.4g,\"meet\":%.3g,\"stitch\":%.3g,\"copy\":%.3g,\"slices\":%" PRIu64 ",\"again\":%" PRIu64
            ",\"wasted\":%" PRIu64 ",\"meetings\":%" PRIu64 ",\"exact\":%d}\n",
            count, threshold, text.size(), work.span / 1e6, work.cut / 1e6, work.encode / 1e6, work.meet / 1e6, work.stitch / 1e6,
            work.copy / 1e6, work.slices, work.again, work.wasted, work.meetings, is_exact);
    }

    void stages(const Text& text) {
        in_turns("stages", text, 1, {alone_at_first<CpuClock>(text)});
        for (const unsigned count : {1u, 2u, 4u, 8u, 16u, 32u}) print_work("stages", text, count, before(text));
    }

    void runs(const Text& text) {
        Threads one(1, 0), all(cores_, 0);
        in_turns("runs", text, 1,
                 {alone(text, 1),
                  {"threads", 1, 0, [&](Ids& ids) { return encode_with(one, text, 1, ids); }},
                  {"threads", cores_, 0, [&](Ids& ids) { return encode_with(all, text, 1, ids); }}});
        for (const unsigned count : {cores_, 16u}) print_work("runs", text, count, text);
        for (const u32 threshold : {1u, 2u}) print_work("thresholds", text, 16, text, threshold);
    }

    const std::string encoding_, folder_;
    const std::vector<Text>& texts_;
    const unsigned cores_, rounds_;
    const bench::Cartridge cartridge_;
    const bench::Tokenizer handle_;
    bench::Encoder encoder_;
    Ids expected_, ids_;
    bool is_exact_ = true;
};

}  // namespace
}  // namespace crayon::lopt

int main(int argc, char** argv) {
    using namespace crayon::lopt;
    const std::string folder = argument(argc, argv, "texts"), cartridges = argument(argc, argv, "cartridges");
    const unsigned cores = static_cast<unsigned>(std::atoi(argument(argc, argv, "cores").c_str()));
    const unsigned rounds = static_cast<unsigned>(std::atoi(argument(argc, argv, "rounds").c_str()));
    if (cores == 0 || rounds == 0) return 2;
    std::setvbuf(stdout, nullptr, _IOLBF, 1 << 16);  // each line when it is complete
    bool is_exact = true;
    const std::vector<crayon::bench::Text> texts = crayon::bench::read_texts(folder);
    for (const std::string& encoding : split(argument(argc, argv, "encodings"))) {
        Measurements measurements(encoding, cartridges, folder, texts, cores, rounds);
        for (const crayon::bench::Text& text : texts) measurements.measure(text);
        is_exact &= measurements.is_exact();
    }
    if (!is_exact) std::fprintf(stderr, "ids: NOT as the reference says\n");
    return is_exact ? 0 : 1;
}
