"""Documents of the two PDF bundles."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

from tools.bundles.common import right, write_bundle, wrong

CHAPTERS = ("Cover", "Scope", "Delivery", "Terms", "Liability", "Price list", "Contacts", "Signature")


def order_form() -> bytes:
    """A form of two pages: text fields, a check box, radio buttons, a choice; an outline and a link."""
    import reportlab.rl_config

    reportlab.rl_config.invariant = 1
    from reportlab.pdfgen.canvas import Canvas

    out = io.BytesIO()
    page = Canvas(out, pagesize=(595, 842), invariant=1)
    page.setTitle("Order form")
    page.setAuthor("Harbour stores")
    page.setSubject("Spare parts")
    page.setFont("Helvetica-Bold", 18)
    page.drawString(60, 780, "Order of spare parts")
    page.bookmarkPage("order")
    page.addOutlineEntry("Order", "order", 0)
    page.setFont("Helvetica", 11)
    form = page.acroForm
    for n, (name, label) in enumerate((("applicant.name", "Name"), ("applicant.city", "City"), ("reference", "Your reference"))):
        page.drawString(60, 720 - 50 * n, label)
        form.textfield(
            name=name,
            tooltip=label,
            x=200,
            y=710 - 50 * n,
            width=260,
            height=24,
            value="H-2025-17" if name == "reference" else "",
            borderStyle="solid",
            fontName="Helvetica",
            fontSize=11,
        )
    page.drawString(60, 560, "Insured delivery")
    form.checkbox(name="insured", tooltip="Insured delivery", x=200, y=555, buttonStyle="check", checked=False)
    page.drawString(60, 510, "Speed")
    for n, speed in enumerate(("standard", "express")):
        form.radio(name="speed", value=speed, selected=speed == "standard", x=200 + 120 * n, y=505, buttonStyle="circle", tooltip=speed)
        page.drawString(230 + 120 * n, 510, speed)
    page.drawString(60, 460, "Warehouse")
    form.choice(name="warehouse", tooltip="Warehouse", value="Leith", options=["Leith", "Porto", "Gdynia"], x=200, y=450, width=160, height=24)
    page.drawString(60, 400, "See the terms on the next page.")
    page.linkRect("terms", "terms", (60, 395, 260, 415), relative=0)
    page.showPage()
    page.bookmarkPage("terms")
    page.addOutlineEntry("Terms", "terms", 0)
    page.setFont("Helvetica-Bold", 14)
    page.drawString(60, 780, "Terms of delivery")
    page.setFont("Helvetica", 11)
    for n, line in enumerate(
        ("Parts leave the warehouse within two working days.", "Insured delivery costs 2 % of the value.", "Returns are accepted within 14 days.")
    ):
        page.drawString(60, 740 - 20 * n, line)
    page.showPage()
    page.save()
    return out.getvalue()


def offer() -> bytes:
    """An offer of eight pages with an outline of two levels, links, a drawing, a header and an attachment."""
    import reportlab.rl_config

    reportlab.rl_config.invariant = 1
    from reportlab.pdfgen.canvas import Canvas

    out = io.BytesIO()
    page = Canvas(out, pagesize=(595, 842), invariant=1)
    page.setTitle("Offer 4711")
    page.setAuthor("Pumps and Valves Ltd")
    page.setKeywords("offer, pumps")
    for number, chapter in enumerate(CHAPTERS, 1):
        key = chapter.replace(" ", "-")
        page.bookmarkPage(key)
        page.addOutlineEntry(chapter, key, 0)
        page.setFont("Helvetica", 9)
        page.drawRightString(535, 810, "Offer 4711, Pumps and Valves Ltd")
        page.setFont("Helvetica-Bold", 18)
        page.drawString(60, 760, chapter)
        page.setFont("Helvetica", 11)
        for n in range(8):
            page.drawString(60, 720 - 18 * n, f"{chapter}: clause {number}.{n + 1} applies for {10 * number + n} days from the date of the offer.")
        if chapter == "Delivery":
            page.bookmarkPage("partial")
            page.addOutlineEntry("Partial delivery", "partial", 1)
        if chapter == "Price list":
            for n, (article, price) in enumerate((("Pump 100", "1,240.00"), ("Valve 10", "86.50"), ("Hose 5 m", "44.00"))):
                page.rect(60, 520 - 24 * n, 400, 24)
                page.drawString(70, 528 - 24 * n, article)
                page.drawRightString(450, 528 - 24 * n, price)
        if chapter == "Cover":
            page.setFillColorRGB(0.12, 0.3, 0.47)
            page.rect(60, 420, 475, 60, fill=1, stroke=0)
            page.setFillColorRGB(0, 0, 0)
            page.linkRect("Price list", "Price-list", (60, 560, 300, 590), relative=0)
        page.linkURL("https://pumps.example/terms", (60, 40, 200, 60), relative=0)
        page.drawString(60, 45, "pumps.example/terms")
        page.showPage()
    page.save()

    def attach(document: Any) -> None:
        import pikepdf

        document.attachments["prices.csv"] = pikepdf.AttachedFileSpec(
            document,
            b"article,price\nPump 100,1240.00\nValve 10,86.50\n",
            filename="prices.csv",
            mime_type="text/csv",
            creation_date="D:20240102080000Z",
            mod_date="D:20240102080000Z",
        )

    return with_pikepdf(out.getvalue(), attach)


def with_pikepdf(data: bytes, edit: Callable[[Any], None], **options: Any) -> bytes:
    """The document edited and saved by pikepdf."""
    import pikepdf

    with pikepdf.open(io.BytesIO(data)) as document:
        edit(document)
        out = io.BytesIO()
        document.save(out, deterministic_id=True, **options)
    return out.getvalue()


def fill(data: bytes, values: dict[str, str], *, regenerate: bool = True) -> bytes:
    """The form filled by pypdf, appearances included."""
    import pypdf

    writer = pypdf.PdfWriter(clone_from=io.BytesIO(data))
    for page in writer.pages:
        if page.get("/Annots"):
            writer.update_page_form_field_values(page, values, auto_regenerate=regenerate)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def _fields(document: Any) -> dict[str, Any]:
    found = {}

    def visit(field: Any, prefix: str) -> None:
        name = f"{prefix}.{field.T}" if prefix and "/T" in field else str(field.get("/T", prefix))
        found[name] = field
        for kid in field.get("/Kids", []):
            if "/T" in kid:
                visit(kid, name)

    for top in document.Root.AcroForm.Fields:
        visit(top, "")
    return found


def filled_form(source: bytes) -> None:
    """L1: a name is filled in and a box ticked."""
    name = "order.pdf"
    values = {"applicant.name": "Jane Doe", "insured": "/Yes"}
    reference = fill(source, values, regenerate=False)

    def damage(edit: Callable[[Any], None]) -> dict[str, bytes]:
        return {name: with_pikepdf(reference, edit)}

    def switch_radio(document: Any) -> None:
        import pikepdf

        field = _fields(document)["speed"]
        field.V = pikepdf.Name("/express")
        for kid in field.Kids:
            states = [key for key in kid.AP.N if key != "/Off"]
            kid.AS = pikepdf.Name("/express" if "/express" in states else "/Off")

    def drop_city(document: Any) -> None:
        city = _fields(document)["applicant.city"]
        page = document.pages[0]
        keep = [annotation for annotation in page.Annots if annotation.objgen != city.objgen]
        page.Annots = document.make_indirect(_array(keep))
        fields = document.Root.AcroForm.Fields
        document.Root.AcroForm.Fields = _array([field for field in fields if field.objgen != city.objgen])

    def drawn(document: Any) -> None:
        page = document.pages[0]
        page.contents_add(document.make_stream(b"BT /F1 11 Tf 205 717 Td (Jane Doe) Tj ET"))

    def value_without_appearance(document: Any) -> None:
        field = _fields(document)["insured"]
        import pikepdf

        field.AS = pikepdf.Name("/Off")

    write_bundle(
        "pdf-l1-s4-order-form",
        metadata={
            "title": "Fill the order form",
            "level": "L1",
            "operations": ["S4"],
            "domain": "procurement",
            "required_operations": ["The field applicant.name is Jane Doe", "The box for insured delivery is ticked"],
            "edit_scope": {name: ['field["applicant.name"]', 'field["insured"]']},
        },
        instruction="""
