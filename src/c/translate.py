#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Writes the C interface of what include/weft declares in C++:

    translate.py --headers <include/weft> --template <weft.h.in> --output <directory>

The output is weft/weft.h, of the template with what it names filled in; primitives.cpp, the functions of all
primitives; structs.hpp, what both sides of a struct have to do with each other; weft_cdef.h, the header as cffi takes
it; and null_calls.h, a test's calls of every function with null.

A primitive is a header with a record() of a command buffer. It is translated as a whole: a declaration that is not
understood ends the program with its header and text, so that no primitive lacks a part in C without anybody's notice.
"""
import argparse
import pathlib
import re
import sys
import textwrap

WIDTH = 120


class Refused(Exception):
    pass


def snake(name):
    """TopK -> top_k, U32x2 -> u32x2."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


# ---------------------------------------------------------------- reading C++


class Thing:
    """A declaration: kind, C++ name, namespace, comment, and what the kind has."""

    def __init__(self, kind, name, space, doc, **more):
        self.kind, self.name, self.space, self.doc = kind, name, space, doc
        self.__dict__.update(more)
        self.cpp = "::".join(["weft"] + space + [name])
        self.c = "_".join(["weft"] + space + [snake(name)])


def strip_line_comment(line):
    return re.sub(r"\s*//(?!/<).*$", "", line)


def split_members(lines, where):
    """Declarations of a struct or class, each with its comment. `private:` ends them."""
    members, doc, text = [], [], ""
    for line in lines:
        line = line.strip()
        if line.startswith("///") and not line.startswith("///<"):
            if text:
                raise Refused(f"{where}: a comment inside of '{text}'")
            doc.append(line)
            continue
        line = strip_line_comment(line)
        if line in ("public:", ""):
            if not line:
                doc = doc if text else []
            continue
        if line == "private:":
            break
        text = f"{text} {line}".strip()
        if text.endswith(";") or (text.endswith("}") and "(" in text):
            members.append((doc, text))
            doc, text = [], ""
    if text:
        raise Refused(f"{where}: '{text}' does not end")
    return members


def read_enum(head, body, space, doc, where):
    match = re.fullmatch(r"enum class (\w+)(?: : (\w+))?", head)
    if not match:
        raise Refused(f"{where}: '{head}'")
    items, comment = [], []
    for line in body:
        line = line.strip()
        if line.startswith("///"):
            comment.append(line)
            continue
        after = re.search(r"///<\s*(.*)$", line)
        names = re.sub(r"//.*$", "", line)
        for name in filter(None, (part.strip() for part in names.split(","))):
            if not re.fullmatch(r"\w+", name):
                raise Refused(f"{where}: enumerator '{name}'")
            items.append((name, comment, after.group(1) if after else ""))
            comment = []
    return Thing("enum", match.group(1), space, doc, base=match.group(2) or "int", items=items)


def read_header(path):
    """All declarations of a header, in order."""
    things, doc, space = [], [], []
    lines = path.read_text(encoding="utf-8").replace("WEFT_API ", "").split("\n")
    at = 0
    inside = 0  # of a namespace that declares nothing but names
    while at < len(lines):
        line = lines[at]
        at += 1
        where = f"{path.name}:{at}"
        if line.startswith("///"):
            doc.append(line)
            continue
        if not line.strip() or line.startswith("#") or line.startswith("//"):
            if not line.strip():
                doc = []
            continue
        match = re.match(r"namespace ([\w:]+) \{$", line)
        if match:
            names = match.group(1).split("::")
            if names[0] == "weft":
                space = names[1:]
            else:
                inside += 1
            doc = []
            continue
        if line.startswith("}  // namespace") or (inside and line == "}"):
            inside = max(0, inside - 1)
            continue
        text = strip_line_comment(line)
        if re.match(r"(enum|struct|class)\b", text) and not text.endswith(";"):
            body = []
            while lines[at] != "};" and not (lines[at].startswith("} ") and text.startswith("enum")):
                body.append(lines[at])
                at += 1
                if at >= len(lines):
                    raise Refused(f"{where}: '{text}' does not end")
            at += 1
            head = text.rstrip("{").strip()
        else:
            while not text.endswith(";") and not text.endswith("}"):
                text = f"{text} {strip_line_comment(lines[at]).strip()}"
                at += 1
            head, body = text, None
            one_line = re.fullmatch(r"((?:enum class|struct) [\w :]+) \{(.*)\};", text)
            if one_line:
                head, body = one_line.group(1), [one_line.group(2)]
        if inside or re.fullmatch(r"(struct|class) \w+;", head):
            doc = []
            continue
        if head.startswith("enum "):
            things.append(read_enum(head, body, space, doc, where))
        elif re.fullmatch(r"(struct|class) \w+", head):
            kind, name = head.split()
            things.append(Thing(kind, name, space, doc, body=body, where=where))
        elif head.startswith("static_assert("):
            pass
        else:
            things.append(Thing("other", "", space, doc, text=head, where=where))
        doc = []
    return things


