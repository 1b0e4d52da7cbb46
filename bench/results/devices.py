#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Writes docs/devices.md, and the table of speed in README.md, from the kept results: a row for each device.

  devices.py           writes them
  devices.py --check   writes nothing, and fails if one is not what it would write

A folder after these is another root: it has README.md and bench/results.
"""
import pathlib
import re
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources
from figures import Results, write_or_check  # noqa: E402

NONE = "–"
# (heading, primitive, variant); of u32.
CALLS = (("scan", "scan", "exclusive add"), ("reduce", "reduce", "add"), ("select_if, half", "select_if", "kept=0.5"),
         ("run_length_encode, runs of 8", "run_length_encode", "runs=8"), ("merge_keys", "merge_keys", "random"),
         ("histogram, 256 bins", "histogram", "even bins=256"),
         ("segmented_reduce, mean 25", "segmented_reduce", "add L=25"),
         ("mean 5,000", "segmented_reduce", "add L=5000"), ("radix_sort, keys", "radix_sort", "keys"))
# Of README.md: (heading, call, powers of two).
SPEED = (("exclusive add u32", ("scan", "exclusive add", "u32"), (16, 24, 28)),
         ("inclusive add u8", ("scan", "inclusive add", "u8"), (30,)),
         ("inclusive add u8 to u32", ("scan", "inclusive add to u32", "u8"), (30,)),
         ("exclusive add f32, bit-exact", ("scan", "exclusive add", "f32"), (28,)),
         ("exclusive add f64, bit-exact", ("scan", "exclusive add", "f64"), (28,)),
         ("inclusive affine u32x2", ("scan", "inclusive affine", "u32x2"), (28,)),
         ("select half of u32", ("select_if", "kept=0.5", "u32"), (28,)),
         ("reduce by key, runs of 8", ("reduce_by_key", "add runs=8", "u32"), (28,)),
         ("histogram, 256 bins", ("histogram", "even bins=256", "u32"), (28,)))

PAGE = """<!-- SPDX-License-Identifier: MIT OR Apache-2.0 -->
<!-- bench/results/devices.py writes this page; the test device_table compares. -->
# Devices

