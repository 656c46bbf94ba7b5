// The engine's benchmarks. Hypothesis, method and how to read them: bench/README.md. bench/native/run.mjs prepares the
// texts and starts this program.
//
//   crayon_bench --texts=DIR --cartridges=DIR [--encodings=NAME,…] [--kernels=best|all|NAME,…] [--check-only] [Google
//   Benchmark's own]
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstring>

#include "plan.h"

namespace {

using namespace crayon::bench;

std::vector<std::string> split(const std::string& list) {
    std::vector<std::string> out;
    for (std::size_t begin = 0; begin <= list.size();) {
        const std::size_t end = std::min(list.find(',', begin), list.size());
        if (end > begin) out.push_back(list.substr(begin, end - begin));
        begin = end + 1;
    }
    return out;
}

// Takes --name=value out of the arguments.
std::string take(int& argc, char** argv, const char* name, const char* by_default) {
    const std::string prefix = std::string("--") + name + "=";
    for (int i = 1; i < argc; ++i) {
        if (std::strncmp(argv[i], prefix.c_str(), prefix.size()) != 0) continue;
        const std::string value = argv[i] + prefix.size();
        std::copy(argv + i + 1, argv + argc, argv + i);
        --argc;
        return value;
    }
    return by_default;
}

bool take_flag(int& argc, char** argv, const char* name) {
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], name) != 0) continue;
        std::copy(argv + i + 1, argv + argc, argv + i);
        --argc;
        return true;
    }
    return false;
}

std::vector<std::string> kernels_of(const std::string& wanted) {
    std::vector<std::string> all;
    for (std::uint32_t index = 0; const char* name = crayon_kernel_name(index); ++index) all.push_back(name);
    if (wanted == "all") return all;
    if (wanted == "best") return {all.front()};
    return split(wanted);
}

}  // namespace

int main(int argc, char** argv) {
    Plan plan;
    plan.texts_folder = take(argc, argv, "texts", "");
    plan.cartridges_folder = take(argc, argv, "cartridges", CRAYON_PROJECT_DIR "/cartridges");
    plan.kernels = kernels_of(take(argc, argv, "kernels", "best"));
    const std::vector<std::string> names = split(take(argc, argv, "encodings", "o200k_base,cl100k_base,lite,standard"));
    const bool check_only = take_flag(argc, argv, "--check-only");
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;

    plan.texts = read_texts(plan.texts_folder);
    if (plan.texts.empty()) {
        std::fprintf(stderr, "no texts in '%s': node bench/texts/export.mjs DIR makes them, --texts=DIR names them\n",
                     plan.texts_folder.c_str());
        return 2;
    }
    for (const std::string& name : names) {
        const std::string path = cartridge_path(plan.cartridges_folder, name);
        if (path.empty()) {
            std::fprintf(stderr, "no cartridge in %s has %s: npm run cartridges makes them\n", plan.cartridges_folder.c_str(),
                         name.c_str());
            return 2;
        }
        Encoding encoding{name, path, {}, open_cartridge(path)};
        encoding.pretokenizer = crayon_tokenizer_scanner(create_tokenizer(encoding.cartridge.get(), name, "").get());
        plan.encodings.push_back(std::move(encoding));
    }

    const bool right = check(plan) & register_longest_match(plan);
    std::fprintf(stderr, right ? "ids: all as the reference says\n" : "ids: NOT as the reference says; see above\n");
    if (check_only || !right) return right ? 0 : 1;

    register_scanner(plan);
    register_encoder(plan);
    register_first_sight(plan);
    register_parallel(plan);
    register_decode(plan);
    register_cartridge(plan);
    register_memory();
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
