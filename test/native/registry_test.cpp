// Cartridge files: failures have distinct reasons, each file is open once, and threads may open and close in any order (run this
// under ThreadSanitizer).
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "crayon/crayon.h"
#include "crayon/layout/cartridge.h"
#include "handmade_cartridge.h"
#include "longest_match_vocabularies.h"

namespace crayon::test::registry_test {
namespace {

namespace fs = std::filesystem;

class Registry : public testing::Test {
protected:
    void SetUp() override {
        std::string pattern = testing::TempDir() + "crayon-registry-XXXXXX";
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        folder_ = pattern;
    }
    void TearDown() override { fs::remove_all(folder_); }

    std::string path(const std::string& name) const { return (folder_ / name).string(); }
    std::string write(const std::string& name, const Bytes& bytes) const {
        std::ofstream(path(name), std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
        return path(name);
    }

    // Waits for a tick of the file system's clock, so that the written files are shared.
    static void settle() { std::this_thread::sleep_for(std::chrono::milliseconds(30)); }

    // Overwrites a file in place, which keeps its inode, and sets its modification time, like npm.
    std::string overwrite(const std::string& name, const Bytes& bytes) const {
        write(name, bytes);
        const timespec times[2] = {{499162500, 0}, {499162500, 0}};
        EXPECT_EQ(::utimensat(AT_FDCWD, path(name).c_str(), times, 0), 0);
        return path(name);
    }

    fs::path folder_;
};

// The handmade cartridge with another name in its metadata.
Bytes named(const std::string& name) {
    HandmadeCartridge made = make_handmade_cartridge();
    const std::string json = "{\"name\":\"" + name + "\"}";
    made.section(layout::kMetadata).bytes = Bytes(json.begin(), json.end());
    return made.file();
}

crayon_cartridge* open(const std::string& path, std::uint32_t flags = 0, crayon_result* result = nullptr) {
    crayon_cartridge* cartridge = nullptr;
    crayon_cartridge_open_file(path.data(), static_cast<std::uint32_t>(path.size()), flags, &cartridge, result);
    return cartridge;
}

std::uint32_t status_of(const std::string& path, std::uint32_t flags = 0) {
    crayon_result result = {};
    crayon_cartridge* cartridge = open(path, flags, &result);
    EXPECT_EQ(cartridge == nullptr, result.status != CRAYON_OK);
    crayon_cartridge_release(cartridge);
    return result.status;
}

std::string metadata(const crayon_cartridge* cartridge) {
    std::uint32_t length = 0;
    const char* text = crayon_cartridge_metadata(cartridge, &length);
    return std::string(text, length);
}

TEST_F(Registry, DistinguishesReasonsForFailure) {
    const Bytes valid = make_handmade_cartridge().file();
    for (std::uint32_t flags : {0u, std::uint32_t{CRAYON_OPEN_COPY}}) {
        EXPECT_EQ(status_of(path("absent"), flags), CRAYON_FILE_NOT_FOUND);
        EXPECT_EQ(status_of(write("file", valid) + "/below", flags), CRAYON_FILE_NOT_FOUND);
        EXPECT_EQ(status_of(path(std::string(5000, 'n')), flags), CRAYON_FILE_NOT_FOUND);
        EXPECT_EQ(status_of(folder_.string(), flags), CRAYON_FILE_UNREADABLE);
        EXPECT_EQ(status_of(write("empty", {}), flags), CRAYON_NOT_A_CARTRIDGE);
        EXPECT_EQ(status_of(write("start", Bytes(valid.begin(), valid.begin() + 70)), flags), CRAYON_TRUNCATED);
        EXPECT_EQ(status_of(std::string("a\0b", 3), flags), CRAYON_INVALID_ARGUMENT);
        EXPECT_EQ(status_of("", flags), CRAYON_INVALID_ARGUMENT);
        EXPECT_EQ(status_of("/dev/null", flags), CRAYON_FILE_UNREADABLE);
    }
    ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
    EXPECT_EQ(status_of(path("pipe")), CRAYON_FILE_UNREADABLE);  // and does not wait for a writer
    ASSERT_EQ(::symlink("loop", path("loop").c_str()), 0);
    EXPECT_EQ(status_of(path("loop")), CRAYON_FILE_UNREADABLE);
    if (::geteuid() != 0) {
        ASSERT_EQ(::chmod(write("secret", valid).c_str(), 0), 0);
        EXPECT_EQ(status_of(path("secret")), CRAYON_FILE_UNREADABLE);
    }
    // A sparse file: large, with no bytes on the disk.
    const std::string large = write("large", valid);
    ASSERT_EQ(::truncate(large.c_str(), (off_t{1} << 31) + 1), 0);
    EXPECT_EQ(status_of(large), CRAYON_FILE_TOO_LARGE);
}

TEST_F(Registry, MappedCopiedAndGivenBytesAreTheSameCartridge) {
    const Bytes valid = make_handmade_cartridge().file();
    const std::string file = write("a", valid);
    crayon_cartridge* mapped = open(file);
    crayon_cartridge* copied = open(file, CRAYON_OPEN_COPY);
    ASSERT_TRUE(mapped && copied);
    EXPECT_NE(mapped, copied);
    EXPECT_EQ(metadata(mapped), "{\"name\":\"handmade\"}");
    EXPECT_EQ(metadata(copied), metadata(mapped));
    // The copy is not affected by changes to the file.
    const auto text = static_cast<std::streamoff>(entry_of(valid, 1).offset);
    std::fstream(file, std::ios::in | std::ios::out | std::ios::binary).seekp(text + 4).write("XXXX", 4);
    EXPECT_EQ(metadata(copied), "{\"name\":\"handmade\"}");
    crayon_cartridge_release(mapped);
    crayon_cartridge_release(copied);
}

TEST_F(Registry, AFileIsOpenOnce) {
    const std::string file = write("a", named("a"));
    ASSERT_EQ(::symlink("a", path("link").c_str()), 0);
    fs::create_hard_link(file, path("hard"));
    settle();
    crayon_cartridge* first = open(file);
    ASSERT_TRUE(first);
    for (const std::string& other : {file, path("link"), path("hard"), folder_.string() + "/./a"}) {
        crayon_cartridge* again = open(other);
        EXPECT_EQ(again, first) << other;
        crayon_cartridge_release(again);
    }
    crayon_cartridge* twin = open(write("b", named("a")));
    EXPECT_NE(twin, first);
    crayon_cartridge_release(twin);
    crayon_cartridge_release(first);
}

TEST_F(Registry, AReplacedFileIsAnotherCartridge) {
    const std::string file = write("a", named("old"));
    crayon_cartridge* old = open(file);
    fs::rename(write("new", named("new")), file);
    crayon_cartridge* replaced = open(file);
    ASSERT_TRUE(old && replaced);
    EXPECT_EQ(metadata(old), "{\"name\":\"old\"}");
    EXPECT_EQ(metadata(replaced), "{\"name\":\"new\"}");
    fs::remove(file);
    EXPECT_EQ(metadata(replaced), "{\"name\":\"new\"}");
    crayon_cartridge_release(old);
    crayon_cartridge_release(replaced);
    EXPECT_EQ(open(file), nullptr);
}

// The bytes distinguish files, even with equal inode, size and modification time, which the test sets.
TEST_F(Registry, AChangedFileIsAnotherCartridge) {
    for (std::uint32_t flags : {0u, std::uint32_t{CRAYON_OPEN_COPY}}) {
        for (bool settled : {false, true}) {
            SCOPED_TRACE(std::to_string(flags) + (settled ? ", settled" : ", at once"));
            std::vector<crayon_cartridge*> opened;
            for (int i = 0; i < (settled ? 3 : 40); ++i) {
                const std::string name = i % 2 ? "odd " : "even";
                const std::string file = overwrite("a", named(name));
                if (settled) settle();
                opened.push_back(open(file, flags));
                ASSERT_TRUE(opened.back());
                EXPECT_EQ(metadata(opened.back()), "{\"name\":\"" + name + "\"}") << i;
                if (settled) {
                    crayon_cartridge* again = open(file, flags);
                    EXPECT_EQ(again, opened.back());
                    crayon_cartridge_release(again);
                }
            }
            for (crayon_cartridge* cartridge : opened) crayon_cartridge_release(cartridge);
        }
    }
}

// Bytes changed in place after mapping are not validated.
TEST_F(Registry, AFileDamagedInPlaceIsRefused) {
    const std::string file = overwrite("a", named("a"));
    settle();
    crayon_cartridge* cartridge = open(file);
    ASSERT_TRUE(cartridge);
    Bytes damaged = named("a");
    damaged[24] ^= 1;  // of the checksum
    overwrite("a", damaged);
    EXPECT_EQ(status_of(file), CRAYON_CHECKSUM_MISMATCH);
    settle();
    EXPECT_EQ(status_of(file), CRAYON_CHECKSUM_MISMATCH);
    crayon_cartridge_release(cartridge);
}

TEST_F(Registry, AFileWhoseModeChangesIsTheSameCartridge) {
    const std::string file = write("a", named("a"));
    settle();
    crayon_cartridge* first = open(file);
    fs::permissions(file, fs::perms::owner_read);
    crayon_cartridge* second = open(file);
    ASSERT_TRUE(first && second);
    EXPECT_EQ(metadata(first), metadata(second));
    crayon_cartridge_release(first);
    crayon_cartridge_release(second);
}

TEST_F(Registry, AnUnverifiedCartridgeDoesNotServeVerifiedOpens) {
    Bytes bytes = make_handmade_cartridge().file();
    bytes[24] ^= 1;  // of the checksum
    const std::string damaged = write("damaged", bytes);
    crayon_cartridge* unverified = open(damaged, CRAYON_OPEN_NO_CHECKSUM);
    ASSERT_TRUE(unverified);
    EXPECT_EQ(status_of(damaged), CRAYON_CHECKSUM_MISMATCH);
    crayon_cartridge_release(unverified);

    const std::string sound = write("sound", make_handmade_cartridge().file());
    settle();
    crayon_cartridge* verified = open(sound);
    crayon_cartridge* trusting = open(sound, CRAYON_OPEN_NO_CHECKSUM);
    EXPECT_EQ(trusting, verified);
    crayon_cartridge_release(trusting);
    crayon_cartridge_release(verified);
}

TEST_F(Registry, KeepsNoDescriptorOpen) {
    const std::string file = write("a", named("a")), text = write("text", Bytes(100, 'x'));
    const int before = ::open("/dev/null", O_RDONLY);
    crayon_cartridge* cartridge = open(file);
    for (int i = 0; i < 100; ++i) status_of(text), status_of(file), status_of(file, CRAYON_OPEN_COPY);
    const int after = ::open("/dev/null", O_RDONLY);
    EXPECT_EQ(after, before + 1);
    ::close(before);
    ::close(after);
    crayon_cartridge_release(cartridge);
}

TEST_F(Registry, ThreadsOpenAndCloseInALoop) {
    const std::string files[] = {write("a", named("a")), write("b", named("b")), write("c", Bytes(100, 'x'))};
    settle();
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread) {
        threads.emplace_back([&, thread] {
            for (int i = 0; i < 400; ++i) {
                const int which = (i + thread) % 3;
                const std::uint32_t flags = i % 5 == 0 ? CRAYON_OPEN_COPY : i % 7 == 0 ? CRAYON_OPEN_NO_CHECKSUM : 0;
                crayon_cartridge* first = open(files[which], flags);
                crayon_cartridge* second = open(files[which], flags);
                if (which == 2) {
                    wrong += first || second;
                    continue;
                }
                // While this thread holds the first one, the second is the same (or a verified one opened meanwhile).
                const bool same = first == second || flags == CRAYON_OPEN_NO_CHECKSUM;
                wrong += !first || !second || !same || metadata(first) != (which ? "{\"name\":\"b\"}" : "{\"name\":\"a\"}");
                crayon_cartridge_release(first);
                wrong += metadata(second).empty();
                crayon_cartridge_release(second);
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
}

TEST_F(Registry, ThreadsWhileTheFileIsReplaced) {
    const std::string file = write("a", named("0"));
    std::atomic<bool> stop{false};
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 3; ++thread) {
        threads.emplace_back([&] {
            while (!stop) {
                crayon_cartridge* cartridge = open(file);
                wrong += !cartridge || metadata(cartridge).size() != 12;
                crayon_cartridge_release(cartridge);
            }
        });
    }
    const Bytes next[] = {named("1"), named("2"), named("3")};
    for (int i = 0; i < 200; ++i) fs::rename(write("next", next[i % 3]), file);
    stop = true;
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
}

TEST_F(Registry, AFileOfVersion2IsOpenOnceForAList) {
    const std::string file = naive_dat({"a", "b", ""}, DatWriter::kRootIsMinusOne);
    const std::string path = write("tokens.dat", Bytes(file.begin(), file.end()));
    settle();
    const auto open_with = [&](const std::vector<std::string>& list, std::uint32_t unknown_id) {
        const TokenArrays arrays(list);
        crayon_cartridge* cartridge = nullptr;
        EXPECT_EQ(
            crayon_cartridge_open_dat_file(path.data(), static_cast<std::uint32_t>(path.size()), 0, arrays.data(), arrays.size(),
                                           arrays.offsets.data(), arrays.count(), unknown_id, &cartridge, nullptr),
            CRAYON_OK);
        return cartridge;
    };
    crayon_cartridge* const first = open_with({"a", "b", "c"}, 0);
    crayon_cartridge* const others[] = {open_with({"a", "b", "c"}, 0),      open_with({"a", "\xEF\xBF\xBD", "c"}, 0),
                                        open_with({"a", "b", "d"}, 0),      open_with({"a", "b", "c"}, 1),
                                        open_with({"a", "b", "c", "d"}, 0), open_with({}, 0)};
    EXPECT_EQ(others[0], first);
    EXPECT_EQ(others[1], first);  // "b" with its byte lost
    for (int i = 2; i < 6; ++i) EXPECT_NE(others[i], first) << i;
    EXPECT_EQ(status_of(path), CRAYON_UNSUPPORTED_VERSION);
    for (crayon_cartridge* cartridge : others) crayon_cartridge_release(cartridge);
    crayon_cartridge_release(first);
}

}  // namespace
}  // namespace crayon::test::registry_test
