# SPDX-License-Identifier: GPL-2.0
"""Tests build/compare.html in Chromium, from disk: each item of each view, links, search, keys, both widths, light and dark, print.
Pictures of the views are left in build/compare. Prints TAP; ends with "N passed, N failed, 0 skipped"."""

import base64
import itertools
import json
import pathlib
import re
import sys
import time

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

PAGE, PICTURES = pathlib.Path("build/compare.html").resolve(), pathlib.Path("build/compare")
VIEWS = {"functions": "zswap_load", "boundary": "boundary", "races": "races", "atomics": "atomics"}
results = []


def point(name, ok, more=""):
    results.append(bool(ok))
    print(f"{'ok' if ok else 'not ok'} {len(results)} {name}" + ("" if ok else f": {more}"), flush=True)


def main():
    options = webdriver.ChromeOptions()
    for argument in "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars":
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService("/usr/bin/chromedriver"))
    PICTURES.mkdir(exist_ok=True)

    def go(name):
        driver.get(f"{PAGE.as_uri()}#{name}")
        return text()

    def text():
        return driver.find_element(By.TAG_NAME, "main").text

    def shown():
        return driver.execute_script("return [...document.querySelectorAll('aside li')].filter(row => !row.hidden).map(row => row.textContent)")

    def press(keys):
        driver.find_element(By.TAG_NAME, "main").send_keys(keys)

    def title():
        return driver.execute_script("return document.querySelector('h1').textContent.trim()")

    def becomes(wanted):
        """Whether the title becomes this, within some seconds: what a key does is asynchronous."""
        end = time.time() + 10
        while title() != wanted and time.time() < end:
            time.sleep(0.05)
        return title() == wanted

    def resize(width):
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500})

    resize(1280)
    go("zswap_load")
    data = json.loads(driver.execute_script("return document.getElementById('data').textContent"))
    point("a function by its name: the C and the Rust", title() == "zswap_load" and "int zswap_load(struct folio *folio)" in text() and "extern \"C\" fn zswap_load" in text(), title())
    go("decompress")
    point("an item of Rust by its name", title() == "zswap_decompress", title())

    empty = []
    for group in data["groups"]:
        for item in group["items"]:
            key = item["name"] if group["path"] in ("mm/zswap.c", "mm/swap_state.c") and item["name"] != "the rest" else f"{group['path']} {item['name']}"
            go(f"functions/{key}")
            figures = driver.find_elements(By.CSS_SELECTOR, ".both figure pre.code > span")
            if title() != item["name"] or not figures or not item["rust"] and not driver.find_elements(By.CSS_SELECTOR, ".both .empty"):
                empty.append(key)
    point("each item shows its C, and its Rust or why there is none", not empty, empty)
    empty = [entry["name"] for entry in data["entries"] if "claim to check" not in go(f"boundary/{entry['name']}")]
    empty += [n for n, row in enumerate(data["calls"]) if row[1][:20] not in go(f"boundary/c-{n}")]
    point("each function of the boundary", not empty, empty)
    if data["runs"]:
        empty = [run["name"] for run in data["runs"] if "the test" not in go(f"races/{run['name']}")]
        point("each race has the column of the test", not empty, empty)
        held = [run["name"] for run in data["runs"] if any(step[2].startswith("is held") for step in run["steps"])]
        columns = {name: (go(f"races/{name}"), len(driver.find_elements(By.CSS_SELECTOR, ".steps th")))[1] for name in held}
        point("a race in which a task is held has a column for it", held and all(count > 2 for count in columns.values()), columns)
    else:
        point("without a log the view says which command writes one", "make races" in go("races"))
    point("each atomic has its reason", "no reason" not in go("atomics") and all(use[6] for use in data["atomics"]))

    broken = []
    for name in "zswap_store", "boundary", "boundary/zswap_store", "atomics", "functions/rust":
        go(name)
        for hash_ in driver.execute_script("return [...document.querySelectorAll('main a[href^=\"#\"]')].slice(0, 400).map(a => decodeURI(a.hash.slice(1)))"):
            if found := re.match(r"file/(.*)/(\d+)$", hash_):
                if found[1] not in data["files"] or int(found[2]) > len(data["files"][found[1]]["lines"]):
                    broken.append(hash_)
    point("links lead to lines that are there", not broken, broken[:5])
    missing = sorted({link for link in driver.execute_script("""return data.groups.flatMap(group => group.items).flatMap(item =>
        [...(item.difference + item.where).matchAll(/href="([^"#]+)/g)].map(found => found[1]))""") if not (PAGE.parent / link).exists()})
    point("links to pages lead to files", not missing, missing)
    go("file/samples/rust/zswap_rs/load.rs/20")
    point("a line of a file is marked, and in sight", driver.execute_script("const box = document.getElementById('here').getBoundingClientRect(); return box.top > 0 && box.bottom < innerHeight"))
    go("zswap_load")
    point("unsafe blocks and SAFETY comments are marked", driver.find_elements(By.CSS_SELECTOR, "pre.code .u") and driver.find_elements(By.CSS_SELECTOR, "pre.code .s"))
    for summary in driver.find_elements(By.TAG_NAME, "summary"):
        summary.click()
    point("folded parts open", "must not compile" in text() and "int zswap_load" in text() and len(driver.find_elements(By.CSS_SELECTOR, "details figure")) > 3)

    all_rows = len(shown())
    press("/")
    driver.switch_to.active_element.send_keys("writeback")
    point("/ and a word narrow the list", 0 < len(shown()) < all_rows and all("writeback" in row.lower() for row in shown()), shown())
    driver.switch_to.active_element.send_keys(Keys.ENTER)
    point("Enter opens the first", becomes("zswap_writeback_entry"), title())
    press("/")
    driver.switch_to.active_element.send_keys(Keys.ESCAPE)
    point("Escape shows all again", len(shown()) == all_rows)
    press("j")
    there = becomes("shrink_memcg_cb")
    press("k")
    point("j and k go to the next and back", there and becomes("zswap_writeback_entry"), (there, title()))
    seen = []
    for key, name in zip("2341", ("The trust boundary", "Forced races", "Atomics", "zswap_store")):
        press(key)
        seen.append(becomes(name))
    point("1 to 4 are the views", all(seen), seen)

    wide = []
    for width, scheme in itertools.product((1280, 390), ("light", "dark")):
        resize(width)
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        for view, name in VIEWS.items():
            if view == "races" and data["runs"]:
                name = f"races/{next((run['name'] for run in data['runs'] if 8 < len(run['steps']) < 40), data['runs'][0]['name'])}"
            go(name)
            over = driver.execute_script("return document.documentElement.scrollWidth - innerWidth")
            if over > 0:
                wide.append(f"{view} at {width} px: {over} px")
            driver.get_screenshot_as_file(str(PICTURES / f"{view}-{width}-{scheme}.png"))
    for width in 760, 1920:
        resize(width)
        wide += [f"{view} at {width} px" for view, name in VIEWS.items() if go(name) and driver.execute_script("return document.documentElement.scrollWidth > innerWidth")]
    point("nothing is wider than the window, from 390 to 1920 px", not wide, wide)
    colors = set()
    for scheme in "light", "dark":
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        colors.add(driver.execute_script("return getComputedStyle(document.body).backgroundColor"))
    point("light and dark differ", len(colors) == 2, colors)
    resize(1280)
    go("zswap_load")
    pdf = base64.b64decode(driver.execute_cdp_cmd("Page.printToPDF", {})["data"])
    (PICTURES / "zswap_load.pdf").write_bytes(pdf)
    pages = len(re.findall(rb"/Type\s*/Page\b", pdf))
    point("a function prints on a few pages", 1 <= pages <= 12, pages)

    said = [row["message"] for row in driver.get_log("browser")]
    point("the console has nothing", not said, said)
    asked = [message["params"]["request"]["url"] for row in driver.get_log("performance")
             if (message := json.loads(row["message"])["message"])["method"] == "Network.requestWillBeSent"]
    asked = sorted({url for url in asked if not url.startswith(PAGE.as_uri())})
    point("nothing is loaded but the page", not asked, asked)
    driver.quit()
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed, 0 skipped")
    return sum(results) != len(results)


if __name__ == "__main__":
    sys.exit(main())
