#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Draws docs/figures/*.svg from the kept results beside this file.

  figures.py           writes the figures
  figures.py --check   writes nothing, and fails if a figure is not what it would write
"""
import json
import math
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
FIGURES = HERE.parents[1] / "docs" / "figures"
INK, MUTED, GRID, CARD, BORDER = "#1f2328", "#59636e", "#e4e8ec", "#ffffff", "#d1d9e0"
WEFT, PEER, COPY = "#2563eb", "#a3acb9", "#d9480f"
TILES = {"tiles of 64 KiB": "#93b8f8", "tiles of 32 KiB": "#4c86ee", "tiles of 16 KiB": "#1740a8"}
WIDTH = 840
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


class Svg:
    """An opaque card, so that it reads on light and on dark pages."""

    def __init__(self, title, subtitle, height):
        self.title = title
        self.height = height
        self.parts = [f'<rect x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="8" fill="{CARD}" '
                      f'stroke="{BORDER}"/>']
        self.text(24, 34, title, size=17, weight=600)
        self.text(24, 55, subtitle, size=12.5, color=MUTED)

    def text(self, x, y, words, size=12, color=INK, anchor="start", weight=400):
        words = re.sub(r"\^(\d+)", lambda power: power[1].translate(SUPERSCRIPTS), words)
        self.parts.append(f'<text x="{x:.4g}" y="{y:.4g}" font-size="{size}" font-weight="{weight}" fill="{color}" '
                          f'text-anchor="{anchor}">{words}</text>')

    def line(self, x1, y1, x2, y2, color=GRID, width=1, dash=""):
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(f'<line x1="{x1:.4g}" y1="{y1:.4g}" x2="{x2:.4g}" y2="{y2:.4g}" stroke="{color}" '
                          f'stroke-width="{width}"{dashes}/>')

    def bar(self, x, y, width, height, color):
        self.parts.append(f'<rect x="{x:.4g}" y="{y:.4g}" width="{width:.4g}" height="{height}" rx="2" '
                          f'fill="{color}"/>')

    def curve(self, points, color):
        path = " ".join(f"{x:.4g},{y:.4g}" for x, y in points)
        self.parts.append(f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2.5" '
                          f'stroke-linejoin="round"/>')
        for x, y in points:
            self.parts.append(f'<circle cx="{x:.4g}" cy="{y:.4g}" r="3.5" fill="{color}"/>')

    def legend(self, entries, y):
        x = 24
        for name, color in entries:
            self.bar(x, y - 9, 18, 9, color)
            self.text(x + 25, y, name)
            x += 48 + 6.6 * len(name)

    def written(self):
        body = "\n".join(self.parts)
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height}" width="{WIDTH}" '
                f'height="{self.height}" role="img" font-family="system-ui, -apple-system, \'Segoe UI\', Helvetica, '
                f'Arial, sans-serif">\n<title>{self.title}</title>\n{body}\n</svg>\n')


def bars(title, subtitle, rows, unit, step, line=None):
    """rows: (label, value of weft, value of the peer or None). line: (value, name)."""
    left, right, pitch, top = 238, WIDTH - 70, 34, 104
    bottom = top + pitch * len(rows)
    svg = Svg(title, subtitle, bottom + 44)
    svg.legend([("weft", WEFT), ("CUB", PEER)] + ([(line[1], COPY)] if line else []), 82)
    most = max([value for row in rows for value in row[1:] if value] + ([line[0]] if line else []))
    scale = (right - left) / most
    for tick in range(0, int(most) + 1, step):
        x = left + tick * scale
        svg.line(x, top - 6, x, bottom)
        svg.text(x, bottom + 18, f"{tick:,}", size=11, color=MUTED, anchor="middle")
    svg.text(right, bottom + 34, unit, size=11, color=MUTED, anchor="end")
    for index, (label, *values) in enumerate(rows):
        y = top + pitch * index
        svg.text(left - 12, y + 17, label, anchor="end")
        present = [(value, color) for value, color in zip(values, (WEFT, PEER)) if value]
        for slot, (value, color) in enumerate(present):
            at = y + (2 if len(present) == 2 else 8) + 12 * slot
            svg.bar(left, at, value * scale, 11, color)
            number = f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
            svg.text(left + value * scale + 6, at + 9.5, number, size=10.5, color=MUTED)
    if line:
        svg.line(left + line[0] * scale, top - 6, left + line[0] * scale, bottom, COPY, 1.5, "5 4")
    return svg.written()


def curves(title, subtitle, legend, panels, unit, columns=2):
    """panels: (name, labels of x, {series: values}); y is logarithmic, and one scale serves all panels."""
    gap, left, panel_height, top = 62, 64, 190, 126
    width = (WIDTH - left - 28 - gap * (columns - 1)) / columns
    rows = math.ceil(len(panels) / columns)
    svg = Svg(title, subtitle, top + rows * (panel_height + 70) - 14)
    svg.legend(legend, 82)
    values = [value for _, _, series in panels for line in series.values() for value in line if value]
    low, high = math.log10(min(values)) - 0.08, math.log10(max(values)) + 0.08
    ticks = [digit * 10.0**power for power in range(-2, 5) for digit in (1, 2, 5)]
    if high - low > 2.5:
        ticks = [10.0**power for power in range(-2, 5)]
    for index, (name, labels, series) in enumerate(panels):
        x0 = left + (width + gap) * (index % columns)
        y0 = top + (panel_height + 70) * (index // columns)

        def at(slot, value):
            return (x0 + 16 + (width - 32) * slot / (len(labels) - 1),
                    y0 + panel_height * (high - math.log10(value)) / (high - low))

        svg.text(x0, y0 - 12, name, size=13, weight=600)
        for tick in ticks:
            if low <= math.log10(tick) <= high:
                y = at(0, tick)[1]
                svg.line(x0, y, x0 + width, y)
                svg.text(x0 - 8, y + 4, f"{tick:,.4g}" if tick < 1000 else f"{tick:,.0f}", 11, MUTED, "end")
        for slot, label in enumerate(labels):
            svg.text(at(slot, values[0])[0], y0 + panel_height + 18, label, 11, MUTED, "middle")
        colors = dict(legend)
        for key, line in series.items():
            svg.curve([at(slot, value) for slot, value in enumerate(line) if value], colors[key])
    svg.text(WIDTH - 28, svg.height - 16, unit, 11, MUTED, "end")
    return svg.written()


class Results:
    """A kept file; devices.py reads them by it too."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            kept = json.load(file)
        self.device, self.runs, self.rows = kept["device"], kept["runs"], kept["results"]

    def find(self, primitive, variant, kind, n):
        """The row, or None."""
        for row in self.rows:
            if (row["primitive"], row["variant"], row["type"], row["n"]) == (primitive, variant, kind, n):
                return row
        return None

    def value(self, key, *call):
        row = self.find(*call)
        return row and (row["ms"]["median"] if key == "ms" else row[key])


