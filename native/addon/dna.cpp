// Encodes DNA.

#include "background.h"
#include "devices.h"
#include "environment.h"
#include "functions.h"

namespace crayon::addon {

namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFF;

// A typed array to write ids to.
struct Ids {
    void* data = nullptr;
    std::size_t count = 0;
    std::uint32_t width = 0;  // of an id, in bytes; 0: not such an array

    Ids(napi_env env, napi_value value) {
        napi_typedarray_type type;
        if (napi_get_typedarray_info(env, value, &type, &count, &data, nullptr, nullptr) != napi_ok) return;
        switch (type) {
            case napi_uint8_array:
                width = 1;
                break;
            case napi_uint16_array:
                width = 2;
                break;
            case napi_int32_array:
            case napi_uint32_array:
                width = 4;
                break;
            case napi_bigint64_array:
            case napi_biguint64_array:
                width = 8;
                break;
            default:
                break;
        }
    }
    // An empty array may not have memory, and an argument must not be a null pointer.
    void* at() { return data ? data : &nothing; }

private:
    std::uint64_t nothing = 0;
};

bool fits(std::size_t count) { return count < kNone; }

template <class T>
const T* or_some(const T* data) {
    static const T some = {};
    return data ? data : &some;
}

template <class T>
std::uint32_t count_of(const Elements<T>& elements) {
    return static_cast<std::uint32_t>(elements.count);
}

const char* text_of(const Elements<const std::uint8_t>& bytes) { return reinterpret_cast<const char*>(or_some(bytes.data)); }

// Whether the offsets ascend and end within the bytes.
bool are_offsets(const Elements<const std::uint32_t>& offsets, std::size_t bytes) {
    if (offsets.count == 0) return false;
    for (std::size_t i = 0; i + 1 < offsets.count; ++i) {
        if (offsets.data[i] > offsets.data[i + 1]) return false;
    }
    return offsets.data[offsets.count - 1] <= bytes;
}

// The arguments of a matrix, after the handle.
struct Matrix {
    Elements<const std::uint8_t> bytes;
    Elements<const std::uint32_t> offsets;
    std::uint32_t columns, flags, rows = 0;
    Ids ids;
    Elements<std::uint8_t> mask;
    Elements<std::uint32_t> unknown;  // one count per row, or none
    std::uint64_t size = 0;           // ids
    bool is_valid = false;

