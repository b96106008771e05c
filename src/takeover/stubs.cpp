// Stubs are placed within reach of a relative jump, and a common routine in assembly keeps the argument registers while
// the target is resolved. The code pages become read-only when all stubs are written.
#include "takeover/stubs.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <mutex>
#include <vector>

namespace warpwright::takeover {
namespace {

// A stub of 32 bytes, with the place to which it leads in a page of its own kind behind all stubs:
//   0: ff 25 disp32   jmp [slot]        the slot first has the address of byte 6
//   6: 41 bb imm32    mov r11d, number
//  12: ff 25 disp32   jmp [common]      the first slot of the region
constexpr std::size_t kStub = 32, kPage = 4096;
constexpr std::int64_t kReach = std::int64_t{1} << 30;

struct Entry {
    const char* name;
    int version;
    Resolve resolve;
    void** slot;
};
std::mutex entries_mutex;
std::vector<Entry>& entries() {
    static auto* all = new std::vector<Entry>;
    return *all;
}

std::size_t pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

void put_32(std::uint8_t* at, std::int64_t value) {
    const auto narrow = static_cast<std::int32_t>(value);
    std::memcpy(at, &narrow, sizeof narrow);
}

/// Pages of this size within reach of an address.
std::uint8_t* near_pages(std::uint64_t near, std::size_t bytes) {
    constexpr std::int64_t kStep = std::int64_t{1} << 20;
    const auto from = static_cast<std::int64_t>(near / kPage * kPage);
    for (std::int64_t away = kStep; away < kReach; away += kStep)
        for (const std::int64_t at : {from + away, from - away}) {
            if (at < kStep) continue;
            void* got = ::mmap(reinterpret_cast<void*>(at), bytes, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
            if (got == reinterpret_cast<void*>(at)) return static_cast<std::uint8_t*>(got);
            if (got != MAP_FAILED) ::munmap(got, bytes);
        }
    return nullptr;
}

}  // namespace

/// Called by the code below with a stub's number.
extern "C" __attribute__((used, visibility("hidden"))) void* ww_takeover_resolve(std::uint32_t number) {
    Entry e{};
    {
        std::lock_guard lock(entries_mutex);
        e = entries()[number];
    }
    void* const to = e.resolve(e.name, e.version);
    std::atomic_ref<void*>(*e.slot).store(to, std::memory_order_release);
    return to;
}

// Keeps every register in which arguments are passed, asks where to go, and goes there.
extern "C" __attribute__((visibility("hidden"))) void ww_takeover_lazy();
asm(R"(
    .text
    .globl ww_takeover_lazy
    .hidden ww_takeover_lazy
    .type ww_takeover_lazy, @function
ww_takeover_lazy:
    push %rdi
    push %rsi
    push %rdx
    push %rcx
    push %r8
    push %r9
    push %rax
    sub $128, %rsp
    movups %xmm0, (%rsp)
    movups %xmm1, 16(%rsp)
    movups %xmm2, 32(%rsp)
    movups %xmm3, 48(%rsp)
    movups %xmm4, 64(%rsp)
    movups %xmm5, 80(%rsp)
    movups %xmm6, 96(%rsp)
    movups %xmm7, 112(%rsp)
    mov %r11d, %edi
    call ww_takeover_resolve
    mov %rax, %r11
    movups (%rsp), %xmm0
    movups 16(%rsp), %xmm1
    movups 32(%rsp), %xmm2
    movups 48(%rsp), %xmm3
    movups 64(%rsp), %xmm4
    movups 80(%rsp), %xmm5
    movups 96(%rsp), %xmm6
    movups 112(%rsp), %xmm7
    add $128, %rsp
    pop %rax
    pop %r9
    pop %r8
    pop %rcx
    pop %rdx
    pop %rsi
    pop %rdi
    jmp *%r11
    .size ww_takeover_lazy, .-ww_takeover_lazy
)");

Stubs::Stubs(std::uint64_t near, std::size_t count) {
    bytes_ = pages(count * kStub);
    // Behind the code the slots, the first of them for all.
    region_ = near_pages(near, bytes_ + pages((count + 1) * sizeof(void*)));
    if (!region_) return;
    void* const common = reinterpret_cast<void*>(&ww_takeover_lazy);
    std::memcpy(region_ + bytes_, &common, sizeof common);
}

bool Stubs::put(std::uint64_t address, std::uint32_t number, void* to) {
    auto* const stub = region_ + used_ * kStub;
    auto* const slot = region_ + bytes_ + (used_ + 1) * sizeof(void*);
    const auto distance = static_cast<std::int64_t>(reinterpret_cast<std::uint64_t>(stub) - (address + kJumpBytes));
    if (distance > 2 * kReach - 1 || distance < -2 * kReach) return false;
    ++used_;
    stub[0] = 0xff, stub[1] = 0x25, put_32(stub + 2, slot - (stub + 6));
    stub[6] = 0x41, stub[7] = 0xbb, std::memcpy(stub + 8, &number, sizeof number);
    stub[12] = 0xff, stub[13] = 0x25, put_32(stub + 14, region_ + bytes_ - (stub + 18));
    if (!to) to = stub + 6;
    std::memcpy(slot, &to, sizeof to);
    // The function's own first bytes.
    auto* const code = reinterpret_cast<std::uint8_t*>(address);
    auto* const first = reinterpret_cast<std::uint8_t*>(address / kPage * kPage);
    const auto length = pages(static_cast<std::size_t>(code + kJumpBytes - first));
    if (::mprotect(first, length, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return false;
    code[0] = 0xe9, put_32(code + 1, distance);
    return ::mprotect(first, length, PROT_READ | PROT_EXEC) == 0;
}

bool Stubs::lead(std::uint64_t address, const char* name, int version, Resolve resolve) {
    auto* const slot = reinterpret_cast<void**>(region_ + bytes_ + (used_ + 1) * sizeof(void*));
    std::uint32_t number = 0;
    {
        std::lock_guard lock(entries_mutex);
        number = static_cast<std::uint32_t>(entries().size());
        entries().push_back({name, version, resolve, slot});
    }
    return put(address, number, nullptr);
}

bool Stubs::lead(std::uint64_t address, void (*to)()) { return put(address, 0, reinterpret_cast<void*>(to)); }

void Stubs::seal() { (void)::mprotect(region_, bytes_, PROT_READ | PROT_EXEC); }

}  // namespace warpwright::takeover
