#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Reads a pack by docs/pack-format.md alone: read_pack.py PACK DIRECTORY GSTD writes its files to a new directory.

Streams of Gstd are decoded by the command gstd. Hashes are compared if the module xxhash is there.
"""
import os
import struct
import subprocess
import sys

try:
    from xxhash import xxh3_64_intdigest as xxh3
except ImportError:
    xxh3 = None

BLOCK, NO_LEVEL = 4096, 0xFFFFFFFF
HEADER = struct.Struct("<8sIIQQQQQQQ40sQQ")
ENTRY = struct.Struct("<QQQQQQIIIBBH8I")
RANGE = struct.Struct("<QQQQQIB3sII")


def require(holds, what):
    if not holds:
        raise ValueError(what)


def hashes_to(data, value, what):
    require(xxh3 is None or xxh3(data) == value, what + " is damaged")


def read_header(pack):
    """Returns the valid header of the later generation."""
    best = None
    for at in (0, BLOCK):
        slot = pack[at:at + HEADER.size]
        require(len(slot) == HEADER.size, "the pack is truncated")
        fields = HEADER.unpack(slot)
        if fields[0] != b"WEFTPACK" or fields[1] != 1 or (xxh3 and xxh3(slot[:120]) != fields[12]):
            continue
        if best is None or fields[3] > best[3]:
            best = fields
    require(best is not None, "no valid header")
    return best


def read_directory(pack):
    """Yields path, entry and ranges of each asset."""
    _, _, _, _, position, size, pack_bytes, entries, ranges, names, _, directory_hash, _ = read_header(pack)
    require(position + size == pack_bytes <= len(pack), "the pack is truncated")
    require(size == ENTRY.size * entries + RANGE.size * ranges + names, "the directory has another size")
    directory = pack[position:position + size]
    hashes_to(directory, directory_hash, "the directory")
    ranges_at, names_at = ENTRY.size * entries, ENTRY.size * entries + RANGE.size * ranges
    for i in range(entries):
        entry = ENTRY.unpack_from(directory, ENTRY.size * i)
        path_at, path_bytes, first, count = entry[5:9]
        path = bytes(directory[names_at + path_at:names_at + path_at + path_bytes])
        hashes_to(path, entry[0], "a path")
        parts = path.decode("utf-8").split("/")
        require(all(part not in ("", ".", "..") for part in parts), "a path is not safe")
        yield "/".join(parts), entry, [
            RANGE.unpack_from(directory, ranges_at + RANGE.size * (first + j)) for j in range(count)]


def read_range(pack, fields, gstd):
    """Returns a range's content."""
    position, stored_bytes, _, _, stored_hash, _, coding = fields[:7]
    stored = pack[position:position + stored_bytes]
    hashes_to(stored, stored_hash, "a range")
    if coding == 0:
        return bytes(stored)
    require(coding == 1, "unknown coding")
    return subprocess.run([gstd, "-dc", "-q"], input=stored, stdout=subprocess.PIPE, check=True).stdout


def read_asset(pack, entry, ranges, gstd):
    """Returns an asset's content: what precedes the levels, then slice after slice."""
    content_hash, content_bytes, slices = entry[1], entry[2], entry[12]
    content = bytearray(content_bytes)
    stride = (content_bytes - ranges[0][3]) // slices if slices else 0
    for fields in ranges:
        offset, slice_bytes, level = fields[2], fields[3], fields[5]
        decoded = read_range(pack, fields, gstd)
        count = 1 if level == NO_LEVEL else slices
        require(len(decoded) == slice_bytes * count, "a range has another size")
        for i in range(count):
            at = offset + stride * i
            content[at:at + slice_bytes] = decoded[slice_bytes * i:slice_bytes * (i + 1)]
    require(len(content) == content_bytes, "an asset has another size")
    hashes_to(bytes(content), content_hash, "an asset")
    return content


def main(name, folder, gstd):
    with open(name, "rb") as file:
        pack = memoryview(file.read())
    for path, entry, ranges in read_directory(pack):
        target = os.path.join(folder, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "xb") as file:
            file.write(read_asset(pack, entry, ranges, gstd))


if __name__ == "__main__":
    main(*sys.argv[1:])
