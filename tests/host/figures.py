#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Tests of what decides whether a figure is stale: what scripts/strip.py leaves of a source, scripts/figures.py and
scripts/figures.sh in a project whose commands take no time, and scripts/docs.py on a copy of the pages. Prints TAP."""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "scripts"))
sys.dont_write_bytecode = True

import strip  # noqa: E402

# Names, and sources that say the same.
SAME = [
    ("a.rs", "fn a() {}\n", "// x\n\n/// y\nfn a() {} // z\n//! w\n/* a /* nested */ b */\n"),
    ("a.rs", "let a = 'x'; let b: &'a str;\n", "let a = 'x'; let b: &'a str; // 'y\n"),
    ("a.rs", "let a = r#\"\"//\"#;\n", "let a = r#\"\"//\"#; // \"\n"),
    ("a.rs", "let a = b'\"'; b();\n", "let a = b'\"'; b(); // \"\n"),
    ("a.rs", "let a = '\\'';\n", "let a = '\\''; // '\n"),
    ("a.c", "int a; int b;\n", "/* x\n * y */\nint a; int b; // z \\\nstill z\n\n"),
    ("a.h", "char a = '\"'; int b;\n", "char a = '\"'; /* \" */ int b;\n".replace("/* \" */ ", "") + "/* \" */\n"),
    ("a.sh", "a=1\nb \"$x\"\n", "#!/bin/sh\n# x\n\na=1 # y\n\tb \"$x\" # \"\n".replace("\tb", "b")),
    ("a.sh", "echo ${#a} $# \"$(b \"c\")\"\n", "echo ${#a} $# \"$(b \"c\" # d\n)\" # e\n".replace(" # d\n", "")),
    ("a.sh", "case $a in\nb) c ;; esac\n", "case $a in # x\n# y\nb) c ;; esac\n"),
    ("a.sh", "cat <<END\n# kept\n\n  x\nEND\nb\n", "cat <<END # gone\n# kept\n\n  x\nEND\n# gone\nb\n"),
    ("a.sh", "a=$((1 << 2))\nb\n", "a=$((1 << 2)) # x\nb # y\n"),
    ("init", "mount a\n", "#!/bin/busybox sh\n# x\nmount a\n"),
    ("a.py", "a = 1\n", '"""Doc."""\n# x\na = 1  # y\n'),
    ("a.py", "def a():\n    return '# x'\n", 'def a():\n    """Doc # x."""\n\n    return \'# x\'  # y\n'),
    ("Kconfig", "config A\n\tbool \"a\"\nconfig B\n", "# x\nconfig A\n\tbool \"a\"\n\thelp\n\t  Text.\n\n\t  More # text.\nconfig B # y\n"),
    ("a.config", "CONFIG_A=y\n", "# x\nCONFIG_A=y\n\n"),
    ("Makefile", "a := b\n", "# x\na := b # y\n"),
    ("a.patch", "--- a/x.c\n+++ b/x.c\n@@ -1,2 +1,3 @@\n int a;\n+int b;\n int c;\n",
     "Text.\n\ndiff --git a/x.c b/x.c\n--- a/x.c\n+++ b/x.c\n@@ -7,2 +9,5 @@ int f()\n int a;\n+/* x */\n+int b; // y\n+\n int c;\n-- \n2.50\n"),
    ("a.patch", "--- a/x.c\n+++ b/x.c\n@@ -1 +1,2 @@\n */\n+int b;\n", "--- a/x.c\n+++ b/x.c\n@@ -1 +1,3 @@\n */\n+/* x */\n+int b;\n"),
    ("a.patch", "--- a/x.c\n+++ b/x.c\n@@ -1 +1,2 @@\n * x\n+ * y\n  */\n int a;\n", "--- a/x.c\n+++ b/x.c\n@@ -1 +1,2 @@\n * x\n+ * z\n  */\n int a;\n"),
]
# Sources that differ in what matters.
DIFFER = [
    ("a.rs", 'let a = "// x";\n', 'let a = "// y";\n'),
    ("a.rs", 'let a = "/*"; b(); // */\n', 'let a = "/*"; c(); // */\n'),
    ("a.rs", 'let a = r#"" // x"#;\n', 'let a = r#"" // y"#;\n'),
    ("a.rs", "let a = '\"'; b(\"// x\");\n", "let a = '\"'; b(\"// y\");\n"),
    ("a.rs", "fn a<'a>(b: &'a u8) { c('\"') } // \"\nd\n", "fn a<'a>(b: &'a u8) { c('\"') } // \"\ne\n"),
    ("a.rs", 'let a = "b\n\nc";\n', 'let a = "b\nc";\n'),
    ("a.rs", "a /* */ b\n", "ab\n"),
    ("a.c", 'a = "/* x */";\n', 'a = "/* y */";\n'),
    ("a.c", "a = '\"'; b = \"// x\";\n", "a = '\"'; b = \"// y\";\n"),
    ("a.c", "#define A 1\n", "#define A 2\n"),
    ("a.sh", "a '# x'\n", "a '# y'\n"),
    ("a.sh", "a \"\n# x\n\"\n", "a \"\n# y\n\"\n"),
    ("a.sh", "a=${b#c}\n", "a=${b#d}\n"),
    ("a.sh", "a=b#c\n", "a=b#d\n"),
    ("a.sh", "cat <<-'END'\n\t# x\n\tEND\n", "cat <<-'END'\n\t# y\n\tEND\n"),
    ("a.sh", "a \"$(b '# x')\"\n", "a \"$(b '# y')\"\n"),
    ("a.sh", "a 'b\n\nc'\n", "a 'b\nc'\n"),
    ("a.py", "a = '# x'\n", "a = '# y'\n"),
    ("a.py", "a(\n'# x')\n", "a(\n'# y')\n"),
    ("a.py", 'a = """b\n\nc"""\n', 'a = """b\nc"""\n'),
    ("Kconfig", "config A\n\thelp\n\t  x\n\tdepends on B\n", "config A\n\thelp\n\t  x\n\tdepends on C\n"),
    ("a.config", "# CONFIG_A is not set\n", "\n"),
    ("Makefile", "a := '#x'\n", "a := '#y'\n"),
    ("a.patch", "--- a/x.c\n+++ b/x.c\n@@ -1 +1,2 @@\n a;\n+b;\n", "--- a/x.c\n+++ b/x.c\n@@ -1 +1,2 @@\n a;\n+c;\n"),
    ("a.patch", "--- a/x.c\n+++ b/x.c\n@@ -1,2 +1 @@\n a;\n-b;\n", "--- a/x.c\n+++ b/x.c\n@@ -1,2 +1 @@\n a;\n-c;\n"),
    ("a.bin", "# x\n", "# y\n"),
]


