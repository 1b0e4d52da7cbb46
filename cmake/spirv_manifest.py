#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Writes kernels without their names to a folder, and manifest.json beside them, with all that a program needs to
dispatch one by itself: docs/spirv.md.

    spirv_manifest.py SHADERS VERSION OUTPUT FOLDER...

FOLDERs have the SPIR-V as glslc made it, SHADERS the headers that declare its push constants."""
import array
import json
import pathlib
import re
import sys

# Of the SPIR-V specification.
kSource, kSourceContinued, kSourceExtension, kName, kMemberName, kString = 3, 2, 4, 5, 6, 7
kLine, kNoLine = 8, 317
kCapability, kModuleProcessed, kDecorate, kMemberDecorate, kFunction = 17, 330, 71, 72, 54
kTypeBool, kTypeInt, kTypeFloat, kTypeVector, kTypeArray, kTypeStruct, kTypePointer = 20, 21, 22, 23, 28, 30, 32
kConstant, kSpecConstantTrue, kSpecConstantFalse, kSpecConstant, kSpecConstantComposite = 43, 48, 49, 50, 51
kVariable = 59
kSpecId, kBuiltIn, kOffset, kWorkgroupSize, kPushConstant = 1, 11, 35, 25, 9
features = {11: "shaderInt64", 10: "shaderFloat64", 12: "shaderBufferInt64Atomics", 22: "shaderInt16",
            39: "shaderInt8", 9: "shaderFloat16", 5347: "bufferDeviceAddress"}
operations = {61: "basic", 62: "vote", 63: "arithmetic", 64: "ballot", 65: "shuffle", 66: "shuffle_relative",
              67: "clustered", 68: "quad"}


def text_of(words):
    return words.tobytes().split(b"\0")[0].decode()


class Module:
    def __init__(self, path):
        words = array.array("I", path.read_bytes())
        if words[0] != 0x07230203:
            sys.exit(f"{path} is no SPIR-V")
        self.names, self.members, self.types, self.constants, self.decorations = {}, {}, {}, {}, {}
        self.offsets, self.capabilities, self.push, self.specialized, self.workgroup = {}, set(), None, {}, None
        stripped, at = words[:5], 5
        has_lines = False  # in functions too
        while at < len(words):
            count, code = words[at] >> 16, words[at] & 0xffff
            has_lines = has_lines or code == kString
            if code == kFunction and not has_lines:
                stripped.extend(words[at:])
                break
            self.take(code, words[at + 1:at + count])
            if code not in (kSource, kSourceContinued, kSourceExtension, kName, kMemberName, kString, kLine, kNoLine,
                            kModuleProcessed):
                stripped.extend(words[at:at + count])
            at += count
        self.stripped = stripped.tobytes()

    def take(self, code, words):
        if code == kCapability:
            self.capabilities.add(words[0])
        elif code == kName:
            self.names[words[0]] = text_of(words[1:])
        elif code == kMemberName:
            self.members[words[0], words[1]] = text_of(words[2:])
        elif code == kDecorate and len(words) > 2:
            self.decorations[words[0], words[1]] = words[2]
        elif code == kMemberDecorate and words[2] == kOffset:
            self.offsets[words[0], words[1]] = words[3]
        elif code in (kTypeBool, kTypeInt, kTypeFloat, kTypeVector, kTypeArray, kTypeStruct, kTypePointer):
            self.types[words[0]] = (code, *words[1:])
        elif code == kConstant:
            self.constants[words[1]] = words[2]
        elif code in (kSpecConstant, kSpecConstantTrue, kSpecConstantFalse):
            value = words[2] if code == kSpecConstant else int(code == kSpecConstantTrue)
            self.specialized[words[1]] = (words[0], value)
        elif code == kSpecConstantComposite and self.decorations.get((words[1], kBuiltIn)) == kWorkgroupSize:
            self.workgroup = list(words[2:])
        elif code == kVariable and words[2] == kPushConstant:
            self.push = self.types[words[0]][2]

    def type_of(self, key):
        """A name, its bytes."""
        code, *more = self.types[key]
        if code == kTypeBool:
            return "bool", 4
        if code == kTypeInt:
            return ("int" if more[1] else "uint") + str(more[0]), more[0] // 8
        if code == kTypeFloat:
            return f"float{more[0]}", more[0] // 8
        if code == kTypePointer:
            return "address", 8
        name, size = self.type_of(more[0])
        if code == kTypeVector:
            return f"{name}x{more[1]}", size * more[1]
        if code == kTypeArray:
            return f"{name}[{self.constants[more[1]]}]", size * self.constants[more[1]]
        sys.exit(f"a type of push constants or specialization constants has the code {code}")

    def fields(self, key, base=0, prefix=""):
        for i, member in enumerate(self.types[key][1:]):
            name, offset = prefix + self.members[key, i], base + self.offsets[key, i]
            if self.types[member][0] == kTypeStruct:
                yield from self.fields(member, offset, prefix if len(self.types[key]) == 2 else name + ".")
            else:
                kind, size = self.type_of(member)
                yield {"name": name, "offset": offset, "size": size, "type": kind}

    def described(self, name, headers):
        push, struct = None, self.push
        if struct is not None:
            # A block around the header's struct.
            while len(self.types[struct]) == 2 and self.types[self.types[struct][1]][0] == kTypeStruct:
                struct = self.types[struct][1]
            fields = list(self.fields(self.push))
            for field in fields:
                # Two words to the kernel: the header says which are addresses.
                field["type"] = headers.get((self.names[struct], field["name"]), field["type"])
            push = {"struct": self.names[struct], "header": headers.get(self.names[struct], ""),
                    "size": max(field["offset"] + field["size"] for field in fields), "members": fields}
        named = {}  # by id; the workgroup's size has a constant without a name too
        for key, (kind, value) in self.specialized.items():
            if (key, kSpecId) in self.decorations:
                one = (self.decorations[key, kSpecId], self.names.get(key, ""), self.type_of(kind)[0], value)
                named[one[0]] = max(named.get(one[0], one), one, key=lambda constant: constant[1])
        constants = [named[key] for key in sorted(named)]
        ids = {key: self.decorations.get((key, kSpecId)) for key in self.specialized}
        sizes = [{"constant_id": ids[key]} if ids.get(key) is not None else
                 self.specialized[key][1] if key in self.specialized else self.constants[key] for key in self.workgroup]
        backend = name.rsplit(".", 1)[1]
        subgroup = {"backend": backend, "size_constant_id": 1 if any(one[0] == 1 for one in constants) else None,
                    "operations": [word for code, word in operations.items() if code in self.capabilities]}
        return {"name": name, "file": name + ".spv", "push_constants": push,
                "specialization_constants": [{"id": key, "name": word, "type": kind, "default": value}
                                             for key, word, kind, value in constants],
                "workgroup_size": sizes, "subgroup": subgroup,
                "features": [word for code, word in features.items() if code in self.capabilities]}


def main():
    shaders, version, output, *folders = sys.argv[1:]
    output = pathlib.Path(output)
    output.mkdir(parents=True, exist_ok=True)
    headers = {}
    for path in sorted(pathlib.Path(shaders).rglob("*.h")):
        for struct, body in re.findall(r"^struct (\w+) \{(.*?)^\};", path.read_text(), re.M | re.S):
            headers[struct] = path.relative_to(shaders).as_posix()
            for kind, member in re.findall(r"weft_(address|u64)\s+(\w+);", body):
                headers[struct, member] = "uint64" if kind == "u64" else kind
    kernels = []
    for path in sorted((path for folder in folders for path in pathlib.Path(folder).glob("*.spv")),
                       key=lambda path: path.name):
        module = Module(path)
        kernels.append(module.described(path.stem, headers))
        (output / path.name).write_bytes(module.stripped)
    wanted = {kernel["file"] for kernel in kernels}
    for path in output.glob("*.spv"):
        if path.name not in wanted:
            path.unlink()
    lines = ",\n".join("  " + json.dumps(kernel) for kernel in kernels)
    (output / "manifest.json").write_text(f'{{"format": 1, "weft": "{version}", "kernels": [\n{lines}\n]}}\n')


main()
