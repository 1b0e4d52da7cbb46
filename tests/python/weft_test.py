# SPDX-License-Identifier: MIT OR Apache-2.0
"""The installed package `weft` against numpy. VK_DRIVER_FILES chooses the device."""
import subprocess
import sys
import unittest

import numpy as np
import weft

N = 10007
random = np.random.default_rng(1)
GPU = weft.Gpu()
TYPES = ("uint8", "uint16", "uint32", "int32", "float16", "float32", "uint64", "int64", "float64")


def numbers(dtype, count=N):
    if np.issubdtype(dtype, np.floating):
        return random.integers(-100, 100, count).astype(dtype)
    info = np.iinfo(dtype)
    return random.integers(info.min, info.max, count, dtype, endpoint=True)


class Scan(unittest.TestCase):
    def test_every_type_by_add(self):
        for dtype in TYPES[:4] + TYPES[5:]:
            items = numbers(dtype)
            inclusive = np.cumsum(items, dtype=dtype)
            np.testing.assert_array_equal(GPU.scan(items), np.concatenate((inclusive[:1] * 0, inclusive[:-1])), dtype)
        np.testing.assert_array_equal(GPU.scan(items, inclusive=True), inclusive)

    def test_operators_wider_results_initial_values(self):
        items = numbers("int32")
        np.testing.assert_array_equal(GPU.scan(items, "max", inclusive=True), np.maximum.accumulate(items))
        small = numbers("uint8")
        wide = GPU.scan(small, inclusive=True, dtype="uint32", initial=7)
        self.assertEqual(wide.dtype, np.uint32)
        np.testing.assert_array_equal(wide, 7 + np.cumsum(small, dtype=np.uint32))
        np.testing.assert_array_equal(GPU.scan(items, initial=-5)[:2], [-5, np.int32(items[0] - 5)])

    def test_affine(self):
        maps = np.zeros(3, [("x", "u4"), ("y", "u4")])
        maps["x"], maps["y"] = [2, 3, 5], [1, 1, 1]
        last = GPU.scan(maps, "affine", inclusive=True)[-1]
        self.assertEqual((last["x"], last["y"]), (30, ((1 * 3) + 1) * 5 + 1))

    def test_shapes_and_no_items(self):
        self.assertEqual(GPU.scan(np.empty(0, np.uint32)).shape, (0,))
        square = np.arange(12, dtype=np.uint32).reshape(3, 4)
        np.testing.assert_array_equal(GPU.scan(square[:, ::2], inclusive=True), np.cumsum(square[:, ::2]))


class Reduce(unittest.TestCase):
    def test_operators(self):
        items = numbers("uint32")
        self.assertEqual(GPU.reduce(items), np.sum(items, dtype=np.uint32))
        self.assertEqual(GPU.reduce(items, "bit_xor"), np.bitwise_xor.reduce(items))
        self.assertEqual(GPU.reduce(items, dtype="uint64"), np.sum(items, dtype=np.uint64))
        self.assertEqual(GPU.reduce(items[:3], initial=4), np.uint32(4) + np.sum(items[:3], dtype=np.uint32))
        self.assertEqual(GPU.reduce(np.empty(0, np.uint32)), 0)

    def test_arguments(self):
        items = numbers("float32")
        self.assertEqual(GPU.reduce(items, "arg_max"), (np.argmax(items), items.max()))
        self.assertEqual(GPU.reduce(items, "arg_min"), (np.argmin(items), items.min()))


class Sort(unittest.TestCase):
    def test_every_type(self):
        for i, dtype in enumerate(TYPES):
            keys = numbers(dtype)
            descending = i % 2 == 1
            wanted = np.sort(keys)
            np.testing.assert_array_equal(GPU.sort(keys, descending=descending), wanted[::-1] if descending else wanted,
                                          dtype)

    def test_pairs_and_indices_are_stable(self):
        keys = random.integers(0, 100, N, np.uint32)
        order = np.argsort(keys, kind="stable")
        np.testing.assert_array_equal(GPU.argsort(keys), order)
        for values in (np.arange(N, dtype=np.uint16), np.arange(N, dtype=np.float64)):
            by_key = GPU.sort(keys, values)
            np.testing.assert_array_equal(by_key[0], keys[order])
            np.testing.assert_array_equal(by_key[1], values[order])
        self.assertEqual([len(x) for x in GPU.sort(keys[:0], values[:0])], [0, 0])
        with self.assertRaisesRegex(ValueError, "2 values for 10007 keys"):
            GPU.sort(keys, values[:2])


class Select(unittest.TestCase):
    def test_masks_and_criteria(self):
        for dtype in ("uint8", "uint32", "float32", "int64"):
            items = numbers(dtype)
            mask = random.random(N) < 0.3
            np.testing.assert_array_equal(GPU.select(items, mask), items[mask], dtype)
        items = numbers("int32")
        np.testing.assert_array_equal(GPU.select(items, "less", -5), items[items < -5])
        np.testing.assert_array_equal(GPU.select(items, "inside", -2**30, 2**30), items[abs(items) <= 2**30])
        self.assertEqual(len(GPU.select(items[:0], "zero")), 0)
        runs = np.repeat(np.arange(50, dtype=np.uint16), random.integers(1, 9, 50))
        np.testing.assert_array_equal(GPU.unique(runs), np.arange(50))
        with self.assertRaisesRegex(ValueError, "weft_criterion has no 'lesser'; it has less, less_equal"):
            GPU.select(items, "lesser", 1)


