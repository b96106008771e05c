// What our pass for the compiler (toolchain/pass/library_calls.cpp) says of a module's needs, so that the compiler
// optimises a module once: whether it may call libclc's functions, before it is optimised; whether it did, afterwards.
#pragma once

#include <string>
#include <string_view>

namespace warpwright::compile {

/// What the pass is asked.
enum class Ask {
    nothing,
    needs,        ///< the compiler ends before it optimises, where the module has any
    library_use,  ///< it is told whether the module needed what it was linked with
};

/// The variable of the compiler's environment that asks.
std::string ask_variable(Ask ask);

/// Needs that the module has before it is optimised.
struct EarlyNeeds {
    bool library = false;    ///< it may call functions of libclc: the optimiser might remove all calls
    bool constants = false;  ///< it has variables in constant memory, which stay
    bool any() const { return library || constants; }
};

/// Takes the pass' lines out of the compiler's messages. Any needs: the compiler has ended and written nothing.
EarlyNeeds take_needs(std::string& messages);

/// The same of a module that was compiled with libclc. False: nothing of that was left when it was optimised.
bool take_library_use(std::string& messages);

}  // namespace warpwright::compile
