// A reference to anything that can be called, as std::function_ref of C++26: what takes one is no template, and nothing
// is copied or allocated.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace warpwright {

template <class Signature>
class FunctionRef;

/// It is valid as long as what it refers to: as a parameter, during the call.
template <class R, class... A>
class FunctionRef<R(A...)> {
public:
    template <class F>
        requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef> && std::is_invocable_r_v<R, F&, A...>)
    FunctionRef(F&& f)
        : object_(const_cast<void*>(static_cast<const void*>(std::addressof(f)))),
          call_([](void* object, A... given) -> R {
              return (*static_cast<std::remove_reference_t<F>*>(object))(std::forward<A>(given)...);
          }) {}
    R operator()(A... given) const { return call_(object_, std::forward<A>(given)...); }

private:
    void* object_;
    R (*call_)(void*, A...);
};

}  // namespace warpwright
