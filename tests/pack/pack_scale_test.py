#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Packs many small files, and large ones, within bounded memory, killed once in each run.

  WEFT_PACK_SCALE=200000,100 pack_scale_test.py GSTD    files of 1 to 4 KB; GB of sparse files

Without the variable there is nothing to do: exit status 77.
"""
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

MAX_MEMORY = 768 << 20  # for any number of bytes; 64 MiB segments, and 600 bytes a file


def run(name, command, kill_after=None):
    """Returns the peak of the command's memory."""
    begin = time.monotonic()
    child = subprocess.Popen(command)
    if kill_after is not None:
        time.sleep(kill_after)
        child.send_signal(signal.SIGKILL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if kill_after is None and child.returncode != 0:
        sys.exit(f"{name}: exit status {child.returncode}")
    seconds = time.monotonic() - begin
    print(f"{name}: {seconds:.1f} s, peak {usage.ru_maxrss / 1024:.0f} MiB", flush=True)
    if usage.ru_maxrss * 1024 > MAX_MEMORY:
        sys.exit(f"{name}: more memory than {MAX_MEMORY >> 20} MiB")


def pack(gstd, name, folder, kill_after):
    target = f"{folder}.wpk"
    command = [gstd, "pack", "-1", "-q", folder, "-o", target]
    run(f"{name}, killed", command, kill_after)
    was_killed = not os.path.exists(target)
    journal = f"{target}.journal"
    print(f"journal: {os.path.getsize(journal) if was_killed else 0} bytes")
    if was_killed:
        run(f"{name}, gone on with", command)
    run(f"{name}, verified", [gstd, "verify", "-q", target])
    print(f"pack: {os.path.getsize(target) / 1e6:.0f} MB")
    os.remove(target)


def main():
    scale = os.environ.get("WEFT_PACK_SCALE")
    if not scale:
        sys.exit(77)
    files, gigabytes = map(int, scale.split(","))
    gstd = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as room:
        os.chdir(room)
        numbers = random.Random(1)
        text = " ".join(str(numbers.randrange(10**6)) for _ in range(10000)).encode()
        for i in range(files):
            if i % 500 == 0:
                os.makedirs(f"small/{i // 500}")
            at = numbers.randrange(len(text) - 5000)
            with open(f"small/{i // 500}/{i}.txt", "wb") as file:
                file.write(text[at:at + numbers.randrange(1000, 4001)])
        pack(gstd, f"{files} files", "small", 5)
        os.makedirs("large")
        for i in range(4):
            with open(f"large/{i}", "wb") as file:
                file.truncate(gigabytes * 10**9 // 4)
                file.seek(123456)
                file.write(text)
        pack(gstd, f"{gigabytes} GB", "large", 10)


main()
