// Fat binaries that are not what they should be, as a damaged file of a program has them: every byte of the headers
// changed in several ways, every length cut short, with nothing readable behind; wrappers that point anywhere. Each is
// an error or works, and nothing else happens.
#include <sys/mman.h>
#include <unistd.h>
#include <cstdint>
#include <cstring>
#include <string>
#include "check.h"
extern "C" void** __cudaRegisterFatBinary(void*);
extern "C" void __cudaRegisterFatBinaryEnd(void**);
extern "C" void __cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*, dim3*, int*);
struct Wrapper {
    uint32_t magic, version;
    const void *data, *more;
};
static const std::string kPtx =
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n    ret;\n}\n";
static std::string whole() {
    std::string b(80, '\0');
    const auto put = [&](size_t at, uint64_t value, size_t bytes) { std::memcpy(&b[at], &value, bytes); };
    const uint64_t text = (kPtx.size() + 8) / 8 * 8;
    put(0, 0xba55ed50, 4), put(4, 1, 2), put(6, 16, 2), put(8, 64 + text, 8);
    put(16, 1, 2), put(18, 0x0101, 2), put(20, 64, 4), put(24, text, 8), put(16 + 28, 80, 4), put(16 + 40, 0x11, 8);
    b += kPtx;
    b.resize(80 + text);
    return b;
}
static char* page_end = nullptr;
static int good = 0, bad = 0;
static void attempt(const Wrapper& w) {
    // Both stay: the library reads them when they are first used.
    auto* wrapper = new Wrapper(w);
    char* host = new char;
    void** handle = __cudaRegisterFatBinary(wrapper);
    __cudaRegisterFunction(handle, host, nullptr, "k", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
    __cudaRegisterFatBinaryEnd(handle);
    cudaFuncAttributes a;
    const cudaError_t e = cudaFuncGetAttributes(&a, host);
    CHECK(e != cudaErrorUnknown);
    ++(e == cudaSuccess ? good : bad);
    cudaGetLastError();
}
static void attempt(const std::string& bytes) {
    char* at = page_end - bytes.size();
    std::memcpy(at, bytes.data(), bytes.size());
    attempt({0x466243b1, 1, at, nullptr});
}
int main() {
    const size_t page = sysconf(_SC_PAGESIZE);
    auto* pages = (char*)mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(pages != MAP_FAILED && mprotect(pages + page, page, PROT_NONE) == 0);
    page_end = pages + page;
    const std::string right = whole();
    attempt(right);
    CHECK(good == 1);
    for (size_t k = 0; k < 80; ++k)
        for (int change : {0xff, 0x80, 0x01, 0x40}) {
            std::string b = right;
            b[k] = char(b[k] ^ change);
            attempt(b);
        }
    for (size_t n = 0; n < right.size(); n += 5) attempt(right.substr(0, n));
    for (uint64_t address : {uint64_t{1}, uint64_t{4096}, uint64_t(page_end), uint64_t(page_end - 3), ~uint64_t{7}}) {
        attempt({0x466243b1, 1, (void*)address, nullptr});
        attempt({0x466243b1, 2, page_end - right.size(), (void*)address});
    }
    // A list with no end before the memory ends.
    const void* self = page_end - 512;
    std::memcpy(page_end - 8, &self, 8);
    attempt({0x466243b1, 2, self, page_end - 8});
    attempt({0x12345678, 1, page_end - right.size(), nullptr});
    CHECK(cudaFuncGetAttributes(nullptr, "") != cudaSuccess);
    std::printf("%d read, %d refused\n", good, bad);
    CHECK(good > 1 && bad > 100);
    // A handle that no registration gave.
    int number = 0;
    __cudaRegisterFunction((void**)&number, (char*)&number, nullptr, "k", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
    cudaFuncAttributes a;
    CHECK(cudaFuncGetAttributes(&a, &number) == cudaErrorInvalidResourceHandle);
    std::puts("passed");
}