Every device whose results are kept in [bench/results](../bench/results), a row each, in the order of their files.
"{none}": not measured. [CONTRIBUTING.md](../CONTRIBUTING.md#results-of-your-device) describes how to add yours, and
[cross-vendor.md](cross-vendor.md) what was tested where.

{devices}

## Primitives

Items of u32, 2^28 of them, or the number in brackets. A cell is the share of a copy of as many bytes, or GB/s where no
copy was measured; of radix_sort it is 10^9 keys a second. After the stroke: the peer's time over weft's, on the same
device; above 1 weft is faster.

{primitives}

## Gstd

Eight copies of a file of maps (bsp) and one of textures (tga), level 22 (H100: 19), tiles of 64 KiB, GB/s of content.
GDeflate is the driver's decoder, the better of its two forms; the ratio is Gstd's speed over its.

{decode}

## Devices that are excluded

Kernels take their buffers by address, so a device without bufferDeviceAddress cannot run them
([decision](decisions/device-addresses.md)). Vulkan requires the feature from version 1.3 on; with 1.2 a driver may lack
it. `weft::DeviceFeatures::query` and `weft-bench --list` name what a device lacks. Of the profiles that Khronos, Google
and LunarG publish:

| profile | Vulkan | bufferDeviceAddress | workgroups of 256 | weft runs |
|---|---|---|---|---|
| VP_KHR_roadmap_2022 and later | 1.3 | yes | yes | yes |
| Vulkan 1.3 as it is (VP_LUNARG_minimum_requirements_1_3) | 1.3 | yes | 128 are promised | where it has 256 |
| VP_ANDROID_15_minimums | 1.3 | yes | 128 are promised | where it has 256 |
| Vulkan 1.2 as it is (VP_LUNARG_minimum_requirements_1_2) | 1.2 | no | 128 are promised | where it has both |
| VP_ANDROID_baseline_2021, 2022 and vulkan_profile_2025 | 1.0, 1.1 | no | – | where it has more than that |
| VP_LUNARG_desktop_baseline_2022 | 1.1 | no | – | where it has more than that |
"""


def table(heads, rows):
    lines = ["| " + " | ".join(row) + " |" for row in [heads, *rows]]
    return "\n".join([lines[0], "|" + "---|" * len(heads), *lines[1:]])


def distinct(items):
    return ", ".join(dict.fromkeys(item for item in items if item)) or NONE


def best_size(weft, primitive, variant):
    """The row of 2^28 items, or of most; None."""
    rows = [row for row in weft.rows if (row["primitive"], row["variant"], row["type"]) == (primitive, variant, "u32")]
    return max(rows, key=lambda row: (row["n"] == 2**28, row["n"]), default=None)


def size(row):
    power = row["n"].bit_length() - 1
    return "" if power == 28 else f" (2^{power})" if row["n"] == 2**power else f" ({row['n']:,})"


def subgroups(device):
    used = str(device["subgroup_size"]) + (" emulated" if device.get("subgroup_backend") == "emulated" else "")
    sizes = device.get("subgroup_sizes")
    return used if not sizes or sizes["min"] == sizes["max"] else f"{used} of {sizes['min']} to {sizes['max']}"


def described(weft):
    copy = best_size(weft, "copy", "kernel")
    return [weft.device.get("kind") or NONE, distinct(run.get("driver") for run in weft.runs), subgroups(weft.device),
            f"{copy['gbps']:,.0f}{size(copy)}" if copy else NONE,
            distinct(commit[:7] + commit[40:] for commit in (run.get("commit") or "" for run in weft.runs))]  # -dirty


def cell(weft, peers, primitive, variant):
    row = best_size(weft, primitive, variant)
    if not row:
        return NONE
    if primitive == "radix_sort":
        text = f"{row['n'] / row['ms']['median'] / 1e6:.1f}"
    else:
        text = f"{row['copy_fraction']:.2f}" if row.get("copy_fraction") else f"{row['gbps']:,.0f} GB/s"
    peer = peers and peers.find(primitive, variant, "u32", row["n"])
    if peer:
        text += f" / {peer['ms']['median'] / row['ms']['median']:.2f}"
    return text + size(row)


def decoding(weft, data):
    def fastest(call):
        return max((row["gbps"] for row in weft.rows if re.match(call, f"{row['primitive']} {row['variant']}")
                    and "slice=" not in row["variant"]), default=None)

    gstd = fastest(f"gstd_decode data={data} copies=8 level=(given|19) tile=65536 ")
    gdeflate = fastest(f"gdeflate_driver data={data} copies=8 ")
    return ([f"{value:.1f}" if value else NONE for value in (gstd, gdeflate)] +
            [f"{gstd / gdeflate:.2f}" if gstd and gdeflate else NONE])


def page(devices):
    def rows(cells):
        return [[weft.device["name"], *cells(weft, peers)] for weft, peers in devices.values()]

    def compared(weft, peers):
        called = {primitive for _, primitive, _ in CALLS}
        runs = {row["run"] for row in peers.rows if row["primitive"] in called} if peers else set()
        names = distinct(run["peer"].split(",")[0] for run in peers.runs if run["run"] in runs) if runs else NONE
        return [names, *(cell(weft, peers, *call) for _, *call in CALLS)]

    return PAGE.format(
        none=NONE,
        devices=table(["device", "kind", "driver", "subgroup", "copy, GB/s", "commits"],
                      rows(lambda weft, _: described(weft))),
        primitives=table(["device", "peer", *(heading for heading, *_ in CALLS)], rows(compared)),
        decode=table(["device", "bsp: Gstd", "GDeflate", "ratio", "tga: Gstd", "GDeflate", "ratio"],
                     rows(lambda weft, _: decoding(weft, "bsp") + decoding(weft, "tga"))))


def speed(weft, peers):
    rows = []
    for heading, call, powers in SPEED:
        for power in powers:
            ours, theirs = weft.find(*call, 2**power), peers.find(*call, 2**power)
            rows.append([heading if power == powers[0] else "", f"2^{power}",
                         f"{ours['gbps'] / ours['copy_fraction']:,.0f}", f"{theirs['gbps']:,.0f}",
                         f"{ours['gbps']:,.0f}", f"{theirs['ms']['median'] / ours['ms']['median']:.2f}"])
    return table(["", "n", "copy", "CUB", "weft", "CUB's time over weft's"], rows)


def main():
    roots = [argument for argument in sys.argv[1:] if argument != "--check"]
    root = pathlib.Path(roots[0]) if roots else pathlib.Path(__file__).resolve().parents[2]
    devices = {}
    for path in sorted((root / "bench" / "results").glob("*.json")):
        if not path.stem.endswith("-peers"):
            peers = path.with_name(f"{path.stem}-peers.json")
            devices[path.stem] = Results(path), Results(peers) if peers.exists() else None
    readme, marked = re.subn("(<!-- speed: .* -->\n).*?(\n<!-- end of speed -->)",
                             lambda marks: marks[1] + speed(*devices["h200"]) + marks[2],
                             (root / "README.md").read_text(encoding="utf-8"), flags=re.DOTALL)
    if marked != 1:
        sys.exit("README.md has not one table between the marks of speed")
    write_or_check("devices.py", {root / "docs" / "devices.md": page(devices), root / "README.md": readme})


if __name__ == "__main__":
    main()
