#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Writes docs/isa.md from the table of ./run isa: registers, spills and occupancy, and their history in git.

  page.py           writes it: before a release, or when kernels of many primitives have changed
  page.py --check   writes nothing, and fails if the table cannot be read
"""
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/isa.md"
TABLE = "tests/isa/kernels.csv"
INTEL_TABLE = "tests/isa/intel.csv"  # had Intel's rows until they joined the others
AMD = ("polaris10", "vega10", "navi10", "navi21", "gfx1100")
INTEL = ("tgl", "dg2")
NONE = "–"
HISTORY = "## Trend"
COMMITS = 8

TEXT = """<!-- SPDX-License-Identifier: MIT OR Apache-2.0 -->
# Machine code without hardware

tests/isa/page.py writes this page from what `./run isa` measures ([kernels.csv](../tests/isa/kernels.csv)): every
native kernel but Decompress's, which needs an extension that these drivers lack, and the optimized ones of
GstdDecode, which are NVIDIA's alone, with the constants that the library gives it on such a device, compiled by
the driver's own compiler without the hardware. Nothing is executed. A row is all variants of a kernel: types, sizes,
with values and without; the operator is add, or the type's only one. The table is always that of the sources; this page
is written before a release, and names the table's commit ([trend](#trend)).

## AMD

{amd_compilers}.

VGPRs are a lane's vector registers, of 256. Subgroups per SIMD are what fits on one at a time, limited by registers and
shared memory; RADV counts them. A kernel that spills or uses scratch memory fails `./run isa`.

{amd_families}

A cell is the most VGPRs of a variant, and the fewest subgroups per SIMD.

{amd}

## Intel

{intel_compilers}.
tests/isa/intel_stand_in.cpp answers what ANV asks of Linux.

A thread has 128 registers of 32 bytes whatever it runs, so registers do not change its occupancy: what does not fit is
**spilled** to memory, and what limits the threads at a time is shared memory. Lanes are those of the subgroup, which
weft requires to be 16 ([why](decisions/intel-subgroup-width.md)): a value of 4 bytes takes 2 registers of a thread.
Kernels of f64 are missing: the devices have none.

{intel_families}

A cell is the variants that spill, the most spill instructions of one, and the most bytes of shared memory of a
workgroup.

{intel}

{heading}

