#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Makes one static site of the tree's pages, examples and figures, and of doxygen's pages of the public headers.

    site.py SOURCE OUTPUT

A complaint of doxygen's is an error. So is a file or an anchor that is not there: every link of every page is followed.
Needs Python-Markdown (Debian: python3-markdown)."""
import html
import html.parser
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse

import markdown

pages = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/*.md", "docs/performance/*.md", "docs/decisions/*.md",
         "third_party/README.md", "bench/peers/README.md", "bench/results/README.md"]
style = """
:root { color-scheme: light dark; --line: #8884; --soft: #8881; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 64rem; padding: 1rem; }
nav { border-bottom: 1px solid var(--line); padding-bottom: .5rem; display: flex; flex-wrap: wrap; gap: .2rem 1rem; }
pre { background: var(--soft); padding: .8rem; overflow-x: auto; font-size: 14px; }
code { font-family: ui-monospace, monospace; } :not(pre) > code { background: var(--soft); padding: 0 .2em; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
td, th { border: 1px solid var(--line); padding: .2rem .6rem; vertical-align: top; text-align: left; }
img { max-width: 100%; background: #fff; }
"""
menu = [("weft", "index.html"), ("Integration", "docs/integration.html"), ("API", "api/index.html"),
        ("Architecture", "docs/architecture.html"), ("Performance", "docs/performance/README.html"),
        ("Devices", "docs/devices.html"), ("Gstd", "docs/gstd-format.html"), ("Loader", "docs/loader.html"),
        ("Examples", "examples/index.html"), ("Decisions", "docs/decisions/index.html"),
        ("Changes", "CHANGELOG.html")]


def slug_of(title, separator):
    """As GitHub makes anchors of headings."""
    text = re.sub(r"[^\w\- ]", "", title.strip().lower())
    return text.replace(" ", separator)


class Site:
    def __init__(self, source, output):
        self.source, self.output = source, output
        shutil.rmtree(output, ignore_errors=True)
        output.mkdir(parents=True)
        settings = f'@INCLUDE = docs/Doxyfile\nOUTPUT_DIRECTORY = "{output}"\nHTML_OUTPUT = api\n'
        if subprocess.run(["doxygen", "-"], input=settings, text=True, cwd=source).returncode != 0:
            sys.exit("doxygen has complaints")
        for folder in ("docs/figures",):
            shutil.copytree(source / folder, output / folder)
        self.pages = [path for pattern in pages for path in sorted(source.glob(pattern))]
        self.shown = set()

    def write(self, name, title, body):
        path = self.output / name
        path.parent.mkdir(parents=True, exist_ok=True)
        up = "../" * name.count("/")
        links = " ".join(f'<a href="{up}{to}">{word}</a>' for word, to in menu)
        path.write_text(f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}'
                        f'</title><meta name="viewport" content="width=device-width">'
                        f'<link rel="stylesheet" href="{up}style.css"></head>\n<body><nav>{links}</nav>\n{body}\n'
                        f"</body></html>\n")

    def page_name(self, path):
        name = path.relative_to(self.source).as_posix()
        return "index.html" if name == "README.md" else re.sub(r"\.md$", ".html", name)

    def target(self, page, link):
        """Where a link of a Markdown page leads to on the site."""
        if re.match(r"[a-z]+:|#", link):
            return link
        address, _, anchor = link.partition("#")
        path = (page.parent / urllib.parse.unquote(address)).resolve()
        up = "../" * page.relative_to(self.source).as_posix().count("/")
        name = path.relative_to(self.source).as_posix()
        if path in self.pages:
            name = self.page_name(path)
        elif path.is_dir():
            name = {"include/weft": "api/files.html"}.get(name) or self.show_folder(path)
        elif not name.startswith("docs/figures/"):
            name = self.show(path)
        return up + name + ("#" + anchor if anchor else "")

    def show(self, path):
        """A page of a file that is linked and is no page itself."""
        name = path.relative_to(self.source).as_posix()
        if path not in self.shown and path.is_file():
            self.shown.add(path)
            text = html.escape(path.read_text())
            self.write(name + ".html", name, f"<h1>{name}</h1>\n<pre><code>{text}</code></pre>")
        return name + ".html"

    def show_folder(self, path):
        name = path.relative_to(self.source).as_posix()
        if path not in self.shown:
            self.shown.add(path)
            entries = []
            for file in sorted(path.iterdir()):
                if file.is_file() and file.suffix in (".md", ".cpp", ".hpp", ".c", ".py", ".glsl", ".csv", ".txt"):
                    at = self.page_name(file) if file in self.pages else self.show(file)
                    entries.append(f'<li><a href="{pathlib.PurePosixPath(at).name}">{file.name}</a></li>')
            self.write(name + "/index.html", name, f"<h1>{name}</h1>\n<ul>{''.join(entries)}</ul>")
        return name + "/index.html"

    def make(self):
        (self.output / "style.css").write_text(style)
        for page in self.pages:
            text = page.read_text()
            # Lists that follow a paragraph at once, as CommonMark has them.
            text = re.sub(r"(?m)^(?! *[-|>#]| *\d+\.)(\S.*)\n(?=- |\d+\. )", r"\1\n\n", text)
            body = markdown.markdown(text, extensions=["tables", "fenced_code", "toc", "sane_lists"],
                                     extension_configs={"toc": {"slugify": slug_of}})
            body = re.sub(r'(href|src)="([^"]+)"',
                          lambda m: f'{m[1]}="{html.escape(self.target(page, html.unescape(m[2])))}"', body)
            title = re.search(r"^# (.*)", text, re.M)
            self.write(self.page_name(page), title[1] if title else "weft", body)
        for folder in ("examples", "docs/decisions"):
            self.show_folder(self.source / folder)

    def check(self):
        ids, links = {}, []

        class Reader(html.parser.HTMLParser):
            def handle_starttag(self, tag, attributes):
                found = dict(attributes)
                ids[page].update(word for word in (found.get("id"), found.get("name")) if word)
                links.extend((page, found[key]) for key in ("href", "src") if found.get(key))

        for page in sorted(self.output.rglob("*.html")):
            ids[page] = set()
            Reader().feed(page.read_text())
        dead = []
        for page, link in links:
            address, _, anchor = link.partition("#")
            if re.match(r"[a-z]+:", address):
                continue
            path = (page.parent / urllib.parse.unquote(address)).resolve() if address else page
            if not path.is_file() or anchor and path in ids and urllib.parse.unquote(anchor) not in ids[path]:
                dead.append(f"{page.relative_to(self.output)}: {link}")
        return len(ids), len(links), sorted(set(dead))


site = Site(*(pathlib.Path(argument).resolve() for argument in sys.argv[1:3]))
site.make()
count, links, dead = site.check()
if dead:
    sys.exit("dead links:\n" + "\n".join(dead))
print(f"{count} pages, {links} links, none dead: {site.output / 'index.html'}")
