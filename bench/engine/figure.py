#!/usr/bin/env python3
"""Draws what `bench_engine --json FILE` wrote as an SVG: how many times as fast as PoCL, and as C++ with
OpenMP, the emulated GPU is.

    bench/engine/figure.py FILE.json > docs/perf/engine.svg
    bench/engine/figure.py --processor FILE.json    # of a machine that others use too
Needs Python's standard library only. Bars are of one run, counters on, one core: medians of the wall time, or with --processor the least
processor time; the line marks PoCL itself.
"""
import json
import sys
from xml.sax.saxutils import escape

processor = sys.argv[1] == "--processor"
figure, kind = ("processor_min_s", "least processor time") if processor else ("median_s", "medians")
with open(sys.argv[-1], encoding="utf-8") as file:
    data = json.load(file)
times = {}
for record in data["records"]:
    if record.get("cores") == 1 and record.get("time") and not record.get("error"):
        times.setdefault(record["experiment"], {})[record["backend"]] = record["time"][figure]
rows = [(name, t["pocl"] / t["counted"], t["plain"] / t["counted"]) for name, t in times.items()
        if {"pocl", "plain", "counted"} <= t.keys()]
if not rows:
    sys.exit("figure.py: no problem has figures of plain, pocl and counted on one core")
top = max(max(a, b) for _, a, b in rows)
left, width, bar = 170, 420, 13
height = 62 + len(rows) * (2 * bar + 14)
scale = width / top
out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 70}" height="{height}" '
       'font-family="sans-serif" font-size="12">',
       '<rect width="100%" height="100%" fill="white"/>',
       '<text x="12" y="20" font-size="14">Emulated GPU with all counters on, one core: times as fast as ('
       f'{kind})</text>',
       '<rect x="12" y="30" width="12" height="12" fill="#2a6f97"/><text x="30" y="41">the same kernel in OpenCL on PoCL</text>',
       '<rect x="262" y="30" width="12" height="12" fill="#a9d6e5"/><text x="280" y="41">C++ with OpenMP, one thread</text>']
y = 56
for name, pocl, plain in rows:
    out.append(f'<text x="{left - 8}" y="{y + bar + 4}" text-anchor="end">{escape(name)}</text>')
    for value, colour, offset in ((pocl, "#2a6f97", 0), (plain, "#a9d6e5", bar)):
        out.append(f'<rect x="{left}" y="{y + offset}" width="{max(1, value * scale):.1f}" height="{bar - 1}" fill="{colour}"/>')
        out.append(f'<text x="{left + value * scale + 5:.1f}" y="{y + offset + bar - 3}" font-size="11">{value:.2f}</text>')
    y += 2 * bar + 14
out.append(f'<line x1="{left + scale:.1f}" x2="{left + scale:.1f}" y1="50" y2="{height - 8}" stroke="#555" stroke-dasharray="3 3"/>')
out.append('</svg>')
print("\n".join(out))
