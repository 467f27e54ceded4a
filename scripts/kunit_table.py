#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The suites that kunit.py ran, from its JSON: how many cases of each passed on each machine.

Fails if a case of a suite fails or is skipped, if a suite of this project ran nowhere, or if a suite ran on one
machine and not on another. Lists a case that one machine has and another lacks: Kconfig leaves it out there.
usage: kunit_table.py "SUITE..." build/kunit/um build/kunit/x86_64
"""
import json
import pathlib
import sys


def results(file):
    """{suite: {case: status}} of a run; none if it has no results."""
    try:
        groups = json.loads(file.read_text())["sub_groups"]
    except (OSError, ValueError, KeyError):
        return {}
    return {group["name"]: {case["name"]: case["status"] for case in group["test_cases"]} for group in groups}


def cell(cases):
    if cases is None:
        return "didn't run"
    passed = sum(status == "PASS" for status in cases.values())
    bad = [f"{sum(status == word for status in cases.values())} {said}"
           for word, said in (("FAIL", "failed"), ("ERROR", "crashed"), ("SKIP", "skipped"))
           if word in cases.values()]
    return ", ".join([f"{passed} passed", *bad])


def main():
    wanted = set(sys.argv[1].split())
    ran = {pathlib.Path(arg).name: results(pathlib.Path(arg + ".json")) for arg in sys.argv[2:]}
    others = sorted({name for suites in ran.values() for name in suites} - wanted)
    wrong = []
    if not ran:
        sys.exit("zswap_rs: kunit: no machine to run on")
    width = max(map(len, [*wanted, *others, "suite"]))
    print(f"{'suite':{width}}  " + "  ".join(f"{arch:>24}" for arch in ran))
    for name in [*sorted(wanted), *others]:
        print(f"{name:{width}}  " + "  ".join(f"{cell(suites.get(name)):>24}" for suites in ran.values()))
    for name in sorted(wanted):
        for arch, suites in ran.items():
            if not suites.get(name):
                wrong.append(f"{name} didn't run on {arch}")
    for arch, suites in ran.items():
        for name, cases in suites.items():
            wrong += [f"{name}.{case} {status.lower()} on {arch}" for case, status in cases.items() if status != "PASS"]
    for name in sorted(wanted):
        cases = {arch: set(suites.get(name) or ()) for arch, suites in ran.items()}
        for arch, has in cases.items():
            for case in sorted(set().union(*cases.values()) - has):
                if has:
                    print(f"not on {arch}: {name}.{case}")
    total = sum(len(cases) for suites in ran.values() for cases in suites.values())
    passed = sum(status == "PASS" for suites in ran.values() for cases in suites.values() for status in cases.values())
    skipped = sum(status == "SKIP" for suites in ran.values() for cases in suites.values() for status in cases.values())
    print(f"{passed} passed, {total - passed - skipped} failed, {skipped} skipped")
    if wrong:
        sys.exit("zswap_rs: kunit: " + "; ".join(wrong[:8]) + ("; ..." if len(wrong) > 8 else ""))


main()