{trend}
"""


def rows_of(text, families):
    """A row for each pipeline of a family. Older tables have such rows; now a row has all families of a pipeline."""
    rows, head, names = [], [], []
    for line in text.splitlines():
        cells = line.split(",")
        if line.startswith("# A cell:"):
            names = line.split()[3:]
        elif cells[0] == "kernel":
            head = cells
        elif not line.startswith("#") and "family" in head:
            rows.append(dict(zip(head, cells)))
        elif not line.startswith("#"):
            rows += [dict(zip(names, cell.split()), kernel=cells[0], constants=cells[1], family=family)
                     for family, cell in zip(head[2:], cells[2:]) if cell]
    return [row for row in rows if row["family"] in families]


def compilers(text, families):
    """"navi10 and navi21 by radv Mesa 22.3.6": from the comments above the rows."""
    by = {}
    for line in text.splitlines():
        if line.startswith("#") and ", compiled by " in line:
            family, compiler = line[2:].split(" ")[0], line.split(", compiled by ")[1]
            if family in families:
                by.setdefault(compiler, []).append(family)
    return "; ".join(f"{', '.join(families)}: compiled by {compiler}" for compiler, families in by.items())


def table(heads, rows):
    lines = ["| " + " | ".join(row) + " |" for row in [heads, *rows]]
    return "\n".join([lines[0], "|" + "---|" * len(heads), *lines[1:]])


def values(rows, name):
    return [int(row[name]) for row in rows]


def spills(rows):
    names = ("spilled_sgprs", "spilled_vgprs") if "vgprs" in rows[0] else ("spills",)
    return sum(any(int(row[name]) for name in names) for row in rows)


def amd_family(family, rows):
    vgprs, subgroups = values(rows, "vgprs"), values(rows, "subgroups_per_simd")
    return [family, f"{len(rows):,}", f"{statistics.median(vgprs):.0f}", str(max(vgprs)), str(spills(rows)),
            f"{statistics.median(subgroups):.0f}", str(min(subgroups)), str(max(subgroups))]


def intel_family(family, rows):
    spilled = [row for row in rows if int(row["spills"])]
    return [family, f"{len(rows):,}", ", ".join(sorted({row["simd"] for row in rows}, key=int)),
            f"{statistics.median(values(rows, 'instructions')):,.0f}", f"{len(spilled):,}",
            f"{max(values(rows, 'spills')):,}", f"{max(values(rows, 'scratch_bytes')):,}"]


def amd_cell(rows):
    return f"{max(values(rows, 'vgprs'))}, {min(values(rows, 'subgroups_per_simd'))}" if rows else NONE


def intel_cell(rows):
    if not rows:
        return NONE
    return f"{spills(rows)} of {len(rows)}, {max(values(rows, 'spills')):,}, {max(values(rows, 'slm_bytes')):,}"


def by_kernel(rows, families, cell):
    kernels = sorted({row["kernel"].split(".")[0] for row in rows})
    lines = []
    for kernel in kernels:
        of_kernel = [row for row in rows if row["kernel"].split(".")[0] == kernel]
        lines.append([f"`{kernel}`", *(cell([row for row in of_kernel if row["family"] == family])
                                       for family in families)])
    return table(["kernel", *families], lines)


def by_family(rows, families, heads, line):
    return table(heads, [line(family, [row for row in rows if row["family"] == family]) for family in families])


def git(*arguments):
    return subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=True).stdout


def pipelines(rows):
    return {(row["kernel"], row["constants"], row["family"]): row for row in rows}


def table_at(commit):
    listed = git("ls-tree", "--name-only", commit, TABLE, INTEL_TABLE).split()
    return "".join(git("show", f"{commit}:{path}") for path in listed)


def trend_of(families, measures):
    """A line for each commit that changed the families' rows, the newest first, and for what is in the working tree."""
    commits = git("log", f"-{4 * COMMITS}", "--format=%h %ad", "--date=short", "--", TABLE, INTEL_TABLE).splitlines()
    tables = [(["this page's commit", ""], (ROOT / TABLE).read_text()),
              *((commit.split(), table_at(commit.split()[0])) for commit in commits)]
    versions = [(commit, pipelines(rows_of(text, families))) for commit, text in tables]
    versions = [version for i, version in enumerate(versions)
                if i + 1 == len(versions) or version[1] != versions[i + 1][1]][:COMMITS]
    lines = []
    for i, ((commit, date), rows) in enumerate(versions):
        before = versions[i + 1][1] if i + 1 < len(versions) else None
        common = before.keys() & rows.keys() if before is not None else ()
        differing = sum(before[key] != rows[key] for key in common)
        changed = f"{differing:,} of {len(common):,}" if before is not None else NONE
        found = list(rows.values())
        lines.append([date or NONE, commit, f"{len(found):,}", changed,
                      *(f"{statistics.mean(values(found, name)):,.1f}" for _, name in measures), f"{spills(found):,}"])
    means = [f"{heading}, mean" for heading, _ in measures]
    return table(["date", "commit", "pipelines", "changed", *means, "pipelines that spill"], lines)


def page(trend):
    text = (ROOT / TABLE).read_text()
    amd, intel = rows_of(text, AMD), rows_of(text, INTEL)
    return TEXT.format(
        heading=HISTORY, trend=trend, amd_compilers=compilers(text, AMD), intel_compilers=compilers(text, INTEL),
        amd_families=by_family(amd, AMD, ["family", "pipelines", "VGPRs, median", "most", "pipelines that spill",
                                          "subgroups per SIMD, median", "fewest", "most"], amd_family),
        intel_families=by_family(intel, INTEL, ["family", "pipelines", "lanes", "instructions, median",
                                                "pipelines that spill", "most spills", "most scratch bytes"],
                                 intel_family),
        amd=by_kernel(amd, AMD, amd_cell), intel=by_kernel(intel, INTEL, intel_cell))


def main():
    if sys.argv[1:] == ["--check"]:
        page("")
        return
    amd = trend_of(AMD, (("VGPRs", "vgprs"), ("subgroups per SIMD", "subgroups_per_simd")))
    intel = trend_of(INTEL, (("instructions", "instructions"), ("spills", "spills")))
    PAGE.write_text(page("The table, commit by commit. \"Changed\" is against the line below, of pipelines in both.\n"
                         f"\nAMD:\n\n{amd}\n\nIntel:\n\n{intel}"))


if __name__ == "__main__":
    main()
