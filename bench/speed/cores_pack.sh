#!/bin/bash
# Packs what measures many cores on a machine without our packages, compiler or build folder:
#     bench/speed/cores_pack.sh build/release FOLDER        (after: ninja -C build/release bench_engine, WARPWRIGHT_BENCH=ON)
# FOLDER then has two archives and run.sh; `run.sh OUT ["1 16 2"] [--larger]` there writes OUT/coresN.json and coresN.txt, in at most five minutes:
# the emulated GPU with and without counters (best code from the start), the OpenMP twins and the machine's bounds. The twins are
# compiled for this machine's CPU (-march=native), so that one should have its instructions. `cores_table.py OUT/cores*.json` makes the
# table of docs/perf/engine.md.
set -euo pipefail
build=$1 folder=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/program/kernels" "$work/lib" "$folder"
cp "$build/bench/engine/bench_engine" "$work/program/"
strip "$work/program/bench_engine"
"$build/bench/engine/bench_engine" --write-ptx "$work/program/kernels"
tar -C "$work" -c program | xz -T1 -9 > "$folder/program.tar.xz"
# All libraries but those of the C library itself, which belong to the loader of the other machine. They are large and stay
# as they are when the program is packed again.
if [ ! -f "$folder/libraries.tar.xz" ]; then
    ldd "$work/program/bench_engine" | awk '$2 == "=>" {print $3}' | grep -Ev '/(libc|libm|libdl|libpthread|librt|ld-linux[^/]*)\.so' |
        xargs -I{} cp -L {} "$work/lib/"
    strip --strip-unneeded "$work"/lib/*
    # LLVM brings libxml2, and that ICU, whose 31 MB of tables nobody here looks at.
    for data in "$work"/lib/libicudata.so.*; do
        [ -e "$data" ] || continue
        name=$(nm -D --defined-only "$data" | awk '$3 ~ /^icudt/ {print $3}')
        echo "const char ${name}[64] = {0};" | cc -x c -shared -fPIC -Wl,-soname,"$(basename "$data")" -o "$data" -
    done
    tar -C "$work" -c lib | xz -T1 -6 > "$work/libraries.tar.xz"
    mv "$work/libraries.tar.xz" "$folder/"
fi
cat > "$folder/run.sh" <<'RUN'
#!/bin/bash
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=$1 cores=${2:-1 16 2} sizes=${3:-}
mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -C "$work" -xJf "$here/libraries.tar.xz"
tar -C "$work" -xJf "$here/program.tar.xz"
cd "$work/program"
{ lscpu; cat /proc/loadavg; lscpu -e=CPU,CORE,SOCKET,NODE || true; } > "$out/machine.txt" 2>&1
# Each number of cores is a run of its own, so that what was measured is kept whatever becomes of the next.
for n in $cores; do
    WARPWRIGHT_CODE=best LD_LIBRARY_PATH=$work/lib timeout $((290 - SECONDS)) ./bench_engine --kernels "$PWD/kernels" --cores "$n" \
        --backend plain,counted,uncounted --repetitions 5 --no-probes $sizes --json "$out/cores$n.json" \
        > "$out/cores$n.txt" 2> "$out/cores$n.err" || echo "exit $?" >> "$out/cores$n.txt"
    echo "$n cores: $SECONDS s since the start" >> "$out/machine.txt"
done
RUN
chmod +x "$folder/run.sh"
ls -l "$folder"
