// Watches kernels on the emulated device: memory traffic, and races.
//
// Threads of a warp run in step, so the loads of its lanes in one instruction are one request. The emulated threads run one
// after another; the n-th time that a lane passes a source line belongs to the same request as the n-th time of the other
// lanes. A request moves sectors of 32 bytes, in lines of 128. It is fully coalesced if it moves no more sectors than its
// bytes fill, plus one for each border that they cross.
//
// A race: two threads of a phase, or two blocks of a kernel, touch the same byte, at least one of them writes, and they do
// not both do so atomically.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "device/memory.h"

namespace crayon::gpu {

enum class Access : u8 { kRead, kWrite, kAtomic };

// A source line.
struct Site {
    const char* file;
    u32 line;
    static constexpr Site current(const char* file = __builtin_FILE(), u32 line = __builtin_LINE()) { return {file, line}; }
};

// Memory traffic of a kernel, over all of its launches.
struct Traffic {
    u64 launches = 0, phases = 0;
    u64 requests = 0;            // of warps
    u64 loaded = 0, stored = 0;  // bytes requested
    u64 loaded_sectors = 0, stored_sectors = 0, lines = 0;
    u64 uncoalesced = 0;            // requests that move more sectors than their bytes fill
    u64 lanes = 0, lane_slots = 0;  // that took part in requests, and that could have
    u64 atomics = 0;

    u64 moved() const { return 32 * (loaded_sectors + stored_sectors); }
};

// Sees every thread access in sequence, for programs that need more than a Recorder.
class Observer {
public:
    virtual ~Observer() = default;
    virtual void begin_launch(const char* kernel) = 0;
    virtual void begin_block(u64 block) = 0;
    virtual void begin_phase() = 0;
    virtual void access(u32 lane, std::uintptr_t address, u32 size, Access kind, bool is_shared, Site site) = 0;
    virtual void end_warp(u32 lanes) = 0;
    // An array that stays on the device, for all batches.
    virtual void table(std::uintptr_t address, u64 length) = 0;
};

class Recorder {
public:
    Recorder() = default;
    // Does not look for races, which takes most of a Recorder's time.
    explicit Recorder(Observer& observer) : observer_(&observer) {}

    // Locations of the most recent races, for messages; the first few only.
    const std::vector<std::string>& races() const { return races_; }
    u64 race_count() const { return race_count_; }
    const Traffic& of(const std::string& kernel) { return traffic_[kernel]; }
    const std::map<std::string, Traffic>& all() const { return traffic_; }
    void forget() { traffic_.clear(); }

    // Called by the emulated device, in this order.
    void begin_launch(const char* kernel);
    void begin_block(u64 block, const void* shared, std::size_t shared_size);
    void begin_phase();
    void begin_warp(u32 lanes);
    void begin_thread(u32 index, u32 lane);
    void access(const void* address, u32 size, Access kind, Site site);
    void end_warp();
    void table(const void* address, u64 length);

private:
    // The last to touch a byte: a number + 1, 0 for nobody, or kSeveral.
    static constexpr u32 kSeveral = 0xFFFFFFFF;
    struct Mark {
        u64 period = 0;
        u32 readers = 0, writers = 0, atomics = 0;
        // Returns whether it is a race.
        bool touch(u64 now, u32 who, Access kind);
    };
    struct Byte {
        Mark in_phase, in_launch;
    };
    static constexpr std::uintptr_t kPage = 1024;
    struct Request {
        Site site;
        u32 occurrence, lane;
        std::uintptr_t address;
        u32 size;
        bool is_store;
    };

    Byte& at(std::uintptr_t address);
    void count(const Request* begin, const Request* end);

    bool races(std::uintptr_t begin, u32 size, bool is_shared, Access kind);

    Observer* observer_ = nullptr;
    std::map<std::string, Traffic> traffic_;
    Traffic* now_ = nullptr;
    const char* kernel_ = "";
    std::unordered_map<std::uintptr_t, std::unique_ptr<Byte[]>> pages_;
    std::uintptr_t last_page_ = 0;
    Byte* last_bytes_ = nullptr;
    u64 phase_ = 0, launch_ = 0, block_ = 0;
    std::uintptr_t shared_begin_ = 0, shared_end_ = 0;
    u32 thread_ = 0, lane_ = 0, lanes_ = 0;
    std::vector<Request> requests_;
    std::map<std::pair<const char*, u32>, u32> occurrences_;  // of the thread
    std::vector<std::string> races_;
    u64 race_count_ = 0;
};

}  // namespace crayon::gpu
