# SPDX-License-Identifier: MIT OR Apache-2.0
"""weft: parallel primitives on Vulkan devices, and Gstd, a compressor that decodes on them.

    import numpy, weft

    gpu = weft.Gpu()
    gpu.scan(numpy.array([3, 1, 4, 1, 5], numpy.uint32))          # [0, 3, 4, 8, 9]
    gpu.sort(keys, values)                                        # a stable sort by key
    gpu.select(items, items > 10)                                 # or: gpu.select(items, "greater", 10)
    gpu.decode(weft.compress(data))                               # a numpy array of bytes

One-line calls copy arrays to the device and back. Every primitive of weft/weft.h can be called so, by Gpu.call, or
recorded on buffers that stay on the device, by Gpu.buffer, Gpu.primitive and Gpu.run. Names of configs, arguments and
enumerators are those of the C header, whose comments say what they mean.
"""
import os
import weakref

import numpy as np

from ._declarations import ffi

__all__ = ["Buffer", "Count", "Error", "Gpu", "Primitive", "compress", "decompress", "devices", "version"]

lib = ffi.dlopen(os.path.join(os.path.dirname(__file__), "libweft_c.so"))

_TYPES = {"uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64", "int32": "i32", "int64": "i64",
          "float16": "f16", "float32": "f32", "float64": "f64"}


class Error(Exception):
    """What a call has failed with: `code`, such as "invalid_argument", and a sentence."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def _check(status, error):
    if status != lib.WEFT_SUCCESS:
        code = ffi.string(lib.weft_status_name(status)).decode()
        raise Error(code, ffi.string(error.message).decode("utf-8", "replace") or code)


def _call(function, *arguments):
    """The call of a function whose last parameter is a weft_error."""
    error = ffi.new("weft_error*")
    _check(function(*arguments, error), error)


class _Handle:
    """A C object, and `of`, the handle of what it was made of, which is destroyed after it: also at the interpreter's
    end, when finalizers run in reverse."""

    def __init__(self, pointer, destroy, of=None):
        self.pointer = pointer
        weakref.finalize(self, lambda one, _: destroy(one), pointer, of)


def version():
    """As text, such as "0.2.0"."""
    number = lib.weft_version()
    return f"{number // 1000000}.{number // 1000 % 1000}.{number % 1000}"


def type_of(dtype):
    """The name of weft's type of a numpy type: "f32" of float32. A struct of two uint32 is "u32x2"."""
    dtype = np.dtype(dtype)
    if dtype.fields and dtype.itemsize == 8 and all(field[0] == np.uint32 for field in dtype.fields.values()):
        return "u32x2"
    if dtype.name not in _TYPES:
        raise TypeError(f"weft has no type {dtype}")
    return _TYPES[dtype.name]


class Count:
    """A number of items that is read on the device, a u32 or u64 at `buffer`, and its upper bound."""

    def __init__(self, buffer, maximum):
        self.buffer, self.maximum = buffer, maximum


def _name(kind):
    """A C type's name, without its tag's keyword."""
    return kind.cname.split(" ")[-1]