class Codec(unittest.TestCase):
    def test_decode_and_decompress(self):
        data = bytes(range(256)) * 1500 + random.integers(0, 255, 70000, np.uint8).tobytes()
        stream = weft.compress(data, 5, tile_bytes=1 << 15)
        self.assertLess(len(stream), 80000)
        self.assertEqual(weft.decompress(stream), data)
        self.assertEqual(GPU.decode(stream).tobytes(), data)
        self.assertEqual(GPU.decode(stream + weft.compress(b"more")).tobytes(), data + b"more")
        self.assertEqual(GPU.decode(weft.compress(b"")).tobytes(), b"")
        array = np.arange(9, dtype=np.uint16)
        self.assertEqual(weft.compress(array), weft.compress(array.tobytes()))

    def test_damaged_streams(self):
        stream = bytearray(weft.compress(b"weft " * 20000))
        for read in (weft.decompress, GPU.decode):
            with self.assertRaises(weft.Error) as refused:
                read(bytes(stream[:-1]))
            self.assertEqual(refused.exception.code, "corrupt_stream")
            with self.assertRaises(weft.Error) as refused:
                read(bytes(stream), max_bytes=1000)
            self.assertEqual(refused.exception.code, "over_limit")
        stream[-40] ^= 255
        with self.assertRaises(weft.Error) as refused:
            GPU.decode(bytes(stream))
        self.assertEqual(refused.exception.code, "corrupt_stream")
        self.assertRegex(str(refused.exception), "of 2 tiles are refused|position")


class Everything(unittest.TestCase):
    def test_another_primitive_by_its_name(self):
        a, b = np.sort(numbers("uint32", 1000)), np.sort(numbers("uint32", 500))
        merged, = GPU.call("merge", {"key": np.uint32}, (1000, 500), {"keys_out": (np.uint32, 1500)}, keys_a=a,
                           keys_b=b, count_a=1000, count_b=500)
        np.testing.assert_array_equal(merged, np.sort(np.concatenate([a, b])))
        items = numbers("uint8")
        bins, = GPU.call("histogram", {"item": "u8", "bins": 256}, (), {"output": (np.uint32, 256)}, input=items,
                         count=N, lower=0, upper=256)
        np.testing.assert_array_equal(bins, np.bincount(items, minlength=256))

    def test_buffers_that_stay_on_the_device(self):
        items = numbers("uint32")
        select = GPU.primitive("select", criterion="less")
        scan = GPU.primitive("scan")
        self.assertIs(scan, GPU.primitive("scan"))
        self.assertGreater(scan.tile_items(), 0)
        source, kept, count, sums = GPU.buffer(items), GPU.buffer(4 * N), GPU.buffer(4), GPU.buffer(4 * N)
        scratch = GPU.buffer(max(select.scratch_size(N), scan.scratch_size(N)))
        host_ms, _ = GPU.run(lambda commands: select.record(commands, input=source, output=kept, kept=count,
                                                            scratch=scratch, count=N, a=1 << 30))
        self.assertGreater(host_ms, 0)
        GPU.run(lambda commands: scan.record(commands, input=kept, output=sums, scratch=scratch,
                                             count=weft.Count(count, N)))
        wanted = items[items < 1 << 30]
        number = count.download(np.uint32)[0]
        self.assertEqual(number, len(wanted))
        inclusive = np.cumsum(wanted, dtype=np.uint32)
        np.testing.assert_array_equal(sums.download(np.uint32, number)[1:], inclusive[:-1])
        sums.fill(5)
        self.assertEqual(set(sums.download(np.uint32)), {5})
        with self.assertRaisesRegex(ValueError, "8 bytes for a buffer of 4"):
            count.upload(np.zeros(2, np.uint32))

    def test_refusals(self):
        with self.assertRaises(weft.Error) as refused:
            weft.Gpu("no such device")
        self.assertEqual(refused.exception.code, "not_found")
        with self.assertRaises(weft.Error) as refused:
            GPU.primitive("scan", item="u32x2")
        self.assertEqual(refused.exception.code, "unsupported")
        with self.assertRaisesRegex(TypeError, "weft_scan_config has no kinds; it has kind, op"):
            GPU.primitive("scan", kinds="inclusive")
        with self.assertRaisesRegex(ValueError, "weft has no primitive 'skan'"):
            GPU.primitive("skan")
        with self.assertRaisesRegex(TypeError, "no type complex64"):
            GPU.scan(np.zeros(1, np.complex64))
        scan = GPU.primitive("scan")
        with self.assertRaises(weft.Error) as refused:
            GPU.run(lambda commands: scan.record(commands, count=5))
        self.assertEqual(refused.exception.code, "invalid_argument")
        with self.assertRaises(ZeroDivisionError):  # of the caller's, through C
            GPU.run(lambda commands: 1 / 0)

    def test_devices_and_version(self):
        self.assertIn((GPU.name, True), weft.devices())
        self.assertRegex(weft.version(), r"^\d+\.\d+\.\d+$")

    def test_objects_go_in_any_order(self):
        program = ("import weft, numpy; g = weft.Gpu(); b = g.buffer(16); p = g.primitive('scan'); del g; "
                   "b.fill(3); print(b.download(numpy.uint32)[0])")
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, "3\n")


if __name__ == "__main__":
    unittest.main()
