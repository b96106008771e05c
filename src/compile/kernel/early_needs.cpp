// The pass and this file agree on a variable and on three lines.
#include "compile/kernel/early_needs.hpp"

namespace warpwright::compile {
namespace {

constexpr std::string_view kMayCall = "warpwright: may call the library\n", kConstants = "warpwright: has constants\n",
                           kUsed = "warpwright: used the library\n";

/// Removes the text, where it stands at the start of a line.
bool take(std::string& from, std::string_view text) {
    for (auto at = from.find(text); at != std::string::npos; at = from.find(text, at + 1))
        if (at == 0 || from[at - 1] == '\n') {
            from.erase(at, text.size());
            return true;
        }
    return false;
}

}  // namespace

std::string ask_variable(Ask ask) {
    return std::string("WARPWRIGHT_PASS_ASKS=") + (ask == Ask::needs         ? "needs"
                                                   : ask == Ask::library_use ? "library_use"
                                                                             : "nothing");
}

EarlyNeeds take_needs(std::string& messages) {
    EarlyNeeds needs;
    needs.library = take(messages, kMayCall);
    needs.constants = take(messages, kConstants);
    return needs;
}

bool take_library_use(std::string& messages) { return take(messages, kUsed); }

}  // namespace warpwright::compile
