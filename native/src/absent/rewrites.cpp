// A module that rewrites no text opens no tokenizer that does (view_features.cpp).
#include "encoder.h"
#include "fit_raw.h"

namespace crayon {

Status Encoder::normalize() { return {CRAYON_FEATURE_MISSING}; }
Status Encoder::locate_raw(u32, const u32*, u32, u32*) { return {CRAYON_FEATURE_MISSING}; }
void Encoder::settle(u64) {}
Status Encoder::find_late(size_t, bool, AddedTokens::Found*) { return {CRAYON_FEATURE_MISSING}; }
u32 Encoder::up_to_stop(const u32*, u32 count) const { return count; }

void WholeWords::restart() {}
void WholeWords::drop_before(u64) {}

void Rewrites::restart() {}
void Rewrites::drop_before(u64) {}
u32 Rewrites::first_inside(u64, const u32*, u32 count) const { return count; }
u64 Rewrites::raw(u64 place) const { return place; }
u64 Rewrites::place_of(u64 raw) const { return raw; }

Status fit(Encoder& encoder, const Fit::Text& text, u32 start, u32 limit, u32 overlap, Fit::Part* part) {
    return Fit(encoder, text).cut(start, limit, overlap, part);
}

}  // namespace crayon
