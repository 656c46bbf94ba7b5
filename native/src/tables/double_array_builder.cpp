#include "tables/double_array_builder.h"

#include <algorithm>
#include <cstring>

#include "crayon/layout/cartridge.h"
#include "crayon/layout/double_array.h"
#include "tables/byte_set.h"
#include "tables/sorted_tokens.h"

namespace crayon {

namespace {

using layout::kNone;

// A block that failed for this many nodes of one degree is not tried again for that degree. A higher number is denser and
// slower. Nodes with one child fill the gaps, so they may try often.
constexpr u32 kRefusals = 8;
constexpr u32 kRefusalsOfOne = 256;

struct Block {
    ByteSet vacant = ByteSet::all();
    ByteSet unused_bases = ByteSet::all();
    u32 refusals = 0;
    u32 next_open = kNone;
};

// Assigns bases to nodes, block by block. Block b starts at unit 256 (b + 1), which excludes the root's block.
class Packing {
public:
    // Nodes are placed by descending degree.
    Status place(Buffer<KeyNode>& nodes, u32 index) {
        KeyNode& node = nodes[index];
        if (node.degree != degree_) start_degree(node.degree);
        u32 before = kNone;
        for (u32 at = first_open_; at != kNone;) {
            const ByteSet bases = bases_for(nodes, node, blocks_[at]);
            if (!bases.empty()) {
                occupy(nodes, node, at, bases.least());
                if (blocks_[at].vacant.size() < degree_) close(at, before);
                return {};
            }
            const u32 next = blocks_[at].next_open;
            if (++blocks_[at].refusals == (degree_ == 1 ? kRefusalsOfOne : kRefusals)) {
                close(at, before);
            } else {
                before = at;
            }
            at = next;
        }
        if (blocks_.size() == layout::kMaxUnits / 256 - 1) return {CRAYON_VOCABULARY_TOO_LARGE, 0, 0};
        const u32 opened = static_cast<u32>(blocks_.size());
        if (!blocks_.push_back({})) return Status::out_of_memory();
        occupy(nodes, node, opened, 0);
        if (blocks_[opened].vacant.size() >= degree_) link_after(before) = opened;
        return {};
    }

    u32 unit_count() const { return static_cast<u32>(blocks_.size() + 1) * 256; }

private:
    // Opens every block with space for a node of this degree.
    void start_degree(u32 degree) {
        degree_ = degree;
        first_open_ = kNone;
        u32 before = kNone;
        for (u32 b = 0; b < blocks_.size(); ++b) {
            if (blocks_[b].vacant.size() < degree) continue;
            blocks_[b].refusals = 0;
            blocks_[b].next_open = kNone;
            link_after(before) = b;
            before = b;
        }
    }
    u32& link_after(u32 block) { return block == kNone ? first_open_ : blocks_[block].next_open; }
    void close(u32 block, u32 before) { link_after(before) = blocks_[block].next_open; }

    static ByteSet bases_for(const Buffer<KeyNode>& nodes, const KeyNode& node, const Block& block) {
        ByteSet bases = block.unused_bases;
        for (u32 child = node.first_child; child != kNone && !bases.empty(); child = nodes[child].next_sibling) {
            bases.keep(block.vacant.flipped(nodes[child].label));
        }
        return bases;
    }
    void occupy(const Buffer<KeyNode>& nodes, KeyNode& node, u32 block, u32 base) {
        node.base = (block + 1) * 256 + base;
        blocks_[block].unused_bases.remove(base);
        for (u32 child = node.first_child; child != kNone; child = nodes[child].next_sibling) {
            blocks_[block].vacant.remove(base ^ nodes[child].label);
        }
    }

    Buffer<Block> blocks_;
    u32 first_open_ = kNone;  // the blocks worth trying, ascending
    u32 degree_ = 0;
};

void write_units(const Buffer<KeyNode>& nodes, u32 unit_count, const u32* values, Buffer<u8>* section) {
    layout::DoubleArray header{};
    header.unit_count = unit_count;
    header.has_values = values ? 1 : 0;
    std::memcpy(section->data(), &header, sizeof header);
    u32* units = reinterpret_cast<u32*>(section->data() + sizeof header);
    u32* unit_values = units + unit_count;
    std::fill(units, units + unit_count, layout::kVacantLabel);
    if (values) std::fill(unit_values, unit_values + unit_count, 0);
    units[0] = layout::kVacantLabel | nodes[0].base << layout::kBaseShift;
    for (const KeyNode& parent : nodes) {
        for (u32 child = parent.first_child; child != kNone; child = nodes[child].next_sibling) {
            const KeyNode& node = nodes[child];
            const u32 at = parent.base ^ node.label;
            units[at] = node.label | (node.key != kNone ? layout::kTerminal : 0) | node.base << layout::kBaseShift;
            if (values && node.key != kNone) unit_values[at] = values[node.key];
        }
    }
}

}  // namespace

Status build_double_array(const SortedKeys& keys, const u32* values, Buffer<u8>* section) {
    Buffer<KeyNode> nodes;
    Buffer<u32> order;
    Packing packing;
    Status status = link_nodes(keys, layout::kMaxUnits, &nodes);
    if (status.ok()) status = order_by_degree(nodes, &order);
    for (u32 i = 0; status.ok() && i < order.size(); ++i) status = packing.place(nodes, order[i]);
    if (!status.ok()) return status;
    const u32 unit_count = packing.unit_count();
    if (!section->resize(sizeof(layout::DoubleArray) + size_t{unit_count} * sizeof(u32) * (values ? 2 : 1))) {
        return Status::out_of_memory();
    }
    write_units(nodes, unit_count, values, section);
    return {};
}

}  // namespace crayon
