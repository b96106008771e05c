// A library that is linked to a runtime library.
int cudaGetDeviceCount(int* count);

int devices_of_linked(void) {
    int count = 0;
    return cudaGetDeviceCount(&count) == 0 ? count : -1;
}
