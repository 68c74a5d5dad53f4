"""Documents of the two workbook bundles."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from typing import Any

from tools.bundles.common import FIXED_DATE, chain, png, repack, right, swap, write_bundle, wrong

REGIONS = ("North", "East", "South", "West")
MONTHS = ("July", "August", "September")
PRODUCTS = ("Heat pump", "Boiler", "Radiator", "Thermostat")


def _amount(row: int) -> float:
    return round(1800 + (row * 737) % 4100 + ((row * 31) % 97) / 100, 2)


def regional_sales() -> bytes:
    """A quarter's sales: summary, data as a table, lists, a hidden sheet of rates; formulas with cached values, a chart."""
    import datetime

    import xlsxwriter

    rows = [
        (region, month, product, _amount(n))
        for n, (region, month, product) in enumerate((r, m, p) for r in REGIONS for m in MONTHS for p in PRODUCTS)
    ]
    out = io.BytesIO()
    book = xlsxwriter.Workbook(out, {"in_memory": True})
    book.set_properties({"title": "Regional sales", "author": "Finance", "created": datetime.datetime(*FIXED_DATE, tzinfo=datetime.UTC)})
    head = book.add_format({"bold": True, "bg_color": "#1F4E78", "font_color": "#FFFFFF", "border": 1})
    money = book.add_format({"num_format": "#,##0.00"})
    rate = book.add_format({"num_format": "0.0%"})
    day = book.add_format({"num_format": "yyyy-mm-dd"})
    title = book.add_format({"bold": True, "font_size": 16})
    note = book.add_format({"italic": True, "font_color": "#7F7F7F", "text_wrap": True})

    summary = book.add_worksheet("Summary")
    data = book.add_worksheet("Data")
    lists = book.add_worksheet("Lists")
    rates = book.add_worksheet("Rates")
    rates.hide()

    last = len(rows) + 1
    data.write_row(0, 0, ["Region", "Month", "Product", "Amount", "Booked"], head)
    for n, (region, month, product, amount) in enumerate(rows, 1):
        data.write_row(n, 0, [region, month, product])
        data.write_number(n, 3, amount, money)
        data.write_datetime(n, 4, datetime.datetime(2025, 7 + MONTHS.index(month), 3 + n % 20), day)
    data.add_table(
        0,
        0,
        last - 1,
        4,
        {"name": "Sales", "columns": [{"header": h} for h in ("Region", "Month", "Product", "Amount", "Booked")], "style": "Table Style Medium 2"},
    )
    data.freeze_panes(1, 0)
    data.set_column("A:C", 14)
    data.set_column("D:E", 12)
    data.data_validation(
        1,
        0,
        last - 1,
        0,
        {"validate": "list", "source": "=Lists!$A$2:$A$5", "error_title": "Region", "error_message": "Choose a region from the list."},
    )
    data.conditional_format(1, 3, last - 1, 3, {"type": "cell", "criteria": ">", "value": 5000, "format": book.add_format({"bg_color": "#C6EFCE"})})

    lists.write_row(0, 0, ["Regions", "Months"], head)
    lists.write_column(1, 0, REGIONS)
    lists.write_column(1, 1, MONTHS)
    rates.write_row(0, 0, ["Name", "Value"], head)
    rates.write_row(1, 0, ["VAT"])
    rates.write_number(1, 1, 0.19, rate)

    summary.merge_range("A1:D1", "Regional sales, third quarter", title)
    summary.write_row(2, 0, ["Region", *MONTHS, "Quarter"], head)
    for n, region in enumerate(REGIONS, 4):
        summary.write(n - 1, 0, region)
        totals = []
        for column, month in zip("BCD", MONTHS, strict=True):
            value = round(sum(amount for r, m, _, amount in rows if r == region and m == month), 2)
            totals.append(value)
            summary.write_formula(
                f"{column}{n}", f"=SUMIFS(Data!$D$2:$D${last},Data!$A$2:$A${last},$A{n},Data!$B$2:$B${last},{column}$3)", money, value
            )
        summary.write_formula(f"E{n}", f"=SUM(B{n}:D{n})", money, round(sum(totals), 2))
    summary.write("A8", "All regions")
    for column, month in zip("BCD", MONTHS, strict=True):
        summary.write_formula(f"{column}8", f"=SUM({column}4:{column}7)", money, round(sum(a for _, m, _, a in rows if m == month), 2))
    summary.write_blank("E8", None, money)
    summary.write("A9", "VAT on the quarter's best month")
    best = max(round(sum(a for _, m, _, a in rows if m == month), 2) for month in MONTHS)
    summary.write_formula("B9", "=ROUND(MAX(B8:D8)*VAT,2)", money, round(best * 0.19 + 1e-9, 2))
    summary.write("A11", "Amounts in euro, without VAT. Source: order book.", note)
    summary.write_url("A12", "https://intranet.example/sales", string="Order book")
    summary.write_comment("B4", "July was corrected after the audit.", {"author": "Finance"})
    summary.set_column("A:A", 30)
    summary.set_column("B:E", 14)
    summary.set_landscape()
    summary.print_area("A1:E12")
    summary.set_header("&LRegional sales&RPage &P of &N")
    summary.set_footer("&CConfidential")
    chart = book.add_chart({"type": "column"})
    for n, column in enumerate("BCD"):
        chart.add_series(
            {
                "name": f"=Summary!${column}$3",
                "categories": "=Summary!$A$4:$A$7",
                "values": f"=Summary!${column}$4:${column}$7",
                "gap": 80 if n == 0 else None,
            }
        )
    chart.set_title({"name": "Sales by region"})
    chart.set_y_axis({"name": "Euro"})
    summary.insert_chart("A14", chart)
    summary.insert_image("G1", "logo.png", {"image_data": io.BytesIO(png(48, 24, (31, 78, 120))), "description": "Company logo"})
    book.define_name("VAT", "=Rates!$B$2")
    book.define_name("Quarter_amounts", f"=Data!$D$2:$D${last}")
    book.close()
    data_bytes = out.getvalue()
    # Excel keeps its caches; without a forced recalculation a stale one would be shown.
    return repack(data_bytes, change={"xl/workbook.xml": swap(' fullCalcOnLoad="1"', "")})