def pairs(what, same):
    wrong = [(name, one, other) for name, one, other in what if (strip.code(name, one) == strip.code(name, other)) != same]
    return "\n".join(f"{name}: {strip.code(name, one)!r} and {strip.code(name, other)!r}" for name, one, other in wrong)


def whole_tree():
    """No comment is left in this project's sources, and no file is left as it is for not being understood."""
    wrong = []
    for folder in "rust", "samples", "include", "bench", "scripts", "tests":
        for path in (TOP / folder).rglob("*"):
            if path.suffix not in (".rs", ".c", ".h", ".sh") or "target" in path.parts:
                continue
            if "SPDX-License-Identifier" in strip.code(path.name, path.read_text(encoding="utf-8")):
                wrong.append(str(path.relative_to(TOP)))
    return "\n".join(wrong)


class Project:
    """A repository with three commands. Each notes in build/ran that it ran, and fails as long as build/fail has its name."""

    PAGE = "# A page\n\n" + "".join(f"<!-- OUTPUT OF make {name}: BEGIN -->\n<!-- OUTPUT OF make {name}: END -->\n\n" for name in ("alpha", "beta", "gamma"))
    TABLE = "count alpha docs/page.md RUNS=2: src/\ncount beta docs/page.md: src/b.c\n\tlib/*.sh\nverdict gamma docs/page.md: src/\n"
    MAKEFILE = "export FIGURES VERDICTS RUNS\nalpha beta gamma:\n\t@sh command.sh $@\nfigures:\n\t@bash scripts/figures.sh\n"
    COMMAND = """echo $1 >>build/ran
[ ! -e build/edit ] || { cat build/edit >>src/b.c; rm build/edit; }
if grep -q -s $1 build/fail; then
	echo "over the limit" | python3 scripts/figures.py put $1 failed
	exit 1
fi
{ cat src/b.c; echo runs ${RUNS:-2}; } | python3 scripts/figures.py put $1
"""

    def __init__(self, folder):
        self.top = pathlib.Path(folder)
        for name in "scripts", "docs", "src", "lib", "build/log":
            (self.top / name).mkdir(parents=True)
        for name in "figures.py", "strip.py", "figures.sh", "lib.sh":
            shutil.copy(TOP / "scripts" / name, self.top / "scripts")
        for name, text in (("scripts/enter.sh", '#!/bin/sh\nexec "$@"\n'), ("scripts/docs.py", ""),
                           ("scripts/figures.txt", self.TABLE), ("docs/page.md", self.PAGE), ("Makefile", self.MAKEFILE),
                           ("command.sh", self.COMMAND), ("src/a.rs", "fn a() {}\n"), ("src/b.c", "int b;\n"), ("lib/c.sh", "c\n"),
                           (".gitignore", "build/\n")):
            self.put(name, text)
        (self.top / "scripts/enter.sh").chmod(0o755)
        self.git("init", "-q")
        self.commit()

    def put(self, name, text):
        (self.top / name).write_text(text, encoding="utf-8")

    def get(self, name):
        return (self.top / name).read_text(encoding="utf-8")

    def add(self, name, text):
        self.put(name, self.get(name) + text)

    def run(self, *command, **variables):
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.top), "ZSWAP_RS_CACHE": str(self.top / "build"), **variables}
        done = subprocess.run(command, cwd=self.top, env=environment, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def git(self, *command):
        status, said = self.run("git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main", *command)
        assert status == 0, said
        return said.strip()

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "x")
        return self.git("rev-parse", "--short", "HEAD")

    def check(self):
        return self.run("python3", "scripts/figures.py", "check")

    def figures(self, **variables):
        """Runs make figures: its status, what ran, what it said."""
        (self.top / "build/ran").write_text("")
        status, said = self.run("make", "-s", "figures", **variables)
        return status, self.get("build/ran").split(), said