def throughput(weft, peers):
    calls = [("scan u32", "scan", "exclusive add", "u32", 28), ("scan f32", "scan", "exclusive add", "f32", 28),
             ("scan u64", "scan", "exclusive add", "u64", 28), ("scan u8", "scan", "inclusive add", "u8", 30),
             ("scan u8 to u32", "scan", "inclusive add to u32", "u8", 30),
             ("scan affine u32x2", "scan", "inclusive affine", "u32x2", 28),
             ("reduce u32", "reduce", "add", "u32", 28), ("select half of u32", "select_if", "kept=0.5", "u32", 28),
             ("partition u32", "partition", "kept=0.5", "u32", 28),
             ("unique, runs of 8", "unique", "runs=8", "u32", 28),
             ("run-length encode, runs of 8", "run_length_encode", "runs=8", "u32", 28),
             ("scan by key, runs of 8", "scan_by_key", "inclusive add runs=8", "u32", 28),
             ("reduce by key, runs of 8", "reduce_by_key", "add runs=8", "u32", 28),
             ("histogram, 256 bins of u32", "histogram", "even bins=256", "u32", 28),
             ("merge keys u32", "merge_keys", "random", "u32", 28),
             ("batched copy, 16 B to 64 KiB", "batched_copy", "16 B to 64 KiB", "u8", 29)]
    rows = [(label, weft.value("gbps", *call, 2**power), peers.value("gbps", *call, 2**power))
            for label, *call, power in calls]
    copy = weft.value("gbps", "copy", "kernel", "u32", 2**28)
    return bars("Throughput beside CUB", "NVIDIA H200, 2^28 items (2^30 of u8, 2^29 bytes copied); GB/s of the minimum "
                "bytes moved; more is better", rows, "GB/s", 1000, (copy, "copy"))


def sorts(weft, peers):
    rows = [(f"{primitive.replace('_', ' ')}, {variant} u32, 2^{power}",
             2**power / weft.value("ms", primitive, variant, "u32", 2**power) / 1e6,
             2**power / peers.value("ms", primitive, variant, "u32", 2**power) / 1e6)
            for primitive in ("radix_sort", "merge_sort") for variant in ("keys", "pairs") for power in (16, 24, 28)]
    return bars("Sorts beside CUB", "NVIDIA H200, random keys; pairs have values of u32; more is better", rows,
                "10^9 keys a second", 10)


