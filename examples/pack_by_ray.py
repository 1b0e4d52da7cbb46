#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Packs a directory with Ray: every job of `gstd pack --jobs-list` is a task of a cluster whose machines see the files.

    pack_by_ray.py GSTD DIR PACK [OPTIONS OF gstd pack]

A task whose machine is lost is done elsewhere, and a run after an interruption does what is left. The pack is the same.
"""
import subprocess
import sys

import ray


@ray.remote(num_cpus=1, max_retries=-1)
def do_job(command, name):
    subprocess.run([*command, "-T1", f"--job={name}"], check=True)
    return name


def pack(gstd, directory, output, options=(), jobs_list="--jobs-list", on_done=lambda done: None):
    """Returns the names of the jobs. `on_done` is called with the number of those that are done."""
    command = [gstd, "pack", directory, "-o", output, "-q", *options]
    listed = subprocess.run([*command, jobs_list], check=True, capture_output=True, text=True)
    names = listed.stdout.split()
    waiting = [do_job.remote(command, name) for name in names]
    while waiting:
        done, waiting = ray.wait(waiting)
        ray.get(done)
        on_done(len(names) - len(waiting))
    subprocess.run(command, check=True)
    return names


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    ray.init()
    pack(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:])