# ---------------------------------------------------------------- types

# Structs of the C interface that are written by hand in weft.h.in, with what makes one of the other.
HAND = {"BufferRange": "weft_buffer_range", "Count": "weft_count", "Value": "weft_value"}
SCALARS = re.compile(r"(bool|int|size_t|double|float|u?int(8|16|32|64)_t|Vk\w+|PFN_\w+|(const )?void\*|"
                     r"const Vk\w+\*)")


def constants_of(thing):
    """Names and values of a declaration of constants."""
    match = thing.kind == "other" and re.fullmatch(r"(?:inline )?constexpr \w+ (k[A-Z].*);", thing.text)
    return [] if not match else [part.split(" = ", 1) for part in re.split(r", (?=k[A-Z]\w* = )", match.group(1))]


class Types:
    def __init__(self):
        self.enums, self.plain, self.tagged, self.classes = {}, {}, {}, {}

    def find(self, table, name, space):
        """By the name as C++ finds it from a namespace."""
        for depth in range(len(space), -1, -1):
            key = "::".join(space[:depth] + name.split("::"))
            if key in table:
                return table[key]
        return None


class Member:
    """A member in C: declarations, whether it stands for a number, and how it gets into C++."""

    def __init__(self, doc, name, declarations, to_cpp="", default=""):
        self.doc, self.name, self.declarations = doc, name, declarations
        self.to_cpp, self.default = to_cpp, default


