#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Runs asset_viewer with a window on a virtual display, and looks at the display: the sheet, as in the file; the same
made smaller with the window; closed by Escape, by the window's manager, and after a number of frames.

  window_test.py PROGRAM FILE.wad SHEET.png      exits with 77 if there is no virtual display
"""
import ctypes
import ctypes.util
import os
import shutil
import subprocess
import sys
import time

LIMIT = 60  # seconds for each thing to happen


def library(name):
    path = ctypes.util.find_library(name)
    if path is None:
        skip(f"lib{name} is not installed")
    return ctypes.CDLL(path)


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


class PngImage(ctypes.Structure):  # png_image
    _fields_ = [("opaque", ctypes.c_void_p)] + [
        (name, ctypes.c_uint32)
        for name in ("version", "width", "height", "format", "flags", "colormap_entries", "warning_or_error")
    ] + [("message", ctypes.c_char * 64)]


def read_png(path):
    """Width, height, and the bytes of BGRA."""
    png = library("png16")
    image = PngImage(version=1)
    assert png.png_image_begin_read_from_file(ctypes.byref(image), path.encode()), image.message
    image.format = 0x13  # BGR, alpha last
    pixels = ctypes.create_string_buffer(4 * image.width * image.height)
    assert png.png_image_finish_read(ctypes.byref(image), None, pixels, 0, None), image.message
    return image.width, image.height, pixels.raw


class XImage(ctypes.Structure):  # its beginning
    _fields_ = [(name, ctypes.c_int) for name in ("width", "height", "xoffset", "format")] + [
        ("data", ctypes.c_void_p)
    ] + [
        (name, ctypes.c_int)
        for name in ("byte_order", "unit", "bit_order", "pad", "depth", "bytes_per_line", "bits_per_pixel")
    ]


class XEvent(ctypes.Union):
    class Key(ctypes.Structure):
        _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int),
                    ("display", ctypes.c_void_p), ("window", ctypes.c_ulong), ("root", ctypes.c_ulong),
                    ("subwindow", ctypes.c_ulong), ("time", ctypes.c_ulong)] + [
                        (name, ctypes.c_int) for name in ("x", "y", "x_root", "y_root")
                    ] + [("state", ctypes.c_uint), ("keycode", ctypes.c_uint), ("same_screen", ctypes.c_int)]

    class Message(ctypes.Structure):
        _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int),
                    ("display", ctypes.c_void_p), ("window", ctypes.c_ulong), ("kind", ctypes.c_ulong),
                    ("format", ctypes.c_int), ("data", ctypes.c_long * 5)]

    _fields_ = [("key", Key), ("message", Message), ("room", ctypes.c_long * 24)]


class Display:
    def __init__(self, name):
        self.x = library("X11")
        for function in ("XOpenDisplay", "XDefaultRootWindow", "XGetImage", "XInternAtom"):
            getattr(self.x, function).restype = ctypes.c_void_p
        self.display = ctypes.c_void_p(self.x.XOpenDisplay(name.encode()))
        assert self.display, f"the display {name} cannot be opened"
        self.root = ctypes.c_ulong(self.x.XDefaultRootWindow(self.display))

    def window(self, title):
        """The child of the root that has the title."""
        first, second, children = ctypes.c_ulong(), ctypes.c_ulong(), ctypes.POINTER(ctypes.c_ulong)()
        count = ctypes.c_uint()
        self.x.XQueryTree(self.display, self.root, ctypes.byref(first), ctypes.byref(second), ctypes.byref(children),
                          ctypes.byref(count))
        found = None
        for child in children[:count.value]:
            name = ctypes.c_char_p()
            if self.x.XFetchName(self.display, ctypes.c_ulong(child), ctypes.byref(name)) and name.value == title:
                found = ctypes.c_ulong(child)
        if count.value:
            self.x.XFree(children)
        return found

    def picture(self, width, height):
        """The bytes of BGRX at the top left of the display."""
        image = ctypes.cast(ctypes.c_void_p(self.x.XGetImage(self.display, self.root, 0, 0, width, height,
                                                            ctypes.c_ulong(0xffffffff), 2)), ctypes.POINTER(XImage))
        assert image and image.contents.bits_per_pixel == 32
        rows = [ctypes.string_at(image.contents.data + y * image.contents.bytes_per_line, 4 * width)
                for y in range(height)]
        self.x.XDestroyImage(image)
        return b"".join(rows)

    def resize(self, window, width, height):
        self.x.XMoveResizeWindow(self.display, window, 0, 0, width, height)
        self.x.XSync(self.display, 0)

    def send(self, window, event):
        self.x.XSendEvent(self.display, window, 0, ctypes.c_long(0), ctypes.byref(event))
        self.x.XSync(self.display, 0)

    def press_escape(self, window):
        event = XEvent()
        event.key = XEvent.Key(type=2, window=window, root=self.root, same_screen=1,
                               keycode=self.x.XKeysymToKeycode(self.display, ctypes.c_ulong(0xff1b)))
        self.send(window, event)

    def close(self, window):
        atom = lambda name: self.x.XInternAtom(self.display, name, 0)
        event = XEvent()
        event.message = XEvent.Message(type=33, window=window, kind=atom(b"WM_PROTOCOLS"), format=32)
        event.message.data[0] = atom(b"WM_DELETE_WINDOW")
        self.send(window, event)


def until(what, happened):
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        result = happened()
        if result:
            return result
        time.sleep(0.1)
    sys.exit(f"in {LIMIT} seconds it was not so: {what}")


def colours(pixels):
    return [pixels[i::4] for i in range(3)]


def half_of(width, height, pixels):
    """What a picture of half the size must be near to: of each two by two pixels the mean."""
    planes = []
    for plane in colours(pixels):
        rows = [plane[y * width:(y + 1) * width] for y in range(height)]
        planes.append(b"".join(
            bytes((a + b + c + d) >> 2 for a, b, c, d in zip(up[0::2], up[1::2], low[0::2], low[1::2]))
            for up, low in zip(rows[0::2], rows[1::2])))
    return planes


def is_near(picture, planes):
    return all(max(abs(a - b) for a, b in zip(seen, expected)) <= 2 for seen, expected in zip(colours(picture), planes))


def main(program, wad, sheet):
    if shutil.which("Xvfb") is None:
        skip("Xvfb is not installed")
    read_end, write_end = os.pipe()
    server = subprocess.Popen(["Xvfb", "-displayfd", str(write_end), "-screen", "0", "1600x4000x24"],
                              pass_fds=[write_end], stderr=subprocess.DEVNULL)
    os.close(write_end)
    viewer = None
    try:
        name = ":" + os.read(read_end, 16).decode().strip()
        display = Display(name)

        def start(*frames):
            return subprocess.Popen([program, wad, sheet, "window", *frames],
                                    env={**os.environ, "DISPLAY": name, "WAYLAND_DISPLAY": ""}, stdout=subprocess.PIPE)

        def end(what):
            output = viewer.communicate(timeout=LIMIT)[0]
            assert viewer.returncode == 0 and output.startswith(b"drawn as packed: "), (what, viewer.returncode, output)

        viewer = start()
        window = until("there is a window", lambda: display.window(b"asset_viewer") or viewer.poll() is not None)
        assert viewer.poll() is None, "the viewer has ended"
        width, height, pixels = read_png(sheet)
        display.resize(window, width, height)
        expected = colours(pixels)
        until("the window shows the sheet", lambda: colours(display.picture(width, height)) == expected)
        display.resize(window, width // 2, height // 2)
        half = half_of(width, height, pixels)
        until("the smaller window shows all of it", lambda: is_near(display.picture(width // 2, height // 2), half))
        display.press_escape(window)
        end("Escape")
        viewer = start()
        display.close(until("there is a window", lambda: display.window(b"asset_viewer")))
        end("the window's manager")
        viewer = start("3")
        end("three frames")
    finally:
        if viewer is not None and viewer.poll() is None:
            viewer.kill()
        server.terminate()
        server.wait()
    print("shown as drawn, at two sizes, and closed in three ways")


if __name__ == "__main__":
    main(*sys.argv[1:])