    template <std::size_t N>
    Matrix(napi_env env, const Arguments<N>& in)
        : bytes(env, in.at[1]),
          offsets(env, in.at[2]),
          columns(in.integer(3)),
          flags(in.integer(4)),
          ids(env, in.at[5]),
          mask(env, in.at[6]),
          unknown(env, in.at[7]) {
        if (!bytes.valid || !are_offsets(offsets, bytes.count) || !fits(offsets.count) || ids.width == 0) return;
        rows = count_of(offsets) - 1;
        size = std::uint64_t{rows} * columns;
        is_valid = ids.count >= size && (!mask.valid || mask.count >= size) && (!unknown.valid || unknown.count >= rows);
    }
};

// A failure at a base of a row, or of a row.
napi_value fail_in_row(napi_env env, Environment& environment, crayon_result result) {
    if (result.status == CRAYON_UNKNOWN_BASE) {
        environment.failed_row = result.section;
        result.section = 0;
    } else if (result.status == CRAYON_TEXT_TOO_LONG || result.status == CRAYON_INVALID_ARGUMENT) {
        environment.failed_row = result.position;
        result.position = 0;
    }
    return environment.fail(env, result);
}

struct Compiler {
    crayon_dna_compiler* it = nullptr;
    ~Compiler() { crayon_dna_compiler_release(it); }
};

// The parts of a vocabulary, by the indices of their arguments.
enum : std::size_t {
    kRules,
    kTokens,
    kTokenOffsets,
    kBases,
    kStarts,
    kDigits,
    kKmers,
    kBefore,
    kAfter,
    kMetadata,
    kName,
    kSpecials,
    kSpecialOffsets,
    kSpecialIds,
    kSpecialFlags,
    kParts
};

bool add_specials(crayon_dna_compiler* compiler, const Elements<const std::uint8_t>& bytes,
                  const Elements<const std::uint32_t>& offsets, const Elements<const std::uint32_t>& ids,
                  const Elements<const std::uint32_t>& flags, crayon_result& result) {
    for (std::size_t i = 0; i < ids.count; ++i) {
        const std::uint32_t begin = offsets.data[i], end = offsets.data[i + 1];
        if (crayon_dna_compiler_add_special(compiler, or_some(bytes.data) + begin, end - begin, ids.data[i], flags.data[i],
                                            &result) != CRAYON_OK) {
            return false;
        }
    }
    return true;
}

bool compile_parts(napi_env env, const napi_value (&at)[kParts], Compiler& compiler, const std::uint8_t*& file,
                   crayon_result& result) {
    using Bytes = Elements<const std::uint8_t>;
    using Words = Elements<const std::uint32_t>;
    Words numbers(env, at[kRules]), token_offsets(env, at[kTokenOffsets]), bases(env, at[kBases]);
    Words starts(env, at[kStarts]), kmers(env, at[kKmers]), before(env, at[kBefore]), after(env, at[kAfter]);
    Words special_offsets(env, at[kSpecialOffsets]), special_ids(env, at[kSpecialIds]), special_flags(env, at[kSpecialFlags]);
    Bytes tokens(env, at[kTokens]), digits(env, at[kDigits]), metadata(env, at[kMetadata]), name(env, at[kName]);
    Bytes specials(env, at[kSpecials]);
    result.status = CRAYON_INVALID_ARGUMENT;
    if (numbers.count != 12 || bases.count != 256 || (starts.count != 0 && starts.count != 256) || !fits(tokens.count) ||
        !are_offsets(token_offsets, tokens.count) || !fits(token_offsets.count) || !fits(kmers.count) || !fits(digits.count) ||
        !fits(before.count) || !fits(after.count) || !fits(metadata.count) || !fits(name.count) ||
        !are_offsets(special_offsets, specials.count) || special_ids.count + 1 != special_offsets.count ||
        special_flags.count != special_ids.count) {
        return false;
    }
    const std::uint32_t* const n = numbers.data;
    const crayon_dna_rules rules = {n[0], n[1], n[2], n[3], n[4], n[5], n[6], {n[7], n[8], n[9], n[10]}, n[11]};
    return crayon_dna_compiler_create(&compiler.it, &result) == CRAYON_OK &&
           crayon_dna_compiler_set_rules(compiler.it, &rules, &result) == CRAYON_OK &&
           crayon_dna_compiler_set_tokens(compiler.it, or_some(tokens.data), count_of(tokens), token_offsets.data,
                                          count_of(token_offsets) - 1, &result) == CRAYON_OK &&
           crayon_dna_compiler_set_bases(compiler.it, bases.data, starts.data, &result) == CRAYON_OK &&
           (digits.count == 0 || crayon_dna_compiler_set_kmers(compiler.it, digits.data, count_of(digits), or_some(kmers.data),
                                                               count_of(kmers), &result) == CRAYON_OK) &&
           crayon_dna_compiler_set_template(compiler.it, or_some(before.data), count_of(before), or_some(after.data),
                                            count_of(after), &result) == CRAYON_OK &&
           crayon_dna_compiler_set_metadata(compiler.it, text_of(metadata), count_of(metadata), &result) == CRAYON_OK &&
           crayon_dna_compiler_set_name(compiler.it, text_of(name), count_of(name), &result) == CRAYON_OK &&
           add_specials(compiler.it, specials, special_offsets, special_ids, special_flags, result) &&
           crayon_dna_compiler_finish(compiler.it, &file, &result) == CRAYON_OK;
}

}  // namespace

napi_value dna_compile(napi_env env, napi_callback_info info) {
    Arguments<kParts> in(env, info);
    crayon_result result = {};
    Compiler compiler;
    const std::uint8_t* file = nullptr;
    if (!compile_parts(env, in.at, compiler, file, result)) {
        in.environment->fail(env, result);
        return nullptr;
    }
    return copy_of(env, file, result.count);
}