def quarter_total(total: float) -> None:
    """L1: a live total in Summary!E8."""
    source = regional_sales()
    sheet = "xl/worksheets/sheet1.xml"
    style = 's="3"'
    empty = f'<c r="E8" {style}/>'

    def with_cell(xml: str) -> bytes:
        return repack(source, change={sheet: swap(empty, xml)})

    reference = with_cell(f'<c r="E8" {style}><f>SUM(E4:E7)</f><v>{total}</v></c>')
    name = "regional-sales.xlsx"
    place = f"{name}#sheet[Summary]/cell[E8]"
    write_bundle(
        "xlsx-l1-c4-quarter-total",
        metadata={
            "title": "Total the quarter over all regions",
            "level": "L1",
            "operations": ["C4"],
            "domain": "finance",
            "required_operations": ["Summary!E8 holds a live total of the quarter over all regions, in the number format of its neighbours"],
            "edit_scope": {name: ["sheet[Summary]/cell[E8]"]},
        },
        instruction="""
The summary's cell E8 ("All regions", column "Quarter") is empty. Put a formula there that totals the quarter over all regions,
so that it follows when an amount in the data changes. Keep the number format. Change nothing else.
""",
        verifier=f"""
schema = "docops.verifier/1"
aggregate = "all"

[groups.total]
title = "The quarter's total is live and right"
critical = true

[[use]]
id = "total.live"
verifier = "xlsx/live-total"
with = {{ at = "{place}", total = {total}, amounts = ["sheet[Data]/cell[D2:D49]"] }}

[[criteria]]
id = "total.format"
title = "It keeps the number format"
predicate = "xlsx.number_format"
at = "{place}"
code = "#,##0.00"

[[criteria]]
id = "total.sheets"
title = "The summary is still the first sheet"
predicate = "xlsx.sheet"
at = "{name}#sheet[Summary]"
exists = true
position = 1
state = "visible"
""",
        sources={name: source},
        references={name: reference},
        outputs={
            "sum-of-data": (
                {name: with_cell(f'<c r="E8" {style}><f>SUM(Sales[Amount])</f><v>{total}</v></c>')},
                right("the data summed through the table"),
            ),
            "caches-dropped": (
                {
                    name: repack(
                        source,
                        change={
                            sheet: chain(
                                swap(empty, f'<c r="E8" {style}><f>SUM(B8:D8)</f></c>'), lambda text: re.sub(r"</f><v>[^<]*</v>", "</f>", text)
                            )
                        },
                    )
                },
                right("every cached value dropped, as libraries do"),
            ),
            "typed-in": (
                {name: with_cell(f'<c r="E8" {style}><v>{total}</v></c>')},
                wrong("the total typed in", ["static_value"], [place], "gaming"),
            ),
            "range-cut-short": (
                {name: with_cell(f'<c r="E8" {style}><f>SUM(E4:E6)</f><v>{total}</v></c>')},
                wrong("the last region is left out", ["mismatch", "stale_value"], [place]),
            ),
            "amount-changed": (
                {
                    name: repack(
                        source,
                        change={
                            sheet: swap(empty, f'<c r="E8" {style}><f>SUM(E4:E7)</f></c>'),
                            "xl/worksheets/sheet2.xml": swap(f"<v>{_amount(5)}</v>", f"<v>{_amount(5) * 10}</v>"),
                        },
                    )
                },
                wrong(
                    "an amount in the data is ten times as large", ["mismatch", "stale_value", "unexpected_change"], [f"{name}#sheet[Data]/cell[D7]"]
                ),
            ),
            "hidden-sheet-shown": (
                {name: repack(reference, change={"xl/workbook.xml": swap(' state="hidden"', "")})},
                wrong("the hidden sheet of rates became visible", ["unexpected_change"], [f"{name}#sheet[Rates]"]),
            ),
        },
    )


