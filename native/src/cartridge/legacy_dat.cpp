#include "cartridge/legacy_dat.h"

#include <algorithm>
#include <cstring>

#include "base/integers.h"

namespace crayon {

namespace {

using layout::kNone;

constexpr u64 kHeader = 12;
constexpr u64 kMaxTokenBytes = 1u << 26;
constexpr u32 kUnreachable = kNone - 1;

constexpr std::string_view kName = "default", kMetadata = "{}";

Status broken(u64 position) { return {CRAYON_CORRUPT_STRUCTURE, 0, position}; }

// The file offset of a word in one of the three arrays (0, 1, 2).
u64 offset_of_word(u32 array, u32 count, u32 state) { return kHeader + (u64{array} * count + state) * sizeof(u32); }

Status read_header(const u8* data, u64 length, PlainDoubleArrayView* arrays) {
    if (length < 4 || load_u32(data) != layout::kMagic) return {CRAYON_NOT_A_CARTRIDGE, 0, 0};
    if (length < kHeader) return {CRAYON_TRUNCATED, 0, length};
    if (load_u32(data + 4) != 2) return {CRAYON_UNSUPPORTED_VERSION, 0, 4};
    const u32 count = load_u32(data + 8);
    const u64 end = kHeader + u64{count} * 3 * sizeof(u32);
    if (length < end) return {CRAYON_TRUNCATED, 0, length};
    if (length > end || count == 0) return broken(8);
    const u32* words = reinterpret_cast<const u32*>(data + kHeader);
    *arrays = {words, words + count, words + 2 * size_t{count}, count};
    const u32 root_check = arrays->check[0], root_base = arrays->base[0];
    if (root_check != kNone && root_check != 0) return broken(offset_of_word(1, count, 0));
    // The root would be its own child for the byte −base.
    if (root_check == 0 && u32{0} - root_base < 256) return broken(offset_of_word(0, count, 0));
    return {};
}

Status check_list(const TokensView& list) {
    for (u32 id = 0; id < list.token_count; ++id) {
        const u32 begin = list.token_offsets[id], end = list.token_offsets[id + 1];
        if (begin > end || end > list.token_byte_count || (id == 0 && begin != 0) || end - begin > layout::kMaxTokenLength) {
            return {CRAYON_INVALID_ARGUMENT, 0, id};
        }
    }
    return {};
}

// Whether the list and the trie have the same token for an id, or the list has none. Published lists have lost bytes:
// U+FFFD matches anything.
bool agrees(std::string_view listed, std::string_view spelled) {
    return listed.empty() || listed == spelled || listed.find("\xEF\xBF\xBD") != std::string_view::npos;
}

class Reading {
public:
    explicit Reading(const PlainDoubleArrayView& arrays) : a_(arrays) {}

    // Computes the depth of each state, depths_[t], or kUnreachable.
    Status find_depths() {
        if (!depths_.assign(a_.count, kNone)) return Status::out_of_memory();
        Buffer<u32> path;
        depths_[0] = 0;
        for (u32 state = 1; state < a_.count; ++state) {
            path.clear();
            u32 at = state;
            while (depths_[at] == kNone && is_child(at)) {
                depths_[at] = kUnreachable;  // a path back to here would be a cycle
                if (!path.push_back(at)) return Status::out_of_memory();
                at = a_.check[at];
            }
            if (depths_[at] == kNone) depths_[at] = kUnreachable;
            u32 depth = depths_[at];
            for (size_t i = path.size(); i > 0; --i) depths_[path[i - 1]] = depth == kUnreachable ? depth : ++depth;
        }
        return {};
    }

    // Computes the state where each id ends, states_[id] (0: none), and the number of ids, which is `limit` unless `limit`
    // is 0.
    Status find_tokens(u32 limit) {
        const u32 max_tokens = limit ? limit : layout::kMaxTokens;
        if (!states_.assign(limit, 0)) return Status::out_of_memory();
        bool any = false;
        for (u32 state = 1; state < a_.count; ++state) {
            const u32 id = a_.values[state];
            if (id == kNone || depths_[state] == kUnreachable) continue;
            if (id >= max_tokens) return broken(offset_of_word(2, a_.count, state));
            if (depths_[state] > layout::kMaxTokenLength) return {CRAYON_VOCABULARY_TOO_LARGE, 0, id};
            for (size_t i = states_.size(); i <= id; ++i) {
                if (!states_.push_back(0)) return Status::out_of_memory();
            }
            if (states_[id] != 0) return broken(offset_of_word(2, a_.count, state));
            states_[id] = state;
            any = true;
        }
        return any ? Status{} : broken(8);
    }

