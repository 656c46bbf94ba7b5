// How fast do bases become ids? On one core, into reused memory; compared with the straightforward loop, in the same run.
// Matrices are DNATok's (B × T), sequences random, without N except in one row of 64. Ids are compared with the plain loop before
// anything is timed.
//
//   crayon_dna_bench [--kernels=all] [Google Benchmark's own]
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "engine.h"

namespace {

using namespace crayon::bench;
using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using Dna = std::unique_ptr<crayon_dna, Releaser<crayon_dna_release>>;

constexpr u32 kNone = 0xFFFFFFFF;

void must(crayon_status status) {
    if (status == CRAYON_OK) return;
    std::fprintf(stderr, "%s\n", crayon_status_sentence(status));
    std::exit(1);
}

struct Vocabulary {
    const char* name;
    u32 unit, k;
    std::string digits, bases;
    u32 first_kmer, first_base, unknown, pad;
};
const Vocabulary kVocabularies[] = {
    {"bytes", CRAYON_DNA_BYTES, 1, "", "ACGTN", kNone, 7, 6, 4},           // HyenaDNA
    {"6-mers", CRAYON_DNA_KMERS, 6, "ATCG", "ATCGN", 6, 4102, 0, 1},       // Nucleotide Transformer v2
    {"stride-1", CRAYON_DNA_STRIDE_1, 6, "ACGT", "ACGTN", 5, 4101, 0, 1},  // as in DNABERT
};

Cartridge compile(const Vocabulary& v) {
    crayon_result result;
    crayon_dna_compiler* compiler = nullptr;
    must(crayon_dna_compiler_create(&compiler, &result));
    const crayon_dna_rules rules = {v.unit, v.k, 0, v.first_kmer, v.unknown, v.pad, 0, {2, 2, 2, 0}, 0};
    must(crayon_dna_compiler_set_rules(compiler, &rules, &result));
    const u32 offsets[] = {0, 1};
    must(crayon_dna_compiler_set_tokens(compiler, reinterpret_cast<const u8*>("?"), 1, offsets, 1, &result));
    std::vector<u32> ids(256, kNone);
    for (u32 i = 0; i < v.bases.size(); ++i) ids[static_cast<u8>(v.bases[i])] = v.first_base + i;
    must(crayon_dna_compiler_set_bases(compiler, ids.data(), nullptr, &result));
    if (v.unit != CRAYON_DNA_BYTES) {
        must(crayon_dna_compiler_set_kmers(compiler, reinterpret_cast<const u8*>(v.digits.data()), 4, nullptr, 0, &result));
    }
    const u8* file = nullptr;
    must(crayon_dna_compiler_finish(compiler, &file, &result));
    crayon_cartridge* cartridge = nullptr;
    must(crayon_cartridge_open_bytes(file, result.count, 0, &cartridge, &result));
    crayon_dna_compiler_release(compiler);
    return Cartridge(cartridge);
}

// The tables of the plain loops.
struct Plain {
    u32 ids[256], digits[256];

    explicit Plain(const Vocabulary& v) {
        for (u32 byte = 0; byte < 256; ++byte) ids[byte] = v.unknown, digits[byte] = kNone;
        for (u32 i = 0; i < v.bases.size(); ++i) ids[static_cast<u8>(v.bases[i])] = v.first_base + i;
        for (u32 i = 0; i < v.digits.size(); ++i) digits[static_cast<u8>(v.digits[i])] = i;
    }
    template <class Id>
    [[gnu::noinline]] u64 encode(const Vocabulary& v, const u8* bytes, u32 length, Id* out) const {
        Id* const begin = out;
        if (v.unit == CRAYON_DNA_BYTES) {
            for (u32 i = 0; i < length; ++i) *out++ = static_cast<Id>(ids[bytes[i]]);
            return length;
        }
        for (u32 at = 0; at < length;) {
            u32 index = 0, found = 0;
            for (; found < v.k && at + found < length && digits[bytes[at + found]] != kNone; ++found) {
                index = 4 * index + digits[bytes[at + found]];
            }
            if (v.unit == CRAYON_DNA_STRIDE_1) {
                if (at + v.k > length) break;
                *out++ = static_cast<Id>(found == v.k ? v.first_kmer + index : v.unknown);
                ++at;
            } else if (found == v.k) {
                *out++ = static_cast<Id>(v.first_kmer + index);
                at += v.k;
            } else {
                *out++ = static_cast<Id>(ids[bytes[at++]]);
            }
        }
        return static_cast<u64>(out - begin);
    }
};

struct Matrix {
    std::string bytes;
    std::vector<u32> offsets;

