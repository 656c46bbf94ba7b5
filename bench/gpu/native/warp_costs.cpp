#include "warp_costs.h"

#include <algorithm>
#include <set>

namespace crayon::gpu {

bool WarpCosts::Cache::has(std::uintptr_t sector) {
    const std::uintptr_t line = sector / 4;
    Line* const set = &ways_[(line * 0x9E3779B97F4A7C15 >> 32) % sets_ * kWays];
    const u32 bit = 1u << sector % 4;
    Line* oldest = set;
    for (Line* way = set; way < set + kWays; ++way) {
        if (way->used != 0 && way->line == line) {
            const bool had = (way->sectors & bit) != 0;
            way->sectors |= bit;
            way->used = ++turn_;
            return had;
        }
        if (way->used < oldest->used) oldest = way;
    }
    *oldest = {line, ++turn_, bit};
    return false;
}

void WarpCosts::begin_launch(const char* kernel) {
    now_ = &costs_[kernel];
    touched_.clear();
    for (Cache& cache : caches_) cache.clear();
}

u32 WarpCosts::site_of(Access kind, bool is_shared, Site site) {
    const u64 key = (reinterpret_cast<std::uintptr_t>(site.file) * 31 + site.line) * 8 + static_cast<u32>(kind) * 2 + is_shared;
    const auto [at, is_new] = sites_.try_emplace(key, static_cast<u32>(accesses_.size()));
    if (is_new) accesses_.push_back({kind, is_shared});
    return at->second;
}

bool WarpCosts::is_table(std::uintptr_t address) const {
    const auto after = tables_.upper_bound(address);
    return after != tables_.end() && after->second <= address;
}

void WarpCosts::access(u32 lane, std::uintptr_t address, u32 size, Access kind, bool is_shared, Site site) {
    traces_[lane].push_back({address, size, site_of(kind, is_shared, site)});
}

// The order of the program: that in which the lane with the most different sites passes them first; sites of other lanes
// alone are behind the accesses that they have passed.
std::vector<u32> WarpCosts::ranks() const {
    std::vector<u32> order;
    const auto rank_of = [&](u32 site) { return std::find(order.begin(), order.end(), site); };
    std::vector<std::vector<u32>> firsts;
    for (u32 lane = 0; lane < warp_lanes_; ++lane) {
        std::vector<u32> first;
        for (const One& each : traces_[lane]) {
            if (std::find(first.begin(), first.end(), each.site) == first.end()) first.push_back(each.site);
        }
        firsts.push_back(std::move(first));
    }
    std::stable_sort(firsts.begin(), firsts.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
    for (const std::vector<u32>& first : firsts) {
        std::size_t behind = 0;
        for (const u32 site : first) {
            auto at = rank_of(site);
            if (at == order.end()) at = order.insert(order.begin() + static_cast<std::ptrdiff_t>(behind), site);
            behind = static_cast<std::size_t>(at - order.begin()) + 1;
        }
    }
    std::vector<u32> ranks(accesses_.size(), 0);
    for (std::size_t i = 0; i < order.size(); ++i) ranks[order[i]] = static_cast<u32>(i);
    return ranks;
}

void WarpCosts::end_warp(u32 lanes) {
    warp_lanes_ = lanes;
    const std::vector<u32> ranks = this->ranks();
    at_.fill(0);
    u64 steps = 0;
    std::vector<u32> together;
    for (;;) {
        u32 site = kNoSite;
        together.clear();
        for (u32 lane = 0; lane < lanes; ++lane) {
            if (at_[lane] == traces_[lane].size()) continue;
            const u32 next = traces_[lane][at_[lane]].site;
            if (site == kNoSite || ranks[next] < ranks[site]) {
                site = next;
                together.clear();
            }
            if (next == site) together.push_back(lane);
        }
        if (site == kNoSite) break;
        step(site, together);
        for (const u32 lane : together) ++at_[lane];
        ++steps;
    }
    end_group();
    now_->longest_warp = std::max(now_->longest_warp, steps);
    for (auto& trace : traces_) trace.clear();
}

void WarpCosts::step(u32 site, const std::vector<u32>& lanes) {
    const SiteAccess performed = accesses_[site];
    Costs& c = *now_;
    ++c.steps;
    c.lanes += lanes.size();
    c.slots += warp_lanes_;
    if (site != group_) end_group();
    if (performed.kind == Access::kRead) group_ = site;
    if (performed.kind == Access::kAtomic) {
        ++c.atomics;
        return;
    }
    if (performed.is_shared) {
        std::array<std::set<std::uintptr_t>, 32> banks;
        for (const u32 lane : lanes) {
            const One& one = traces_[lane][at_[lane]];
            for (std::uintptr_t word = one.address / 4; word <= (one.address + one.size - 1) / 4; ++word)
                banks[word % 32].insert(word);
        }
        std::size_t turns = 1;
        for (const auto& bank : banks) turns = std::max(turns, bank.size());
        ++c.shared_steps;
        c.shared_turns += turns;
        return;
    }
    std::set<std::uintptr_t> sectors, lines;
    for (const u32 lane : lanes) {
        const One& one = traces_[lane][at_[lane]];
        for (std::uintptr_t s = one.address / 32; s <= (one.address + one.size - 1) / 32; ++s) sectors.insert(s);
    }
    for (const std::uintptr_t sector : sectors) {
        lines.insert(sector / 4);
        const bool is_new = touched_.insert(sector).second;
        if (performed.kind == Access::kWrite) {
            ++c.stored_sectors;
            c.new_stored += is_new;
            continue;
        }
        if (is_table(sector * 32) || is_table(sector * 32 + 31)) {
            c.new_table += is_new;
        } else if (is_new) {
            ++c.new_loaded;
            waits_for_memory_ = true;
        }
        for (std::size_t i = 0; i < kCaches.size(); ++i) {
            if (caches_[i].has(sector)) continue;
            ++c.missed[i];
            misses_[i] = true;
        }
    }
    c.sectors += sectors.size();
    c.lines += lines.size();
}

void WarpCosts::end_group() {
    if (group_ != kNoSite) {
        Costs& c = *now_;
        if (accesses_[group_].is_shared) {
            ++c.shared_groups;
        } else if (waits_for_memory_) {
            ++c.memory_groups;
        } else {
            for (std::size_t i = 0; i < kCaches.size(); ++i) ++(misses_[i] ? c.second_groups : c.first_groups)[i];
        }
    }
    group_ = kNoSite;
    waits_for_memory_ = false;
    misses_.fill(false);
}

}  // namespace crayon::gpu
