#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Writes docs/isa.md from the tables of ./run isa: registers, spills and occupancy, and their history in git.

  page.py           writes it
  page.py --check   writes nothing, and fails if the page, but for its history, is not what it would write
"""
import csv
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/isa.md"
TABLES = {"amd": "tests/isa/kernels.csv", "intel": "tests/isa/intel.csv"}
AMD = ("polaris10", "vega10", "navi10", "navi21", "gfx1100")
INTEL = ("tgl", "dg2")
NONE = "–"
HISTORY = "## Trend"
COMMITS = 8

TEXT = """<!-- SPDX-License-Identifier: MIT OR Apache-2.0 -->
# Machine code without hardware

tests/isa/page.py writes this page from what `./run isa` measures ([AMD](../tests/isa/kernels.csv),
[Intel](../tests/isa/intel.csv)): every native kernel, with the constants that the library gives it on such a device,
compiled by the driver's own compiler without the hardware. Nothing is executed. A row is all variants of a kernel:
types, sizes, with values and without.

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


def rows_of(text):
    """A row for each pipeline of a family. Older tables have such rows; now a row has all families of a pipeline."""
    lines = text.splitlines()
    rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    names = [line.split()[3:] for line in lines if line.startswith("# A cell:")]
    if not names:
        return rows
    return [dict(zip(names[0], cell.split()), kernel=row["kernel"], constants=row["constants"], family=family)
            for row in rows for family, cell in row.items() if family not in ("kernel", "constants") and cell]


def compilers(text):
    """"navi10 and navi21 by radv Mesa 22.3.6": from the comments at the head."""
    by = {}
    for line in text.splitlines():
        if line.startswith("#") and ", compiled by " in line:
            family, compiler = line[2:].split(" ")[0], line.split(", compiled by ")[1]
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


def trend_of(path, measures):
    """A line for each commit that changed the table, the newest first, and for what lies in the working tree."""
    commits = git("log", f"-{COMMITS}", "--format=%h %ad", "--date=short", "--", path).split("\n")
    versions = [(commit.split(), pipelines(rows_of(git("show", f"{commit.split()[0]}:{path}"))))
                for commit in commits if commit]
    now = pipelines(rows_of((ROOT / path).read_text()))
    if not versions or versions[0][1] != now:
        versions.insert(0, (["this page's commit", ""], now))
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
    text = {vendor: (ROOT / path).read_text() for vendor, path in TABLES.items()}
    amd, intel = rows_of(text["amd"]), rows_of(text["intel"])
    return TEXT.format(
        heading=HISTORY, trend=trend, amd_compilers=compilers(text["amd"]), intel_compilers=compilers(text["intel"]),
        amd_families=by_family(amd, AMD, ["family", "pipelines", "VGPRs, median", "most", "pipelines that spill",
                                          "subgroups per SIMD, median", "fewest", "most"], amd_family),
        intel_families=by_family(intel, INTEL, ["family", "pipelines", "lanes", "instructions, median",
                                                "pipelines that spill", "most spills", "most scratch bytes"],
                                 intel_family),
        amd=by_kernel(amd, AMD, amd_cell), intel=by_kernel(intel, INTEL, intel_cell))


def main():
    if sys.argv[1:] == ["--check"]:
        found = PAGE.read_text().split(HISTORY)[0] if PAGE.exists() else ""
        if found != page("").split(HISTORY)[0]:
            sys.exit("docs/isa.md is out of date; tests/isa/page.py writes it")
        return
    amd = trend_of(TABLES["amd"], (("VGPRs", "vgprs"), ("subgroups per SIMD", "subgroups_per_simd")))
    intel = trend_of(TABLES["intel"], (("instructions", "instructions"), ("spills", "spills")))
    PAGE.write_text(page("The tables, commit by commit. \"Changed\" is against the line below, of pipelines in both.\n"
                         f"\nAMD:\n\n{amd}\n\nIntel:\n\n{intel}"))


if __name__ == "__main__":
    main()