    Matrix(u32 rows, u32 length) {
        std::mt19937_64 random(42);
        for (u64 i = 0; i < u64{rows} * length; i += 16) {
            const u64 sixteen = random();
            for (u32 j = 0; j < 16; ++j) bytes += "ACGT"[sixteen >> (2 * j) & 3];
        }
        for (u32 row = 0; row <= rows; ++row) offsets.push_back(row * length);
        for (u32 row = 0; row < rows; row += 64) bytes[u64{row} * length + random() % length] = 'N';
    }
    const u8* data() const { return reinterpret_cast<const u8*>(bytes.data()); }
};

const Matrix& matrix_of(u32 rows, u32 length) {
    static std::map<std::pair<u32, u32>, Matrix> all;
    return all.try_emplace({rows, length}, rows, length).first->second;
}

void report_bases(benchmark::State& state, u64 bases) {
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(bases));
}

template <class Id>
void register_matrices(const Vocabulary& v, const Dna& dna, const char* type, const std::string& kernel, bool with_plain) {
    const std::pair<u32, u32> sizes[] = {{4096, 512}, {8192, 512}, {2048, 2048}, {4096, 128}, {4096, 1024}, {4096, 4096}};
    for (const auto& [rows, length] : sizes) {
        // Sequences of `length` bases, and rows with as many ids as one with N may need.
        const u32 columns = v.unit == CRAYON_DNA_KMERS ? length / v.k + 3 * v.k : length;
        const std::string what = std::string(v.name) + "/" + type + "/" + std::to_string(rows) + "x" + std::to_string(length);
        const auto encode = [&v, &dna, rows = rows, length = length, columns](std::vector<Id>& ids) {
            static std::vector<u32> unknown;
            const Matrix& matrix = matrix_of(rows, length);
            crayon_result result;
            ids.resize(u64{rows} * columns);
            unknown.resize(rows);
            must(crayon_dna_encode_rows(dna.get(), matrix.data(), matrix.offsets.back(), matrix.offsets.data(), rows, columns,
                                        CRAYON_DNA_PAD_RIGHT, sizeof(Id), ids.data(), nullptr, unknown.data(), &result));
        };
        benchmark::RegisterBenchmark(
            (what + "/" + kernel).c_str(), [&v, encode, rows = rows, length = length, columns](benchmark::State& state) {
                std::vector<Id> ids, plain(columns);
                encode(ids);
                const Matrix& matrix = matrix_of(rows, length);
                for (u32 row = 0; row < rows; ++row) {
                    const u64 count = Plain(v).encode(v, matrix.data() + u64{row} * length, length, plain.data());
                    if (std::memcmp(plain.data(), ids.data() + u64{row} * columns, count * sizeof(Id)) != 0) std::abort();
                }
                for (auto _ : state) encode(ids);
                report_bases(state, u64{rows} * length);
            });
        if (!with_plain) continue;
        benchmark::RegisterBenchmark(
            (what + "/plain").c_str(), [&v, rows = rows, length = length, columns](benchmark::State& state) {
                const Matrix& matrix = matrix_of(rows, length);
                const Plain plain(v);
                std::vector<Id> ids(u64{rows} * columns);
                for (auto _ : state) {
                    for (u32 row = 0; row < rows; ++row) {
                        const u8* const bases = matrix.data() + u64{row} * length;
                        benchmark::DoNotOptimize(plain.encode(v, bases, length, ids.data() + u64{row} * columns));
                    }
                    benchmark::ClobberMemory();
                }
                report_bases(state, u64{rows} * length);
            });
    }
}

