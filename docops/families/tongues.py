"""Which language a text is in, told by its script and its commonest words."""

from __future__ import annotations

import re

_COMMON = {
    "en": "the of and to in is that for it with as was on be by at this are from or an which not have has will we you their they been",
    "de": "der die das und in den von zu mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat dass sie nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber vor zur bis mehr durch",
    "fr": "le la les de des et à un une du en est que qui dans pour pas au sur par avec ce il sont plus se ne aux ou son sa ses cette nous vous",
    "es": "el la los las de y que en un una por con no para del se es al lo como más su sus o pero este esta",
    "it": "il lo la gli le di e che in un una per non con del della si è da al dei sono come più ma anche nel",
    "nl": "de het een en van in is dat op te zijn voor met niet aan er om ook als bij door naar uit maar wordt",
    "pt": "o a os as de e que em um uma para com não por do da se no na mais como dos das ao é",
}
_SCRIPTS = {
    "ja": "[\u3040-\u30ff]", "ko": "[\uac00-\ud7af]", "zh": "[\u3400-\u9fff]", "ar": "[\u0620-\u064a]", "he": "[\u05d0-\u05ea]", "ru": "[\u0400-\u04ff]", "el": "[\u0370-\u03ff]",
}  # fmt: skip
_TRADITIONAL = "這個們來時為學國說會對後過還與開關門問間東車長書話語請認證險費額條約滿與從當應該無"
_SIMPLIFIED = "这个们来时为学国说会对后过还与开关门问间东车长书话语请认证险费额条约满与从当应该无"
_LEAST = 5


def language_share(text: str, language: str) -> tuple[float, str] | None:
    """(share of what tells a language that tells this one, the other one that most of it tells or ""), or None where nothing can be told."""
    own, _, variant = language.partition("-")
    counts = {name: len(re.findall(pattern, text)) for name, pattern in _SCRIPTS.items()}
    if counts["ja"] * 10 > counts["zh"]:
        counts["ja"] += counts.pop("zh")
    counts = {name: count // 2 for name, count in counts.items()}
    words = re.findall(r"[^\W\d_]+", text.casefold())
    for name, common in _COMMON.items():
        known = set(common.split())
        counts[name] = sum(word in known for word in words)
    # A word that several languages share tells the one with the most words.
    latin = {name: counts[name] for name in _COMMON}
    best = max(latin, key=lambda name: (latin[name], name))
    known = set(_COMMON[best].split())
    for name in latin:
        if name != best:
            own_words = set(_COMMON[name].split()) - known
            counts[name] = sum(word in own_words for word in words)
    total = sum(counts.values())
    if own not in {*_COMMON, *_SCRIPTS} or total < _LEAST:
        return None
    share = counts.get(own, 0) / total
    most = max(counts, key=lambda name: (counts[name], name))
    if own == "zh" and variant.casefold() in ("hans", "hant", "cn", "tw", "hk"):
        different = [(s, t) for s, t in zip(_SIMPLIFIED, _TRADITIONAL, strict=True) if s != t]
        simplified, traditional = (sum(text.count(pair[side]) for pair in different) for side in (0, 1))
        if simplified + traditional:
            right = simplified if variant.casefold() in ("hans", "cn") else traditional
            share *= right / (simplified + traditional)
    return share, "" if most == own else most
