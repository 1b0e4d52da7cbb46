#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Puts reports of `weft-bench codec`, of different files, into cpu/codec.json: sums of each codec and level.

  codec.py "a core of an EPYC 9654, nothing else running" bsp.json md3.json tga.json wad.json wav.json

Then lists where gstd's levels are no ladder: a level that is larger or faster than the one before it, in all and, by
more than 1 %, in a file. figures.py draws cpu/codec.json.
"""
import json
import pathlib
import sys

SUMS = ("bytes", "compressed", "compress_s", "decompress_s")
SLACK = 1.01  # of a file


def sums(reports):
    rows = {}
    for report in reports:
        for row in report["results"]:
            if row.get("failure"):
                sys.exit(f"{row['file']}, {row['codec']}, level {row['level']}: {row['failure']}")
            if row["filters"] == "none":
                continue
            kept = rows.setdefault((row["codec"], row["level"]), dict.fromkeys(SUMS, 0) | {"files": []})
            if row["file"] in kept["files"]:
                sys.exit(f"{row['file']}, {row['codec']}, level {row['level']}: twice")
            kept["files"].append(row["file"])
            for key in SUMS:
                kept[key] += row[key]
    files = {tuple(sorted(row.pop("files"))) for row in rows.values()}
    if len(files) != 1:
        sys.exit("codecs or levels have different files")
    return rows, files.pop()


def out_of_order(rows, slack=1.0):
    """Of {level: row}."""
    levels = sorted(rows)
    for before, level in zip(levels, levels[1:]):
        if rows[level]["compressed"] > rows[before]["compressed"] * slack:
            part = rows[level]["compressed"] / rows[before]["compressed"] - 1
            yield f"level {level} is {part:.2%} larger than level {before}"
        if rows[level]["compress_s"] < rows[before]["compress_s"] / slack:
            part = 1 - rows[level]["compress_s"] / rows[before]["compress_s"]
            yield f"level {level} takes {part:.2%} less time than level {before}"


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    reports = [json.loads(pathlib.Path(path).read_text(encoding="utf-8")) for path in sys.argv[2:]]
    heads = [{key: report[key] for key in ("commit", "threads", "peers")} for report in reports]
    if any(head != heads[0] for head in heads):
        sys.exit("the reports are of different builds or numbers of threads")
    rows, files = sums(reports)
    head = {"machine": sys.argv[1]} | heads[0] | {"files": files}
    lines = [json.dumps({"codec": codec, "level": level} |
                        {key: round(value, 4) for key, value in row.items()}) for (codec, level), row in rows.items()]
    text = json.dumps(head, indent=1)[:-2] + ',\n "results": [\n  ' + ",\n  ".join(lines) + "\n ]\n}\n"
    (pathlib.Path(__file__).parent / "cpu" / "codec.json").write_text(text, encoding="utf-8", newline="\n")

    for line in out_of_order({level: row for (codec, level), row in rows.items() if codec == "gstd"}):
        print(f"all: {line}")
    for file in files:
        of_file = {row["level"]: row for report in reports for row in report["results"]
                   if (row["file"], row["codec"], row["filters"]) == (file, "gstd", "auto")}
        for line in out_of_order(of_file, SLACK):
            print(f"{file}: {line}")


if __name__ == "__main__":
    main()
