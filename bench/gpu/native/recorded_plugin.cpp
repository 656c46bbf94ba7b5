// The plugin of the emulated device, which also counts what its kernels do. One stream at a time.
#include <string>

#include "plugin/plugin.cpp"
#include "warp_costs.h"

namespace {

WarpCosts costs;
Recorder recorder(costs);
void add(std::string& json, const char* name, u64 number) {
    json += std::string(json.back() == '{' ? "\"" : ",\"") + name + "\":" + std::to_string(number);
}
template <class Numbers>
void add_all(std::string& json, const char* name, const Numbers& numbers) {
    json += std::string(",\"") + name + "\":[";
    for (const u64 each : numbers) json += std::to_string(each) + ",";
    json.back() = ']';
}

}  // namespace

// What devices that are looked for from now on are like.
extern "C" CRAYON_GPU_EXPORT void crayon_gpu_record_as(uint32_t processors, uint32_t warp_size) {
    EmulatedRuntime::usual = {warp_size, 1, &recorder, processors};
}

// A JSON object with the counts since the last call, by kernel.
extern "C" CRAYON_GPU_EXPORT const char* crayon_gpu_recording() {
    static std::string json;
    json = "{";
    for (const auto& [name, t] : recorder.all()) {
        const Costs& c = costs.all().at(name);
        json += std::string(json.back() == '{' ? "\"" : ",\"") + name + "\":{";
        add(json, "launches", t.launches);
        add(json, "requests", t.requests);
        add(json, "uncoalesced", t.uncoalesced);
        add(json, "loaded", t.loaded);
        add(json, "stored", t.stored);
        add(json, "moved", t.moved());
        add(json, "requestLines", t.lines);
        add(json, "requestLanes", t.lanes);
        add(json, "requestSlots", t.lane_slots);
        add(json, "blocks", c.blocks);
        add(json, "phases", c.phases);
        add(json, "steps", c.steps);
        add(json, "lanes", c.lanes);
        add(json, "slots", c.slots);
        add(json, "sectors", c.sectors);
        add(json, "lines", c.lines);
        add(json, "storedSectors", c.stored_sectors);
        add(json, "sharedSteps", c.shared_steps);
        add(json, "sharedTurns", c.shared_turns);
        add(json, "atomics", c.atomics);
        add(json, "newLoaded", c.new_loaded);
        add(json, "newStored", c.new_stored);
        add(json, "newTable", c.new_table);
        add(json, "sharedGroups", c.shared_groups);
        add(json, "memoryGroups", c.memory_groups);
        add(json, "longestWarp", c.longest_warp);
        add_all(json, "missed", c.missed);
        add_all(json, "firstGroups", c.first_groups);
        add_all(json, "secondGroups", c.second_groups);
        json += "}";
    }
    json += "}";
    recorder.forget();
    costs.forget();
    return json.c_str();
}
