#!/bin/sh
# Writes ../data again from the kernels here, with clang 19 and with nvcc. Run by hand, when kernels change.
set -e
cd "$(dirname "$0")"
data=$(cd ../data && pwd)
rm -rf /tmp/kernels && cp -r . /tmp/kernels && cd /tmp/kernels  # debug information names the folder
clang="clang++-19 -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_80 -S -O2 -fms-extensions"
clang="$clang -Wno-everything -ffile-prefix-map=$PWD=."
for f in basics memory calls assembly; do
    $clang $f.cu -o $data/$f.clang.ptx
    nvcc -ptx -arch=compute_80 $f.cu -o $data/$f.nvcc.ptx
done
$clang -gline-tables-only calls.cu -o $data/calls.lines.clang.ptx
$clang -gline-tables-only memory.cu -o $data/memory.lines.clang.ptx
$clang -g basics.cu -o $data/basics.debug.clang.ptx
nvcc -ptx -arch=compute_90 -lineinfo memory.cu -o $data/memory.lines.nvcc.ptx
nvcc -ptx -arch=compute_90 -lineinfo calls.cu -o $data/calls.lines.nvcc.ptx
nvcc -ptx -arch=compute_100 -G calls.cu -o $data/calls.debug.nvcc.ptx
sed -i -e "s#$PWD/##g" "$data"/*.ptx
