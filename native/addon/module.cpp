// The entry point of the module: creates the environment's data and exports the functions.

#include <node_api.h>

#include "environment.h"
#include "functions.h"

namespace {

using crayon::addon::Environment;

void release(napi_env, void* environment, void*) { delete static_cast<Environment*>(environment); }

napi_value initialise(napi_env env, napi_value exports) {
    Environment* environment = Environment::create();
    if (!environment || napi_set_instance_data(env, environment, release, nullptr) != napi_ok) {
        delete environment;
        napi_throw_error(env, nullptr, "crayon: out of memory");
        return exports;
    }

    struct Function {
        const char* name;
        napi_callback call;
    };
    namespace addon = crayon::addon;
    constexpr Function kFunctions[] = {
        {"statuses", addon::statuses},
        {"kernels", addon::kernels},
        {"failure", addon::failure},
        {"load", addon::load},
        {"describe", addon::describe},
        {"sections", addon::sections},
        {"share", addon::share},
        {"retire", addon::retire},
        {"close", addon::close},
        {"encode", addon::encode},
        {"encodeBytes", addon::encode_bytes},
        {"count", addon::count},
        {"countBytes", addon::count_bytes},
        {"encodeWithOffsets", addon::encode_with_offsets},
        {"encodeBytesWithOffsets", addon::encode_bytes_with_offsets},
        {"takeOverflow", addon::take_overflow},
        {"begin", addon::begin},
        {"feed", addon::feed},
        {"feedBytes", addon::feed_bytes},
        {"feedRows", addon::feed_rows},
        {"feedJoined", addon::feed_joined},
        {"take", addon::take},
        {"sessionPosition", addon::session_position},
        {"takeOffsets", addon::take_offsets},
        {"end", addon::end},
        {"startBackground", addon::start_background},
        {"jobBegin", addon::job_begin},
        {"jobFeed", addon::job_feed},
        {"jobFeedBytes", addon::job_feed_bytes},
        {"jobFeedRows", addon::job_feed_rows},
        {"jobFeedJoined", addon::job_feed_joined},
        {"jobSetRows", addon::job_set_rows},
        {"jobSetText", addon::job_set_text},
        {"jobEnd", addon::job_end},
        {"jobSubmit", addon::job_submit},
        {"jobStart", addon::job_start},
        {"jobRun", addon::job_run},
        {"jobRunFor", addon::job_run_for},
        {"jobResult", addon::job_result},
        {"jobPosition", addon::job_position},
        {"jobTotals", addon::job_totals},
        {"jobTake", addon::job_take},
        {"jobRelease", addon::job_release},
        {"fit", addon::fit},
        {"split", addon::split},
        {"decode", addon::decode},
        {"decodeLength", addon::decode_length},
        {"decodeInto", addon::decode_into},
        {"tokenBytes", addon::token_bytes},
        {"idOf", addon::id_of},
        {"compile", addon::compile},
        {"recompile", addon::recompile},
        {"trainBegin", addon::train_begin},
        {"trainResume", addon::train_resume},
        {"trainFeed", addon::train_feed},
        {"trainStart", addon::train_start},
        {"trainStep", addon::train_step},
        {"trainResult", addon::train_result},
        {"trainEnd", addon::train_end},
        {"dnaCompile", addon::dna_compile},
        {"dnaOpen", addon::dna_open},
        {"dnaDescribe", addon::dna_describe},
        {"dnaCount", addon::dna_count},
        {"dnaCountRows", addon::dna_count_rows},
        {"dnaEncode", addon::dna_encode},
        {"dnaEncodeRows", addon::dna_encode_rows},
        {"dnaJobBegin", addon::dna_job_begin},
        {"dnaDeviceJob", addon::dna_device_job},
        {"dnaClose", addon::dna_close},
        {"dnaBases", addon::dna_bases},
        {"deviceOpen", addon::device_open},
        {"deviceDescribe", addon::device_describe},
        {"deviceClose", addon::device_close},
        {"deviceSupports", addon::device_supports},
        {"deviceTexts", addon::device_texts},
        {"deviceJobPad", addon::device_job_pad},
        {"deviceJobColumns", addon::device_job_columns},
        {"deviceJobMatrix", addon::device_job_matrix},
        {"deviceJobRun", addon::device_job_run},
        {"deviceJobSubmit", addon::device_job_submit},
        {"deviceJobResult", addon::device_job_result},
        {"deviceJobTotals", addon::device_job_totals},
        {"deviceJobTake", addon::device_job_take},
        {"deviceJobProgress", addon::device_job_progress},
        {"deviceJobRelease", addon::device_job_release},
        {"recordsBegin", addon::records_begin},
        {"recordsRead", addon::records_read},
        {"recordsEnd", addon::records_end},
    };
    for (const Function& each : kFunctions) {
        napi_value function = nullptr;
        // The function carries the environment's data, so that calls need no lookup.
        if (napi_create_function(env, each.name, NAPI_AUTO_LENGTH, each.call, environment, &function) != napi_ok) break;
        if (napi_set_named_property(env, exports, each.name, function) != napi_ok) break;
    }
    return exports;
}

}  // namespace

NAPI_MODULE_INIT() { return initialise(env, exports); }
