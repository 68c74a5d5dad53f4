"""Canonical JSON and digests: the same value gives the same bytes on every machine."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def canonical_json(value: Any) -> bytes:
    """UTF-8 JSON with sorted keys and no insignificant space.

    value: JSON types only (dict with string keys, list, tuple, str, int, finite float, bool, None).
    Raises ValueError for NaN and infinities, TypeError for anything else.
    """
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode("utf-8", "surrogatepass")


def sha256(data: bytes) -> str:
    """Hexadecimal SHA-256 of `data`."""
    return hashlib.sha256(data).hexdigest()


def digest(value: Any) -> str:
    """Hexadecimal SHA-256 of the canonical JSON of `value`."""
    return sha256(canonical_json(value))