def member_of(types, space, doc, text, where, exact_layout):
    """The members of one declaration."""
    if text.startswith("static ") or re.search(r"\boperator==", text):
        return []  # shorthands for what the members say
    if "(" in text and "std::function" not in text:
        if re.match(r"[\w:<>]+ \w+\(.*\) const noexcept", text):
            return []  # of the other members
        raise Refused(f"{where}: '{text}'")
    declaration = text.rstrip(";").strip()
    match = re.fullmatch(
        r"((?:const )?[\w:]+(?:<(?:[^<>]|<[^<>]*>)*>)?\*?) ([\w, ={}~:\"'<>.()*+-]+)", declaration)
    if not match:
        raise Refused(f"{where}: '{text}'")
    kind = match.group(1)
    members = []
    for part in re.split(r", (?=\w+(?: =|$|\{|,))", match.group(2)):
        named = re.fullmatch(r"(\w+)(?:\{(.*)\}| = (.*))?", part)
        if not named:
            raise Refused(f"{where}: '{text}'")
        name, empty, default = named.group(1), named.group(2), named.group(3)
        # What is not a number begins as zero in C.
        zero = default is None or default in ("nullptr", "VK_NULL_HANDLE", "0", "false")

        def plain(condition=True):
            if not zero or empty or not condition:
                raise Refused(f"{where}: the default of '{text}' is not zero")

        if not zero and not exact_layout:
            stated = default.replace("~uint64_t{0}", "UINT64_MAX")
            stated = re.sub(r"uint64_t\{(\w+)\}", r"(uint64_t)\1", stated)
            doc = doc + [f"/// Default: {stated}."]
        c = f"c.{name}"
        cpp = f"to.{name}"
        enum = types.find(types.enums, kind, space)
        if SCALARS.fullmatch(kind):
            members.append(Member(doc, name, [f"{kind} {name};"], f"{cpp} = {c};",
                                  "" if "*" in kind or kind.startswith("PFN_") else f"c.{name} = from.{name};"))
        elif enum is not None and exact_layout:
            members.append(Member(doc + [f"/// A {enum.c}."], name, [f"{enum.base} {name};"]))
        elif enum is not None:
            members.append(Member(
                doc, name, [f"{enum.c} {name};"],
                f'if (Status status = enumerator({c}, {len(enum.items)}, "{name}", {cpp}); !status) return status;',
                f"c.{name} = static_cast<{enum.c}>(from.{name});"))
        elif kind in HAND:
            plain()
            members.append(Member(doc, name, [f"{HAND[kind]} {name};"], f"{cpp} = cpp_of({c});"))
        elif kind == "std::optional<Value>":
            plain()
            members.append(Member(doc + ["/// Null: none."], name, [f"const weft_value* {name};"],
                                  f"if ({c} != nullptr) {cpp} = cpp_of(*{c});"))
        elif kind == "std::optional<KernelSet>":
            plain()
            members.append(Member(doc + ["/// Null: none."], name, [f"const weft_kernel_set* {name};"],
                                  f"if ({c} != nullptr) {cpp} = {c}->value;"))
        elif match := re.fullmatch(r"std::optional<(.+)>", kind):
            plain()
            other = types.find(types.tagged, match.group(1), space)
            if other is not None:
                members.append(Member(
                    doc + ["/// Null: none."], name, [f"const {other.c}* {name};"],
                    f"if ({c} != nullptr) {{\n      {other.cpp} value{{}};\n"
                    f"      if (Status status = read({c}, value); !status) return status;\n"
                    f"      {cpp} = value;\n    }}"))
            elif SCALARS.fullmatch(match.group(1)):
                members.append(Member(doc + ["/// Null: not given."], name, [f"const {match.group(1)}* {name};"],
                                      f"if ({c} != nullptr) {cpp} = *{c};"))
            else:
                raise Refused(f"{where}: '{text}'")
        elif match := re.fullmatch(r"std::array<(\w+), (\d+)>", kind):
            plain()
            if match.group(1) not in HAND:
                raise Refused(f"{where}: '{text}'")
            members.append(Member(doc, name, [f"{HAND[match.group(1)]} {name}[{match.group(2)}];"],
                                  f"for (size_t i = 0; i < {match.group(2)}; ++i) {cpp}[i] = cpp_of({c}[i]);"))
        elif kind in ("std::string", "std::string_view"):
            plain()
            members.append(Member(doc + ["/// Ends with a 0. Null: empty."], name, [f"const char* {name};"],
                                  f"if ({c} != nullptr) {cpp} = {c};"))
        elif kind in ("std::span<const char* const>", "std::vector<std::string>"):
            plain()
            count = re.sub(r"s$", "", name) + "_count"
            how = f"{cpp} = {{{c}, c.{count}}};" if "span" in kind else f"{cpp}.assign({c}, {c} + c.{count});"
            members.append(Member(doc, name, [f"const char* const* {name};", f"uint32_t {count};"],
                                  f"if ({c} != nullptr) {how}"))
        elif match := re.fullmatch(r"std::function<([\w*]+)\((.*)\)>", kind):
            plain()
            result, parameters = match.groups()
            names = [p.split()[-1] for p in filter(None, parameters.split(", "))]
            in_c = ", ".join(["void* user"] + [p.replace("std::string_view ", "const char* ")
                                               for p in filter(None, parameters.split(", "))])
            passed = ", ".join(["user"] + [f"std::string({n}).c_str()" if f"std::string_view {n}" in parameters else n
                                           for n in names])
            members.append(Member(
                doc + ["/// Called with `user`. Null: none."], name, [f"{result} (*{name})({in_c});"],
                f"if ({c} != nullptr)\n      {cpp} = [call = {c}, user = c.user]({parameters}) {{ "
                f"return call({passed}); }};"))
        elif (other := types.find(types.plain, kind, space)) is not None:
            plain()
            members.append(Member(doc, name, [f"{other.c} {name};"], f"{cpp} = std::bit_cast<{other.cpp}>({c});",
                                  f"c.{name} = std::bit_cast<{other.c}>(from.{name});"))
        elif kind.endswith("*") and (other := types.find(types.classes, kind[:-1], space)) is not None:
            plain()  # a class of the caller's, from which C's handle is derived
            members.append(Member(doc, name, [f"{other.c}* {name};"], f"{cpp} = {c};"))
        elif kind.startswith("const ") and kind.endswith("*") and (
                other := types.find(types.plain, kind[6:-1], space)) is not None:
            plain()
            members.append(Member(doc, name, [f"const {other.c}* {name};"],
                                  f"{cpp} = reinterpret_cast<const {other.cpp}*>({c});"))
        else:
            raise Refused(f"{where}: nothing in C stands for '{text}'")
        doc = []
    return members


# ---------------------------------------------------------------- comments


