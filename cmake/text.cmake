# The file PTX as a C++ text NAME in the file TO. A literal of GCC may be of any length.
file(READ ${PTX} text)
file(WRITE ${TO} "extern \"C\" const char ${NAME}[] = R\"WW(${text})WW\";\n")
