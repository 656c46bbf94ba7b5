// A text and its ids in segments: the leaves of a balanced tree (AVL), whose inner nodes have the sums of what is below.
//
// Nodes are counted and shared between trees, and a node with several owners never changes: a copy of a tree is one more
// owner of its root, and a change copies the path to it. A tree and its copies belong to one thread at a time.
#pragma once

#include <span>
#include <utility>

#include "base/integers.h"

namespace crayon {

// Amounts of text.
struct TextSums {
    u32 bytes = 0, units = 0, ids = 0;

    TextSums operator+(const TextSums& other) const { return {bytes + other.bytes, units + other.units, ids + other.ids}; }
};

struct TextNode {
    u32 owners = 1;
    u32 height = 0;  // 0: a TextLeaf
    TextSums sums;
    // How far the text had to be read, from the start of the node on, to find its ids and that its leaves end where they do.
    u32 reach = 0;
};

// A segment. Its ids and its bytes follow.
struct TextLeaf : TextNode {
    bool has_halves = false;  // some of its characters are halves of surrogate pairs

    const u32* ids() const { return reinterpret_cast<const u32*>(this + 1); }
    u32* ids() { return reinterpret_cast<u32*>(this + 1); }
    const u8* bytes() const { return reinterpret_cast<const u8*>(ids() + sums.ids); }
    u8* bytes() { return reinterpret_cast<u8*>(ids() + sums.ids); }

    // With room for the ids and bytes; nullptr if memory is short.
    static TextLeaf* create(u32 ids, u32 bytes);
};

class TextTree {
public:
    TextTree() = default;
    TextTree(const TextTree& other);
    TextTree(TextTree&& other) noexcept { *this = std::move(other); }
    TextTree& operator=(TextTree&& other) noexcept;
    ~TextTree();

    TextSums sums() const { return root_ ? root_->sums : TextSums{}; }
    u32 leaves() const;
    u32 height() const { return root_ ? root_->height : 0; }

    // A leaf, its number, and what is before it.
    struct Place {
        const TextLeaf* leaf;  // nullptr: the end of the text
        u32 index;
        TextSums before;
    };
    // The leaf with a byte, unit or id; and the first leaf for whose ids byte `at` has been read, or the end of the text, if
    // that is `at`.
    Place at_byte(u32 byte) const { return find(Amount::kBytes, byte); }
    Place at_unit(u32 unit) const { return find(Amount::kUnits, unit); }
    Place at_id(u32 id) const { return find(Amount::kIds, id); }
    Place reaching(u32 at) const { return find(Amount::kReach, at); }
    Place at_leaf(u32 index) const { return find(Amount::kLeaves, index); }

    // Replaces leaves [first, last); owns the new ones then. False, and nothing changes, if memory is short.
    [[nodiscard]] bool replace(u32 first, u32 last, std::span<TextLeaf* const> leaves);

    // Calls visit(leaf) for each leaf from `first` on, until that returns false.
    template <class Visit>
    void visit(u32 first, const Visit& visit) const {
        if (first < leaves()) visit_below(root_, first, visit);
    }

private:
    enum class Amount { kBytes, kUnits, kIds, kReach, kLeaves };
    struct Inner : TextNode {
        TextNode* left;
        TextNode* right;
        u32 leaves;
    };
    // Takes nodes apart and puts them together; once memory is short, it drops what it is given.
    struct Builder {
        bool failed = false;
        TextNode* join(TextNode* left, TextNode* right);
        TextNode* concatenate(TextNode* left, TextNode* right);
        TextNode* balance(TextNode* left, TextNode* right);
        void split(TextNode* node, u32 at, TextNode** left, TextNode** right);
        TextNode* build(std::span<TextLeaf* const> leaves);
    };

    static const Inner* inner(const TextNode* node) { return static_cast<const Inner*>(node); }
    static Inner* inner(TextNode* node) { return static_cast<Inner*>(node); }
    static u32 leaves_of(const TextNode* node) { return node->height == 0 ? 1 : inner(node)->leaves; }
    static void add_up(Inner* node);
    static TextNode* retain(TextNode* node);
    static void release(TextNode* node);
    bool owns_path(u32 index) const;
    void exchange(u32 index, TextLeaf* leaf);
    Place find(Amount amount, u32 at) const;
    template <class Visit>
    static bool visit_below(const TextNode* node, u32 first, const Visit& visit) {
        if (node->height == 0) return visit(*static_cast<const TextLeaf*>(node));
        const u32 left = leaves_of(inner(node)->left);
        if (first < left && !visit_below(inner(node)->left, first, visit)) return false;
        return visit_below(inner(node)->right, first < left ? 0 : first - left, visit);
    }

    TextNode* root_ = nullptr;
};

}  // namespace crayon