def expect(got, want):
    return "" if got == want else f"got {got}, want {want}"


def measured(project):
    """A project, all counts of which are measured."""
    status, ran, said = project.figures()
    return "" if (status, ran) == (0, ["alpha", "beta"]) else f"status {status}, ran {ran}:\n{said}"


def first_run(project):
    commit = project.git("rev-parse", "--short", "HEAD")
    if problem := measured(project):
        return problem
    page = project.get("docs/page.md")
    if f"Measured by `make alpha RUNS=2` at `{commit}`, 20" not in page or "with changes" in page:
        return page
    project.put("docs/page.md", re.sub(r"<!-- OUTPUT OF make gamma: \w+ -->\n", "", page))
    project.put("scripts/figures.txt", project.TABLE.replace("verdict gamma docs/page.md: src/\n", ""))
    return expect(project.check(), (0, ""))


def same_after(project, changes, want):
    measured(project)
    project.figures(VERDICTS="1")
    project.commit()
    for name, text in changes:
        project.add(name, text)
    status, said = project.check()
    stale = [re.sub(r" since \w+.*", "", line) for line in said.splitlines()]
    return expect((status, stale), (0, want))


def comments(project):
    return same_after(project, [("src/a.rs", "// x\n\n/* y */\n"), ("src/b.c", "\n/* x */\n"), ("lib/c.sh", "# x\n"), ("Makefile", "x:\n"),
                                ("docs/page.md", "x\n")], [])


def code(project):
    project.put("src/new.rs", "// x\n")  # of which nothing is left
    return same_after(project, [("src/a.rs", "fn b() {}\n"), ("src/new.rs", "fn c() {}\n")], [
        "stale: docs/page.md: make alpha: 2 files changed", "stale: docs/page.md: make gamma: 2 files changed"])


def sections(project):
    """Of a file with sections, those of other commands don't count; of the table, the command's guests."""
    project.put("scripts/alpha.sh", "a\n# --- beta, gamma ---\nb\n# --- Steps ---\nc\n# --- alpha ---\nd\n")
    project.add("scripts/figures.txt", "guest alpha 1 1: a\nguest beta 1 1: b\n")
    measured(project)
    for name, was, now, want in (("alpha.sh", "b\n", "x\n", 0), ("alpha.sh", "c\n", "x\n", 1), ("alpha.sh", "d\n", "x\n", 1),
                                 ("figures.txt", "beta 1 1: b", "beta 1 1: x", 0), ("figures.txt", "alpha 1 1: a", "alpha 1 1: x", 1)):
        text = project.get(f"scripts/{name}")
        project.put(f"scripts/{name}", text.replace(f"\n{was}" if was[1:] == "\n" else was, f"\n{now}" if was[1:] == "\n" else now))
        found = project.check()[1].count("make alpha: ")
        project.put(f"scripts/{name}", text)
        if found != want:
            return f"{name}: {was!r}: {found} stale"
    return ""


