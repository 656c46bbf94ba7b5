// What the benchmarks' model counts of warps: lanes that wait for others, groups of loads, banks, caches.
#include "warp_costs.h"

#include "batches.h"

namespace crayon::gpu::test::warp_costs_test {
namespace {

Costs costs_of(const char* kernel, auto run) {
    WarpCosts costs;
    Recorder recorder(costs);
    EmulatedMachine machine{32, 7, &recorder};
    run(machine, costs);
    return costs.all().at(kernel);
}

template <class T>
Global<T> global(std::vector<T>& values) {
    return Global<T>(values.data());
}

struct alignas(128) Line {
    u32 words[32];
};

// Lane i loads `tokens` times i % 4 + 1 words, and stores after each time: lanes wait for the one that has four.
struct Loops {
    static constexpr const char* kName = "loops";
    static constexpr u32 kThreads = 32;
    struct Args {
        Global<const u32> in;
        Global<u32> out;
        u32 tokens;
    };
    struct Shared {};
    template <class Block>
    static void run(Block& block, Shared&, const Args& a) {
        block.each([&](Thread& t) {
            for (u32 token = 0; token < a.tokens; ++token) {
                u32 sum = 0;
                for (u32 i = 0; i < (t.lane + token) % 4 + 1; ++i) sum += t.load(a.in, i);
                t.store(a.out, t.lane, sum);
            }
        });
    }
};

TEST(WarpCosts, LanesWaitForTheLongestLoop) {
    std::vector<u32> in(8, 1), out(32);
    const Costs costs = costs_of("loops", [&](const EmulatedMachine& machine, WarpCosts&) {
        run_emulated<Loops>(machine, 1, {global<u32>(in), global(out), 6});
    });
    EXPECT_EQ(costs.steps, 6u * (4 + 1));  // not 6 * 2.5 + 6, as if nobody waited
    EXPECT_EQ(costs.slots, 32u * costs.steps);
    EXPECT_EQ(costs.lanes, 6u * (32 * 5 / 2 + 32));
    EXPECT_EQ(costs.longest_warp, costs.steps);
}

// Loads of memory that is near, far and a table's.
struct Loads {
    static constexpr const char* kName = "loads";
    static constexpr u32 kThreads = 32;
    struct Args {
        Global<const u32> in, table;
        Global<u32> out;
    };
    struct Shared {
        gpu::Shared<u32, 1024> words;
    };
    template <class Block>
    static void run(Block& block, Shared& shared, const Args& a) {
        block.each([&](Thread& t) {
            u32 sum = 0;
            for (u32 i = 0; i < 4; ++i) sum += t.load(a.in, i * 32 + t.lane);  // together: one group
            sum += t.load(a.table, t.lane * 8);                                // 32 sectors
            for (u32 stride : {1u, 2u, 32u}) t.store(shared.words, t.lane * stride % 1024, sum);
            sum += t.load(a.in, t.lane);  // the first cache has it
            t.store(a.out, t.lane, sum);
        });
    }
};

TEST(WarpCosts, KnowsWhereLoadsWait) {
    std::vector<Line> in(4), table(8), out(1);
    const Costs costs = costs_of("loads", [&](const EmulatedMachine& machine, WarpCosts& of) {
        of.table(reinterpret_cast<std::uintptr_t>(table.data()), table.size() * sizeof(Line));
        run_emulated<Loads>(machine, 1,
                            {Global<const u32>(in[0].words), Global<const u32>(table[0].words), Global<u32>(out[0].words)});
    });
    EXPECT_EQ(costs.new_loaded, 16u);
    EXPECT_EQ(costs.new_table, 32u);
    EXPECT_EQ(costs.new_stored, 4u);
    EXPECT_EQ(costs.sectors, 16u + 32 + 4 + 4);
    EXPECT_EQ(costs.lines, 4u + 8 + 1 + 1);
    EXPECT_EQ(costs.memory_groups, 1u);
    for (std::size_t i = 0; i < kCaches.size(); ++i) {
        EXPECT_EQ(costs.second_groups[i], 1u);
        EXPECT_EQ(costs.first_groups[i], 1u);
        EXPECT_EQ(costs.missed[i], 16u + 32);
    }
    EXPECT_EQ(costs.shared_steps, 3u);
    EXPECT_EQ(costs.shared_turns, 1u + 2 + 32);
}

// A first cache forgets what it was not asked for lately.
struct Twice {
    static constexpr const char* kName = "twice";
    static constexpr u32 kThreads = 32;
    struct Args {
        Global<const u32> in;
        u32 lines;
    };
    struct Shared {};
    template <class Block>
    static void run(Block& block, Shared&, const Args& a) {
        for (u32 time = 0; time < 2; ++time) {
            block.each([&](Thread& t) {
                for (u32 i = 0; i < a.lines; ++i) t.load(a.in, u64{i} * 32 + t.lane);
            });
        }
    }
};

TEST(WarpCosts, HasCachesOfSeveralSizes) {
    std::vector<Line> in(400);  // 50 KiB
    const Costs costs = costs_of("twice", [&](const EmulatedMachine& machine, WarpCosts&) {
        run_emulated<Twice>(machine, 1, {Global<const u32>(in[0].words), 400});
    });
    EXPECT_EQ(costs.new_loaded, 1600u);
    EXPECT_GT(costs.missed[0], 2400u);             // of 32 KiB
    EXPECT_LT(costs.missed[1], 1600u + 1600 / 4);  // of 64: some sets are full
    EXPECT_LT(costs.missed[2], 1600u + 1600 / 50);
}

}  // namespace
}  // namespace crayon::gpu::test::warp_costs_test