napi_value dna_open(napi_env env, napi_callback_info info) {
    Arguments<2> in(env, info);
    Environment& environment = *in.environment;
    crayon_tokenizer* const tokenizer = environment.table<crayon_tokenizer>().find(in.handle(0));
    Elements<const std::uint32_t> numbers(env, in.at[1]);
    if (!tokenizer) return environment.fail(env, CRAYON_CLOSED);
    if (numbers.count != 4) return environment.fail(env, CRAYON_INVALID_ARGUMENT);
    const crayon_dna_policies policies = {numbers.data[0], numbers.data[1], numbers.data[2], numbers.data[3]};
    crayon_result result = {};
    crayon_dna* dna = nullptr;
    if (crayon_dna_create(tokenizer, &policies, &dna, &result) != CRAYON_OK) return environment.fail(env, result);
    const std::int64_t handle = environment.dnas.add(dna);
    if (handle != 0) return number(env, static_cast<double>(handle));
    crayon_dna_release(dna);
    return environment.fail(env, CRAYON_OUT_OF_MEMORY);
}

// The nine numbers of crayon_dna_describe, then the ids before and after a sequence.
napi_value dna_describe(napi_env env, napi_callback_info info) {
    Arguments<2> in(env, info);
    const crayon_dna* const dna = in.environment->dnas.find(in.handle(0));
    Elements<std::uint32_t> out(env, in.at[1]);
    if (!dna) return in.environment->fail(env, CRAYON_CLOSED);
    if (out.count < 9) return in.environment->fail(env, CRAYON_INVALID_ARGUMENT);
    crayon_dna_describe(dna, out.data);
    std::size_t at = 9;
    for (std::uint32_t which = 0; which < 2; ++which) {
        for (std::uint32_t i = 0; i < out.data[7 + which] && at < out.count; ++i) {
            out.data[at++] = crayon_dna_template(dna, which, i);
        }
    }
    return number(env, static_cast<double>(at));
}

napi_value dna_count(napi_env env, napi_callback_info info) {
    Arguments<2> in(env, info);
    const crayon_dna* const dna = in.environment->dnas.find(in.handle(0));
    Elements<const std::uint8_t> bytes(env, in.at[1]);
    if (!dna) return in.environment->fail(env, CRAYON_CLOSED);
    if (!bytes.valid || !fits(bytes.count)) return in.environment->fail(env, CRAYON_TEXT_TOO_LONG);
    crayon_result result = {};
    if (crayon_dna_count(dna, or_some(bytes.data), count_of(bytes), &result) != CRAYON_OK) {
        return in.environment->fail(env, result);
    }
    return number(env, result.count);
}

napi_value dna_count_rows(napi_env env, napi_callback_info info) {
    Arguments<4> in(env, info);
    const crayon_dna* const dna = in.environment->dnas.find(in.handle(0));
    Elements<const std::uint8_t> bytes(env, in.at[1]);
    Elements<const std::uint32_t> offsets(env, in.at[2]);
    Elements<std::uint32_t> counts(env, in.at[3]);
    if (!dna) return in.environment->fail(env, CRAYON_CLOSED);
    if (!bytes.valid || !are_offsets(offsets, bytes.count) || counts.count + 1 < offsets.count) {
        return in.environment->fail(env, CRAYON_INVALID_ARGUMENT);
    }
    for (std::size_t i = 0; i + 1 < offsets.count; ++i) {
        const std::uint32_t begin = offsets.data[i];
        crayon_result result = {};
        if (crayon_dna_count(dna, or_some(bytes.data) + begin, offsets.data[i + 1] - begin, &result) != CRAYON_OK) {
            in.environment->failed_row = static_cast<std::int64_t>(i);
            return in.environment->fail(env, result);
        }
        counts.data[i] = result.count;
    }
    return number(env, 0);
}