def by_openpyxl(source: bytes, edit: Callable[[Any], object]) -> bytes:
    """The workbook edited and saved by openpyxl."""
    import openpyxl

    book = openpyxl.load_workbook(io.BytesIO(source), rich_text=True)
    edit(book)
    out = io.BytesIO()
    book.save(out)
    return repack(out.getvalue())


def price_list() -> bytes:
    """A price list with margins, a total, a chart and print settings, as openpyxl saves it (without cached values)."""
    import datetime

    import xlsxwriter

    out = io.BytesIO()
    book = xlsxwriter.Workbook(out, {"in_memory": True})
    book.set_properties({"title": "Price list", "author": "Sales", "created": datetime.datetime(*FIXED_DATE, tzinfo=datetime.UTC)})
    head = book.add_format({"bold": True, "bg_color": "#DDEBF7", "bottom": 2})
    money = book.add_format({"num_format": '#,##0.00 "EUR"'})
    share = book.add_format({"num_format": "0.0%"})
    day = book.add_format({"num_format": "dd/mm/yyyy"})
    prices = book.add_worksheet("Prices")
    discounts = book.add_worksheet("Discounts")
    log = book.add_worksheet("Change log")
    prices.write_row(0, 0, ["SKU", "Article", "Cost", "Price", "Margin"], head)
    articles = [
        ("P-100", "Pump 100"),
        ("P-200", "Pump 200"),
        ("P-300", "Pump 300"),
        ("V-010", "Valve 10"),
        ("V-020", "Valve 20"),
        ("H-001", "Hose 1 m"),
        ("H-005", "Hose 5 m"),
        ("S-001", "Seal kit"),
    ]
    for n, (sku, article) in enumerate(articles, 2):
        cost, price = 20.0 + n * 12.5, 32.0 + n * 19.5
        prices.write_row(n - 1, 0, [sku, article])
        prices.write_number(n - 1, 2, cost, money)
        prices.write_number(n - 1, 3, price, money)
        prices.write_formula(n - 1, 4, f"=(D{n}-C{n})/D{n}", share, (price - cost) / price)
    prices.write("A11", "Average price")
    prices.write_formula("D11", "=AVERAGE(D2:D9)", money, sum(32.0 + n * 19.5 for n in range(2, 10)) / 8)
    prices.write("A12", "Valid from")
    prices.write_datetime("D12", datetime.datetime(2026, 1, 1), day)
    prices.freeze_panes(1, 2)
    prices.set_column("A:A", 10)
    prices.set_column("B:B", 20)
    prices.set_column("C:E", 14)
    prices.autofilter("A1:E9")
    prices.repeat_rows(0)
    discounts.write_row(0, 0, ["From quantity", "Discount"], head)
    for n, (quantity, discount) in enumerate([(1, 0.0), (10, 0.05), (50, 0.1), (100, 0.15)], 1):
        discounts.write_number(n, 0, quantity)
        discounts.write_number(n, 1, discount, share)
    discounts.write("A7", "Price of 50 × P-100")
    discounts.write_formula("B7", "=Prices!D2*50*(1-VLOOKUP(50,A2:B5,2))", money, (32.0 + 2 * 19.5) * 50 * 0.9)
    discounts.protect("", {"format_cells": True})
    log.write_row(0, 0, ["Date", "Change"], head)
    log.write_datetime(1, 0, datetime.datetime(2025, 10, 1), day)
    log.write(1, 1, "First edition")
    log.set_column("B:B", 40)
    chart = book.add_chart({"type": "bar"})
    chart.add_series({"name": "Price", "categories": "=Prices!$B$2:$B$9", "values": "=Prices!$D$2:$D$9"})
    chart.set_title({"name": "Prices"})
    prices.insert_chart("G2", chart)
    book.define_name("Price_column", "=Prices!$D$2:$D$9")
    book.close()
    return by_openpyxl(out.getvalue(), lambda book: None)