class Comments:
    """Comments with C's names. `space` is the namespace that they are in."""

    def __init__(self, types, constants):
        self.space, self.constants, self.names = [], constants, {}
        for table in (types.enums, types.plain, types.tagged, types.classes):
            self.names.update(table)
        for name, c in {**HAND, "Context": "weft_context", "Gpu": "weft_gpu", "Buffer": "weft_buffer",
                        "KernelSet": "weft_kernel_set", "Loader": "weft_loader",
                        "gstd::Compressor": "weft_gstd_compressor"}.items():
            self.names[name] = Thing("hand", name, [], [])
            self.names[name].c = c
        # Words that are C++'s alone: not 'Count' or 'Type' at the beginning of a sentence.
        self.alone = {key for key, thing in self.names.items()
                      if re.search(r"[a-z0-9][A-Z]", key) or "::" in key or key in types.classes}
        self.name = re.compile(r"(?<![\w:`<./])(?:weft::)?((?:[a-z]+::)?(?:[A-Z]\w*|k[A-Z]\w*))"
                               r"(?:::(\w+)(\(\))?)?(?![\w>]|::)")

    def find(self, table, name):
        for depth in range(len(self.space), -1, -1):
            if (key := "::".join(self.space[:depth] + [name])) in table:
                return key
        return None

    def replace(self, match):
        name, member, call = match.groups()
        if (key := self.find(self.constants, name)) is not None:
            return self.constants[key]
        key = self.find(self.names, name)
        if key is None or (member is None and key not in self.alone):
            return match.group(0)
        thing = self.names[key]
        if member is None:
            return thing.c
        if thing.kind == "enum":
            return f"{thing.c}_{member}".upper()
        if thing.kind == "struct" and not call:
            return f"{thing.c}.{member}"
        if member.startswith("k"):
            return self.constants.get(f"{key}::{member}", match.group(0))
        return f"{thing.c}_{member}" + (call or "")

    def __call__(self, lines, indent=0):
        """Lines keep their breaks, unless one becomes too wide: then its sentence is broken anew."""
        groups = []
        for line in lines:
            body = self.name.sub(self.replace, line[4:] if line.startswith("/// ") else line[3:])
            body = body.replace(".maximum()", ".maximum")
            lead = len(body) - len(body.lstrip())
            goes_on = (groups and groups[-1][-1] and body and lead < 4 and not body.lstrip().startswith("- ")
                       and not groups[-1][-1].endswith((".", ":")))
            if goes_on:
                groups[-1].append(body)
            else:
                groups.append([body])
        out = []
        for group in groups:
            lead = len(group[0]) - len(group[0].lstrip())
            if lead >= 4 or all(len(body) + indent + 4 <= WIDTH for body in group):
                out += [" " * indent + f"/// {body}".rstrip() for body in group]
                continue
            hang = " " * (lead + 2 if group[0].lstrip().startswith("- ") else lead)
            out += textwrap.wrap(" ".join(body.strip() for body in group), WIDTH,
                                 initial_indent=" " * indent + "/// " + " " * lead,
                                 subsequent_indent=" " * indent + "/// " + hang, break_long_words=False,
                                 break_on_hyphens=False)
        return "".join(f"{line}\n" for line in out)


# ---------------------------------------------------------------- writing