// `part`, if given, receives the end of the ids in the bytes, whether there are more, and how many are unknown.
napi_value dna_encode(napi_env env, napi_callback_info info) {
    Arguments<5> in(env, info);
    const crayon_dna* const dna = in.environment->dnas.find(in.handle(0));
    Elements<const std::uint8_t> bytes(env, in.at[1]);
    Ids ids(env, in.at[3]);
    Elements<std::uint32_t> part(env, in.at[4]);
    if (!dna) return in.environment->fail(env, CRAYON_CLOSED);
    if (!bytes.valid || ids.width == 0) return in.environment->fail(env, CRAYON_INVALID_ARGUMENT);
    if (!fits(bytes.count) || !fits(ids.count)) return in.environment->fail(env, CRAYON_TEXT_TOO_LONG);
    std::uint32_t unknown = 0;
    crayon_result result = {};
    if (crayon_dna_encode(dna, or_some(bytes.data), count_of(bytes), in.integer(2), ids.width, ids.at(),
                          static_cast<std::uint32_t>(ids.count), &unknown, &result) != CRAYON_OK) {
        return in.environment->fail(env, result);
    }
    if (part.count >= 3) {
        part.data[0] = result.position;
        part.data[1] = result.more;
        part.data[2] = unknown;
    } else if (result.more) {
        return in.environment->fail(env, CRAYON_TEXT_TOO_LONG);
    }
    return number(env, result.count);
}

napi_value dna_encode_rows(napi_env env, napi_callback_info info) {
    Arguments<8> in(env, info);
    const crayon_dna* const dna = in.environment->dnas.find(in.handle(0));
    if (!dna) return in.environment->fail(env, CRAYON_CLOSED);
    Matrix to(env, in);
    if (!to.is_valid) return in.environment->fail(env, CRAYON_INVALID_ARGUMENT);
    crayon_result result = {};
    if (crayon_dna_encode_rows(dna, or_some(to.bytes.data), to.offsets.data, to.rows, to.columns, to.flags, to.ids.width,
                               to.ids.at(), to.mask.data, to.unknown.data, &result) != CRAYON_OK) {
        return fail_in_row(env, *in.environment, result);
    }
    return number(env, result.count);
}

// A job, which keeps the arrays alive; `lib/` does not modify them.
napi_value dna_job_begin(napi_env env, napi_callback_info info) {
    Arguments<9> in(env, info);
    Environment& environment = *in.environment;
    const crayon_dna* const dna = environment.dnas.find(in.handle(0));
    if (!dna) return environment.fail(env, CRAYON_CLOSED);
    Matrix to(env, in);
    if (!environment.background || !to.is_valid || to.size == 0) return environment.fail(env, CRAYON_INVALID_ARGUMENT);
    napi_value arrays = nullptr;
    if (napi_create_array(env, &arrays) != napi_ok) return environment.fail(env, CRAYON_OUT_OF_MEMORY);
    std::uint32_t kept = 0;
    for (const std::size_t index : {1, 2, 5, 6, 7}) napi_set_element(env, arrays, kept++, in.at[index]);
    crayon_result result = {};
    crayon_job* job = nullptr;
    if (crayon_job_create_dna(dna, or_some(to.bytes.data), to.offsets.data, to.rows, to.columns, to.flags, to.ids.width,
                              to.ids.at(), to.mask.data, to.unknown.data, &job, &result) != CRAYON_OK) {
        return environment.fail(env, result);
    }
    crayon_job_set_threads(job, in.integer(8));
    BackgroundJob* const added = environment.background->add(job);
    if (!added) {
        crayon_job_release(job);
        return environment.fail(env, CRAYON_OUT_OF_MEMORY);
    }
    if (napi_create_reference(env, arrays, 1, &added->memory) != napi_ok) {
        environment.background->release(env, *added);
        return environment.fail(env, CRAYON_OUT_OF_MEMORY);
    }
    return number(env, static_cast<double>(added->handle));
}

// The same on an accelerator; its handle follows the matrix.
napi_value dna_device_job(napi_env env, napi_callback_info info) {
    Arguments<9> in(env, info);
    Environment& environment = *in.environment;
    const crayon_dna* const dna = environment.dnas.find(in.handle(0));
    crayon_device* const device = environment.devices.find(in.handle(8));
    if (!dna || !device) return environment.fail(env, CRAYON_CLOSED);
    Matrix to(env, in);
    if (!to.is_valid) return environment.fail(env, CRAYON_INVALID_ARGUMENT);
    napi_value arrays = nullptr;
    if (napi_create_array(env, &arrays) != napi_ok) return environment.fail(env, CRAYON_OUT_OF_MEMORY);
    std::uint32_t kept = 0;
    for (const std::size_t index : {1, 5, 6, 7}) napi_set_element(env, arrays, kept++, in.at[index]);
    crayon_result result = {};
    crayon_device_job* job = nullptr;
    if (crayon_device_create_dna(device, dna, to.bytes.data, to.bytes.count, to.offsets.data, to.rows, to.columns, to.flags,
                                 to.ids.width, to.ids.data, to.mask.data, to.unknown.data, &job, &result) != CRAYON_OK) {
        return environment.fail(env, result);
    }
    return add_device_job(env, environment, job, arrays);
}

