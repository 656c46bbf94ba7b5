// Encodes a text in several calls: long strings, streams, the rows of a batch. A session ends with `end`, or with its
// tokenizer.

#include <algorithm>

#include "functions.h"
#include "text_input.h"

namespace crayon::addon {

namespace {

bool start_text(Session& session, crayon_result& result) {
    if (session.open_text) return true;
    session.open_text = session.policy.begin(session.encoder, result);
    return session.open_text;
}

// Copies its ids and ranges.
bool keep_policy(Session& session, const Policy& policy) {
    session.policy = policy;
    session.policy.allowed = session.policy.ranges = nullptr;
    session.policy.allowed_count = session.policy.range_count = 0;
    const std::size_t ids = policy.allowed_count, range_numbers = 2 * std::size_t{policy.range_count};
    if (ids + range_numbers == 0) return true;
    session.lists = static_cast<std::uint32_t*>(std::malloc((ids + range_numbers) * sizeof(std::uint32_t)));
    if (!session.lists) return false;
    if (ids) std::memcpy(session.lists, policy.allowed, ids * sizeof(std::uint32_t));
    if (range_numbers) std::memcpy(session.lists + ids, policy.ranges, range_numbers * sizeof(std::uint32_t));
    session.policy.allowed = session.lists;
    session.policy.allowed_count = policy.allowed_count;
    session.policy.ranges = session.lists + ids;
    session.policy.range_count = policy.range_count;
    return true;
}

// `most`: counting stops at this number of tokens.
bool take_ready(Session& session, crayon_result& result, std::uint64_t most = kNoLimit) {
    if (session.counting) return count_ready(session.encoder, session.counted, most, result);
    if (!session.has_offsets) return session.ids.read(session.encoder, result);
    return session.ids.read_with_offsets(session.encoder, session.offsets, session.unit, result);
}

double total(const Session& session) {
    return session.counting ? static_cast<double>(session.counted) : static_cast<double>(session.ids.count());
}

}  // namespace

napi_value begin(napi_env env, napi_callback_info info) {
    Arguments<4> in(env, info);
    Environment& environment = *in.environment;
    const Policy policy(env, in.at[1]);
    OpenTokenizer* open = environment.tokenizers.find(in.handle(0));
    if (!open) return environment.fail(env, CRAYON_CLOSED);
    Session* session = environment.begin_session(env, *open);
    if (!session) return number(env, -1);
    session->counting = in.truth(2);
    session->has_offsets = napi_get_value_uint32(env, in.at[3], &session->unit) == napi_ok;
    crayon_result result = {};
    if (!keep_policy(*session, policy)) result.status = CRAYON_OUT_OF_MEMORY;
    // Checks the policy now instead of with the first window.
    if (result.status != CRAYON_OK || !start_text(*session, result)) {
        environment.end_session(env, session);
        return environment.fail(env, result);
    }
    return number(env, static_cast<double>(session->handle));
}

// The session's text is to be cut into parts: it collects their numbers.
napi_value begin_parts(napi_env env, napi_callback_info info) {
    Arguments<4> in(env, info);
    Session* session = in.environment->sessions.find(in.handle(0));
    if (!session) return in.environment->fail(env, CRAYON_CLOSED);
    const crayon_part_form form = part_form(in);
    crayon_result result = {};
    crayon_encoder_begin_parts(session->encoder, &form, &result);
    return result.status == CRAYON_OK ? number(env, 0) : in.environment->fail(env, result);
}

napi_value feed(napi_env env, napi_callback_info info) {
    Arguments<4> in(env, info);
    Session* session = in.environment->sessions.find(in.handle(0));
    if (!session) return in.environment->fail(env, CRAYON_CLOSED);
    bool last = in.truth(2);
    std::int64_t most = in.handle(3);
    crayon_result result = {};
    if (!start_text(*session, result) || !feed_string(*in.environment, env, session->encoder, in.at[1], last, result) ||
        !take_ready(*session, result, most > 0 ? static_cast<std::uint64_t>(most) : kNoLimit)) {
        return in.environment->fail(env, result);
    }
    session->open_text = !last;
    return number(env, total(*session));
}

napi_value feed_bytes(napi_env env, napi_callback_info info) {
    Arguments<3> in(env, info);
    Session* session = in.environment->sessions.find(in.handle(0));
    if (!session) return in.environment->fail(env, CRAYON_CLOSED);
    Elements<const std::uint8_t> bytes(env, in.at[1]);
    if (!bytes.valid) return in.environment->fail(env, CRAYON_INVALID_ARGUMENT);
    bool last = in.truth(2);
    crayon_result result = {};
    auto ready = [&] { return take_ready(*session, result); };
    if (!start_text(*session, result) ||
        !feed_windows(*in.environment, session->encoder, bytes.data, bytes.count, last, result, ready)) {
        return in.environment->fail(env, result);
    }
    session->open_text = !last;
    return number(env, total(*session));
}

// Ends a row of a batch. `result` is the outcome; false: the row failed, and its failure has been stored. `end` is set to
// the total after the row.
bool end_row(Environment& environment, Session& session, std::size_t row, crayon_result& result, std::uint32_t& end) {
    if (result.status == CRAYON_OK) {
        session.open_text = false;
        end = static_cast<std::uint32_t>(total(session));
        if (total(session) <= 0xFFFFFFFF) return true;
        result.status = CRAYON_TEXT_TOO_LONG;
    }
    environment.failed_row = static_cast<std::int64_t>(row);
    environment.failure = result;
    return false;
}

// Each offset is read only once, because another thread may be changing it.
napi_value feed_rows(napi_env env, napi_callback_info info) {
    Arguments<4> in(env, info);
    Environment& environment = *in.environment;
    Session* session = environment.sessions.find(in.handle(0));
    if (!session) return environment.fail(env, CRAYON_CLOSED);
    Elements<const std::uint8_t> bytes(env, in.at[1]);
    Elements<const volatile std::uint32_t> offsets(env, in.at[2]);
    Elements<std::uint32_t> ends(env, in.at[3]);
    if (!bytes.valid || offsets.count == 0 || ends.count < offsets.count) return environment.fail(env, CRAYON_INVALID_ARGUMENT);
    crayon_result result = {};
    auto ready = [&] { return take_ready(*session, result); };
    std::uint32_t from = offsets.data[0];
    for (std::size_t row = 0; row + 1 < offsets.count; ++row) {
        std::uint32_t to = offsets.data[row + 1];
        if (from > to || to > bytes.count) {
            result.status = CRAYON_INVALID_ARGUMENT;
        } else if (start_text(*session, result)) {
            feed_windows(environment, session->encoder, bytes.data + from, to - from, true, result, ready);
        }
        if (!end_row(environment, *session, row, result, ends.data[row + 1])) return number(env, -1);
        from = to;
    }
    return number(env, total(*session));
}

// Each row is converted separately: a surrogate at its end does not join the next row.
napi_value feed_joined(napi_env env, napi_callback_info info) {
    Arguments<5> in(env, info);
    Environment& environment = *in.environment;
    Session* session = environment.sessions.find(in.handle(0));
    if (!session) return environment.fail(env, CRAYON_CLOSED);
    Elements<std::uint32_t> ends(env, in.at[2]);
    std::size_t first = in.integer(3), last = in.integer(4), length = 0;
    if (!ends.valid || first > last || last >= ends.count || !units_of(environment, env, in.at[1], length))
        return environment.fail(env, CRAYON_INVALID_ARGUMENT);
    crayon_result result = {};
    const std::uint16_t* units = reinterpret_cast<const std::uint16_t*>(environment.units());
    for (std::size_t row = first; row < last; ++row) {
        std::uint32_t part = ends.data[row + 1];
        if (part > length) {
            result.status = CRAYON_INVALID_ARGUMENT;
        } else if (start_text(*session, result) &&
                   crayon_encoder_feed_utf16(session->encoder, units, part, 1, &result) == CRAYON_OK) {
            take_ready(*session, result);
        }
        if (!end_row(environment, *session, row, result, ends.data[row + 1])) return number(env, -1);
        units += part;
        length -= part;
    }
    return number(env, total(*session));
}

napi_value take(napi_env env, napi_callback_info info) {
    Arguments<2> in(env, info);
    Session* session = in.environment->sessions.find(in.handle(0));
    if (!session) return in.environment->fail(env, CRAYON_CLOSED);
    Elements<std::uint32_t> target(env, in.at[1]);
    if (!target.valid || target.count < session->ids.count()) return in.environment->fail(env, CRAYON_INVALID_ARGUMENT);
    session->ids.take(target.data);
    return number(env, 0);
}

// The byte position in the text that the ids have reached.
napi_value session_position(napi_env env, napi_callback_info info) {
    Arguments<1> in(env, info);
    Session* session = in.environment->sessions.find(in.handle(0));
    if (!session) return in.environment->fail(env, CRAYON_CLOSED);
    crayon_result result = {};
    if (crayon_encoder_position(session->encoder, &result) != CRAYON_OK) return in.environment->fail(env, result);
    return number(env, static_cast<double>(result.position));
}

napi_value take_offsets(napi_env env, napi_callback_info info) {
    Arguments<2> in(env, info);
    Session* session = in.environment->sessions.find(in.handle(0));
    if (!session) return in.environment->fail(env, CRAYON_CLOSED);
    Elements<std::uint32_t> target(env, in.at[1]);
    if (!target.valid || target.count < session->offsets.count()) return in.environment->fail(env, CRAYON_INVALID_ARGUMENT);
    session->offsets.take(target.data);
    return number(env, 0);
}

napi_value end(napi_env env, napi_callback_info info) {
    Arguments<1> in(env, info);
    if (Session* session = in.environment->sessions.find(in.handle(0))) in.environment->end_session(env, session);
    return number(env, 0);
}

}  // namespace crayon::addon
