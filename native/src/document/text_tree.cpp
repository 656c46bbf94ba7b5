#include "document/text_tree.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

namespace crayon {

TextLeaf* TextLeaf::create(u32 ids, u32 bytes) {
    void* const memory = std::malloc(sizeof(TextLeaf) + size_t{ids} * sizeof(u32) + bytes);
    if (!memory) return nullptr;
    TextLeaf* const leaf = new (memory) TextLeaf;
    leaf->sums = {bytes, 0, ids};
    return leaf;
}

TextTree::TextTree(const TextTree& other) : root_(other.root_ ? retain(other.root_) : nullptr) {}

TextTree& TextTree::operator=(TextTree&& other) noexcept {
    std::swap(root_, other.root_);
    return *this;
}

TextTree::~TextTree() { release(root_); }

TextNode* TextTree::retain(TextNode* node) {
    ++node->owners;
    return node;
}

void TextTree::release(TextNode* node) {
    if (!node || --node->owners > 0) return;
    if (node->height > 0) {
        release(inner(node)->left);
        release(inner(node)->right);
    }
    std::free(node);
}

u32 TextTree::leaves() const { return root_ ? leaves_of(root_) : 0; }

void TextTree::add_up(Inner* node) {
    const TextNode *left = node->left, *right = node->right;
    node->height = 1 + std::max(left->height, right->height);
    node->sums = left->sums + right->sums;
    node->reach = std::max(left->reach, left->sums.bytes + right->reach);
    node->leaves = leaves_of(left) + leaves_of(right);
}

// --- searching ---

// The first leaf whose end, in an amount, is beyond a number.
TextTree::Place TextTree::find(Amount amount, u32 at) const {
    const auto end_of = [amount](const TextNode* node, const Place& place) {
        switch (amount) {
            case Amount::kBytes:
                return place.before.bytes + node->sums.bytes;
            case Amount::kUnits:
                return place.before.units + node->sums.units;
            case Amount::kIds:
                return place.before.ids + node->sums.ids;
            case Amount::kReach:
                return place.before.bytes + node->reach;
            default:
                return place.index + leaves_of(node);
        }
    };
    Place place = {nullptr, 0, {}};
    const TextNode* node = root_;
    while (node) {
        const bool is_leaf = node->height == 0;
        const TextNode* const passed = is_leaf ? node : inner(node)->left;
        if (at >= end_of(passed, place)) {
            place.before = place.before + passed->sums;
            place.index += leaves_of(passed);
            node = is_leaf ? nullptr : inner(node)->right;
        } else if (is_leaf) {
            place.leaf = static_cast<const TextLeaf*>(node);
            break;
        } else {
            node = passed;
        }
    }
    return place;
}

// --- building ---

TextNode* TextTree::Builder::join(TextNode* left, TextNode* right) {
    void* const memory = std::malloc(sizeof(Inner));
    if (!memory) {
        failed = true;
        release(left);
        release(right);
        return nullptr;
    }
    Inner* const node = new (memory) Inner;
    node->left = left;
    node->right = right;
    add_up(node);
    return node;
}

// Joins trees whose heights differ by two at most.
TextNode* TextTree::Builder::balance(TextNode* left, TextNode* right) {
    if (left->height > right->height + 1) {
        TextNode *outer = retain(inner(left)->left), *middle = retain(inner(left)->right);
        release(left);
        if (middle->height <= outer->height) return concatenate(outer, join(middle, right));
        TextNode *a = retain(inner(middle)->left), *b = retain(inner(middle)->right);
        release(middle);
        TextNode* const first = join(outer, a);
        TextNode* const second = join(b, right);
        return concatenate(first, second);
    }
    if (right->height > left->height + 1) {
        TextNode *middle = retain(inner(right)->left), *outer = retain(inner(right)->right);
        release(right);
        if (middle->height <= outer->height) return concatenate(join(left, middle), outer);
        TextNode *a = retain(inner(middle)->left), *b = retain(inner(middle)->right);
        release(middle);
        TextNode* const first = join(left, a);
        TextNode* const second = join(b, outer);
        return concatenate(first, second);
    }
    return join(left, right);
}

TextNode* TextTree::Builder::concatenate(TextNode* left, TextNode* right) {
    if (!left) return right;
    if (!right) return left;
    if (left->height > right->height + 1) {
        TextNode *outer = retain(inner(left)->left), *middle = retain(inner(left)->right);
        release(left);
        middle = concatenate(middle, right);
        return middle ? balance(outer, middle) : outer;
    }
    if (right->height > left->height + 1) {
        TextNode *middle = retain(inner(right)->left), *outer = retain(inner(right)->right);
        release(right);
        middle = concatenate(left, middle);
        return middle ? balance(middle, outer) : outer;
    }
    return join(left, right);
}

void TextTree::Builder::split(TextNode* node, u32 at, TextNode** left, TextNode** right) {
    *left = *right = nullptr;
    if (!node) return;
    if (at == 0 || at >= leaves_of(node)) {
        *(at == 0 ? right : left) = node;
        return;
    }
    TextNode *first = retain(inner(node)->left), *second = retain(inner(node)->right), *middle = nullptr;
    release(node);
    const u32 leaves = leaves_of(first);
    if (at <= leaves) {
        split(first, at, left, &middle);
        *right = concatenate(middle, second);
    } else {
        split(second, at - leaves, &middle, right);
        *left = concatenate(first, middle);
    }
}

TextNode* TextTree::Builder::build(std::span<TextLeaf* const> leaves) {
    if (leaves.empty()) return nullptr;
    if (leaves.size() == 1) return leaves[0];
    const size_t half = leaves.size() / 2;
    TextNode* const left = build(leaves.first(half));
    return concatenate(left, build(leaves.subspan(half)));
}

// --- replacing ---

// Whether no other tree shares the path to a leaf.
bool TextTree::owns_path(u32 index) const {
    const TextNode* node = root_;
    for (;;) {
        if (node->owners > 1) return false;
        if (node->height == 0) return true;
        const u32 left = leaves_of(inner(node)->left);
        node = index < left ? inner(node)->left : inner(node)->right;
        if (index >= left) index -= left;
    }
}

// Puts a leaf in the place of another one, on a path of this tree alone.
void TextTree::exchange(u32 index, TextLeaf* leaf) {
    Inner* path[64];
    u32 depth = 0;
    TextNode** link = &root_;
    while ((*link)->height > 0) {
        Inner* const node = path[depth++] = inner(*link);
        const u32 left = leaves_of(node->left);
        link = index < left ? &node->left : &node->right;
        if (index >= left) index -= left;
    }
    release(*link);
    *link = leaf;
    while (depth > 0) add_up(path[--depth]);
}

bool TextTree::replace(u32 first, u32 last, std::span<TextLeaf* const> leaves) {
    constexpr size_t kFew = 4;
    if (leaves.size() == last - first && leaves.size() <= kFew) {
        bool owns = true;
        for (u32 i = first; i < last && owns; ++i) owns = owns_path(i);
        if (owns) {
            for (u32 i = first; i < last; ++i) exchange(i, leaves[i - first]);
            return true;
        }
    }
    Builder builder;
    TextNode *before, *rest, *replaced, *after;
    for (TextLeaf* leaf : leaves) retain(leaf);  // the caller's until it has succeeded
    builder.split(root_ ? retain(root_) : nullptr, last, &rest, &after);
    builder.split(rest, first, &before, &replaced);
    release(replaced);
    TextNode* const added = builder.build(leaves);
    TextNode* const start = builder.concatenate(before, added);
    TextNode* const whole = builder.concatenate(start, after);
    if (builder.failed) {
        release(whole);
        return false;
    }
    for (TextLeaf* leaf : leaves) release(leaf);
    release(root_);
    root_ = whole;
    return true;
}

}  // namespace crayon
