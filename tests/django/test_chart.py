"""The chart of a tool's result, on the page in a real browser."""

import pytest
from playwright.sync_api import Page, expect

from tests.django.test_page import ask, chromium, page, server  # noqa: F401  # fixtures
from tests.transports import world

pytestmark = pytest.mark.browser


def test_a_chart_is_drawn_and_its_table_holds_the_same_numbers(page: Page):  # noqa: F811
    ask(page, "draw stacked")
    chart = page.locator("figure.chart")
    expect(chart.locator("svg rect")).to_have_count(24)
    expect(chart.get_by_role("img", name="Lines per month")).to_be_visible()
    expect(chart).to_contain_text("1 month without rows drawn as 0.")
    expect(chart.locator(".legend li")).to_have_text(["added", "removed"])
    expect(chart.locator("table")).to_be_hidden()
    chart.get_by_role("button", name="Table").click()
    expect(chart.locator("svg")).to_be_hidden()
    rows = [row.split("\t") for row in chart.locator("tr").all_inner_texts()]
    assert rows[0] == ["month", "added", "removed"]
    assert rows[4] == ["2026-04", "340", "140"]
    assert len(rows) == 13
    chart.get_by_role("button", name="Chart").click()
    expect(chart.locator("svg")).to_be_visible()


def test_a_bar_is_as_high_as_its_number_and_lies_on_the_ones_below(page: Page):  # noqa: F811
    ask(page, "draw stacked")
    bars = page.locator("figure.chart svg rect")
    expect(bars).to_have_count(24)
    shapes = bars.evaluate_all("all => all.map(bar => ['y', 'height'].map(name => Number(bar.getAttribute(name))))")
    added, removed = shapes[:12], shapes[12:]
    scale = added[6][1] / 400
    series = world.CHARTS["stacked"]["series"]
    assert [round(height / scale) for _, height in added] == series[0]["values"]
    assert [round(height / scale) for _, height in removed] == series[1]["values"]
    assert all(abs(above[0] + above[1] - below[0]) < 0.01 for below, above in zip(added, removed, strict=True))


def test_a_line_goes_below_zero_and_lying_bars_show_the_end_of_a_path(page: Page):  # noqa: F811
    ask(page, "draw line")
    line = page.locator("figure.chart svg polyline")
    expect(line).to_have_count(1)
    heights = [float(point.split(",")[1]) for point in (line.get_attribute("points") or "").split(" ")]
    zero = float(page.locator("figure.chart svg .zero").get_attribute("y1") or 0)
    assert [height > zero for height in heights] == [value < 0 for value in world.CHARTS["line"]["series"][0]["values"]]
    ask(page, "draw horizontal")
    lying = page.locator("figure.chart").last
    expect(lying.locator("svg text").filter(has_text="of/all/files.py").first).to_be_visible()
    expect(lying.locator("rect title").first).to_have_text(
        f"{world.CHARTS['horizontal']['x']['values'][0]}: commits 1,200"
    )


def test_markup_in_a_chart_is_shown_and_not_obeyed(page: Page):  # noqa: F811
    ask(page, "draw bar")
    chart = page.locator("figure.chart")
    expect(chart.locator("figcaption b")).to_have_text(world.EVIL)
    expect(chart.locator("small")).to_have_text(world.EVIL)
    chart.get_by_role("button", name="Table").click()
    expect(chart.locator("td").first).to_have_text(world.EVIL)
    assert page.locator("#thread img").count() == 0


def test_what_is_no_chart_is_shown_as_json_and_a_reload_draws_again(page: Page):  # noqa: F811
    ask(page, "draw broken")
    expect(page.locator("#thread")).to_contain_text("Drawn.")
    page.locator(".item.tool summary").click()
    expect(page.locator(".item.tool pre").last).to_contain_text('"pie"')
    expect(page.locator("figure.chart")).to_have_count(0)
    ask(page, "draw line")
    expect(page.locator("figure.chart")).to_have_count(1)
    page.reload()
    expect(page.locator("figure.chart svg polyline")).to_have_count(1)
