"""Text as XML, without the standard library's SAX module, which loads its network modules."""

from __future__ import annotations


def escape(text: str) -> str:
    """Text as the content of an element."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def quoteattr(text: str) -> str:
    """Text as an attribute's value, in double quotes."""
    text = escape(text)
    for char, entity in (('"', "&quot;"), ("\t", "&#9;"), ("\n", "&#10;"), ("\r", "&#13;")):
        text = text.replace(char, entity)
    return f'"{text}"'
