"""What numbers look like by their format codes."""

from __future__ import annotations

import pytest

from docops.formats.xlsx.shown import shown_number


@pytest.mark.parametrize(
    ("code", "value", "text"),
    [
        ("General", 0.1, "0.1"), ("0.0%", 0.125, "12.5%"), ("0%", 0.005, "1%"), ("#,##0.00", 1234.5, "1,234.50"), ("#,##0.00", -1234.567, "-1,234.57"), ("0", 2.5, "3"), ("0", -2.5, "-3"),
        ('"EUR" #,##0', 1234567, "EUR 1,234,567"), ("#,##0;(#,##0)", -500, "(500)"), ("#,##0_);[Red](#,##0)", -1234, "(1,234)"), ("#,##0 €", 1500, "1,500 €"), ("[$$-409]#,##0.00", 99.5, "$99.50"),
        ("#,##0.00 [$EUR]", 30, "30.00 EUR"), ('0.0,,"m"', 2400000, "2.4m"), ("#,##0,", 5000, "5"), ('0 "days"', 90, "90 days"), ("0.00E+00", 1500000, "1.50E+06"), ("0.0E+0", 9.96, "1.0E+1"), ("00000", 7, "00007"),
        ("#,##0.##", 1234, "1,234"), ("0.0#", 1.25, "1.25"), ("#", 0, ""), (";;;", 77, ""), ('0;-0;"none"', 0, "none"), ("# ?/?", 0.5, None), ("000-0000", 5551234, None), ('[<1000]0;0.0,"k"', 5000, None),
        ('_("$"* #,##0.00_);_("$"* (#,##0.00);_("$"* "-"??_);_(@_)', -1234.5, "$(1,234.50)"), ("0.0", -0.04, "0.0"),
    ],
)  # fmt: skip
def test_numbers(code: str, value: float, text: str | None) -> None:
    assert shown_number(code, value) == text


@pytest.mark.parametrize(
    ("code", "value", "text"),
    [
        ("yyyy-mm-dd", 46084, "2026-03-03"), ("d mmmm yyyy", 46084, "3 March 2026"), ("dddd, mmmm d, yyyy", 46084, "Tuesday, March 3, 2026"), ("d-mmm-yy", 46084, "3-Mar-26"), ("mmm yyyy", 46082, "Mar 2026"),
        ('yyyy"年"m"月"d"日"', 46084, "2026年3月3日"), ("hh:mm", 0.4375, "10:30"), ("h:mm AM/PM", 0.75, "6:00 PM"), ("[h]:mm", 1.5, "36:00"), ("mm:ss", 0.01, "14:24"), ("[$-407]d. mmmm yyyy", 46084, None),
        ("[$-409]d mmmm yyyy", 46084, "3 March 2026"), ("yyyy-mm-dd", -5, None),
    ],
)  # fmt: skip
def test_dates_and_times(code: str, value: float, text: str | None) -> None:
    assert shown_number(code, value) == text