// The same for a matrix that stays on the device: (dna, bytes, offsets, columns, flags, width, maskWidth, unknown, device).
// The widths are in bytes, for ids and mask elements; there are no arrays for either.
napi_value dna_kept_job(napi_env env, napi_callback_info info) {
    Arguments<9> in(env, info);
    Environment& environment = *in.environment;
    const crayon_dna* const dna = environment.dnas.find(in.handle(0));
    crayon_device* const device = environment.devices.find(in.handle(8));
    if (!dna || !device) return environment.fail(env, CRAYON_CLOSED);
    const Elements<const std::uint8_t> bytes(env, in.at[1]);
    const Elements<const std::uint32_t> offsets(env, in.at[2]);
    const Elements<std::uint32_t> unknown(env, in.at[7]);
    if (!bytes.valid || !are_offsets(offsets, bytes.count) || !fits(offsets.count)) {
        return environment.fail(env, CRAYON_INVALID_ARGUMENT);
    }
    const std::uint32_t rows = count_of(offsets) - 1;
    if (!unknown.valid || unknown.count < rows) return environment.fail(env, CRAYON_INVALID_ARGUMENT);
    napi_value arrays = nullptr;
    if (napi_create_array(env, &arrays) != napi_ok) return environment.fail(env, CRAYON_OUT_OF_MEMORY);
    napi_set_element(env, arrays, 0, in.at[1]);
    napi_set_element(env, arrays, 1, in.at[7]);
    crayon_result result = {};
    crayon_device_job* job = nullptr;
    if (crayon_device_create_dna(device, dna, bytes.data, bytes.count, offsets.data, rows, in.integer(3), in.integer(4),
                                 in.integer(5), nullptr, nullptr, unknown.data, &job, &result) != CRAYON_OK) {
        return environment.fail(env, result);
    }
    if (crayon_device_job_keep(job, in.integer(6), &result) != CRAYON_OK) {
        crayon_device_job_release(job);
        return environment.fail(env, result);
    }
    return add_device_job(env, environment, job, arrays);
}

napi_value dna_close(napi_env env, napi_callback_info info) {
    Arguments<1> in(env, info);
    crayon_dna_release(in.environment->dnas.remove(in.handle(0)));
    return number(env, 0);
}

// 0: reverse complement, 1: pack, 2: unpack `out.count` bases.
napi_value dna_bases(napi_env env, napi_callback_info info) {
    Arguments<4> in(env, info);
    Elements<const std::uint8_t> bytes(env, in.at[1]), kernel(env, in.at[3]);
    Elements<std::uint8_t> out(env, in.at[2]);
    const std::uint32_t operation = in.integer(0);
    const std::size_t bases = operation == 2 ? out.count : bytes.count;
    const std::size_t quarter = (bases + 3) / 4;
    if (!bytes.valid || !out.valid || !fits(bases) || operation > 2 || !fits(kernel.count) ||
        (operation == 2 ? bytes.count : out.count) < (operation == 0 ? bases : quarter)) {
        return in.environment->fail(env, CRAYON_INVALID_ARGUMENT);
    }
    if (bases == 0) return number(env, 0);
    constexpr decltype(&crayon_dna_pack) kOperations[] = {crayon_dna_reverse_complement, crayon_dna_pack, crayon_dna_unpack};
    crayon_result result = {};
    if (kOperations[operation](bytes.data, static_cast<std::uint32_t>(bases), out.data, text_of(kernel), count_of(kernel),
                               &result) != CRAYON_OK) {
        return in.environment->fail(env, result);
    }
    return number(env, 0);
}

}  // namespace crayon::addon
