// The tables devices split text with: a pattern's automaton (layout/pattern.h), or deepseek3's character classes.
#pragma once

#include <string_view>

#include "base/buffer.h"
#include "base/integers.h"
#include "crayon_gpu.h"
#include "scan/deepseek3_classes.h"

namespace crayon {

// Whether devices can split with this pretokenizer. `patterns`: a cartridge's section, or empty.
bool devices_split_by(u32 pretokenizer, std::string_view patterns);

class PieceTables {
public:
    // Requires devices_split_by(pretokenizer, patterns). False if memory is short. Takes milliseconds unless a section is
    // given.
    [[nodiscard]] bool make(u32 pretokenizer, std::string_view patterns = {});
    // Valid as long as this object and the section.
    void state(crayon_gpu_tables& tables) const;

private:
    bool make_family(u32 pretokenizer);

    u32 pretokenizer_ = 0;
    std::string_view pattern_;
    Buffer<char> made_;
    Deepseek3Classes deepseek3_;
};

}  // namespace crayon
