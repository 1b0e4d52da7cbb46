#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Puts reports of weft-bench and its peers into a kept file: one row a line, medians alone.

  keep.py bench/results/h200.json scan.json sorts.json

Each report becomes a run that is called as its file. It replaces the kept run of that name, and the kept rows of other
runs that measure the same call. `weft-bench compare` reads kept files as it reads reports; README.md has the format.
"""
import json
import os
import sys

RUN_KEYS = ("weft_version", "commit", "peer", "timer", "copy_gbps")
ROW_KEYS = ("primitive", "variant", "type", "n", "data", "strategy", "verified")
OPTIONAL_KEYS = ("copy_fraction", "copies", "compressed_bytes")


def identity(row):
    return row["primitive"], row["variant"], row["type"], row["n"]


def is_kept(row):
    """Copies of odd sizes serve the copy fractions of their own run alone."""
    is_yardstick = row["variant"] in ("kernel", "memcpy") and row["primitive"] == "copy"
    return row.get("ms") and (not is_yardstick or row["n"] & (row["n"] - 1) == 0)


def compact(row, run):
    kept = {"run": run} | {key: row[key] for key in ROW_KEYS if row[key] != ""}
    kept |= {"ms": {"median": row["ms"]["median"]}, "gbps": row["gbps"]}
    return kept | {key: row[key] for key in OPTIONAL_KEYS if row.get(key) is not None}


def without(name, members):
    return {key: value for key, value in members.items() if key != name}


def add(kept, path):
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    name = os.path.splitext(os.path.basename(path))[0]
    if kept["device"] and kept["device"]["name"] != report["device"]["name"]:
        sys.exit(f"{path} is of another device: {report['device']['name']}")
    kept["device"] = without("uuid", report["device"])
    run = {"run": name} | {key: report[key] for key in RUN_KEYS if report.get(key) is not None}
    run["driver"] = report["device"]["driver"]
    if report.get("environment"):
        run["environment"] = without("WEFT_DEVICE", report["environment"])  # which may be a UUID
    rows = {identity(row): compact(row, name) for row in report["results"] if is_kept(row)}
    kept["results"] = [row for row in kept["results"] if row["run"] != name and identity(row) not in rows]
    kept["results"] += rows.values()
    used = {row["run"] for row in kept["results"]} - {name}
    kept["runs"] = [other for other in kept["runs"] if other["run"] in used] + [run]


def text(kept):
    def lines(items):
        return ",\n".join("  " + json.dumps(item) for item in items)

    return (f'{{\n "schema": 1,\n "device": {json.dumps(kept["device"])},\n'
            f' "runs": [\n{lines(kept["runs"])}\n ],\n "results": [\n{lines(kept["results"])}\n ]\n}}\n')


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    path = sys.argv[1]
    kept = {"device": None, "runs": [], "results": []}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            kept = json.load(file)
    for report in sys.argv[2:]:
        add(kept, report)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text(kept))


if __name__ == "__main__":
    main()
