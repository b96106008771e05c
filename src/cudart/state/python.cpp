// A few lines of Python look at frames and tensors; they are compiled once, into a module of their own. Places are kept
// for the whole process and never move, so that a call stack can hold their addresses among those of code.
#include "cudart/state/python.hpp"

#include <dlfcn.h>

#include <map>
#include <mutex>
#include <string_view>
#include <tuple>

namespace warpwright::cudart::python {

namespace {

constexpr const char* kCode = R"(
import os, sys, threading
_lib = os.path.dirname(os.__file__) + os.sep
# Packages, our own files among them, and what Inductor writes.
_others = [p + os.sep for p in ('site-packages', 'dist-packages', 'warpwright_torch')] \
    + ['warpwright_autotune.py', 'warpwright_imports.py', 'torchinductor_']
def _is_own(f):
    name = f.f_code.co_filename
    return not (name.startswith('<') and not name.startswith('<ipython')) and not name.startswith(_lib) \
        and not any(os.sep + p in name for p in _others)
# From the first time on that a place is asked for, which the driver's start does, kernels that Numba compiles have the
# lines of their source, unless they are compiled for debugging.
def _give_lines():
    for name in ('numba.cuda.dispatcher', 'numba_cuda.numba.cuda.dispatcher'):
        kernel = getattr(sys.modules.get(name), '_Kernel', None)
        make = kernel.__init__ if kernel is not None else None
        if make is None or hasattr(make, '_warpwright_lines'):
            continue
        def with_lines(self, *given, _make=make, **options):
            if 'lineinfo' in options and not options.get('debug'):
                options['lineinfo'] = True
            return _make(self, *given, **options)
        with_lines._warpwright_lines = True
        kernel.__init__ = with_lines
def _own_of(f):
    while f is not None and not _is_own(f):
        f = f.f_back
    return f
def line():
    _give_lines()
    f = _own_of(sys._getframe().f_back)
    if f is None and 'torch' in sys.modules:
        # A thread of PyTorch's works for the one that waits in backward().
        waiting = sys._current_frames().get(threading.main_thread().ident)
        f = _own_of(waiting)
    return (f.f_code.co_filename, f.f_lineno, f.f_code.co_name) if f is not None else None
def _find(v, p, depth):
    if isinstance(v, (tuple, list)):
        if depth < 2 and len(v) <= 256:
            for x in v:
                found = _find(x, p, depth + 1)
                if found is not None:
                    return found
    elif hasattr(type(v), 'data_ptr'):
        try:
            if v.data_ptr() == p:
                return v
        except Exception:
            pass
    return None
def tensor(p):
    f = sys._getframe().f_back
    v = None
    for _ in range(12):
        if f is None or v is not None:
            break
        for x in list(f.f_locals.values()):
            v = _find(x, p, 0)
            if v is not None:
                break
        else:
            f = f.f_back
    if v is None:
        return None
    if hasattr(v, 'untyped_storage'):
        s = v.untyped_storage()
        first, size, whole = s.data_ptr(), s.nbytes(), 1
    elif hasattr(v, 'nbytes'):
        first, size, whole = p, int(v.nbytes), 0
    elif hasattr(v, 'numel'):
        first, size, whole = p, v.numel() * v.element_size(), 0
    else:
        return None
    while f is not None and not _is_own(f):
        f = f.f_back
    if f is not None:
        for names in (f.f_locals, f.f_globals):
            for name, x in list(names.items()):
                if x is v:
                    return (first, size, name, whole)
    return (first, size, '', whole)
)";

using Object = void*;

/// The interpreter's functions; all null where there is none.
struct Interpreter {
    int (*is_initialised)() = nullptr;
    int (*holds_lock)() = nullptr;
    Object (*thread)() = nullptr;
    int (*take_lock)() = nullptr;
    void (*give_lock)(int) = nullptr;
    Object (*add_module)(const char*) = nullptr;
    Object (*dict_of)(Object) = nullptr;
    Object (*run)(const char*, int, Object, Object) = nullptr;
    Object (*builtins)() = nullptr;
    int (*set_item)(Object, const char*, Object) = nullptr;
    Object (*item)(Object, const char*) = nullptr;
    Object (*call)(Object, const char*, ...) = nullptr;
    Object (*of_tuple)(Object, long) = nullptr;
    long (*tuple_size)(Object) = nullptr;
    const char* (*text)(Object) = nullptr;
    unsigned long long (*number)(Object) = nullptr;
    void (*drop)(Object) = nullptr;
    void (*error_fetch)(Object*, Object*, Object*) = nullptr;
    void (*error_restore)(Object, Object, Object) = nullptr;
    int (*is_finalising)() = nullptr;
    bool complete = false;
};

const Interpreter& interpreter() {
    static const Interpreter found = [] {
        Interpreter p;
        bool all = true;
        const auto take = [&](auto& function, const char* name, bool needed = true) {
            function = reinterpret_cast<std::decay_t<decltype(function)>>(::dlsym(RTLD_DEFAULT, name));
            all = all && (function || !needed);
        };
        take(p.is_initialised, "Py_IsInitialized");
        take(p.holds_lock, "PyGILState_Check");
        take(p.thread, "PyGILState_GetThisThreadState");
        take(p.take_lock, "PyGILState_Ensure");
        take(p.give_lock, "PyGILState_Release");
        take(p.add_module, "PyImport_AddModule");
        take(p.dict_of, "PyModule_GetDict");
        take(p.run, "PyRun_String");
        take(p.builtins, "PyEval_GetBuiltins");
        take(p.set_item, "PyDict_SetItemString");
        take(p.item, "PyDict_GetItemString");
        take(p.call, "PyObject_CallFunction");
        take(p.of_tuple, "PyTuple_GetItem");
        take(p.tuple_size, "PyTuple_Size");
        take(p.text, "PyUnicode_AsUTF8");
        take(p.number, "PyLong_AsUnsignedLongLong");
        take(p.drop, "Py_DecRef");
        take(p.error_fetch, "PyErr_Fetch");
        take(p.error_restore, "PyErr_Restore");
        take(p.is_finalising, "Py_IsFinalizing", false);
        if (!p.is_finalising) take(p.is_finalising, "_Py_IsFinalizing", false);
        p.complete = all;
        return p;
    }();
    return found;
}

/// The module of kCode; null: it could not be made. The caller has the interpreter's lock.
Object own_module() {
    const auto& p = interpreter();
    Object module = p.add_module("_warpwright_places");
    Object names = module ? p.dict_of(module) : nullptr;
    if (!names || p.item(names, "tensor")) return names;
    constexpr int kFileInput = 257;
    p.set_item(names, "__builtins__", p.builtins());
    Object done = p.run(kCode, kFileInput, names, names);
    if (!done) return nullptr;
    p.drop(done);
    return names;
}

/// With the interpreter's lock, and an error that may be under way put aside.
template <class Use>
void ask(Use&& use) {
    const auto& p = interpreter();
    const int state = p.take_lock();
    Object error[3] = {};
    p.error_fetch(&error[0], &error[1], &error[2]);
    if (Object names = own_module()) use(names);
    Object gone[3] = {};
    p.error_fetch(&gone[0], &gone[1], &gone[2]);
    for (auto* g : gone)
        if (g) p.drop(g);
    p.error_restore(error[0], error[1], error[2]);
    p.give_lock(state);
}

/// Whether the interpreter may be asked on this thread: it has the lock already, or the caller is a binding that has
/// put it down and holds no lock of its own, like PyTorch's allocator, which keeps nothing under the checkers. (A
/// library that allocates under its own lock may be waited for by a thread that has the interpreter's.)
bool may_ask(const void* caller) {
    const auto& p = interpreter();
    if (!p.complete || !p.is_initialised() || (p.is_finalising && p.is_finalising()) || !p.thread()) return false;
    if (p.holds_lock()) return true;
    Dl_info info{};
    if (!caller || !::dladdr(caller, &info) || !info.dli_fname) return false;
    const std::string_view file = info.dli_fname;
    for (const auto* binding : {"_ctypes", "libffi", "cydriver", "cyruntime", "/cupy", "_internal/", "/libc10_cuda"})
        if (file.find(binding) != std::string_view::npos) return true;
    return false;
}

struct Places {
    std::mutex mutex;
    std::map<std::tuple<std::string, unsigned, std::string>, Place> by_text;
    std::map<const void*, const Place*> by_address;
};
Places& places() {
    static auto* all = new Places;
    return *all;
}

}  // namespace