void register_bases(const std::string& kernel) {
    const u32 name_length = static_cast<u32>(kernel.size());
    benchmark::RegisterBenchmark(("reverse-complement/4096x512/" + kernel).c_str(), [=](benchmark::State& state) {
        std::string bases = matrix_of(4096, 512).bytes, out = bases;
        crayon_result result;
        for (auto _ : state) {
            must(crayon_dna_reverse_complement(reinterpret_cast<const u8*>(bases.data()), static_cast<u32>(bases.size()),
                                               reinterpret_cast<u8*>(out.data()), kernel.data(), name_length, &result));
        }
        report_bases(state, bases.size());
    });
    benchmark::RegisterBenchmark(("pack/4096x512/" + kernel).c_str(), [=](benchmark::State& state) {
        std::string bases = matrix_of(4096, 512).bytes, out = bases;
        for (char& base : bases) base = base == 'N' ? 'A' : base;
        crayon_result result;
        for (auto _ : state) {
            must(crayon_dna_pack(reinterpret_cast<const u8*>(bases.data()), static_cast<u32>(bases.size()),
                                 reinterpret_cast<u8*>(out.data()), kernel.data(), name_length, &result));
        }
        report_bases(state, bases.size());
    });
    benchmark::RegisterBenchmark(("unpack/4096x512/" + kernel).c_str(), [=](benchmark::State& state) {
        const std::string packed = matrix_of(4096, 512).bytes;
        std::string out(packed.size(), ' ');
        crayon_result result;
        for (auto _ : state) {
            must(crayon_dna_unpack(reinterpret_cast<const u8*>(packed.data()), static_cast<u32>(out.size()),
                                   reinterpret_cast<u8*>(out.data()), kernel.data(), name_length, &result));
        }
        report_bases(state, out.size());
    });
}

}  // namespace

int main(int argc, char** argv) {
    const bool all = argc > 1 && std::string_view(argv[1]) == "--kernels=all";
    if (all) {
        std::copy(argv + 2, argv + argc, argv + 1);
        --argc;
    }
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    std::vector<Cartridge> cartridges;
    std::vector<Tokenizer> tokenizers;
    std::vector<Dna> opened;
    for (u32 index = 0; const char* kernel = crayon_kernel_name(index); ++index) {
        if (index > 0 && !all) break;
        for (const Vocabulary& v : kVocabularies) {
            cartridges.push_back(compile(v));
            tokenizers.push_back(create_tokenizer(cartridges.back().get(), "default", kernel));
            crayon_dna* dna = nullptr;
            must(crayon_dna_create(tokenizers.back().get(), nullptr, &dna, nullptr));
            opened.emplace_back(dna);
        }
    }
    for (u32 index = 0; index < opened.size() / std::size(kVocabularies); ++index) {
        const std::string kernel = crayon_kernel_name(index);
        for (u32 i = 0; i < std::size(kVocabularies); ++i) {
            const Vocabulary& v = kVocabularies[i];
            const Dna& dna = opened[index * std::size(kVocabularies) + i];
            if (v.unit == CRAYON_DNA_BYTES) register_matrices<u8>(v, dna, "uint8", kernel, index == 0);
            register_matrices<std::uint16_t>(v, dna, "uint16", kernel, index == 0);
            register_matrices<u32>(v, dna, "int32", kernel, index == 0);
            register_matrices<u64>(v, dna, "int64", kernel, index == 0);
        }
        register_bases(kernel);
    }
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
