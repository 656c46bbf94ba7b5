// The emulated device: that it runs phases as a device does, counts what moves, and finds races.
#include "batches.h"

namespace crayon::gpu::test::device_test {
namespace {

struct NoMemory {};

// Adds up the values of a block: with a race, unless there is a phase between writing and reading.
template <bool kRaces>
struct Reverse {
    static constexpr const char* kName = kRaces ? "racing" : "reverse";
    static constexpr u32 kThreads = 128;
    struct Args {
        Global<const u32> in;
        Global<u32> out;
    };
    struct Shared {
        gpu::Shared<u32, kThreads> values;
    };
    static void run(Block& block, Shared& shared, const Args& a) {
        const auto write = [&](Thread& t) { t.store(shared.values, t.index, t.load(a.in, block.index * kThreads + t.index)); };
        const auto read = [&](Thread& t) {
            t.store(a.out, block.index * kThreads + t.index, t.load(shared.values, kThreads - 1 - t.index));
        };
        if (kRaces) {
            block.each([&](Thread& t) {
                write(t);
                read(t);
            });
        } else {
            block.each(write);
            block.each(read);
        }
    }
};

TEST(EmulatedDevice, RunsPhaseAfterPhase) {
    for (u64 number = 0; number < 8; ++number) {
        Watched watched({order_of(number)});
        EmulatedDevice device(watched.state);
        std::vector<u32> in(512), out(512);
        std::iota(in.begin(), in.end(), 0u);
        const Global<u32> to = device.allocate<u32>(512);
        device.launch<Reverse<false>>(4, {device.upload(in.data(), 512), to});
        device.copy_out(out.data(), Global<const u32>(to), 512);
        for (u32 i = 0; i < 512; ++i) EXPECT_EQ(out[i], i / 128 * 128 + 127 - i % 128);
    }
}

TEST(EmulatedDevice, FindsARaceInABlock) {
    Recorder recorder;
    EmulatedState state;
    state.machine = {32, 3, &recorder};
    EmulatedDevice device(state);
    const std::vector<u32> in(128);
    device.launch<Reverse<true>>(1, {device.upload(in.data(), 128), device.allocate<u32>(128)});
    EXPECT_GT(recorder.race_count(), 0u);
    ASSERT_FALSE(recorder.races().empty());
    EXPECT_NE(recorder.races()[0].find("device_test.cpp"), std::string::npos) << recorder.races()[0];
}

// Thread 0 of each block touches one element of all blocks.
template <Access kFirst, Access kSecond>
struct Touch {
    static constexpr const char* kName = "touch";
    static constexpr u32 kThreads = 32;
    struct Args {
        Global<u64> at;
    };
    using Shared = NoMemory;
    static void run(Block& block, Shared&, const Args& a) {
        block.each([&](Thread& t) {
            if (t.index != 0) return;
            const Access kind = block.index == 0 ? kFirst : kSecond;
            if (kind == Access::kRead) t.load(a.at, 0);
            if (kind == Access::kWrite) t.store(a.at, 0, 1);
            if (kind == Access::kAtomic) t.atomic_min(a.at, 0, 1);
        });
    }
};

template <Access kFirst, Access kSecond>
u64 races_of() {
    Recorder recorder;
    EmulatedState state;
    state.machine.recorder = &recorder;
    EmulatedDevice device(state);
    const Global<u64> at = device.allocate<u64>(1);
    device.launch<Touch<kFirst, kSecond>>(2, {at});
    device.launch<Touch<kFirst, kSecond>>(1, {at});  // a kernel begins when the one before has ended
    return recorder.race_count();
}

TEST(EmulatedDevice, FindsRacesBetweenBlocks) {
    EXPECT_EQ((races_of<Access::kRead, Access::kRead>()), 0u);
    EXPECT_EQ((races_of<Access::kAtomic, Access::kAtomic>()), 0u);
    EXPECT_EQ((races_of<Access::kRead, Access::kWrite>()), 1u);
    EXPECT_EQ((races_of<Access::kWrite, Access::kRead>()), 1u);
    EXPECT_EQ((races_of<Access::kWrite, Access::kWrite>()), 1u);
    EXPECT_EQ((races_of<Access::kAtomic, Access::kRead>()), 1u);
    EXPECT_EQ((races_of<Access::kWrite, Access::kAtomic>()), 1u);
}

// Each thread loads one element, at the given stride.
struct Stride {
    static constexpr const char* kName = "stride";
    static constexpr u32 kThreads = 64;
    struct Args {
        Global<const u32> in;
        u32 stride;
    };
    using Shared = NoMemory;
    static void run(Block& block, Shared&, const Args& a) {
        block.each([&](Thread& t) {
            if (t.index % 2 == 0 || a.stride > 1) t.load(a.in, t.index * a.stride);
        });
    }
};

TEST(EmulatedDevice, CountsWhatMoves) {
    for (const u32 warp_size : {32u, 64u}) {
        const auto traffic_of = [&](u32 stride) {
            Watched watched({warp_size, 5});
            EmulatedDevice device(watched.state);
            device.launch<Stride>(1, {device.allocate<u32>(64 * 8), stride});
            return watched.recorder.of("stride");
        };
        const u32 warps = 64 / warp_size;
        const Traffic even = traffic_of(1), far = traffic_of(8);
        EXPECT_EQ(even.requests, warps);
        EXPECT_EQ(even.loaded, 128u);
        EXPECT_EQ(even.loaded_sectors, 8u);
        EXPECT_EQ(even.lane_slots, 2 * even.lanes);
        EXPECT_EQ(far.loaded, 256u);
        EXPECT_EQ(far.loaded_sectors, 64u);
        EXPECT_EQ(far.uncoalesced, warps);
        EXPECT_EQ(far.lane_slots, far.lanes);
    }
}

struct Collect {
    static constexpr const char* kName = "collect";
    static constexpr u32 kThreads = 96;
    struct Args {
        Global<u64> ballots, up, other, sums;
    };
    struct Shared {
        gpu::Shared<u64, kMostWarps + 1> totals;
    };
    static void run(Block& block, Shared& shared, const Args& a) {
        Block::Values<bool> flags(block);
        Block::Values<u64> masks(block), values(block), result(block);
        Block::Values<u32> lanes(block);
        block.each([&](Thread& t) {
            flags[t] = t.index % 3 == 0;
            values[t] = t.index * t.index;
            lanes[t] = t.lane / 2;
        });
        block.ballot(flags, masks);
        block.each([&](Thread& t) { t.store(a.ballots, t.index, masks[t]); });
        block.shuffle_up(values, 3, result);
        block.each([&](Thread& t) { t.store(a.up, t.index, result[t]); });
        block.shuffle(values, lanes, result);
        block.each([&](Thread& t) { t.store(a.other, t.index, result[t]); });
        exclusive_scan<Sum, kThreads>(block, values, shared.totals);
        block.each([&](Thread& t) { t.store(a.sums, t.index, values[t]); });
    }
};

TEST(EmulatedDevice, HasWarpsOfEitherSize) {
    for (u64 number = 0; number < 6; ++number) {
        const Order order = order_of(number);
        Watched watched(order);
        EmulatedDevice device(watched.state);
        Global<u64> to[4];
        for (Global<u64>& each : to) each = device.allocate<u64>(96);
        device.launch<Collect>(1, {to[0], to[1], to[2], to[3]});
        u64 sum = 0;
        for (u64 i = 0; i < 96; ++i) {
            const u64 first = i / order.warp_size * order.warp_size, lane = i - first;
            u64 mask = 0;
            for (u64 k = first; k < std::min<u64>(96, first + order.warp_size); ++k) mask |= u64{k % 3 == 0} << (k - first);
            const u64 up = lane < 3 ? i : i - 3, other = first + lane / 2;
            EXPECT_EQ(Address::of(to[0])[i], mask);
            EXPECT_EQ(Address::of(to[1])[i], up * up);
            EXPECT_EQ(Address::of(to[2])[i], other * other);
            EXPECT_EQ(Address::of(to[3])[i], sum);
            sum += i * i;
        }
    }
}

template <class Count>
void expect_scan(Random& random, u64 count, Order order) {
    Watched watched(order);
    EmulatedDevice device(watched.state);
    std::vector<Count> counts(count);
    for (Count& each : counts)
        each = static_cast<Count>(random.one_in(3) ? 0 : random.one_in(9) ? 0xFFFFFFFF : random.below(1000));
    const u64 tiles = blocks_for(count, kScanTile);
    const Global<u64> sums = device.allocate<u64>(tiles + 1), offsets = device.allocate<u64>(count + 1);
    const Global<const Count> in = device.upload(counts.data(), count);
    device.launch<SumTiles<Sum, Count>>(tiles, {in, count, sums});
    device.launch<ScanSums<Sum>>(1, {sums, tiles});
    device.launch<ScanTiles<Count>>(tiles, {in, count, sums, offsets});
    u64 sum = 0;
    for (u64 i = 0; i < count; ++i) {
        ASSERT_EQ(Address::of(offsets)[i], sum) << i << " of " << count;
        sum += counts[i];
    }
    EXPECT_EQ(Address::of(offsets)[count], sum);
    for (const char* kernel : {"sum_tiles", "scan_tiles"}) EXPECT_EQ(watched.recorder.of(kernel).uncoalesced, 0u) << kernel;
}

TEST(ScanCounts, IsTheSumOfWhatIsBefore) {
    Random random(11);
    for (const u64 count : {1, 31, 32, 63, 64, 255, 256, 257, 2047, 2048, 2049, 4096, 6000}) {
        expect_scan<u32>(random, count, order_of(count));
        expect_scan<u64>(random, count, order_of(count + 1));
    }
    expect_scan<u32>(random, kScanTile * 300 + 77, {32, 1});  // more tiles than the block that scans them has threads
}

}  // namespace
}  // namespace crayon::gpu::test::device_test
