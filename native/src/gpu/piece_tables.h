// What devices split text by: the automaton of a pattern (layout/pattern.h), or for deepseek3 its classes of characters.
#pragma once

#include <string_view>

#include "base/buffer.h"
#include "base/integers.h"
#include "crayon_gpu.h"
#include "scan/deepseek3_classes.h"

namespace crayon {

// Whether devices split by this pretokenizer. `patterns`: the section of a cartridge, or empty.
bool devices_split_by(u32 pretokenizer, std::string_view patterns);

class PieceTables {
public:
    // devices_split_by(pretokenizer, patterns). False if memory is short. Milliseconds, where it is no section.
    [[nodiscard]] bool make(u32 pretokenizer, std::string_view patterns = {});
    // As long as this and the section live.
    void state(crayon_gpu_tables& tables) const;

private:
    bool make_family(u32 pretokenizer);

    u32 pretokenizer_ = 0;
    std::string_view pattern_;
    Buffer<char> made_;
    Deepseek3Classes deepseek3_;
};

}  // namespace crayon
