// How long does it take to learn a vocabulary, and how much memory? A separate program, so that the peak memory is that of one
// training:
//
//   crayon_train_bench --vocabulary=N [--megabytes=N] [--pretokenizer=NAME] [--threads=N] [--ties=larger|smaller] FILE …
//
// Texts are the lines between empty lines of the files, in portions of about 1 MB from each file in turn, up to so many
// megabytes. Prints a line of JSON. The tokens' hash must not depend on the number of threads.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "crayon/crayon.h"

namespace {

struct Arguments {
    std::uint32_t vocabulary = 32768, threads = 1, ties = CRAYON_TIES_LARGER;
    std::size_t megabytes = 0;
    std::string pretokenizer = "o200k";
    std::vector<std::string> files;
};

Arguments read_arguments(int argc, char** argv) {
    Arguments out;
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        const std::size_t equals = argument.find('=');
        const std::string name = argument.substr(0, equals), value = equals < argument.size() ? argument.substr(equals + 1) : "";
        if (name == "--vocabulary")
            out.vocabulary = static_cast<std::uint32_t>(std::stoul(value));
        else if (name == "--threads")
            out.threads = static_cast<std::uint32_t>(std::stoul(value));
        else if (name == "--megabytes")
            out.megabytes = std::stoul(value);
        else if (name == "--pretokenizer")
            out.pretokenizer = value;
        else if (name == "--ties")
            out.ties = value == "smaller" ? CRAYON_TIES_SMALLER : CRAYON_TIES_LARGER;
        else
            out.files.push_back(argument);
    }
    return out;
}

// Portions of about 1 MB that end after an empty line.
std::vector<std::string> read_texts(const Arguments& arguments) {
    std::vector<std::vector<std::string>> files;
    for (const std::string& path : arguments.files) {
        std::ifstream file(path, std::ios::binary);
        std::string text((std::istreambuf_iterator<char>(file)), {});
        files.emplace_back();
        for (std::size_t begin = 0; begin < text.size();) {
            std::size_t end = text.find("\n\n", std::min(text.size(), begin + 1000000));
            end = end == std::string::npos ? text.size() : end + 2;
            files.back().push_back(text.substr(begin, end - begin));
            begin = end;
        }
    }
    const std::size_t limit = arguments.megabytes ? arguments.megabytes * 1000000 : ~std::size_t{0};
    std::vector<std::string> texts;
    std::size_t bytes = 0;
    for (std::size_t i = 0, more = 1; more && bytes < limit; ++i) {
        more = 0;
        for (std::vector<std::string>& file : files) {
            if (i >= file.size() || bytes >= limit) continue;
            more = 1;
            file[i].resize(std::min(file[i].size(), limit - bytes));
            bytes += file[i].size();
            texts.push_back(std::move(file[i]));
        }
    }
    return texts;
}

void check(crayon_status status, const char* what) {
    if (status == CRAYON_OK) return;
    std::fprintf(stderr, "%s: %s\n", what, crayon_status_sentence(status));
    std::exit(1);
}

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// A line of /proc/self/status, in MB.
double memory(const char* name) {
    std::ifstream file("/proc/self/status");
    for (std::string line; std::getline(file, line);) {
        if (line.rfind(name, 0) == 0) return std::strtod(line.c_str() + std::strlen(name) + 1, nullptr) / 1024;
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    const Arguments arguments = read_arguments(argc, argv);
    const std::vector<std::string> texts = read_texts(arguments);
    crayon_result result;
    const crayon_trainer_options options = {arguments.vocabulary, 2, 0, arguments.ties, 0};
    crayon_trainer* trainer;
    check(crayon_trainer_create(&options, nullptr, arguments.pretokenizer.data(),
                                static_cast<std::uint32_t>(arguments.pretokenizer.size()), "", 0, arguments.threads, &trainer,
                                &result),
          "create");
    const double own = memory("VmRSS:"), begin = seconds();

    for (const std::string& text : texts) {
        check(crayon_trainer_feed(trainer, reinterpret_cast<const std::uint8_t*>(text.data()),
                                  static_cast<std::uint32_t>(text.size()), 1, &result),
              "feed");
    }
    const double fed = seconds();
    check(crayon_trainer_start(trainer, &result), "start");
    const double started = seconds();
    std::uint32_t progress[10];
    do check(crayon_trainer_step(trainer, 1, progress, &result), "step");
    while (result.more);
    const double done = seconds();

    const std::uint8_t* bytes;
    check(crayon_trainer_token_bytes(trainer, &bytes, &result), "tokens");
    std::uint64_t hash = 14695981039346656037u;  // FNV-1a
    for (std::uint32_t i = 0; i < result.count; ++i) hash = (hash ^ bytes[i]) * 1099511628211u;
    std::printf(
        "{\"pretokenizer\": \"%s\", \"threads\": %u, \"megabytes\": %.1f, \"tokens\": %u, \"pieces\": %u, \"distinct\": %u, "
        "\"feed\": %.3f, \"start\": %.3f, \"merge\": %.3f, \"total\": %.3f, \"memory\": %.0f, "
        "\"hash\": \"%016llx\"}\n",
        arguments.pretokenizer.c_str(), arguments.threads, (progress[6] + 4294967296.0 * progress[7]) / 1e6, progress[0],
        progress[4], progress[8], fed - begin, started - fed, done - started, done - begin, memory("VmHWM:") - own,
        static_cast<unsigned long long>(hash));
    crayon_trainer_release(trainer);
    return 0;
}