def only_stale(project):
    commit = project.git("rev-parse", "--short", "HEAD")
    measured(project)
    project.commit()
    project.add("lib/c.sh", "d\n")
    later = project.commit()
    status, said = project.check()
    if f"stale: docs/page.md: make beta: 1 file changed since {commit}\n" not in said:
        return f"status {status}: {said}"
    status, ran, _ = project.figures()
    page = project.get("docs/page.md")
    return expect((status, ran, f"make beta` at `{later}`, " in page, f"make alpha RUNS=2` at `{later}`" in page), (0, ["beta"], True, False))


def by_hand(project):
    measured(project)
    project.put("docs/page.md", project.get("docs/page.md").replace("int b;\nruns 2", "int b;\nruns 3", 1))
    status, said = project.check()
    if status != 1 or "docs/page.md: the block of make alpha was changed by hand" not in said or "make beta was" in said:
        return f"status {status}: {said}"
    status, ran, _ = project.figures()
    return expect((status, ran, "runs 3" in project.get("docs/page.md")), (0, [], False))


def rows_beside(project):
    """A file of rows belongs to the block: it is stored and restored with it, and a change by hand fails."""
    project.put("scripts/figures.txt", project.TABLE.replace("beta docs/page.md", "beta docs/page.md docs/beta.tsv"))
    project.put("command.sh", project.COMMAND.replace("{ cat src/b.c", """[ $1 != beta ] || exec python3 -c '
import sys; sys.path.insert(0, "scripts"); import figures
figures.table()["beta"].put(["a block"], False, "name\\t1\\n")'
{ cat src/b.c"""))
    if problem := measured(project):
        return problem
    block, rows = project.get("docs/page.md"), project.get("docs/beta.tsv")
    if problem := expect((rows, "beta" in project.check()[1]), ("name\t1\n", False)):
        return problem
    project.put("docs/beta.tsv", "name\t2\n")
    status, said = project.check()
    if status != 1 or "the block of make beta or docs/beta.tsv was changed by hand" not in said:
        return f"status {status}: {said}"
    status, ran, said = project.figures()
    return expect((status, ran, project.get("docs/beta.tsv"), project.get("docs/page.md") == block), (0, [], rows, True))


def other_commit_by_hand(project):
    measured(project)
    project.put("docs/page.md", re.sub(r"at `\w+`", "at `0123456`", project.get("docs/page.md"), count=1))
    return expect("changed by hand" in project.check()[1], True)


def interrupted(project):
    project.put("build/fail", "beta")
    status, ran, said = project.figures()
    if (status != 0, ran) != (True, ["alpha", "beta"]) or "beta failed" not in said:
        return f"status {status}, ran {ran}: {said}"
    status, said = project.check()
    if status != 1 or "make beta failed when it measured this" not in said:
        return f"status {status}: {said}"
    # The pages as they were, too: what was measured is still there.
    project.git("checkout", "-q", "docs")
    (project.top / "build/fail").unlink()
    status, ran, said = project.figures()
    return expect((status, ran, "alpha ... kept" in said), (0, ["beta"], True))


def killed(project):
    """A command that is killed has written nothing: what ended before it isn't measured again."""
    project.put("command.sh", 'if [ $1 = beta ] && [ ! -e build/second ]; then : >build/second; kill -9 $PPID; exit 1; fi\n' + project.COMMAND)
    status, ran, _ = project.figures()
    if (status != 0, ran) != (True, ["alpha"]):
        return f"status {status}, ran {ran}"
    return expect(project.figures()[:2], (0, ["beta"]))


def meanwhile(project):
    project.put("build/edit", "int c;\n")
    status, ran, said = project.figures()
    if status == 0 or said.count("changed meanwhile") != 1:
        return f"status {status}, ran {ran}: {said}"
    return expect(project.figures()[:2], (0, ["alpha"]))


