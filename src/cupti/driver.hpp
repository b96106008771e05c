// The few driver functions that we call inside the program; the driver is loaded already, or our code would not
// run.
#pragma once

#include <string>

namespace warpwright::cupti {

class DriverCalls {
public:
    DriverCalls();
    /// Whether work of this stream is being recorded into a graph rather than run.
    bool capturing(void* stream, bool per_thread) const;
    std::string device_name(int number) const;
    void function_facts(void* function, unsigned& registers, unsigned long long& static_shared) const;

private:
    int (*is_capturing_)(void*, int*) = nullptr;
    int (*is_capturing_per_thread_)(void*, int*) = nullptr;
    int (*device_get_)(int*, int) = nullptr;
    int (*device_name_)(char*, int, int) = nullptr;
    int (*function_attribute_)(int*, int, void*) = nullptr;
};

}  // namespace warpwright::cupti
