#!/bin/bash
# Packs what measures many cores on a machine without our packages, compiler or build folder:
#     bench/speed/cores_pack.sh build/release FOLDER        (after: ninja -C build/release bench_engine, WARPWRIGHT_BENCH=ON)
# FOLDER then has pack.tar.xz and run.sh; `run.sh OUT [CORES,..]` there writes OUT/cores.txt, in about three minutes.
set -euo pipefail
build=$1 folder=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/pack/lib" "$work/pack/kernels" "$folder"
cp "$build/bench/engine/bench_engine" "$work/pack/"
strip "$work/pack/bench_engine"
# All libraries but those of the C library itself, which belong to the loader of the other machine.
ldd "$work/pack/bench_engine" | awk '$2 == "=>" {print $3}' | grep -Ev '/(libc|libm|libdl|libpthread|librt|ld-linux[^/]*)\.so' |
    xargs -I{} cp -L {} "$work/pack/lib/"
strip --strip-unneeded "$work"/pack/lib/*
"$build/bench/engine/bench_engine" --write-ptx "$work/pack/kernels"
tar -C "$work" -c pack | xz -T1 -9 > "$folder/pack.tar.xz"
cat > "$folder/run.sh" <<'RUN'
#!/bin/bash
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=$1 cores=${2:-1,2,4,8,16}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -C "$work" -xJf "$here/pack.tar.xz"
cd "$work/pack"
LD_LIBRARY_PATH=$PWD/lib timeout 200 ./bench_engine --kernels "$PWD/kernels" --cores "$cores" --backend counted,uncounted \
    --repetitions 5 --no-probes --json "$out/cores.json" > "$out/cores.txt" 2> "$out/cores.err" || echo "exit $?" >> "$out/cores.txt"
RUN
chmod +x "$folder/run.sh"
ls -l "$folder"