def price_update() -> None:
    """L2: two new prices, a line in the change log, a new valid-from date."""
    source = price_list()
    name = "price-list.xlsx"

    def edited(*, pump: str = "82.5", more: dict[str, Callable[[str], str]] | None = None) -> bytes:
        prices = chain(
            swap("<v>71</v>", f"<v>{pump}</v>"),
            swap("<v>129.5</v>", "<v>99</v>"),
            swap("<v>46023</v>", "<v>46113</v>"),
        )
        log = swap(
            "</sheetData>",
            '<row r="3"><c r="A3" s="4"><v>46084</v></c><c r="B3" t="inlineStr"><is><t>P-100 and V-010 repriced</t></is></c></row></sheetData>',
        )
        change = {"xl/worksheets/sheet1.xml": prices, "xl/worksheets/sheet3.xml": log}
        for part, edit in (more or {}).items():
            change[part] = chain(change[part], edit) if part in change else edit
        return repack(source, change=change)

    def through_openpyxl(book: Any) -> None:
        import datetime

        book["Prices"]["D2"] = 82.5
        book["Prices"]["D5"] = 99
        book["Prices"]["D12"] = datetime.datetime(2026, 4, 1)
        book["Change log"]["A3"] = datetime.datetime(2026, 3, 3)
        book["Change log"]["A3"].number_format = "dd/mm/yyyy"
        book["Change log"]["B3"] = "P-100 and V-010 repriced"

    sheet = "xl/worksheets/sheet1.xml"
    write_bundle(
        "xlsx-l2-c2-price-update",
        metadata={
            "title": "Reprice two articles and log the change",
            "level": "L2",
            "operations": ["C2", "S1"],
            "domain": "sales",
            "required_operations": [
                "Prices!D2 is 82.50 and Prices!D5 is 99.00",
                "Prices!D12 is the first of April 2026",
                "The change log has a line dated 3 March 2026 that says 'P-100 and V-010 repriced'",
            ],
            "edit_scope": {
                name: [
                    "sheet[Prices]/cell[D2]",
                    "sheet[Prices]/cell[D5]",
                    "sheet[Prices]/cell[D12]",
                    "sheet[Change log]/row[3]",
                    "sheet[Change log]/cell[A3:B3]",
                ]
            },
        },
        instruction="""
In the price list, set the price of P-100 to 82.50 and that of V-010 to 99.00, valid from 1 April 2026. Add a line to the change
log, dated 3 March 2026: "P-100 and V-010 repriced". Margins and the average must follow by themselves; everything else stays.
""",
        verifier=f"""
schema = "docops.verifier/1"
aggregate = "all"

[groups.prices]
title = "The prices are as asked"
critical = true

[groups.follow]
title = "What depends on the prices follows"
critical = true

[groups.log]
title = "The change is logged"

[[criteria]]
id = "prices.pump"
predicate = "xlsx.cell"
at = "{name}#sheet[Prices]/cell[D2]"
equals = 82.5

[[criteria]]
id = "prices.valve"
predicate = "xlsx.cell"
at = "{name}#sheet[Prices]/cell[D5]"
equals = 99

[[criteria]]
id = "prices.valid-from"
predicate = "xlsx.cell"
at = "{name}#sheet[Prices]/cell[D12]"
equals = "2026-04-01"

[[criteria]]
id = "follow.average"
predicate = "xlsx.formula"
at = "{name}#sheet[Prices]/cell[D11]"
equals = 136.875
tolerance = 0.0001
depends_on = ["sheet[Prices]/cell[D2:D9]"]
uses = ["AVERAGE"]

[[use]]
id = "follow.margins"
verifier = "xlsx/consistent-column-formula"
with = {{ at = "{name}#sheet[Prices]/cell[E2:E9]" }}

[[use]]
id = "follow.errors"
verifier = "xlsx/no-errors"
with = {{ artifact = "{name}" }}

[[criteria]]
id = "log.date"
predicate = "xlsx.cell"
at = "{name}#sheet[Change log]/cell[A3]"
equals = "2026-03-03"

[[criteria]]
id = "log.text"
predicate = "anchor.contains"
at = "{name}#sheet[Change log]/cell[B3]"
text = "P-100 and V-010 repriced"
count = 1
""",
        sources={name: source},
        references={name: edited()},
        outputs={
            "by-openpyxl": ({name: by_openpyxl(source, through_openpyxl)}, right("edited and saved by openpyxl")),
            "price-as-text": (
                {name: edited(more={sheet: swap('<c r="D2" s="2" t="n"><v>82.5</v></c>', '<c r="D2" s="2" t="inlineStr"><is><t>82.5</t></is></c>')})},
                wrong(
                    "the price is text, so the average skips it", ["mismatch"], [f"{name}#sheet[Prices]/cell[D2]", f"{name}#sheet[Prices]/cell[D11]"]
                ),
            ),
            "margin-frozen": (
                {name: edited(more={sheet: swap("<f>(D4-C4)/D4</f><v></v>", "<v>0.363636363636364</v>")})},
                wrong("one margin became its value", ["static_value", "unexpected_change"], [f"{name}#sheet[Prices]/cell[E4]"]),
            ),
            "protection-dropped": (
                {name: edited(more={"xl/worksheets/sheet2.xml": lambda text: re.sub(r"<sheetProtection[^>]*/>", "", text)})},
                wrong("the protection of the discounts is gone", ["unexpected_change"], [f"{name}#sheet[Discounts]"]),
            ),
            "panes-dropped": (
                {name: edited(more={sheet: lambda text: re.sub(r"<pane [^>]*/>", "", text)})},
                wrong("the frozen panes are gone", ["unexpected_change"], [f"{name}#sheet[Prices]"]),
            ),
        },
    )


def main() -> None:
    """Write both bundles."""
    total = round(sum(_amount(n) for n in range(len(REGIONS) * len(MONTHS) * len(PRODUCTS))), 2)
    quarter_total(total)
    price_update()
