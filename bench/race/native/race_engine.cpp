// The engine as a contender of the race (bench/race): one thread, through the C interface, in its own process.
//
//   crayon_race CARTRIDGE TEXT WARM_UP PASSES CACHE_BYTES IDS
//
// Encodes the warm-up, then the text PASSES times, into memory touched beforehand; writes the ids of the last pass to the file
// IDS as 32-bit numbers, and prints a line of JSON: the nanoseconds of each pass, by the wall clock and of CPU time. CACHE_BYTES
// 0: the engine's default cache size.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "engine.h"

namespace {

using namespace crayon::bench;

Text text_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    Text text;
    text.bytes.assign(std::istreambuf_iterator<char>(file), {});
    if (text.bytes.empty()) {
        std::fprintf(stderr, "%s: there is no text\n", path.c_str());
        std::exit(1);
    }
    text.offsets = {0, static_cast<std::uint32_t>(text.bytes.size())};
    text.bytes.append(64, '\0');
    return text;
}

std::int64_t nanoseconds(clockid_t clock) {
    timespec time;
    clock_gettime(clock, &time);
    return std::int64_t{time.tv_sec} * 1000000000 + time.tv_nsec;
}

std::string first_view(crayon_cartridge* cartridge) {
    std::uint32_t length = 0;
    const char* const name = crayon_cartridge_view_name(cartridge, 0, &length);
    return std::string(name, length);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 7) {
        std::fputs("usage: crayon_race CARTRIDGE TEXT WARM_UP PASSES CACHE_BYTES IDS\n", stderr);
        return 2;
    }
    const Text text = text_of(argv[2]), warm_up = text_of(argv[3]);
    const int passes = std::atoi(argv[4]);
    const std::uint64_t cache_bytes = std::strtoull(argv[5], nullptr, 10);

    const Cartridge cartridge = open_cartridge(argv[1]);
    const Tokenizer tokenizer = create_tokenizer(cartridge.get(), first_view(cartridge.get()), "");
    const Encoder encoder = create_encoder(tokenizer.get());
    crayon_result result;
    if (cache_bytes > 0) crayon_encoder_cache_limit(encoder.get(), cache_bytes, &result);

    std::vector<std::uint32_t> ids(text.size() + warm_up.size() + 1024);
    encode_utf8(encoder.get(), warm_up, 0, ids.data());
    std::vector<std::pair<std::int64_t, std::int64_t>> times;
    std::uint32_t count = 0;
    for (int pass = 0; pass < passes; ++pass) {
        const std::int64_t wall = nanoseconds(CLOCK_MONOTONIC), cpu = nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
        count = encode_utf8(encoder.get(), text, 0, ids.data());
        times.emplace_back(nanoseconds(CLOCK_MONOTONIC) - wall, nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - cpu);
    }

    std::ofstream(argv[6], std::ios::binary)
        .write(reinterpret_cast<const char*>(ids.data()), static_cast<std::streamsize>(count * sizeof(std::uint32_t)));
    std::printf("{\"kernel\":\"%s\",\"passes\":[", crayon_tokenizer_kernel(tokenizer.get()));
    for (std::size_t pass = 0; pass < times.size(); ++pass) {
        std::printf("%s{\"wall\":%lld,\"cpu\":%lld}", pass > 0 ? "," : "", static_cast<long long>(times[pass].first),
                    static_cast<long long>(times[pass].second));
    }
    std::puts("]}");
}