bool is_there() { return interpreter().complete; }

const Place* calling_line(const void* caller) {
    if (!may_ask(caller)) return nullptr;
    const auto& p = interpreter();
    Place found;
    ask([&](Object names) {
        Object line = p.call(p.item(names, "line"), nullptr);
        if (!line) return;
        if (p.tuple_size(line) == 3) {
            const char *file = p.text(p.of_tuple(line, 0)), *function = p.text(p.of_tuple(line, 2));
            found.line = static_cast<unsigned>(p.number(p.of_tuple(line, 1)));
            if (file) found.file = file;
            if (function) found.function = function;
        }
        p.drop(line);
    });
    if (found.file.empty()) return nullptr;
    auto& all = places();
    std::lock_guard lock(all.mutex);
    auto& kept = all.by_text[{found.file, found.line, found.function}];
    if (kept.file.empty()) {
        kept = std::move(found);
        all.by_address[&kept] = &kept;
    }
    return &kept;
}

const Place* place_of(const void* address) {
    auto& all = places();
    std::lock_guard lock(all.mutex);
    const auto found = all.by_address.find(address);
    return found == all.by_address.end() ? nullptr : found->second;
}

std::optional<Tensor> tensor_at(const void* address) {
    // A launcher asks with the lock in its hands.
    const auto& p = interpreter();
    if (!may_ask(nullptr)) return std::nullopt;
    std::optional<Tensor> found;
    ask([&](Object names) {
        Object tensor = p.call(p.item(names, "tensor"), "K", reinterpret_cast<unsigned long long>(address));
        if (!tensor) return;
        if (p.tuple_size(tensor) == 4) {
            Tensor t;
            t.whole = p.number(p.of_tuple(tensor, 3)) != 0;
            t.first = p.number(p.of_tuple(tensor, 0)), t.bytes = p.number(p.of_tuple(tensor, 1));
            if (const char* name = p.text(p.of_tuple(tensor, 2))) t.name = name;
            const auto at = reinterpret_cast<std::uint64_t>(address);
            if (t.bytes && at >= t.first && at - t.first < t.bytes) found = std::move(t);
        }
        p.drop(tensor);
    });
    return found;
}

}  // namespace warpwright::cudart::python
