// A module that rewrites no text opens no tokenizer that does (view_features.cpp).
#include "encoder.h"

namespace crayon {

Status Encoder::normalize() { return {CRAYON_FEATURE_MISSING}; }
Status Encoder::locate_raw(u32, const u32*, u32, u32*) { return {CRAYON_FEATURE_MISSING}; }
void Encoder::settle(u64) {}
Status Encoder::find_late(size_t, bool, AddedSearch::Found*) { return {CRAYON_FEATURE_MISSING}; }
Status Encoder::set_stages(bool, bool) {
    early_.search.set(tokenizer_.added(), uses_.data(), {allows_raw, this});
    return {};
}
u32 Encoder::up_to_stop(const u32*, u32 count) const { return count; }

void Encoder::Stage::restart() { search.restart(); }
void WholeWords::restart() {}
void WholeWords::drop_before(u64) {}

void Rewrites::restart() {}
void Rewrites::drop_before(u64) {}
u32 Rewrites::first_inside(u64, const u32*, u32 count) const { return count; }
u64 Rewrites::raw(u64 place) const { return place; }
u64 Rewrites::raw_end(u64 place) const { return place; }
u64 Rewrites::place_of(u64 raw) const { return raw; }

u32 TextTokens::rewritten_raw(u32 place) const { return static_cast<u32>(origin_ + place); }
u32 TextTokens::source_place(u32 place) const { return place; }
bool TextTokens::find_raw(u32, u64*) const { return true; }
bool TextTokens::take_rewrites(u64) { return true; }
bool TextTokens::opens_alike(u32) const { return true; }
bool TextTokens::is_in_word(u32, bool) { return false; }
bool TextTokens::takes_encoder(u32, Alone*) { return false; }

}  // namespace crayon