def sizes(weft, peers):
    calls = [("Scan, exclusive add of u32", "scan", "exclusive add"),
             ("Select, half of u32 kept", "select_if", "kept=0.5"),
             ("ScanByKey, u32 in runs of 8", "scan_by_key", "inclusive add runs=8"),
             ("Histogram, 256 bins of u32", "histogram", "even bins=256")]
    powers = (16, 20, 24, 28)
    panels = []
    for name, *call in calls:
        rows = [weft.find(*call, "u32", 2**power) for power in powers]
        panels.append((name, [f"2^{power}" for power in powers],
                       {"copy of as many bytes": [row["gbps"] / row["copy_fraction"] for row in rows],
                        "CUB": [peers.value("gbps", *call, "u32", 2**power) for power in powers],
                        "weft": [row["gbps"] for row in rows]}))
    return curves("Speed over size", "NVIDIA H200, GB/s of the minimum bytes moved by number of items; more is better",
                  [("weft", WEFT), ("CUB", PEER), ("copy of as many bytes", COPY)], panels, "GB/s")


def decode(weft, _):
    """Time of one stream, by how much of it is decoded."""
    panels = []
    for data, name, whole in (("bsp", "Maps (bsp)", 50331648), ("tga", "Textures (tga)", 25165824)):
        cuts = (("64 KiB", "slice=tile", 65536), ("1 MiB", "slice=first", 1048576), ("10 MB", "slice=first", 10027008),
                (f"{whole / 1e6:.0f} MB", "", whole))
        series = {"GDeflate by the driver": [
            weft.value("ms", "gdeflate_driver", f"data={data} copies=1 indirect {cut}".rstrip(), "u8", n)
            for _, cut, n in cuts]}
        for key, suffix, size in zip(TILES, ("", "_32k", "_16k"), (65536, 32768, 16384)):
            series[key] = [weft.value("ms", "gstd_decode", f"data={data}{suffix} copies=1 level=given tile={size} "
                                      f"filters=given in_flight=24576 {cut}".rstrip(), "u8", n) for _, cut, n in cuts]
        panels.append((name, [label for label, _, _ in cuts], series))
    return curves("Decoding Gstd on the device",
                  "NVIDIA H200, level 19, milliseconds by amount of content; less is better",
                  list(TILES.items()) + [("GDeflate by the driver", COPY)], panels, "ms")


def intervals(weft, _):
    """Share of copy by mean length."""
    lengths = (5, 25, 1000, 5000)
    names = [("search", "load_balance_search"), ("expand", "interval_expand"), ("gather", "interval_gather"),
             ("move", "interval_move")]
    colors = dict(zip((name for name, _ in names), ("#1740a8", WEFT, "#0f9d76", COPY)))
    panels = [(f"2^{power} outputs", [f"{length:,}" for length in lengths],
               {name: [weft.value("gbps", primitive, f"L={length}", "u32", 2**power) for length in lengths]
                for name, primitive in names}) for power in (24, 27)]
    return curves("Intervals by mean length",
                  "NVIDIA H200, u32, GB/s of the minimum bytes moved by mean interval length; more is better",
                  list(colors.items()), panels, "GB/s")


def codec_levels(_, __):
    """Ratio by speed, a curve a codec and a point a level: cpu/codec.json."""
    kept = json.loads((HERE / "cpu" / "codec.json").read_text(encoding="utf-8"))
    colors = {"gstd": WEFT, "zstd": COPY, "lz4": PEER, "libdeflate": "#0f9d76"}
    content = max(row["bytes"] for row in kept["results"])
    gap, left, top, height = 62, 50, 126, 330
    width = (WIDTH - left - 28 - gap) / 2
    svg = Svg("Levels of gstd beside zstd, lz4 and libdeflate",
              f"{content / 1e6:.0f} MB of game assets in tiles of 64 KiB, one thread, {kept['machine']}; up and to the "
              "right is better", top + height + 56)
    svg.legend(colors.items(), 82)
    ratios = [row["bytes"] / row["compressed"] for row in kept["results"]]
    low, high = min(ratios) - 0.1, max(ratios) + 0.1
    for index, (key, name) in enumerate((("compress_s", "Encoding"), ("decompress_s", "Decoding"))):
        x0 = left + (width + gap) * index
        logs = [math.log10(row["bytes"] / row[key] / 1e6) for row in kept["results"]]
        first, last = min(logs) - 0.06, max(logs) + 0.06

        def at(speed, ratio):
            return (x0 + width * (math.log10(speed) - first) / (last - first),
                    top + height * (high - ratio) / (high - low))

        svg.text(x0, top - 12, f"{name}: ratio by MB/s", size=13, weight=600)
        for tick in range(math.ceil(low * 4), math.floor(high * 4) + 1):
            y = at(1, tick / 4)[1]
            svg.line(x0, y, x0 + width, y)
            svg.text(x0 - 8, y + 4, f"{tick / 4:.2f}", 11, MUTED, "end")
        digits = (1,) if last - first > 2.5 else (1, 2, 5)
        for tick in (digit * 10.0**power for power in range(-2, 5) for digit in digits):
            if first <= math.log10(tick) <= last:
                x = at(tick, high)[0]
                svg.line(x, top, x, top + height)
                svg.text(x, top + height + 18, f"{tick:,.10g}", 11, MUTED, "middle")
        for codec, color in colors.items():
            rows = sorted((row for row in kept["results"] if row["codec"] == codec), key=lambda row: row["level"])
            svg.curve([at(row["bytes"] / row[key] / 1e6, row["bytes"] / row["compressed"]) for row in rows], color)
    return svg.written()


