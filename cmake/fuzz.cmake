# With WARPWRIGHT_FUZZ=ON everything is instrumented: for libFuzzer's coverage, AddressSanitizer and
# UndefinedBehaviorSanitizer. The tests of such a build are the suite under the sanitizers (tools/fuzz, docs/security.md).
# Warps run on stacks of their own (boost.context), which AddressSanitizer's fake stack does not follow; LLVM's libraries
# and the code that is made for kernels are not instrumented.
if(WARPWRIGHT_FUZZ)
    add_compile_options(-gline-tables-only -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined
        -fno-sanitize=vptr -fno-sanitize-recover=all -fsanitize-address-use-after-return=never)
    add_link_options(-fsanitize=address,undefined)
endif()