Fill the order form: the name is Jane Doe, and delivery is insured. Leave the rest of the form as it is.
""",
        verifier=f"""
schema = "docops.verifier/1"
aggregate = "all"

[groups.form]
title = "The form is filled as asked"
critical = true

[[use]]
id = "form.name"
verifier = "pdf/form-filled"
with = {{ artifact = "{name}", field = "applicant.name", value = "Jane Doe" }}

[[criteria]]
id = "form.insured"
predicate = "pdf.form_field"
at = "{name}"
name = "insured"
equals = true

[[criteria]]
id = "form.speed"
predicate = "pdf.form_field"
at = "{name}"
name = "speed"
equals = "standard"

[[criteria]]
id = "form.pages"
predicate = "pdf.page_count"
at = "{name}"
equals = 2
""",
        sources={name: source},
        references={name: reference},
        outputs={
            "object-streams": (
                {name: with_pikepdf(reference, lambda document: None, object_stream_mode=_object_streams(), compress_streams=True)},
                right("rewritten by pikepdf with object streams"),
            ),
            "by-pypdf-again": ({name: fill(source, values)}, right("filled by pypdf, which asks viewers to draw the appearances anew")),
            "another-radio": (
                damage(switch_radio),
                wrong("another speed is chosen", ["mismatch", "unexpected_change"], [f'{name}#field["speed"]', f"{name}#page[1]"]),
            ),
            "field-lost": (
                damage(drop_city),
                wrong("the field for the city is gone", ["unexpected_removal"], [f'{name}#field["applicant.city"]', f"{name}#page[1]"]),
            ),
            "box-shows-off": (
                damage(value_without_appearance),
                wrong(
                    "the box's value says on, its face off", ["mismatch", "stale_value"], [f'{name}#field["insured"]', f"{name}#page[1]"], "gaming"
                ),
            ),
            "drawn": (
                {name: with_pikepdf(fill(source, {"insured": "/Yes"}, regenerate=False), drawn)},
                wrong(
                    "the name is drawn on the page, the field is empty",
                    ["mismatch", "unexpected_addition"],
                    [f'{name}#field["applicant.name"]', f"{name}#page[1]", name],
                    "gaming",
                ),
            ),
        },
    )


def _array(items: list[Any]) -> Any:
    import pikepdf

    return pikepdf.Array(items)


def _object_streams() -> Any:
    import pikepdf

    return pikepdf.ObjectStreamMode.generate


def price_list_first(source: bytes) -> None:
    """L2: the price list moves before the terms, its bookmark too."""
    name = "offer.pdf"

    def move(document: Any, *, outline: bool = True) -> None:
        page = document.pages[5]
        del document.pages[5]
        document.pages.insert(3, page)
        if outline:
            with document.open_outline() as tree:
                entry = tree.root.pop(5)
                tree.root.insert(3, entry)

    def output(edit: Callable[[Any], None] | None = None, *, outline: bool = True, **options: Any) -> dict[str, bytes]:
        def work(document: Any) -> None:
            move(document, outline=outline)
            if edit is not None:
                edit(document)

        return {name: with_pikepdf(source, work, **options)}

    def rotate(document: Any) -> None:
        document.pages[6].rotate(90, relative=True)

    def no_attachment(document: Any) -> None:
        del document.attachments["prices.csv"]

    def paint_over(document: Any) -> None:
        document.pages[3].contents_add(document.make_stream(b"q 1 1 1 rg 60 496 400 24 re f Q"))

    def drop_link(document: Any) -> None:
        page = document.pages[0]
        page.Annots = _array(list(page.Annots)[1:])

    order = [1, 2, 3, 6, 4, 5, 7, 8]
    titles = '["Cover", "Scope", "Delivery", "Partial delivery", "Price list", "Terms", "Liability", "Contacts", "Signature"]'
    write_bundle(
        "pdf-l2-s2-price-list-first",
        metadata={
            "title": "Price list before the terms",
            "level": "L2",
            "operations": ["S2", "S3"],
            "domain": "sales",
            "required_operations": ["The page 'Price list' stands before 'Terms'", "The bookmarks follow the pages"],
            "edit_scope": {name: [{"at": "page[6]", "allow": ["move"]}, {"at": 'outline["Price list"]', "allow": ["move"]}]},
        },
        instruction="""