class Writer:
    def __init__(self, folder):
        self.folder = folder
        self.headers = {path.name: read_header(path) for path in sorted(folder.glob("*.hpp"))
                        if path.name not in ("version.hpp",)}
        self.primitives = [name for name in self.headers
                           if re.search(r"Status record\(VkCommandBuffer", (folder / name).read_text("utf-8"))
                           and name != "loader.hpp"]
        if not self.primitives:
            raise Refused("no header declares a primitive")
        self.types = Types()
        for name, things in self.headers.items():
            for thing in things:
                key = "::".join(thing.space + [thing.name])
                if thing.kind == "enum":
                    self.types.enums[key] = thing
                elif thing.kind == "class":
                    self.types.classes[key] = thing
                elif thing.kind == "struct":
                    tagged = re.search(r"(Config|Args)$", thing.name) or thing.name in (
                        "EnabledFeatures", "LoaderDevice")
                    (self.types.tagged if tagged else self.types.plain)[key] = thing
        self.constants = {}  # of C++ to those of C
        for things in self.headers.values():
            for thing in things:
                for name, _ in constants_of(thing):
                    macro = "_".join(["weft"] + thing.space + [snake(name[1:])]).upper()
                    self.constants["::".join(thing.space + [name])] = macro
                if thing.kind == "class":
                    for name in re.findall(r"static constexpr \w+ k(\w+) =", "\n".join(thing.body)):
                        self.constants[f"{thing.name}::k{name}"] = f"{thing.c}_{snake(name)}".upper()
        self.comment = Comments(self.types, self.constants)
        self.structs = []   # C++ of the conversions
        self.source = []    # C++ of the functions
        self.nulls = []     # C of the test
        self.handles = []   # C++ of the handles

    # -- parts of the header

    def enum(self, thing):
        out = [self.comment(thing.doc), f"typedef enum {thing.c} {{\n"]
        for number, (name, doc, after) in enumerate(thing.items):
            out.append(self.comment(doc + ([f"/// {after}"] if after else []), 2))
            out.append(f"  {thing.c}_{name} = {number},\n".upper())
        out.append(f"  {thing.c.upper()}_MAX_ENUM = 0x7fffffff\n")
        out.append(f"}} {thing.c};\n")
        last = thing.items[-1][0]
        self.structs.append(f"static_assert(static_cast<int>({thing.cpp}::{last}) == {len(thing.items) - 1});\n")
        return "".join(out)

    def name_function(self, thing):
        self.source.append(
            f"const char* {thing.c}_name({thing.c} value) {{\n"
            f"  return is_enumerator(value, {len(thing.items)}) ? name_of(static_cast<{thing.cpp}>(value)) : nullptr;\n"
            f"}}\n")
        self.nulls.append(f"  named({thing.c}_name(({thing.c})0), {thing.c}_name(({thing.c}){len(thing.items)}));\n")
        return (f"/// The enumerator's name, e.g. \"{thing.items[0][0]}\". Null if there is no such one.\n"
                f"WEFT_API const char* {thing.c}_name({thing.c} value);\n")

    def members(self, thing, exact_layout, without=()):
        found = []
        for doc, text in split_members(thing.body, thing.where):
            if any(re.search(rf"\b{name}\b *(?:=|\{{|;)", text) for name in without):
                continue
            found += member_of(self.types, thing.space, doc, text, thing.where, exact_layout)
        return found

    def fields(self, members):
        out = ""
        for member in members:
            out += self.comment(member.doc, 2)
            out += "".join(f"  {declaration}\n" for declaration in member.declarations)
        return out

    def plain(self, thing):
        """A struct with the layout of C++: passed as it is."""
        members = self.members(thing, True)
        out = self.comment(thing.doc) + f"typedef struct {thing.c} {{\n{self.fields(members)}}} {thing.c};\n"
        self.structs.append(f"static_assert(sizeof({thing.c}) == sizeof({thing.cpp}));\n")
        for member in members:
            self.structs.append(f"static_assert(offsetof({thing.c}, {member.name}) == "
                                f"offsetof({thing.cpp}, {member.name}));\n")
        return out

    def tagged(self, thing, without=()):
        """A struct that begins with its size."""
        members = self.members(thing, False, without)
        fields = self.fields(members)
        if "void* user" in fields:
            fields += "  /// Passed to the functions above.\n  void* user;\n"
        out = (self.comment(thing.doc) + f"typedef struct {thing.c} {{\n"
               f"  /// sizeof({thing.c}). {thing.c}_init() sets it.\n  size_t struct_size;\n{fields}}} {thing.c};\n"
               f"/// Sets all members to their defaults.\n"
               f"WEFT_API void {thing.c}_init_sized({thing.c}* to, size_t struct_size);\n"
               f"#define {thing.c}_init(to) {thing.c}_init_sized((to), sizeof(*(to)))\n")
        names = ["struct_size"] + [re.search(r"(\w+)(\[\d+\])?;$|\(\*(\w+)\)", declaration).group(1) or
                                   re.search(r"\(\*(\w+)\)", declaration).group(1)
                                   for member in members for declaration in member.declarations]
        if "void* user" in fields:
            names.append("user")
        ends = ", ".join(f"WEFT_END({thing.c}, {name})" for name in names)
        to_cpp = "".join(f"    {member.to_cpp}\n" for member in members)
        defaults = "".join(f"    {member.default}\n" for member in members if member.default)
        of_c = f"{thing.c}& c" if defaults else f"{thing.c}&"
        of_from = f"const {thing.cpp}& from" if defaults else f"const {thing.cpp}&"
        unnamed = "" if to_cpp else "[[maybe_unused]] "
        self.structs.append(
            f"template <>\nstruct Tagged<{thing.c}> {{\n  using Cpp = {thing.cpp};\n"
            f'  static constexpr const char* kName = "{thing.c}";\n'
            f"  static constexpr size_t kEnds[] = {{{ends}}};\n"
            f"  static void defaults({of_c}, {of_from}) {{\n{defaults}  }}\n"
            f"  static Status convert({unnamed}const {thing.c}& c, {unnamed}Cpp& to) {{\n{to_cpp}    return {{}};\n"
            f"  }}\n}};\n\n")
        self.source.append(f"void {thing.c}_init_sized({thing.c}* to, size_t struct_size) "
                           f"{{ init_sized(to, struct_size); }}\n")
        self.nulls.append(f"  {thing.c}_init_sized(NULL, 0);\n")
        return out

    def constant(self, key, value, doc):
        in_c = re.sub(r"\b(u?int\d+_t)\{(\w+)\}", r"(\1)\2", value)
        if not re.fullmatch(r"[-\dxa-fu <+*]+", re.sub(r"\(u?int\d+_t\)", "", in_c)):
            raise Refused(f"{key}: the value '{value}'")
        self.structs.append(f"static_assert({self.constants[key]} == weft::{key});\n")
        return self.comment(doc) + f"#define {self.constants[key]} ({in_c})\n"

    def constants_in(self, thing):
        out, doc = "", thing.doc
        for name, value in constants_of(thing):
            out += self.constant("::".join(thing.space + [name]), value, doc)
            doc = []
        return out

    def function(self, declaration, body, doc, null_call=None):
        if len("WEFT_API " + declaration) >= WIDTH:
            lead, parameters = declaration.split("(", 1)
            first = f"WEFT_API {lead}("
            text = textwrap.fill("WEFT_API " + declaration + ";", WIDTH, subsequent_indent=" " * len(first),
                                 break_long_words=False)
        else:
            text = f"WEFT_API {declaration};"
        self.source.append(f"{declaration} {body}\n")
        if null_call:
            self.nulls.append(f"  {null_call}\n")
        return self.comment(doc) + text + "\n"

    def methods(self, thing):
        """The class of a primitive."""
        c, cpp = thing.c, thing.cpp
        self.handles.append(f"struct {c} {{\n  {cpp} value;\n}};\n")
        out = self.comment(thing.doc) + f"typedef struct {c} {c};\n"
        self.comment.space = thing.space + [thing.name]
        variable = snake(thing.name)
        seen = set()
        for doc, text in split_members(thing.body, thing.where):
            where = f"{thing.where}: {thing.name}: '{text}'"
            if match := re.fullmatch(r"static constexpr (\w+) (k\w+) = (.+);", text):
                out += self.constant(f"{thing.name}::{match.group(2)}", match.group(3), doc)
                continue
            if match := re.fullmatch(
                    r"static Result<(\w+)> create\(const Context& context, const (\w+)& config(?: = \{\})?\) noexcept;",
                    text):
                config = self.types.find(self.types.tagged, match.group(2), thing.space)
                if match.group(1) != thing.name or config is None:
                    raise Refused(where)
                seen.add("create")
                out += self.function(
                    f"weft_status {c}_create(const weft_context* context, const {config.c}* config, "
                    f"{c}** {variable}, weft_error* error)",
                    f"{{\n  return create(context, config, {variable}, error);\n}}", doc,
                    f"refused({c}_create(NULL, NULL, NULL, &error), &error);")
                out += self.function(f"void {c}_destroy({c}* {variable})", f"{{ delete {variable}; }}",
                                     ["/// Takes null too."], f"{c}_destroy(NULL);")
                continue
            match = re.fullmatch(r"([\w:]+) (\w+)\((.*)\) const noexcept;", text)
            if not match:
                raise Refused(where)
            result, name, parameters = match.groups()
            if name == "record":
                match = re.fullmatch(r"VkCommandBuffer commands, (?:std::span<const (\w+)> (\w+), )?const (\w+)& args",
                                     parameters)
                args = match and self.types.find(self.types.tagged, match.group(3), thing.space)
                if result != "Status" or not args:
                    raise Refused(where)
                seen.add("record")
                if match.group(1) is None:
                    out += self.function(
                        f"weft_status {c}_record(const {c}* {variable}, VkCommandBuffer commands, "
                        f"const {args.c}* args, weft_error* error)",
                        f"{{\n  return record({variable}, commands, args, error);\n}}", doc,
                        f"refused({c}_record(NULL, NULL, NULL, &error), &error);")
                else:
                    item = self.types.find(self.types.plain, match.group(1), thing.space)
                    if item is None:
                        raise Refused(where)
                    some = match.group(2)
                    out += self.function(
                        f"weft_status {c}_record_{some}(const {c}* {variable}, VkCommandBuffer commands, "
                        f"const {item.c}* {some}, size_t {some}_count, const {args.c}* args, weft_error* error)",
                        f"{{\n  return record({variable}, commands, args, error, "
                        f"std::span(reinterpret_cast<const {item.cpp}*>({some}), {some}_count));\n}}", doc,
                        f"refused({c}_record_{some}(NULL, NULL, NULL, 0, NULL, &error), &error);")
                continue
            # A query.
            in_c, passed, null, checks = [], [], [], ""
            for parameter in filter(None, parameters.split(", ")):
                if match := re.fullmatch(r"(uint(?:32|64)_t) (\w+)", parameter):
                    in_c.append(parameter)
                    passed.append(match.group(2))
                    null.append("0")
                elif match := re.fullmatch(r"const (\w+)& (\w+)", parameter):
                    item = self.types.find(self.types.plain, match.group(1), thing.space)
                    if item is None:
                        raise Refused(where)
                    in_c.append(f"const {item.c}* {match.group(2)}")
                    passed.append(f"std::bit_cast<{item.cpp}>(*{match.group(2)})")
                    checks += f" || {match.group(2)} == nullptr"
                    null.append("NULL")
                else:
                    raise Refused(where)
            enum = self.types.find(self.types.enums, result, thing.space)
            if enum is None and not SCALARS.fullmatch(result):
                raise Refused(where)
            in_c_result = enum.c if enum else result
            value = f"{variable}->value.{name}({', '.join(passed)})"
            if any(f"{c}_{name}" == other.c for other in self.types.enums.values()):
                name = f"get_{name}"
            value = f"static_cast<{in_c_result}>({value})" if enum else value
            out += self.function(
                f"{in_c_result} {c}_{name}({', '.join([f'const {c}* {variable}'] + in_c)})",
                f"{{\n  return {variable} == nullptr{checks} ? {in_c_result}{{}} : {value};\n}}", doc,
                f"zero((uint64_t){c}_{name}({', '.join(['NULL'] + null)}));")
        for name in ("create", "record"):
            if name not in seen:
                raise Refused(f"{thing.where}: {thing.name} has no {name}")
        self.comment.space = thing.space
        return out

    def primitive(self, header, template):
        """A whole header."""
        out = ""
        self.comment.space = []
        named = {match.group(1) for thing in self.headers[header] if thing.kind == "other"
                 for match in [re.fullmatch(r"const char\* name_of\((\w+) \w+\) noexcept;", thing.text)] if match}
        for thing in self.headers[header]:
            if thing.kind == "enum":
                out += self.enum(thing)
                if thing.name in named:
                    out += self.name_function(thing)
            elif thing.kind == "class":
                out += self.methods(thing)
            elif thing.kind == "struct":
                key = "::".join(thing.space + [thing.name])
                if key in self.types.tagged:
                    out += self.tagged(thing)
                elif any("std::vector" in line for line in thing.body):
                    self.by_hand(thing.c, template, thing.where)
                else:
                    out += self.plain(thing)
            elif re.fullmatch(r"const char\* name_of\(\w+ \w+\) noexcept;", thing.text):
                continue
            elif constants_of(thing):
                out += self.constants_in(thing)
            elif match := re.match(r"[\w:<>]+ (\w+)\(", thing.text):
                self.by_hand("weft_" + match.group(1), template, thing.where)
                continue
            else:
                raise Refused(f"{thing.where}: '{thing.text}'")
            out += "\n"
        return out

    @staticmethod
    def by_hand(name, template, where):
        if not re.search(rf"\b{name}\b", template):
            raise Refused(f"{where}: weft.h.in does not have {name}")

    # -- the template

    def pick(self, header, name):
        for thing in self.headers[header]:
            if "::".join(thing.space + [thing.name]) == name and thing.kind != "other":
                return thing
        raise Refused(f"{header} has no {name}")

    def fill(self, template):
        def directive(match):
            verb, rest = match.group(1), match.group(2).split()
            if verb == "status":
                codes = self.pick("status.hpp", "ErrorCode")
                self.structs.append(f"static_assert(static_cast<int>(ErrorCode::{codes.items[-1][0]}) + 1 == "
                                    f"WEFT_{codes.items[-1][0].upper()});\n")
                return "typedef enum weft_status {\n  WEFT_SUCCESS = 0,\n" + "".join(
                    self.comment(doc + [f"/// {after}"], 2) + f"  WEFT_{name.upper()} = {number},\n"
                    for number, (name, doc, after) in enumerate(codes.items, 1)) + (
                        "  WEFT_STATUS_MAX_ENUM = 0x7fffffff\n} weft_status;\n")
            if verb == "primitives":
                return "".join(self.primitive(header, template) for header in self.ordered())
            header = rest[0]
            if verb == "constants":
                self.comment.space = next(thing.space for thing in self.headers[header] if constants_of(thing))
                return "".join(self.constants_in(thing) for thing in self.headers[header])
            name, without = rest[1], rest[3:] if rest[2:3] == ["without"] else []
            thing = self.pick(header, name)
            self.comment.space = thing.space
            if verb == "enum":
                out = self.enum(thing)
                if re.search(rf"const char\* name_of\({thing.name} \w+\) noexcept;",
                             (self.folder / header).read_text("utf-8").replace("WEFT_API ", "")):
                    out += self.name_function(thing)
                return out
            return self.plain(thing) if verb == "plain" else self.tagged(thing, without)
        return re.sub(r"^@(primitives|status|constants|enum|plain|tagged)\b *(.*)@\n", directive, template,
                      flags=re.MULTILINE)

    def ordered(self):
        """Headers after those that they include."""
        done, out = set(), []

        def visit(header):
            if header in done or header not in self.headers:
                return
            done.add(header)
            for other in re.findall(r"#include <weft/(\w+\.hpp)>", (self.folder / header).read_text("utf-8")):
                visit(other)
            if header in self.primitives:
                out.append(header)
        for header in self.primitives:
            visit(header)
        return out