def with_changes(project):
    project.add("src/a.rs", "fn b() {}\n")
    measured(project)
    page = project.get("docs/page.md")
    return expect((re.findall(r"make (\w+)[^`]*` at `\w+` with changes", page), project.check()[1].count("stale")), (["alpha"], 0))


def quick_look(project):
    measured(project)
    project.run("make", "alpha", "RUNS=1")
    status, said = project.check()
    if "stale: docs/page.md: make alpha: measured with RUNS=1\n" not in said:
        return f"status {status}: {said}"
    return expect(project.figures()[:2], (0, []))  # what was measured before is in build


def verdicts(project):
    status, ran, said = project.figures(VERDICTS="1")
    if (status, ran) != (0, ["alpha", "beta", "gamma"]):
        return f"status {status}, ran {ran}: {said}"
    project.commit()
    project.add("src/a.rs", "fn b() {}\n")
    project.add("src/b.c", "int c;\n")
    project.run("python3", "scripts/figures.py", "refresh")
    if not re.search(r"make gamma` at `\w+`, [\d-]+; 2 files changed since\.\n", project.get("docs/page.md")):
        return project.get("docs/page.md")
    project.put("src/new.rs", "fn c() {}\n")
    status, said = project.check()
    if status or "make gamma: 3 files changed since" not in said or "(the page has another number" not in said:
        return f"status {status}: {said}"
    return expect(project.figures()[:2], (0, ["alpha", "beta"]))


def no_commit(project):
    """In a clone that lacks the commit, it is stale all the same."""
    measured(project)
    project.add("src/b.c", "int c;\n")
    shutil.rmtree(project.top / ".git")
    status, said = project.check()
    return expect((said.count("stale: "), "make alpha: files changed since" in said), (2, True))


def beside(project):
    """Rows beside the page are put with the block, found if changed by hand, restored with it, and amended."""
    project.put("scripts/figures.txt", project.TABLE.replace("alpha docs/page.md", "alpha docs/page.md docs/alpha.tsv"))
    project.put("command.sh", project.COMMAND.replace("echo runs", "printf 'a\\tb\\n'; echo runs"))
    if problem := measured(project):
        return problem
    if problem := expect((project.get("docs/alpha.tsv"), project.get("docs/page.md").count("a\tb")), ("a\tb\n", 1)):
        return problem
    project.add("docs/alpha.tsv", "c\td\n")
    status, said = project.check()
    if status != 1 or "docs/page.md: the block of make alpha or docs/alpha.tsv was changed by hand" not in said:
        return f"status {status}: {said}"
    if problem := expect((project.figures()[1], project.get("docs/alpha.tsv")), ([], "a\tb\n")):
        return problem
    project.add("src/a.rs", "fn b() {}\n")
    project.run("bash", "-c", "printf 'x\\ne\\tf\\n' | python3 scripts/figures.py amend alpha")
    page = project.get("docs/page.md")
    well = "BEGIN -->\nx\n\nMeasured by `make alpha RUNS=2` at" in page and "; 1 file changed since.\n" in page
    return expect((well, project.get("docs/alpha.tsv"), "by hand" in project.check()[1]), (True, "e\tf\n", False))


def guests(project):
    """Of an interrupted measurement, the guests that have ended don't run again."""
    shutil.copy(TOP / "scripts/measure.sh", project.top / "scripts")
    for name, text in (("initramfs.sh", ""), ("kernel.sh", "#!/bin/sh\n"), ("measure.py", ""), ("figures.txt", project.TABLE + 'guest alpha 2 9: one "$n"\n'),
                       ("vm.sh", """#!/bin/bash
run=${2#alpha-}
echo "${run/-/}" >>build/ran
[ "$*" = "-n alpha-$IMPL-${run#*-} one ${run#*-}" ] || exit 1
[ $run != rust-2 ] || [ -e build/well ] || exit 1
echo counted >build/alpha/${run/-/.}.counts
printf '%s\\t%s\\n' "$IMPL" "${run#*-}"
""")):
        project.put(f"scripts/{name}", text)
        (project.top / "scripts" / name).chmod(0o755)

    def rows(files):
        (project.top / "build/ran").write_text("")
        status, _ = project.run("bash", "scripts/measure.sh", "alpha", FIGURES_FILES=files, JOBS="1")
        return status, project.get("build/ran").split(), sorted(path.name for path in (project.top / "build/alpha").glob("c.*"))

    if problem := expect(rows("a")[:2], (1, ["c1", "rust1", "c2", "rust2"])):
        return problem
    (project.top / "build/well").touch()
    every = ["c.1", "c.1.counts", "c.1.err", "c.2", "c.2.counts", "c.2.err"]
    if problem := expect(rows("a"), (0, ["rust2"], [name for name in every if not name.endswith("err")])):
        return problem
    for files in "b", "":
        if problem := expect(rows(files), (0, ["c1", "rust1", "c2", "rust2"], every)):
            return problem
    return ""


