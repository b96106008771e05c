"""Measures a program's launches on a GPU under Nsight Compute, and reads and writes the figures that are kept."""
import csv
import json
import os
import re
import signal
import subprocess

import joining

# Figure -> Nsight Compute's metric and what its base unit is multiplied by.
FIGURES = {
    "seconds": ("gpu__time_duration.sum", 1e-9),
    "cycles": ("sm__cycles_elapsed.max", 1),
    "registers": ("launch__registers_per_thread", 1),
    "occupancy": ("sm__warps_active.avg.pct_of_peak_sustained_active", 0.01),
    "issue": ("smsp__issue_active.avg.pct_of_peak_sustained_active", 0.01),
    "l1_hit": ("l1tex__t_sector_hit_rate.pct", 0.01),
    "l2_hit": ("lts__t_sector_hit_rate.pct", 0.01),
    "dram_read": ("dram__bytes_read.sum", 1),
    "dram_written": ("dram__bytes_write.sum", 1),
    "l2_sectors": ("lts__t_sectors.sum", 1),
    "instructions": ("smsp__inst_executed.sum", 1),
    "thread_instructions": ("smsp__thread_inst_executed.sum", 1),
    "global_load_requests": ("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 1),
    "global_load_sectors": ("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 1),
    "global_store_requests": ("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", 1),
    "global_store_sectors": ("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 1),
    "local_load_sectors": ("l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", 1),
    "local_store_sectors": ("l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", 1),
    "shared_load_wavefronts": ("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", 1),
    "shared_store_wavefronts": ("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", 1),
}
STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
REASONS = ("selected", "not_selected", "wait", "long_scoreboard", "short_scoreboard", "math_pipe_throttle", "lg_throttle",
           "mio_throttle", "barrier", "membar", "branch_resolving", "no_instruction", "sleeping", "drain",
           "dispatch_stall", "imc_miss", "misc", "tex_throttle", "gmma")
LIMIT_S = 120  # of a program under the profiler


def read_raw_page(text):
    """Returns the launches of a page of `ncu --csv --page raw --print-units base`; other lines are passed over."""
    lines = [line for line in text.splitlines() if line.startswith('"')]
    rows = list(csv.reader(lines))
    if not rows or "Kernel Name" not in rows[0]:
        raise joining.JoinError("this is no raw page of Nsight Compute in CSV")
    head, launches = rows[0], []
    for values in rows[2:]:  # rows[1] has the units
        cell = dict(zip(head, values))
        launches.append({
            "kernel": cell["Kernel Name"],
            "grid": [int(n) for n in re.findall(r"\d+", cell["Grid Size"])],
            "block": [int(n) for n in re.findall(r"\d+", cell["Block Size"])],
            "figures": {name: number(cell.get(metric), scale) for name, (metric, scale) in FIGURES.items()},
            "stalls": {r: value for r in REASONS if (value := number(cell.get(STALL.format(r)), 1)) is not None},
        })
    return launches


def number(text, scale):
    try:
        return float(text.replace(",", "")) * scale
    except (AttributeError, ValueError):
        return None


def run_alone(words, folder):
    """Returns what a command printed. Past the limit it is killed with what it started: a program that goes on after its
    profiler would load the GPU while the next one is measured."""
    with subprocess.Popen(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, errors="replace", start_new_session=True) as started:
        try:
            return started.communicate(timeout=LIMIT_S)
        except BaseException:
            os.killpg(started.pid, signal.SIGKILL)
            raise


def measure(command, folder, launches, ncu="ncu"):
    """Measures the first launches of a program by Nsight Compute, with flushed caches and the clocks as they are."""
    metrics = [metric for metric, _ in FIGURES.values()] + [STALL.format(r) for r in REASONS]
    words = [ncu, "--clock-control", "none", "--cache-control", "all", "--csv", "--page", "raw", "--print-units", "base",
             "--launch-count", str(launches), "--kill", "yes", "--metrics", ",".join(metrics), *command]
    try:
        out = run_alone(words, folder)
    except OSError as error:
        raise joining.JoinError(f"{ncu} did not start ({error.strerror}): name Nsight Compute with --ncu") from None
    except subprocess.TimeoutExpired:
        raise joining.JoinError(f"it took more than {LIMIT_S} s under {ncu}") from None
    try:
        return read_raw_page(out[0])
    except joining.JoinError:
        said = [line for line in "".join(out).splitlines() if line.strip()]
        raise joining.JoinError(f"{ncu} measured nothing: {said[-1] if said else 'it said nothing'}") from None


def keep(runs, device):
    """Returns what is kept of measured launches: JSON text with one launch group per line. `runs` has launches by id."""
    names = list(FIGURES)
    lines = []
    for run, launches in runs.items():
        for (kernel, grid, block), figures in joining.measured_groups(launches).items():
            values = [short(figures.get(name)) for name in names]
            stalls = {r: short(v) for r, v in sorted(figures["stalls"].items(), key=lambda s: -s[1]) if v >= 0.05}
            lines.append(json.dumps([run, kernel, list(grid), list(block), figures["launches"], values, stalls]))
    head = json.dumps({"device": device, "figures": names})
    return head[:-1] + ', "groups": [\n' + ",\n".join(lines) + "\n]}\n"


def short(value):
    return None if value is None else float(f"{value:.5g}") if value % 1 else int(value)


def kept(text, file):
    """Returns the launches by run id from the text that keep() wrote."""
    try:
        data = json.loads(text)
        runs = {}
        for run, kernel, grid, block, launches, values, stalls in data["groups"]:
            figures = dict(zip(data["figures"], values))
            runs.setdefault(run, []).append(
                {"kernel": kernel, "grid": grid, "block": block, "figures": figures, "stalls": stalls,
                 "launches": launches})
        return runs, data["device"]
    except (ValueError, KeyError, TypeError) as error:
        raise joining.JoinError(f"{file} has no measured launches as this script keeps them: {error}") from None
