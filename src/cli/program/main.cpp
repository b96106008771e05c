#include "cli/cli.hpp"

int main(int argc, char** argv) {
    warpwright::cli::Console console;
    return warpwright::cli::run(argc, argv, console);
}
