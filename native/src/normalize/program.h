// A normalizer program on texts: finds its ranges and rewrites each.
//
// A range ends between two characters if no step looks at both. This is known per character: each is run through the
// steps once, alone, and each step reports how it may treat the intermediate result (Steps::relation). Most characters are
// unchanged and have no such relations; unchanged ASCII is passed in blocks.
#pragma once

#include <atomic>

#include "normalize/lone_characters.h"
#include "normalize/steps.h"
#include "platform/zeroed_pages.h"

namespace crayon {

class Program final : public Normalizer {
public:
    // `section`: checked; must outlive this. OUT_OF_MEMORY.
    Status create(const layout::NormalizerProgram* section);

    Checked check(const u8* text, size_t from, size_t searched, size_t size, bool last, u32 edges) const override;
    Status rewrite(const u8* text, size_t begin, size_t end, u32 edges, Scratch& scratch, bool* changed) const override;
    bool depends_on_edges() const override { return acts_at_edges_; }
    bool follows_tokens() const override { return follows_tokens_; }
    bool only_marks_spaces() const override { return only_marks_spaces_; }
    bool knows_special() const override { return steps_.knows_special(); }
    Words words() const override;
    u8 state_of(u32 code) const override;
    size_t steady_up_to(const u8* text, size_t from, size_t end) const override;
    Run run(const u8* text, size_t from, size_t end) const override { return lone_.run(text, from, end); }
    bool rewrite_run(const u8* text, size_t begin, size_t end, const Target& to) const override {
        return lone_.rewrite(text, begin, end, to);
    }

private:
    u8 find_state(u32 code, Scratch& scratch) const;
    Status run_steps(const u8* text, size_t begin, size_t end, u32 edges, Scratch& scratch, bool* changed) const;
    size_t pass(const u8* text, size_t at, size_t size) const;
    Status note_later(u32 step);
    bool note_ascii();
    bool note_alone();

    Steps steps_;
    bool acts_at_edges_ = false, sees_graphemes_ = false, follows_tokens_ = false, only_marks_spaces_ = false;
    bool is_known_later_[layout::kMaxSteps] = {};  // whether later steps may react to the step's result for several characters
    bool merges_ = false;                          // any of these
    // By code point; several threads may compute the same one.
    std::atomic<u8>& state_at(u32 code) const { return static_cast<std::atomic<u8>*>(states_.data())[code]; }
    ZeroedPages states_;

    // ASCII characters that are unchanged and have no relations, as ranges; none if more ranges are needed.
    static constexpr u32 kRanges = 4;
    u8 first_[kRanges] = {}, span_[kRanges] = {};
    bool has_ranges_ = false;
    bool passes_[256] = {};  // the same by byte
    LoneCharacters lone_;
};

}  // namespace crayon