    Status write_tokens(const TokensView& list, LegacyDat* dat, TokensView* tokens) const {
        const u32 count = static_cast<u32>(states_.size());
        if (!dat->token_offsets.resize(size_t{count} + 1)) return Status::out_of_memory();
        u64 total = 0;
        u32 longest = 1;
        for (u32 id = 0; id < count; ++id) {
            dat->token_offsets[id] = static_cast<u32>(total);
            const u32 length = states_[id] ? depths_[states_[id]] : listed(list, id);
            total += length;
            longest = std::max(longest, length);
            if (total > kMaxTokenBytes) return {CRAYON_VOCABULARY_TOO_LARGE, 0, id};
        }
        dat->token_offsets[count] = static_cast<u32>(total);
        if (!dat->token_bytes.resize(total + 1)) return Status::out_of_memory();
        for (u32 id = 0; id < count; ++id) {
            u8* const bytes = dat->token_bytes.data() + dat->token_offsets[id];
            if (states_[id]) {
                spell(states_[id], bytes);
                const std::string_view spelled{reinterpret_cast<const char*>(bytes), depths_[states_[id]]};
                if (list.token_count != 0 && !agrees(list.token(id), spelled)) {
                    return {CRAYON_INVALID_ARGUMENT, 0, id};  // the list belongs to another file
                }
            } else if (const u32 length = listed(list, id)) {
                std::memcpy(bytes, list.token_bytes + list.token_offsets[id], length);
                if (!dat->unmatched.push_back(id)) return Status::out_of_memory();
            }
        }
        *tokens = {count, longest, dat->token_offsets.data(), dat->token_bytes.data(), static_cast<u32>(total)};
        return {};
    }

    bool write_joined_bytes(Buffer<u8>* joined_bytes) const {
        if (!joined_bytes->assign(layout::kJoinedBytesLength, 0)) return false;
        for (u32 state = 1; state < a_.count; ++state) {
            if (depths_[state] == kUnreachable || depths_[state] < 2) continue;
            layout::set_joined(joined_bytes->data(), byte_to(a_.check[state]), byte_to(state));
        }
        return true;
    }

private:
    bool is_child(u32 state) const {
        const u32 parent = a_.check[state];
        return parent < a_.count && state - a_.base[parent] < 256;
    }
    // The byte that leads from a reachable state's parent to it.
    u8 byte_to(u32 state) const { return static_cast<u8>(state - a_.base[a_.check[state]]); }

    void spell(u32 state, u8* bytes) const {
        for (u32 i = depths_[state]; i > 0; --i, state = a_.check[state]) bytes[i - 1] = byte_to(state);
    }
    static u32 listed(const TokensView& list, u32 id) {
        return id < list.token_count ? list.token_offsets[id + 1] - list.token_offsets[id] : 0;
    }

    PlainDoubleArrayView a_;
    Buffer<u32> depths_, states_;
};

}  // namespace

Status read_dat(const u8* data, u64 length, const TokensView& list, u32 unknown, LegacyDat* dat, CartridgeContents* out) {
    PlainDoubleArrayView arrays;
    TokensView tokens;
    Status status = read_header(data, length, &arrays);
    if (status.ok()) status = check_list(list);
    if (status.ok() && list.token_count > layout::kMaxTokens) status = {CRAYON_VOCABULARY_TOO_LARGE, 0, 0};
    if (!status.ok()) return status;
    Reading reading(arrays);
    status = reading.find_depths();
    if (status.ok()) status = reading.find_tokens(list.token_count);
    if (status.ok()) status = reading.write_tokens(list, dat, &tokens);
    if (!status.ok()) return status;
    if (!reading.write_joined_bytes(&dat->joined_bytes)) return Status::out_of_memory();
    LongestMatchView& view = out->longest_match;
    view.set_unknown(unknown);
    if (view.unknown_id != kNone && (view.unknown_id >= tokens.token_count || tokens.token(view.unknown_id).empty())) {
        return {CRAYON_INVALID_ARGUMENT, 0, list.token_count};
    }

    dat->view = {};
    dat->view.name_length = static_cast<u32>(kName.size());
    dat->view.pretokenizer = layout::kNoPretokenizer;
    dat->view.unicode = layout::kUnicode16;
    dat->view.vocabulary_size = tokens.token_count;
    out->model_kind = layout::kLongestMatch;
    out->metadata = kMetadata;
    out->tokens = tokens;
    static_cast<TokensView&>(view) = tokens;
    view.arrays = arrays;
    view.joined_bytes = dat->joined_bytes.data();
    view.unmatched = {dat->unmatched.data(), dat->unmatched.size()};
    out->view_rows = {&dat->view, 1};
    out->view_strings = kName.data();
    return {};
}

bool is_same_list(const LongestMatchView& view, const TokensView& list) {
    if (!check_list(list).ok()) return false;
    const u32* unmatched = view.unmatched.data();
    const u32* const end = unmatched + view.unmatched.size();
    if (list.token_count != 0 && list.token_count != view.token_count) return false;
    for (u32 id = 0; id < view.token_count; ++id) {
        const bool is_unmatched = unmatched < end && *unmatched == id;
        unmatched += is_unmatched;
        const std::string_view listed = id < list.token_count ? list.token(id) : std::string_view{};
        if (!is_unmatched && !view.token(id).empty()) {  // the trie has the token
            if (list.token_count != 0 && !agrees(listed, view.token(id))) return false;
        } else if (listed != view.token(id)) {
            return false;
        }
    }
    return true;
}

}  // namespace crayon
