// The source of precompiled headers: what stands before it by option (-include) is all of its contents.
