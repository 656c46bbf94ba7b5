#include "scan/added_tokens.h"

#include <algorithm>
#include <cstring>

namespace crayon {

void AddedTokens::set(const TokenizerView& view) {
    view_ = view;
    for (const layout::AddedToken& token : view.added) {
        longest_ = std::max(longest_, token.length);
        total_ += token.length;
        ++begins_[static_cast<u8>(view.bytes(token)[0]) + 1];
    }
    for (u32 byte = 0; byte < 256; ++byte) {
        if (count() > 0 && begins_[byte + 1] == count()) only_first_ = static_cast<int>(byte);
        begins_[byte + 1] += begins_[byte];
    }
}

size_t AddedTokens::next_candidate(const u8* text, size_t at, size_t size) const {
    if (only_first_ >= 0) {
        const void* hit = at < size ? std::memchr(text + at, only_first_, size - at) : nullptr;
        return hit ? static_cast<size_t>(static_cast<const u8*>(hit) - text) : size;
    }
    while (at < size && beginning_with(text[at]).size() == 0) ++at;
    return at;
}

// The first of these tokens whose byte at `depth` is at least this.
u32 AddedTokens::first_from(Rows rows, size_t depth, u32 byte) const {
    while (rows.low < rows.high) {
        const u32 middle = (rows.low + rows.high) / 2;
        static_cast<u8>(bytes(middle)[depth]) < byte ? rows.low = middle + 1 : rows.high = middle;
    }
    return rows.low;
}

AddedTokens::Rows AddedTokens::narrow(Rows rows, size_t depth, u8 byte) const {
    const u32 low = first_from(rows, depth, byte);
    return {low, first_from({low, rows.high}, depth, byte + 1u)};
}

u32 AddedTokens::id_of(std::string_view wanted) const {
    Rows rows = beginning_with(static_cast<u8>(wanted[0]));
    for (size_t depth = 1; rows.size() > 0; ++depth) {
        // The first one may end here.
        const bool ends = bytes(rows.low).size() == depth;
        if (depth == wanted.size()) return ends ? token(row(rows.low)).id : layout::kNone;
        rows.low += ends;
        rows = narrow(rows, depth, static_cast<u8>(wanted[depth]));
    }
    return layout::kNone;
}

const AddedAutomaton* AddedTokens::automaton() const {
    AddedAutomaton* automaton = automaton_.load(std::memory_order_acquire);
    if (automaton) return automaton;
    AddedAutomaton* const new_automaton = AddedAutomaton::create(view_);
    // If two threads build one, the second uses the first's.
    if (!new_automaton || automaton_.compare_exchange_strong(automaton, new_automaton, std::memory_order_acq_rel))
        return new_automaton;
    delete new_automaton;
    return automaton;
}

}  // namespace crayon
