"""What two compilers made of one kernel, figure beside figure. Pure functions of dictionaries: nothing is run here."""

# Figures of the table: a name, and the counts whose sum it is.
SUMS = {
    "requests": ("global_load_requests", "global_store_requests", "local_load_requests", "local_store_requests",
                 "shared_load_requests", "shared_store_requests"),
    "sectors": ("global_load_sectors", "global_store_sectors", "local_load_sectors", "local_store_sectors"),
    "wavefronts": ("shared_load_wavefronts", "shared_store_wavefronts"),
    "local": ("local_load_sectors", "local_store_sectors"),
    "divergent": ("divergent_branches",),
    "branches": ("branches",),
    "instructions": ("instructions",),
}
CLASSES = ("mix_fp32", "mix_fp64", "mix_integer", "mix_convert", "mix_special", "mix_memory", "mix_control", "mix_move")
# How far ours may be from theirs, as a part of theirs.
GOALS = {"requests": 0.02, "sectors": 0.02, "wavefronts": 0.02, "divergent": 0.02, "instructions": 0.10, "seconds": 0.10}
COLUMNS = (*SUMS, *CLASSES, "machine", "seconds")


def figures_of(counts, predicted):
    """Returns the figures of a kernel from its counts and what was predicted for it."""
    figures = {name: sum(counts.get(part) or 0 for part in parts) for name, parts in SUMS.items()}
    figures.update({name: counts.get(name) or 0 for name in CLASSES})
    predicted = predicted or {}
    figures["machine"] = predicted.get("machine_instructions")
    figures.update({name: n for name, n in predicted.items() if name.startswith("machine_") and name != "machine_instructions"})
    figures["seconds"] = predicted.get("seconds")
    return figures


def ratio(ours, theirs):
    """Returns ours over theirs: 1 where both are nothing, None where one side is unknown or only theirs is nothing."""
    if ours is None or theirs is None:
        return None
    if theirs == 0:
        return 1.0 if ours == 0 else None
    return ours / theirs


def missed(pair):
    """Returns the names of the goals that a kernel's pair of figures misses."""
    names = []
    for name, part in GOALS.items():
        value = ratio(pair["ours"].get(name), pair["theirs"].get(name))
        if value is None or abs(value - 1) > part + 1e-9:
            names.append(name)
    return names


def share_alike(rows, part=0.0):
    """Returns how many of the counts of memory and of branches are within that part of theirs, and how many there are."""
    values = [ratio(row["ours"].get(name), row["theirs"].get(name)) for row in rows for name in SUMS if name != "instructions"]
    return sum(v is not None and abs(v - 1) <= part + 1e-9 for v in values), len(values)


def changes(before, now):
    """Returns lines that say which kernels gained a goal, or lost one, since the record, and which are in one alone.

    Kernels are those of one name and grid; the second value is how many that kept all goals miss one now.
    """
    had = {row["kernel"]: row for row in before}
    lines, lost = [], 0
    for row in now:
        if row["kernel"] not in had:
            lines.append(f"new: {row['kernel']}: misses {', '.join(missed(row)) or 'none'}")
            continue
        was, misses = missed(had.pop(row["kernel"])), missed(row)
        lost += not was and bool(misses)
        for word, names in (("gained", [n for n in was if n not in misses]), ("lost", [n for n in misses if n not in was])):
            if names:
                shown = ", ".join(f"{n} {shown_ratio(row, n)}" for n in names)
                lines.append(f"{word}: {row['kernel']}: {shown}" + ("" if misses else " (all goals now)"))
    return lines + [f"not compared: {name}" for name in had], lost


def shown_ratio(row, name):
    value = ratio(row["ours"].get(name), row["theirs"].get(name))
    return "none" if value is None else f"{value:.3f}"


def summary(rows):
    """Returns the lines of the table: for each goal how many kernels keep it, and the kernels that miss one."""
    lines = [f"{len(rows)} kernels"]
    for name, part in GOALS.items():
        kept = sum(name not in missed(row) for row in rows)
        lines.append(f"  {name:<13} within {part:4.0%}: {kept}")
    good = sum(not missed(row) for row in rows)
    lines.append(f"  all of them: {good}")
    (equal, of), (near, _) = share_alike(rows), share_alike(rows, 0.05)
    lines.append(f"  counts of memory and branches: {equal} of {of} equal, {near} within 5 %")
    for row in sorted(rows, key=lambda r: r["kernel"]):
        if names := missed(row):
            lines.append(f"{row['kernel']}: " + ", ".join(f"{n} {shown_ratio(row, n)}" for n in names))
    return lines


def table(rows):
    """Returns Markdown: ours over theirs for each kernel."""
    lines = ["| kernel | " + " | ".join(COLUMNS) + " |", "|---" * (len(COLUMNS) + 1) + "|"]
    for row in rows:
        cells = []
        for name in COLUMNS:
            value = ratio(row["ours"].get(name), row["theirs"].get(name))
            cells.append("-" if value is None else f"{value:.2f}")
        lines.append(f"| {row['kernel']} | " + " | ".join(cells) + " |")
    return lines