class _Struct:
    """A C struct made of keywords, with what its pointers lead to."""

    def __init__(self, kind, /, **members):
        self.kept = []
        self.pointer = ffi.new(f"{kind}*")
        getattr(lib, f"{kind}_init_sized")(self.pointer, ffi.sizeof(kind))
        self._fill(self.pointer[0], members)

    def _fill(self, struct, members):
        fields = dict(ffi.typeof(struct).fields)
        for name, value in members.items():
            if name not in fields:
                known = ", ".join(field for field in fields if field != "struct_size")
                raise TypeError(f"{_name(ffi.typeof(struct))} has no {name}; it has {known}")
            self._set(struct, name, fields[name].type, value)

    def _set(self, struct, name, kind, value):
        if value is None:
            return
        if kind.kind == "enum":
            setattr(struct, name, self._enumerator(kind, value))
        elif _name(kind) == "weft_value":
            getattr(struct, name).bits = _bits(value)
        elif _name(kind) == "weft_buffer_range":
            _set_range(getattr(struct, name), value)
        elif _name(kind) == "weft_count":
            count = getattr(struct, name)
            if isinstance(value, Count):
                _set_range(count.range, value.buffer)
                count.maximum, count.on_device = value.maximum, True
            else:
                count.maximum = value
        elif kind.kind == "array":
            for i, one in enumerate(value):
                if one is not None:
                    _set_range(getattr(struct, name)[i], one)
        elif kind.kind == "struct":
            self._fill(getattr(struct, name), value)
        elif kind.kind == "pointer" and not isinstance(value, ffi.CData):
            setattr(struct, name, self._keep(self._pointee(kind.item, value)))
        else:
            setattr(struct, name, value)

    def _keep(self, value):
        self.kept.append(value)
        return value

    @staticmethod
    def _enumerator(kind, value):
        if not isinstance(value, str):
            if _name(kind) == "weft_type":
                value = type_of(value)
            else:
                return value
        name = f"{_name(kind)}_{value}".upper()
        if name not in kind.relements:
            prefix = len(_name(kind)) + 1
            names = [one[prefix:].lower() for _, one in sorted(kind.elements.items())]
            known = ", ".join(names[:-1])  # but for MAX_ENUM
            raise ValueError(f"{_name(kind)} has no {value!r}; it has {known}")
        return kind.relements[name]

    @staticmethod
    def _pointee(kind, value):
        if kind.cname == "char":
            return ffi.new("char[]", os.fsencode(value))
        if _name(kind) == "weft_value":
            return ffi.new("weft_value*", [_bits(value)])
        return ffi.new(ffi.typeof(f"{kind.cname}*"), value)


def _bits(value):
    """The bits of a numpy scalar; of a Python number, those of an int."""
    data = value.tobytes() if isinstance(value, np.generic) else int(value).to_bytes(8, "little", signed=value < 0)
    return int.from_bytes(data, "little")


def _set_range(to, value):
    """A Buffer, or (Buffer, offset, bytes)."""
    buffer, offset, size = value if isinstance(value, tuple) else (value, 0, value.size)
    to.buffer, to.offset, to.size = buffer.range.buffer, offset, size