def released(project):
    """make release keeps how each command ended, and runs only those that did not pass with this code."""
    mark = "<!-- MADE BY make release: "
    project.put("docs/testing.md", f"{mark}BEGIN -->\n{mark}END -->\n")
    project.add("scripts/figures.txt", "run delta MINUTES=2: src/\nrun omega: lib/*.sh\n")
    project.add("Makefile", "delta omega:\n\t@echo $@ $(MINUTES) >>build/ran; if grep -q -s $@ build/fail; then echo bad; exit 1; fi; "
                "[ ! -e build/edit ] || { cat build/edit >>src/b.c; rm build/edit; }; echo well\n"
                "release:\n\t@bash scripts/figures.sh release\n")
    commit = project.commit()

    def release(**variables):
        (project.top / "build/ran").write_text("")
        status, _ = project.run("make", "-s", "release", **variables)
        return status == 0, project.get("build/ran").split("\n")[:-1], [line.split("\t")[5] for line in project.get("docs/release.tsv").splitlines()[1:]]

    project.put("build/fail", "delta")
    if problem := expect(release(ONLY="delta omega", MINUTES="9"), (False, ["delta 2", "omega"], ["failed: bad", "well"])):
        return problem
    status, said = project.check()
    if status != 1 or "docs/release.tsv: make delta failed: bad" not in said:
        return f"status {status}: {said}"
    (project.top / "build/fail").unlink()
    if problem := expect(release(ONLY="delta omega"), (True, ["delta 2"], ["well", "well"])):
        return problem
    page = project.get("docs/testing.md")
    if not re.search(rf"\| `make delta MINUTES=2` \| well \| \d+ \| `{commit}`, 20", page) or "since" in page:
        return page
    project.put("docs/testing.md", page.replace("omega` | well", "omega` | better"))
    if problem := expect("the table of make release differs" in project.check()[1], True):
        return problem
    project.add("lib/c.sh", "# a comment\n")
    project.add("src/a.rs", "fn b() {}\n")
    status, said = project.check()
    if f"make delta: 1 file changed since {commit}" not in said or "make omega: " in said:
        return f"status {status}: {said}"
    if problem := expect(release(), (True, ["delta 2", "alpha", "beta", "gamma"], ["well", "well"])):
        return problem
    if f"| `{commit} with changes`, 20" not in project.get("docs/testing.md"):
        return project.get("docs/testing.md")
    project.add("src/a.rs", "fn c() {}\n")
    project.put("build/edit", "int c;\n")
    if problem := expect(release(ONLY="delta"), (False, ["delta 2"], ["failed: its sources changed meanwhile", "well"])):
        return problem
    for variables, want in (({"ONLY": "none"}, "ONLY=none is unknown: use delta omega"), ({"SEED": "1"}, "SEED is not for make release")):
        status, said = project.run("make", "-s", "release", **variables)
        if not status or want not in said:
            return f"{variables}: status {status}: {said}"
    return ""