def stages(title, about, columns, note):
    """Stages from left to right, those of a column side by side: name, unit, what it takes, what it leaves."""
    width, height, gap, top = 108, 92, 9, 80
    alone = all(len(column) == 1 for column in columns)
    middle = top + (56 if alone else 102)
    svg = Svg(title, about, 2 * middle - top + 44)
    for index, column in enumerate(columns):
        x = 16 + index * (width + gap)
        ys = [middle - height / 2] if len(column) == 1 else [middle - height - 10, middle + 10]
        for y, (name, unit, takes, leaves) in zip(ys, column):
            svg.parts.append(f'<rect x="{x}" y="{y:.4g}" width="{width}" height="{height}" rx="6" fill="#eef4ff" '
                             f'stroke="{WEFT}"/>')
            svg.text(x + 7, y + 21, name, size=14, weight=600)
            svg.text(x + 7, y + 38, unit, size=11, color=MUTED)
            svg.text(x + 7, y + 63, takes, size=11)
            svg.text(x + 7, y + 80, f"→ {leaves}", size=11)
            own, two = y + height / 2, len(column) == 2
            if index and (two or len(columns[index - 1]) == 1):
                svg.line(x - gap + 1, middle, x - 1, own, WEFT, 2)
            if two:
                svg.line(x + width + 1, own, x + width + gap - 1, middle, WEFT, 2)
    svg.text(26, 2 * middle - top + 26, size=11.5, color=MUTED, words=note)
    return svg.written()


def zstd_stages(_, __):
    """The stages of ZstdDecode, of docs/decisions/zstd-stages.md."""
    return stages(
        "Decoding Zstandard on the device",
        "A dispatch a stage, over all frames of a call; what a stage takes, and what it leaves",
        ([("blocks", "a lane a frame", "source", "a list of blocks")],
         [("headers", "a lane a block", "source", "weights, counts")],
         [("tables", "32 lanes a block", "weights, counts", "Huffman, FSE")],
         [("walk", "a lane a block", "source, FSE", "codes"),
          ("literals", "a lane a stream", "source, Huffman", "bytes")],
         [("records", "32 lanes a block", "codes, source", "8 bytes each")],
         [("copies", "32 lanes a frame", "records, bytes", "output")],
         [("checksums", "4 lanes a frame", "output", "status")]),
        "The walk and literals of all blocks run side by side; a frame's copies go block after block.")


def gstd_stages(_, __):
    """The stages of GstdDecode, of docs/decisions/gstd-two-dispatches.md."""
    return stages(
        "Decoding Gstd on the device",
        "Two dispatches over all tiles of a call; what a stage takes, and what it leaves",
        ([("tables", "32 lanes a tile", "source", "rANS, FSE")],
         [("sequences", "32 lanes a tile", "source, tables", "8 bytes each")],
         [("literals", "32 lanes a tile", "source, tables", "bytes")],
         [("copies", "32 lanes a tile", "both", "output, planes")],
         [("filter", "256 lanes a tile", "planes", "output")],
         [("rows", "256 lanes a tile", "output", "output")],
         [("checksum", "256 lanes a tile", "output", "status")]),
        "The first dispatch has the first four, block after block; the second has the rest, on NVIDIA's devices beside "
        "the first.")


def write_or_check(program, texts):
    """texts: {path: text}. With --check writes nothing, and fails if a file has another text."""
    differing = []
    for path, text in texts.items():
        if "--check" not in sys.argv[1:]:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            differing.append(path.name)
    if differing:
        sys.exit(f"differ from bench/results, run bench/results/{program}: {', '.join(differing)}")


def main():
    weft, peers = Results(HERE / "h200.json"), Results(HERE / "h200-peers.json")
    write_or_check("figures.py", {FIGURES / f"{draw.__name__}.svg": draw(weft, peers)
                                  for draw in (throughput, sorts, sizes, decode, intervals,
                                               codec_levels, zstd_stages, gstd_stages)})


if __name__ == "__main__":
    main()
