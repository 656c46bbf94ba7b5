// What warps of the emulated device wait for: the input of the model in bench/gpu/model.mjs.
//
// A Recorder pairs the n-th passes of lanes over a line of the source, as if lanes that leave a loop early went on alone.
// Here lanes meet again where a loop ends, as on a device: of the lanes of a warp those whose next access is the first one in the
// order of the program go on, and the others wait for them. What goes on together is a step.
//
// Loads of one line that follow each other, without another access between them, are under way together (a group); all others
// wait for the one before, as the source has them. A group waits for memory if it touches a sector that nothing has touched in
// the launch, tables excepted; else for the second cache, if the first would not have it (kCaches: a model of one, 16 ways, least
// recently used); else for the first.
#pragma once

#include <array>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "device/recorder.h"

namespace crayon::gpu {

inline constexpr std::array<u32, 3> kCaches = {32, 64, 128};  // KiB of a processor's first cache

struct Costs {
    u64 blocks = 0;
    u64 phases = 0;                          // of all blocks
    u64 steps = 0, lanes = 0, slots = 0;     // accesses of warps; lanes in them, and that could have been
    u64 sectors = 0, lines = 0;              // of the device's memory, over all steps
    u64 stored_sectors = 0;                  // of these
    u64 shared_steps = 0, shared_turns = 0;  // turns: how often a bank had to answer, one after the other
    u64 atomics = 0;
    u64 new_loaded = 0, new_stored = 0, new_table = 0;  // sectors, each once a launch
    std::array<u64, kCaches.size()> missed{};           // sectors that the first cache did not have
    u64 shared_groups = 0, memory_groups = 0;
    std::array<u64, kCaches.size()> first_groups{}, second_groups{};
    u64 longest_warp = 0;  // steps
};

class WarpCosts final : public Observer {
public:
    const std::map<std::string, Costs>& all() const { return costs_; }
    void forget() { costs_.clear(); }

    void begin_launch(const char* kernel) override;
    void begin_block(u64) override { ++now_->blocks; }
    void begin_phase() override { ++now_->phases; }
    void access(u32 lane, std::uintptr_t address, u32 size, Access kind, bool is_shared, Site site) override;
    void end_warp(u32 lanes) override;
    void table(std::uintptr_t address, u64 length) override { tables_[address + length] = address; }

private:
    struct One {
        std::uintptr_t address;
        u32 size, site;
    };
    struct SiteAccess {
        Access kind;
        bool is_shared;
    };
    class Cache {
    public:
        explicit Cache(u32 kilobytes) : sets_(kilobytes * 8 / kWays), ways_(sets_ * kWays) {}
        bool has(std::uintptr_t sector);
        void clear() { ways_.assign(ways_.size(), {}); }

    private:
        static constexpr u32 kWays = 16;
        struct Line {
            std::uintptr_t line = 0;
            u64 used = 0;
            u32 sectors = 0;
        };
        std::uintptr_t sets_;
        std::vector<Line> ways_;
        u64 turn_ = 0;
    };

    u32 site_of(Access kind, bool is_shared, Site site);
    std::vector<u32> ranks() const;
    void step(u32 site, const std::vector<u32>& lanes);
    void end_group();
    bool is_table(std::uintptr_t address) const;

    std::map<std::string, Costs> costs_;
    Costs* now_ = nullptr;
    std::map<std::uintptr_t, std::uintptr_t> tables_;  // end to begin
    std::unordered_map<u64, u32> sites_;
    std::vector<SiteAccess> accesses_;
    std::array<std::vector<One>, 64> traces_;  // of the lanes
    std::array<std::size_t, 64> at_{};
    std::unordered_set<std::uintptr_t> touched_;
    std::vector<Cache> caches_{Cache(kCaches[0]), Cache(kCaches[1]), Cache(kCaches[2])};
    u32 warp_lanes_ = 0;

    // The group that is under way.
    static constexpr u32 kNoSite = 0xFFFFFFFF;
    u32 group_ = kNoSite;
    bool waits_for_memory_ = false;
    std::array<bool, kCaches.size()> misses_{};
};

}  // namespace crayon::gpu
