// Every function of the runtime and of the driver, called from sixteen threads in an order drawn for each: the calls are made
// from the lists that the libraries are made from, so none is missing. Arguments are drawn by their types, handles from all
// that any thread was given, alive or stale. What the functions answer does not matter; the process has to stay whole.
//   warpwright build bench/threads/all_calls.cu -lcuda -o all_calls && warpwright run --quiet ./all_calls [STEPS [SEED]]
// docs/threads.md says how it runs under ThreadSanitizer.
#include <cuda.h>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <type_traits>
#include <typeindex>
#include <vector>

__global__ void add(int* x) { atomicAdd(x, 1); }

namespace {

constexpr int kThreads = 16;
constexpr std::size_t kMostHandles = 200, kMost = 4096;

/// Handles of all kinds that any thread was given. Most are freed by some thread later, and stay here.
std::mutex mutex;
std::map<std::type_index, std::vector<std::uint64_t>> handles;

template <class T, class = void>
struct IsComplete : std::false_type {};
template <class T>
struct IsComplete<T, decltype(void(sizeof(T)))> : std::true_type {};
template <class T>
constexpr bool is_handle = std::is_pointer_v<T> && std::is_class_v<std::remove_pointer_t<T>> &&
                           !IsComplete<std::remove_cv_t<std::remove_pointer_t<T>>>::value;

template <class... A>
struct NoWork {};
template <class R, class... A>
R nothing(A...) {
    return R();
}
template <class T>
struct Function;
template <class R, class... A>
struct Function<R (*)(A...)> {
    static constexpr R (*at)(A...) = &nothing<R, A...>;
};

/// A structure of which every byte is zero, unions among them.
template <class T>
union Zero {
    Zero() {}
    T it;
};

/// What a thread draws arguments from. Memory is its own, so that nobody else frees what a copy still uses.
struct Draw {
    explicit Draw(unsigned seed) : random(seed), host(1 << 20) {
        void* p = nullptr;
        for (auto make : {+[](void** q) { return cudaMalloc(q, kMost); }, +[](void** q) { return cudaMallocHost(q, kMost); },
                          +[](void** q) { return cudaMallocManaged(q, kMost, cudaMemAttachGlobal); }})
            if (make(&p) == cudaSuccess) memory.push_back(p);
        (void)cudaMalloc(&counter, sizeof(int));
    }
    int* counter = nullptr;  ///< of the kernel that it launches
    std::mt19937 random;
    std::vector<char> host;
    std::vector<void*> memory;
    std::vector<std::function<void()>> after;  ///< what is kept of a call that has succeeded
    std::vector<std::function<void()>> gone;   ///< what goes behind each call