Move the page "Price list" so that it stands before "Terms", and put its bookmark in the same place. Every page, link and bookmark
stays as it is otherwise.
""",
        verifier=f"""
schema = "docops.verifier/1"
aggregate = "all"

[groups.order]
title = "Pages and bookmarks are in the asked order"
critical = true

[[use]]
id = "order.pages"
verifier = "pdf/page-order-and-outline"
with = {{ artifact = "{name}", pages = {order}, titles = {titles} }}

[[criteria]]
id = "order.count"
predicate = "pdf.page_count"
at = "{name}"
equals = 8
""",
        sources={name: source},
        references=output(),
        outputs={
            "linearised": (output(linearize=True), right("saved for fast web view")),
            "outline-left": (
                output(outline=False),
                wrong("the bookmarks stayed in the old order", ["wrong_order"], [f"{name}#outline", name], "incomplete"),
            ),
            "page-rotated": (output(rotate), wrong("a page was rotated", ["unexpected_change", "mismatch"], [f"{name}#page[7]"])),
            "attachment-dropped": (
                output(no_attachment),
                wrong("the attached price file is gone", ["unexpected_removal"], [f'{name}#attachment["prices.csv"]']),
            ),
            "painted-over": (
                output(paint_over),
                wrong("a price is painted over", ["unexpected_change", "mismatch"], [f"{name}#page[6]", f"{name}#page[4]"]),
            ),
            "link-dropped": (output(drop_link), wrong("a link on the cover is gone", ["unexpected_removal"], [f"{name}#page[1]"])),
        },
    )


def main() -> None:
    """Write both bundles."""
    filled_form(order_form())
    price_list_first(offer())