class Buffer:
    """Bytes on the device, made by Gpu.buffer."""

    def __init__(self, gpu, size):
        self._gpu = gpu.handle
        handle = ffi.new("weft_buffer**")
        _call(lib.weft_buffer_create, gpu.handle.pointer, size, handle)
        self._handle = _Handle(handle[0], lib.weft_buffer_destroy, gpu.handle)
        self.range = lib.weft_buffer_get_range(handle[0])
        self.size = size

    def upload(self, array):
        """Copies an array's bytes to the beginning."""
        array = np.ascontiguousarray(array)
        if array.nbytes > self.size:
            raise ValueError(f"{array.nbytes} bytes for a buffer of {self.size}")
        _call(lib.weft_gpu_upload, self._gpu.pointer, ffi.addressof(self.range), _at(array), array.nbytes)

    def download(self, dtype=np.uint8, count=None):
        """The first `count` items as an array; by default all."""
        dtype = np.dtype(dtype)
        array = np.empty(self.size // dtype.itemsize if count is None else count, dtype)
        if array.nbytes > self.size:
            raise ValueError(f"{array.nbytes} bytes of a buffer of {self.size}")
        _call(lib.weft_gpu_download, self._gpu.pointer, ffi.addressof(self.range), _at(array), array.nbytes)
        return array

    def fill(self, word):
        """Sets every 4-byte word."""
        _call(lib.weft_gpu_fill, self._gpu.pointer, ffi.addressof(self.range), word)


def _at(array):
    return ffi.cast("void*", array.ctypes.data)


class Primitive:
    """A primitive of weft.h, made by Gpu.primitive. Other functions of its name, such as tile_items(), are methods."""

    def __init__(self, gpu, name, /, **config):
        self.name = name
        if not hasattr(lib, f"weft_{name}_record"):
            raise ValueError(f"weft has no primitive {name!r}")
        handle = ffi.new(f"weft_{name}**")
        _call(getattr(lib, f"weft_{name}_create"), lib.weft_gpu_context(gpu.handle.pointer),
              _Struct(f"weft_{name}_config", **config).pointer, handle)
        self.handle = _Handle(handle[0], getattr(lib, f"weft_{name}_destroy"), gpu.handle)

    def __getattr__(self, query):
        function = getattr(lib, f"weft_{self.name}_{query}", None)
        if function is None or query.startswith("_"):
            raise AttributeError(f"{self.name} has no {query}")
        return lambda *arguments: function(self.handle.pointer, *arguments)

    def record(self, commands, **args):
        """Records a call in a command buffer of Gpu.run."""
        _call(getattr(lib, f"weft_{self.name}_record"), self.handle.pointer, commands,
              _Struct(f"weft_{self.name}_args", **args).pointer)


class Gpu:
    """A Vulkan device: the best there is, or the one that `device` or WEFT_DEVICE names by index, name or UUID.

    `config`: other members of weft_gpu_config, such as strategy="look_back".
    """

    def __init__(self, device=None, **config):
        handle = ffi.new("weft_gpu**")
        _call(lib.weft_gpu_open, _Struct("weft_gpu_config", device=device, **config).pointer, handle)
        self.handle = _Handle(handle[0], lib.weft_gpu_destroy)
        info = ffi.new("weft_gpu_info*")
        _call(lib.weft_gpu_get_info, handle[0], info)
        self.name = ffi.string(info.name).decode("utf-8", "replace")
        self._primitives = {}

    def __repr__(self):
        return f"<weft.Gpu {self.name}>"

    # ---- On buffers

    def buffer(self, data):
        """A buffer of so many bytes, or with the bytes of an array."""
        if isinstance(data, (int, np.integer)):
            return Buffer(self, int(data))
        data = np.ascontiguousarray(data)
        buffer = Buffer(self, data.nbytes)
        buffer.upload(data)
        return buffer

    def primitive(self, name, /, **config):
        """Any primitive by its name in weft.h, e.g. primitive("scan", kind="inclusive", item="f32"): of the same
        config, the same one. Types may be numpy's."""
        key = (name, repr(sorted(config.items())))
        if key not in self._primitives:
            self._primitives[key] = Primitive(self, name, **config)
        return self._primitives[key]

    def run(self, record):
        """Calls record(commands), submits and waits. Returns the milliseconds on the host, and on the device, or None.

        What one call in it writes, the next one does not see: run it next, or record a barrier.
        """
        raised = []

        @ffi.callback("weft_record")
        def call(_, commands, error):
            try:
                record(commands)
                return lib.WEFT_SUCCESS
            except BaseException as why:  # it must not get into C
                raised.append(why)
                return lib.WEFT_SYSTEM_ERROR

        time = ffi.new("weft_run_time*")
        error = ffi.new("weft_error*")
        status = lib.weft_gpu_run(self.handle.pointer, call, ffi.NULL, time, error)
        if raised:
            raise raised[0]
        _check(status, error)
        return time.host_ms, time.device_ms if time.device_ms >= 0 else None

    def call(self, name, config=None, counts=(), outputs=None, /, **args):
        """Calls any primitive on arrays, and returns its outputs, in order.

        `counts`: what its scratch_size takes, if it has one. `outputs`: {argument: (dtype, number of items)}. Arrays
        among `args` are copied to the device.

            total, = gpu.call("reduce", {"op": "max"}, (8,), {"output": ("u4", 1)}, input=items, count=8)
        """
        primitive = self.primitive(name, **(config or {}))
        made = {}
        for argument, (dtype, count) in (outputs or {}).items():
            made[argument] = self.buffer(max(1, np.dtype(dtype).itemsize * count))
        args = {key: self.buffer(value) if isinstance(value, np.ndarray) else value for key, value in args.items()}
        if hasattr(lib, f"weft_{name}_scratch_size"):
            args["scratch"] = self.buffer(primitive.scratch_size(*counts))
        self.run(lambda commands: primitive.record(commands, **args, **made))
        return [made[argument].download(dtype, count) for argument, (dtype, count) in (outputs or {}).items()]

    # ---- In one line

    def scan(self, items, op="add", inclusive=False, dtype=None, initial=None):
        """Prefix sums, or by another operator: of the items before each, or up to it (inclusive). `dtype`: of results,
        that of the items or a wider one."""
        items = _flat(items)
        dtype = np.dtype(dtype or items.dtype)
        config = {"kind": "inclusive" if inclusive else "exclusive", "op": op, "item": type_of(items.dtype),
                  "accumulator": type_of(dtype)}
        if len(items) == 0:
            return np.empty(0, dtype)
        return self.call("scan", config, (len(items),), {"output": (dtype, len(items))}, input=items, count=len(items),
                         initial=None if initial is None else dtype.type(initial))[0]

    def reduce(self, items, op="add", dtype=None, initial=None):
        """All items combined into one. arg_min and arg_max return the index of the first such item, and the item."""
        items = _flat(items)
        dtype = np.dtype(dtype or items.dtype)
        config = {"op": op, "item": type_of(items.dtype), "accumulator": type_of(dtype)}
        by_index = op in ("arg_min", "arg_max")
        output = ("u8", 2) if by_index else (dtype, 1)
        result = self.call("reduce", config, (len(items),), {"output": output}, input=items, count=len(items),
                           initial=None if initial is None else dtype.type(initial))[0]
        return (int(result[0]), result[1:].view(dtype)[0]) if by_index else result[0]

    def sort(self, keys, values=None, descending=False):
        """Keys in order, and if there are values of 1, 2 or a multiple of 4 bytes, up to 256, both. Stable. Floats are
        in the order of their bits: -0 before +0, NaN outside all numbers, by its sign."""
        keys = _flat(keys)
        order = "descending" if descending else "ascending"
        value_bytes = 0 if values is None else values.dtype.itemsize
        radix = keys.dtype.itemsize >= 4 and value_bytes in (0, 4, 8)
        config = {"key": type_of(keys.dtype), "order": order, "value_bytes": value_bytes}
        outputs = {"keys_out": (keys.dtype, len(keys))}
        args = {"keys": keys}
        if values is not None:
            args["values"] = _flat(values)
            outputs["values_out"] = (args["values"].dtype, len(keys))
            if len(args["values"]) != len(keys):
                raise ValueError(f"{len(args['values'])} values for {len(keys)} keys")
        if len(keys) == 0:
            results = [np.empty(0, dtype) for dtype, _ in outputs.values()]
        else:
            results = self.call("radix_sort" if radix else "merge_sort", config, (len(keys),), outputs,
                                count=len(keys), **args)
        return results[0] if values is None else tuple(results)

    def argsort(self, keys, descending=False):
        """The indices, u32, that bring keys in order, as sort does."""
        keys = _flat(keys)
        if len(keys) == 0:
            return np.empty(0, np.uint32)
        config = {"key": type_of(keys.dtype), "order": "descending" if descending else "ascending", "keys": False,
                  "indices": True}
        return self.call("merge_sort", config, (len(keys),), {"indices_out": (np.uint32, len(keys))}, keys=keys,
                         count=len(keys))[0]

    def select(self, items, criterion, a=None, b=None):
        """Items, in their order, for which a mask of booleans is set, or a criterion of weft_criterion holds, such as
        select(items, "less", 5), select(items, "inside", 2, 5), select(items, "run_head")."""
        items = _flat(items)
        if isinstance(criterion, str):
            config = {"criterion": criterion, "item": type_of(items.dtype)}
            args = {"input": items, "a": None if a is None else items.dtype.type(a),
                    "b": None if b is None else items.dtype.type(b)}
            name = "output"
        else:
            mask = _flat(np.asarray(criterion, np.bool_)).view(np.uint8)
            if len(mask) != len(items):
                raise ValueError(f"a mask of {len(mask)} for {len(items)} items")
            config = {"criterion": "nonzero", "item": "u8", "items": False, "moved_bytes": items.dtype.itemsize}
            args = {"input": mask, "moved": items}
            name = "moved_output"
        if len(items) == 0:
            return items
        moved, kept = self.call("select", config, (len(items),),
                                {name: (items.dtype, len(items)), "kept": (np.uint32, 1)}, count=len(items), **args)
        return moved[:kept[0]]

    def unique(self, items):
        """The first of each run of equal items."""
        return self.select(items, "run_head")

    def decode(self, stream, max_bytes=1 << 28):
        """The content of Gstd streams, one after the other, as an array of bytes, decoded on the device. A stream that
        declares more than max_bytes is refused."""
        stream = np.frombuffer(stream, np.uint8)
        limits = _Struct("weft_gstd_decompress_config", max_content=max_bytes)
        info = ffi.new("weft_gstd_stream_info*")
        _call(lib.weft_gstd_inspect, _at(stream), stream.nbytes, limits.pointer, info, ffi.NULL)
        count = ffi.new("size_t*", info.raw_tiles + info.fill_tiles + info.compressed_tiles)
        if count[0] == 0:
            return np.empty(0, np.uint8)
        tiles = ffi.new("weft_gstd_tile[]", count[0])
        _call(lib.weft_gstd_tiles, _at(stream), stream.nbytes, 0, 0, ffi.NULL, tiles, count[0], count)
        table = np.frombuffer(ffi.buffer(tiles), np.uint8)
        padded = np.zeros((stream.nbytes + 3) // 4 * 4, np.uint8)
        padded[:stream.nbytes] = stream
        status = self.buffer(np.zeros(1 + count[0], np.uint32))
        content, = self.call("gstd_decode", {"tile_bytes": max(info.most_tile_bytes, 1 << 14)}, (count[0],),
                             {"output": (np.uint8, info.content_bytes)}, tiles=table, tile_count=count[0],
                             source=padded, status=status)
        statuses = status.download(np.uint32)
        if statuses[0]:
            tile = int(np.flatnonzero(statuses[1:])[0])
            why = ffi.string(lib.weft_gstd_refusal_name(int(statuses[1 + tile]) & 0xff)).decode()
            raise Error("corrupt_stream", f"{statuses[0]} of {count[0]} tiles are refused, first {tile}: {why}")
        return content


def _flat(array):
    return np.ascontiguousarray(array).reshape(-1)


def devices():
    """The names of this machine's Vulkan devices, best first, and whether weft runs on each."""
    infos = ffi.new("weft_gpu_info[]", 64)
    count = ffi.new("uint32_t*")
    _call(lib.weft_gpu_list, infos, 64, count)
    return [(ffi.string(info.name).decode("utf-8", "replace"), info.usable) for info in infos[0:min(64, count[0])]]


def compress(data, level=3, **config):
    """A Gstd stream of bytes or an array, made on the CPU. `config`: of weft_gstd_compress_config, e.g. threads=0."""
    data = np.frombuffer(data, np.uint8) if not isinstance(data, np.ndarray) else _flat(data).view(np.uint8)
    made = _Struct("weft_gstd_compress_config", level=level, **config)
    stream = np.empty(max(1, lib.weft_gstd_compress_bound(data.nbytes, made.pointer)), np.uint8)
    written = ffi.new("size_t*")
    _call(lib.weft_gstd_compress, _at(data), data.nbytes, made.pointer, _at(stream), stream.nbytes, written)
    return stream[:written[0]].tobytes()


def decompress(stream, max_bytes=1 << 28, **config):
    """The content of Gstd streams, made on the CPU. One that declares more than max_bytes is refused."""
    stream = np.frombuffer(stream, np.uint8)
    made = _Struct("weft_gstd_decompress_config", max_content=max_bytes, **config)
    size = ffi.new("uint64_t*")
    _call(lib.weft_gstd_decompressed_size, _at(stream), stream.nbytes, made.pointer, size)
    content = np.empty(max(1, size[0]), np.uint8)
    written = ffi.new("size_t*")
    _call(lib.weft_gstd_decompress, _at(stream), stream.nbytes, made.pointer, _at(content), size[0], written)
    return content[:written[0]].tobytes()
