#include "gpu/uncut_tables.h"

#include <cstring>

#include "base/space_mark.h"
#include "tokenizer.h"

namespace crayon {

bool devices_merge_uncut(const Tokenizer& tokenizer) {
    const BpeView& view = tokenizer.bpe_view();
    if (view.priorities || tokenizer.forms_words()) return false;
    if (!view.hidden) return tokenizer.view().normalizer == layout::kNoNormalizer;
    // Fusing is of unknown characters, and with tokens for all bytes there are none.
    return view.hidden->unknown_id == layout::kNone && (view.hidden->flags & ~layout::kFusesUnknown) == 0 &&
           (tokenizer.marks_spaces() || tokenizer.view().normalizer == layout::kNoNormalizer);
}

// As Bpe::find.
bool UncutTables::make(const Tokenizer& tokenizer) {
    const BpeView& view = tokenizer.bpe_view();
    const u32 visible = view.hidden ? view.hidden->visible_count : view.token_count;
    if (!whole_.zeroed(view.token_count / 32 + 1)) return false;
    for (u32 id = 0; id < view.token_count; ++id) {
        if (id < visible && view.is_merged(id)) whole_[id / 32] |= 1u << id % 32;
    }
    return true;
}

void UncutTables::state(const Tokenizer& tokenizer, crayon_gpu_tables& tables, u32* byte_ranks) const {
    const BpeView& view = tokenizer.bpe_view();
    tables.joined = tokenizer.joined_bytes().table;
    tables.whole = whole_.data();
    tables.visible_count = view.hidden ? view.hidden->visible_count : view.token_count;
    tables.marks_spaces = tokenizer.marks_spaces();
    if (!tokenizer.marks_spaces()) return;
    u8 mark[kSpaceMarkLength + Bpe::kPadding] = {};
    std::memcpy(mark, kSpaceMark, kSpaceMarkLength);
    byte_ranks[u8{' '}] = view.rank_of(tokenizer.bpe().token_of(mark, kSpaceMarkLength));
}

}  // namespace crayon