def null_calls_of(header):
    """A call with null and zeros of each function of weft.h.in, as Writer.nulls has them of the others."""
    calls = ""
    for result, name, parameters in re.findall(r"^WEFT_API (.+?)\b(weft_\w+)\(([^)]*)\);", header, re.MULTILINE):
        values = ["&error" if parameter.strip() == "weft_error* error" else "0"
                  for parameter in parameters.split(",") if parameter.strip() != "void"]
        call = f"{name}({', '.join(values)})"
        calls += f"  fails({call});\n" if result == "weft_status " else f"  (void){call};\n"
    return calls


def cdef_of(header):
    """The header as cffi takes it: declarations alone, with Vulkan's types that they take."""
    text = re.sub(r"^.*?/// begin\n(.*)/// end\n.*$", r"\1", header, flags=re.DOTALL)
    text = re.sub(r"static inline [^;{]*\{.*?\n\}\n", "", text, flags=re.DOTALL)
    text = re.sub(r"//.*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"^#.*$\n", "", text, flags=re.MULTILINE).replace("WEFT_API ", "")
    text = re.sub(r"\n\s*\n+", "\n", text)
    # Handles are pointers where cffi loads this: on systems of 64 bits.
    vulkan = ""
    for name in sorted(set(re.findall(r"\bPFN_\w+|\bVk[A-Z]\w+", text))):
        if name in ("VkDeviceSize", "VkDeviceAddress"):
            vulkan += f"typedef uint64_t {name};\n"
        elif name.startswith("PFN_"):
            vulkan += f"typedef void (*{name})(void);\n"
        elif re.search(rf"\b{name}\*", text):
            vulkan += f"typedef struct {name} {name};\n"
        elif name in ("VkFormat", "VkImageLayout", "VkImageAspectFlags"):
            vulkan += f"typedef uint32_t {name};\n"
        elif name in ("VkOffset3D", "VkExtent3D"):
            vulkan += f"typedef struct {{ int32_t x, y, z; }} {name};\n"
        else:
            vulkan += f"typedef struct {name}_T* {name};\n"
    return vulkan + text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--headers", type=pathlib.Path, required=True)
    parser.add_argument("--template", type=pathlib.Path, required=True)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    options = parser.parse_args()
    try:
        writer = Writer(options.headers)
        template = options.template.read_text("utf-8")
        header = writer.fill(template)
    except Refused as why:
        sys.exit(f"translate.py: {why}")
    note = "// SPDX-License-Identifier: MIT OR Apache-2.0\n// Made by src/c/translate.py of include/weft.\n"
    includes = "".join(f"#include <weft/{name}>\n" for name in sorted(writer.ordered() + ["gpu.hpp", "loader.hpp"]))
    files = {
        "weft/weft.h": header,
        "handles.hpp": f"{note}#pragma once\n{includes}#include <weft/weft.h>\n\n" + "".join(writer.handles),
        "structs.hpp": f"{note}#pragma once\n#include \"c/convert.hpp\"\n\nnamespace weft::c {{\n\n"
                       + "".join(writer.structs) + "}  // namespace weft::c\n",
        "primitives.cpp": f"{note}#include \"handles.hpp\"\n#include \"structs.hpp\"\n#include \"c/calls.hpp\"\n\n"
                          "using namespace weft::c;\n\n" + "".join(writer.source),
        "null_calls.h": f"{note}static void null_calls(void) {{\n"
                        + "".join(writer.nulls) + null_calls_of(template) + "}\n",
        "weft_cdef.h": cdef_of(header),
    }
    for name, text in files.items():
        path = options.output / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
