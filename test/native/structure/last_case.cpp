#include "structure/last_case.h"

#include <cstdio>
#include <cstdlib>

#ifndef __EMSCRIPTEN__
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstring>

extern "C" [[gnu::weak]] void __sanitizer_set_death_callback(void (*callback)());
#endif

namespace crayon::test {

namespace {

char original_name[64];
unsigned long long seed_of_run = 0, case_number = 0;
char again_with[256];

#ifndef __EMSCRIPTEN__

constexpr time_t kMostSeconds = 120;  // of processor time, for a case that hangs; one that is only slow fails afterwards

// Ends the process after so much processor time from now on; 0: never.
void end_after(time_t seconds) {
    const itimerval timer = {{0, 0}, {seconds, 0}};
    ::setitimer(ITIMER_PROF, &timer, nullptr);
}

void print() {
    const char* const text = LastCase::again();
    if (::write(2, text, std::strlen(text)) < 0 || ::write(2, "\n", 1) < 0) return;
}

void end_of_time(int) {
    print();
    std::_Exit(1);
}

// Only without a sanitizer, which installs its own handlers.
void end_of_process(int number) {
    print();
    ::signal(number, SIG_DFL);
    ::raise(number);
}

#endif

}  // namespace

#ifndef __EMSCRIPTEN__
// UBSan calls this with every report.
extern "C" void __ubsan_on_report() {
    if (case_number > 0) print();
}
#endif

LastCase::LastCase(const std::string& original, std::uint64_t seed) {
    std::snprintf(original_name, sizeof original_name, "%s", original.c_str());
    seed_of_run = seed;
#ifndef __EMSCRIPTEN__
    ::signal(SIGPROF, end_of_time);
    if (__sanitizer_set_death_callback) {
        __sanitizer_set_death_callback(print);
    } else {
        for (int number : {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE}) ::signal(number, end_of_process);
    }
#endif
}

LastCase::~LastCase() {
    case_number = 0;
#ifndef __EMSCRIPTEN__
    end_after(0);
    if (__sanitizer_set_death_callback) {
        __sanitizer_set_death_callback(nullptr);
    } else {
        for (int number : {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE}) ::signal(number, SIG_DFL);
    }
#endif
}

void LastCase::is(std::uint64_t number) {
    case_number = number;
#ifndef __EMSCRIPTEN__
    end_after(kMostSeconds);
#endif
}

const char* LastCase::again() {
    std::snprintf(again_with, sizeof again_with,
                  "again with: CRAYON_FUZZ_SEED=%llu CRAYON_FUZZ_CASE=%llu crayon_tests --gtest_filter='*Structure*/%s'",
                  seed_of_run, case_number, original_name);
    return again_with;
}

}  // namespace crayon::test
