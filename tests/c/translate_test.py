# SPDX-License-Identifier: MIT OR Apache-2.0
"""src/c/translate.py refuses what it does not understand, by header and text, and translates one more primitive.

    translate_test.py <sources> <empty directory>
"""
import pathlib
import shutil
import subprocess
import sys

sources, work = map(pathlib.Path, sys.argv[1:])
headers = work / "headers"
failures = []


def translate(change):
    """What the program says with the headers as `change(headers)` leaves them; and the C header, if it made one."""
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(sources / "include/weft", headers)
    change(headers)
    done = subprocess.run([sys.executable, sources / "src/c/translate.py", "--headers", headers, "--template",
                           sources / "src/c/weft.h.in", "--output", work / "made"], capture_output=True, text=True)
    made = work / "made/weft/weft.h"
    return done.returncode, done.stderr, made.read_text("utf-8") if done.returncode == 0 else ""


def replace(header, old, new):
    def change(folder):
        text = (folder / header).read_text("utf-8")
        if old not in text:
            failures.append(f"{header} has no '{old}'")
        (folder / header).write_text(text.replace(old, new, 1), "utf-8")
    return change


def expect_refusal(change, *words):
    code, said, _ = translate(change)
    if code == 0 or not all(word in said for word in words) or "Traceback" in said:
        failures.append(f"expected a refusal with {words}, got {code}: {said}")


for declaration in ("std::map<int, int> table;", "Unknown kind;", "uint32_t* counter;", "Count many = 3;",
                    "std::optional<KernelCode> code;", "union { int a; };"):
    expect_refusal(replace("scan.hpp", "  Count count;\n", f"  Count count;\n  {declaration}\n"), "scan.hpp",
                   declaration)
query = "  uint32_t tile_items() const noexcept;\n"
for declaration in ("std::string words() const noexcept;", "uint32_t tile_of(const Unknown& one) const noexcept;",
                    "void change() noexcept;", "Status record(VkCommandBuffer commands, int args) const noexcept;"):
    expect_refusal(replace("scan.hpp", query, f"{query}  {declaration}\n"), "scan.hpp", declaration)
end = "}  // namespace weft"
for declaration, word in (("Result<uint64_t> scans_of(const Scan& scan) noexcept;", "weft_scans_of"),
                          ("using Scans = Scan;", "using Scans = Scan;"),
                          ("inline constexpr uint32_t kScans = sizeof(Scan);", "sizeof(Scan)")):
    expect_refusal(replace("scan.hpp", end, f"{declaration}\n\n{end}"), word)
expect_refusal(replace("scan.hpp", "static Result<Scan> create(", "static Result<Scan> make("), "scan.hpp")
expect_refusal(lambda folder: [path.unlink() for path in folder.glob("*.hpp") if "record(" in path.read_text("utf-8")],
               "no header declares a primitive")


def one_more(folder):
    text = (folder / "scan.hpp").read_text("utf-8").replace("ScanKind", "OneMoreKind").replace("Scan", "OneMore")
    (folder / "one_more.hpp").write_text(text, "utf-8")


code, said, header = translate(one_more)
for name in ("weft_one_more_create(", "weft_one_more_record(", "weft_one_more_config_init(", "WEFT_ONE_MORE_KIND_"):
    if name not in header:
        failures.append(f"one more primitive has no {name}: {said}")
for text in ("/// Default: WEFT_ONE_MORE_KIND_EXCLUSIVE.", "/// Default: (uint64_t)256 << 20.",
             "/// Default: UINT64_MAX.", "/// - See also: weft_scan_by_key"):
    if text not in header:
        failures.append(f"the header's comments lack '{text}'")

shutil.rmtree(work, ignore_errors=True)
if failures:
    sys.exit("\n".join(failures))
