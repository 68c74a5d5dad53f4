"""Whether a formula can be read at all; what no program can read shows nothing, however plain it is what was meant.

Only what is certainly wrong counts: brackets that do not match, operators and operands that lack their neighbours, `;` between
arguments and `,` in numbers, which only a formula bar in some languages takes.
"""

from __future__ import annotations

from collections.abc import Sequence

from docops.formats.xlsx.references import Token, TokenKind

_SIGNS = frozenset("+-@")
_AFTER_OPERAND = frozenset("%#")
_OPERANDS = frozenset(
    {TokenKind.REFERENCE, TokenKind.STRUCTURED, TokenKind.NAME, TokenKind.NUMBER, TokenKind.STRING, TokenKind.BOOLEAN, TokenKind.ERROR}
)
#: Operands that give cells, between which a space means what both hold.
_AREAS = frozenset({TokenKind.REFERENCE, TokenKind.STRUCTURED, TokenKind.NAME, TokenKind.ERROR})


def fault(tokens: Sequence[Token]) -> str:
    """What makes a formula unreadable, "" where nothing does."""
    brackets: list[str] = []
    before: Token | None = None
    spaced = False
    for token in tokens:
        if token.kind is TokenKind.SPACE:
            spaced = True
            continue
        found = _fault(before, token, brackets, spaced)
        if found:
            return found
        if token.kind is TokenKind.OPEN:
            brackets.append(token.text)
        elif token.kind is TokenKind.CLOSE:
            brackets.pop()
        before, spaced = token, False
    if brackets:
        return "a bracket is not closed"
    if before is not None and before.kind is TokenKind.OPERATOR and before.text not in _AFTER_OPERAND:
        return f"nothing follows {before.text}"
    return ""


def _fault(before: Token | None, token: Token, brackets: Sequence[str], spaced: bool) -> str:
    kind = token.kind
    after_operand = before is not None and (
        before.kind in _OPERANDS or before.kind is TokenKind.CLOSE or (before.kind is TokenKind.OPERATOR and before.text in _AFTER_OPERAND)
    )
    if kind is TokenKind.UNKNOWN:
        return "a text is not closed" if token.text.startswith('"') else ""
    if kind is TokenKind.CLOSE:
        if not brackets or brackets[-1] != {")": "(", "}": "{"}[token.text]:
            return f"{token.text} closes no bracket"
        if before is not None and before.kind is TokenKind.OPERATOR and not after_operand:
            return f"nothing follows {before.text}"
        return ""
    if kind is TokenKind.SEPARATOR:
        if not brackets:
            return f"{token.text} outside brackets"
        if brackets[-1] == "(" and token.text == ";":
            return "; between arguments"
        return f"nothing follows {before.text}" if before is not None and before.kind is TokenKind.OPERATOR and not after_operand else ""
    if kind is TokenKind.OPERATOR:
        return "" if after_operand or token.text in _SIGNS else f"nothing precedes {token.text}"
    if kind in _OPERANDS or kind is TokenKind.FUNCTION:
        if not after_operand or before is None:
            return ""
        joined = spaced and (before.kind in _AREAS or before.kind is TokenKind.CLOSE) and (kind in _AREAS or kind is TokenKind.FUNCTION)
        return "" if joined else f"nothing stands between {before.text} and {token.text}"
    return ""