    unsigned below(unsigned n) { return random() % n; }
    void* address() {
        switch (below(8)) {
            case 0: return nullptr;
            case 1: return host.data();
            default: return memory.empty() ? host.data() : memory[below(static_cast<unsigned>(memory.size()))];
        }
    }
    template <class T>
    T handle() {
        std::lock_guard lock(mutex);
        const auto& all = handles[typeid(T)];
        if (all.empty() || below(8) == 0) return T{};
        const auto value = all[below(static_cast<unsigned>(all.size()))];
        T out;
        std::memcpy(&out, &value, sizeof out);
        return out;
    }
    template <class T>
    void keep(T value) {
        std::uint64_t word = 0;
        std::memcpy(&word, &value, sizeof value);
        std::lock_guard lock(mutex);
        auto& all = handles[typeid(T)];
        if (all.size() < kMostHandles) all.push_back(word);
        else all[below(kMostHandles)] = word;
    }
    /// Room for what a function writes, or reads, through a pointer.
    template <class T>
    T* room(T first) {
        constexpr int kCount = 64;
        auto* at = static_cast<T*>(std::calloc(kCount, sizeof(T)));
        for (int k = 0; k < kCount; ++k) std::memcpy(&at[k], &first, sizeof first);
        gone.push_back([at] { std::free(at); });
        if constexpr (is_handle<T>) after.push_back([this, at, first] { if (at[0] && at[0] != first) keep(at[0]); });
        return at;
    }
    template <class T>
    T make() {
        using P = std::remove_cv_t<std::remove_pointer_t<T>>;
        if constexpr (is_handle<T>) {
            return handle<T>();
        } else if constexpr (std::is_pointer_v<T> && std::is_function_v<std::remove_pointer_t<T>>) {
            return below(8) ? Function<T>::at : nullptr;
        } else if constexpr (std::is_pointer_v<T> && std::is_void_v<P>) {
            if (std::is_const_v<std::remove_pointer_t<T>> && below(4) == 0) return (T)&add;
            return address();
        } else if constexpr (std::is_same_v<P, char> && std::is_pointer_v<T>) {
            static const char* const names[] = {"", "add", "cudaMalloc", "0000:00:00.0", ".version 7.0\n.target sm_70\n"};
            char* at = room<char>(0);
            std::strcpy(at, names[below(5)]);
            return at;
        } else if constexpr (std::is_pointer_v<T> && std::is_void_v<std::remove_pointer_t<P>> && std::is_pointer_v<P>) {
            return (T)room<void*>(address());
        } else if constexpr (std::is_pointer_v<T>) {
            if (below(16) == 0) return nullptr;
            if constexpr (std::is_function_v<P>) return nullptr;
            else return room<P>(std::is_pointer_v<P> && !is_handle<P> ? P{} : make<P>());
        } else if constexpr (std::is_enum_v<T>) {
            return static_cast<T>(below(8));
        } else if constexpr (std::is_same_v<T, CUdeviceptr>) {
            return reinterpret_cast<CUdeviceptr>(address());
        } else if constexpr (std::is_integral_v<T>) {
            static const T all[] = {0, 1, 2, 3, 4, 8, 16, 64};
            return all[below(8)];
        } else if constexpr (std::is_floating_point_v<T>) {
            return T(below(3));
        } else {
            Zero<T> value;
            std::memset(&value, 0, sizeof value);
            return value.it;
        }
    }
    template <class R, class... A>
    void call(R (*function)(A...)) {
        const auto code = function(make<A>()...);
        if (static_cast<int>(code) == 0)
            for (auto& f : after) f();
        for (auto& f : gone) f();
        after.clear(), gone.clear();
    }
};

/// The lists' parameters as functions, so that their types are known; the functions themselves are found by name.
namespace forms {
#define WW_OR(value) = value
#define WW_API(name, parameters, arguments) cudaError_t name parameters;
#define WW_API_STREAM WW_API
#define WW_API_LEGACY WW_API
#include "warpwright/runtime_api.inc"
#define WW_CU_ROW(kind, rule, version, name, symbol, parameters, arguments) CUresult symbol parameters;
#define WW_CU_INLINE(...)
#include "warpwright/driver_api.inc"
}  // namespace forms

struct Call {
    const char* name;
    void (*run)(Draw&);
};
template <class F>
void call_by_name(Draw& draw, const char* name) {
    if (const auto found = reinterpret_cast<F>(::dlsym(RTLD_DEFAULT, name))) draw.call(found);
}
const Call calls[] = {
#undef WW_API
#undef WW_API_STREAM
#undef WW_API_LEGACY
#undef WW_CU_ROW
#define WW_API(name, parameters, arguments) {#name, [](Draw& d) { call_by_name<decltype(&forms::name)>(d, #name); }},
#define WW_API_STREAM WW_API
#define WW_API_LEGACY WW_API
#include "warpwright/runtime_api.inc"
#define WW_CU_ROW(kind, rule, version, name, symbol, parameters, arguments) \
    {#symbol, [](Draw& d) { call_by_name<decltype(&forms::symbol)>(d, #symbol); }},
#define WW_CU_INLINE(...)
#include "warpwright/driver_api.inc"
};

/// Not called: those that end the process's device for all, wait for what nobody does, or start a program.
bool is_left_out(const std::string& name) {
    for (const char* part :
         {"DeviceReset", "PrimaryCtxReset", "CtxDestroy", "WaitValue", "BatchMemOp", "Ipc", "WaitExternal", "LaunchKernel",
          "LaunchCooperative", "cuLaunch", "cuFuncSetBlock", "cuParam", "GetExportTable"})
        if (name.find(part) != std::string::npos) return true;
    return false;
}

thread_local const char* current = "";

/// A fault names the function in which it is.
void tell(int) {
    const char* parts[] = {"a fault in ", current, "\n"};
    for (const char* part : parts) (void)!::write(2, part, std::strlen(part));
    void* frames[24];
    ::backtrace_symbols_fd(frames, ::backtrace(frames, 24), 2);
    ::_exit(3);
}

}  // namespace

int main(int words, char** word) {
    const int steps = words > 1 ? std::atoi(word[1]) : 500;
    const unsigned seed = words > 2 ? std::atoi(word[2]) : 1;
    const char* only = words > 3 ? word[3] : "";
    for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS}) std::signal(signal, tell);
    cuInit(0);
    cudaFree(nullptr);
    std::vector<const Call*> all;
    for (const auto& c : calls)
        if (!is_left_out(c.name) && std::strstr(c.name, only)) all.push_back(&c);
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t)
        threads.emplace_back([&, t] {
            Draw draw(seed * kThreads + t);
            for (int k = 0; k < steps; ++k) {
                const auto& c = *all[draw.below(static_cast<unsigned>(all.size()))];
                current = c.name;
                c.run(draw);
                if (k % 16 == 0 && draw.counter) add<<<1, 32>>>(draw.counter);
            }
        });
    for (auto& t : threads) t.join();
    std::printf("%zu functions, %d threads, %d calls each: %s\n", all.size(), kThreads, steps,
                cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
