# SPDX-License-Identifier: MIT OR Apache-2.0
"""examples/pack_by_ray.py on a cluster of two workers, one of which is killed half way. Skipped (77) without Ray.

    pack_ray_test.py GSTD EXAMPLES [DIRECTORY]    DIRECTORY: what is packed; without, files that are made
"""
import os
import pathlib
import random
import sys
import tempfile

try:
    import ray
    from ray.cluster_utils import Cluster
except ImportError:
    print("Ray is not there: skipped")
    sys.exit(77)

gstd = os.path.realpath(sys.argv[1])
sys.path.insert(0, os.path.realpath(sys.argv[2]))
os.environ["PYTHONPATH"] = os.path.realpath(sys.argv[2])  # workers import it too

import pack_by_ray  # noqa: E402


def make_files(folder):
    words = random.Random(1)
    for i in range(60):
        text = "".join(f"line {words.randrange(1000)} of file {i}\n" for _ in range(20000))
        (folder / f"file {i}").write_text(text)


with tempfile.TemporaryDirectory() as room:
    room = pathlib.Path(room)
    files = pathlib.Path(sys.argv[3]).resolve() if len(sys.argv) > 3 else room / "files"
    if len(sys.argv) <= 3:
        files.mkdir()
        make_files(files)
    pack_by_ray.subprocess.run([gstd, "pack", files, "-o", room / "whole.wpk", "-q", "-9"], check=True)

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
    workers = [cluster.add_node(num_cpus=1) for _ in range(2)]
    ray.init(address=cluster.address)
    killed = []

    def kill_half_way(done):
        if done >= jobs // 2 and not killed:
            killed.append(done)
            cluster.remove_node(workers[0], allow_graceful=False)

    command = [gstd, "pack", str(files), "-o", str(room / "by_ray.wpk"), "-q", "-9", "--jobs-list=2M"]
    jobs = len(pack_by_ray.subprocess.run(command, check=True, capture_output=True, text=True).stdout.split())
    names = pack_by_ray.pack(gstd, str(files), str(room / "by_ray.wpk"), ["-9"], "--jobs-list=2M", kill_half_way)
    ray.shutdown()
    cluster.shutdown()

    assert len(names) == jobs >= 8, names
    assert killed and killed[0] < jobs, killed
    same = (room / "whole.wpk").read_bytes() == (room / "by_ray.wpk").read_bytes()
    print(f"{jobs} jobs, a worker killed after {killed[0]}; the packs {'are equal' if same else 'differ'}")
    sys.exit(0 if same else 1)