class Pages:
    """A copy of README.md and docs; everything else is the project's."""

    def __init__(self, folder):
        self.top = pathlib.Path(folder)
        for path in TOP.iterdir():
            if path.name not in ("README.md", "docs", ".git"):
                (self.top / path.name).symlink_to(path)
        shutil.copytree(TOP / "docs", self.top / "docs")
        self.put("README.md", "a <!--= mutants -->x<!--/-->, <!--= stack.rust -->y<!--/-->\n\n<!-- FIGURES: BEGIN -->\n<!-- FIGURES: END -->\n")

    def put(self, name, text):
        (self.top / name).write_text(text, encoding="utf-8")

    def readme(self, *arguments):
        done = subprocess.run(["python3", "scripts/docs.py", "readme", *arguments], cwd=self.top, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr


def filled(pages):
    patches = (TOP / "tests/mutants").glob("*.patch")
    mutants = sum(len(re.findall("^mutant: ", patch.read_text(encoding="utf-8"), re.M)) for patch in patches)
    status, said = pages.readme()
    readme = (pages.top / "README.md").read_text(encoding="utf-8")
    if status or f"--= mutants -->{mutants}<!--/-->" not in readme or "| [Instructions]" not in readme:
        return f"status {status}: {said}{readme}"
    if problem := expect(pages.readme("check"), (0, "")):
        return problem
    for was, by_hand_now, want in ((f">{mutants}<", f">{mutants + 1}<", f"mutants is {mutants}, not {mutants + 1}"),
                                   ("swap-out of *text*", "swap-out of *any text*", "the table of figures differs"),
                                   ("--= mutants", "--= mutant", "there is no figure 'mutant'"),
                                   ("<!--/-->,", ",", "a mark without its end")):
        pages.put("README.md", readme.replace(was, by_hand_now, 1))
        status, said = pages.readme("check")
        if status != 1 or want not in said:
            return f"{by_hand_now}: status {status}: {said}"
    pages.put("README.md", readme)
    page = (pages.top / "docs/performance.md").read_text(encoding="utf-8")
    pages.put("docs/performance.md", re.sub(r"(\*\*largest chain\*\* \| \d+ \| )\d+", r"\g<1>12345", page))
    status, said = pages.readme("check")
    if status != 1 or "stack.rust is 12345" not in said or "docs/performance.md: the table of figures differs" not in said:
        return f"another source: status {status}: {said}"
    pages.put("docs/performance.md", page)
    rows = (pages.top / "docs/bench.tsv").read_text(encoding="utf-8")
    pages.put("docs/bench.tsv", re.sub(r"(in zswap\t4\ttext\t[\d.]+\t)[\d.]+", r"\g<1>99999.0", rows, count=1))
    status, said = pages.readme("check")
    return "" if status == 1 and "README.md: the table of figures differs" in said else f"other rows: status {status}: {said}"


POINTS = [
    ("strip: comments, blank lines and docstrings go", None, lambda: pairs(SAME, True)),
    ("strip: strings, here-documents and code stay", None, lambda: pairs(DIFFER, False)),
    ("strip: every source of the project is understood", None, whole_tree),
    ("make figures measures every count, at the commit that is here", Project, first_run),
    ("a comment or a blank line makes no figure stale", Project, comments),
    ("a changed and a new file are counted, and fail nothing", Project, code),
    ("a section of another command makes no figure stale, and its own guests do", Project, sections),
    ("only what is stale is measured", Project, only_stale),
    ("a block changed by hand fails, and is restored", Project, by_hand),
    ("rows beside the page changed by hand fail, and are restored", Project, rows_beside),
    ("a commit changed by hand fails", Project, other_commit_by_hand),
    ("rows beside the page belong to their block", Project, beside),
    ("a command that fails stops no other, and what succeeded isn't measured again", Project, interrupted),
    ("after a kill, what was measured isn't measured again", Project, killed),
    ("guests that have ended don't run again", Project, guests),
    ("a source that changes while its figures are measured makes them stale", Project, meanwhile),
    ("figures of a changed tree say so, and are fresh", Project, with_changes),
    ("figures of fewer runs are stale", Project, quick_look),
    ("verdicts are measured on request, and say how many files have changed", Project, verdicts),
    ("without the commit a figure is stale all the same", Project, no_commit),
    ("make release runs what did not pass with this code, and keeps how it ended", Project, released),
    ("readme: filled in; changes by hand and of a source fail", Pages, filled),
]


def run(point):
    _, scene, test = point
    if not scene:
        return test()
    with tempfile.TemporaryDirectory() as folder:
        return test(scene(folder))


def main():
    print(f"1..{len(POINTS)}")
    bad = False
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        problems = pool.map(run, POINTS)
    for n, ((name, _, _), problem) in enumerate(zip(POINTS, problems), 1):
        bad |= bool(problem)
        print(f"{'not ok' if problem else 'ok'} {n} - {name}", flush=True)
        for line in problem.splitlines():
            print(f"# {line}")
    return bad


if __name__ == "__main__":
    sys.exit(main())
