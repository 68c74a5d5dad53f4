"""Words that deny, doubt or ask, by language: what `negation.py` looks for around a wording."""

from __future__ import annotations

#: Words before a wording that negate it, in its clause.
BEFORE = {
    "en": (
        "no not never without neither nor none cannot nothing nobody zero hardly scarcely non- ain't can't won't isn't aren't wasn't weren't doesn't don't didn't hasn't haven't hadn't"
        " wouldn't shouldn't couldn't mustn't needn't lack lacks lacked lacking exclude excludes excluding excluded free-of free-from denies denied deny fail-to fails-to failed-to"
        " refuse-to refuses-to refused-to false-that untrue-that wrong-to-say wrong-that incorrect-that"
    ),
    "de": (
        "kein keine keinen keinem keiner keines keinerlei keineswegs mitnichten nicht nie niemals ohne weder noch nichts niemand ausgeschlossen verzichten-auf verzichtet-auf verzichtete-auf verzicht-auf frei-von"
        " entfall-der wegfall-der abschaffung-der statt anstelle falsch-dass unwahr-dass bestreitet-dass"
    ),
    "fr": "ne n' pas sans aucun aucune jamais ni non nul nulle absence-de suppression-du exempt-de exempte-de supprime supprimé",
    "es": "no sin ningún ninguna ninguno nunca jamás ni tampoco excluye exento-de",
    "it": "non senza nessun nessuna nessuno mai né esclude privo-di",
    "nl": "geen niet nooit zonder noch niemand niets",
    "pt": "não sem nenhum nenhuma nunca jamais nem exclui isento-de",
    "ru": "не нет без ни никогда никаких никакого никакой отсутствует отсутствие отменен отменён",
    "ar": "لا ليس ليست لم لن بدون غير دون إلغاء",
    "he": "לא אין אינו אינה אינם ללא בלי איננו ביטול",
}  # fmt: skip

#: Verbs and nouns that do away with what stands right behind them.
CLOSE_BEFORE = {
    "en": (
        "abolish abolishes abolished remove removes removed waive waives waived cancel cancels cancelled drops dropped eliminates eliminated refused-a refuses-a removal-of abolition-of absence-of"
        " instead-of"
    ),
}  # fmt: skip

_EXIST = (
    r"(?:(?:be|been|being|longer|currently|yet|fully|always|also|in any way|a|an|the|any|to) )*(?:appl\w+|exist\w*|hold|requir\w+|need\w*|includ\w+|cover\w*|guarante\w+|available|valid|part|appear\w*"
    r"|in force|in place|due|payable|provided|granted|agreed|allowed|permitted|relevant|necessary|foreseen|mandatory|observed?|offered|paid|charged|given|promised|true|the case|certain|sure|possible)\b"
)
_VERB = r"(?:is|are|was|were|does|do|did|has|have|had|shall|will|can|could|may|must|should|would)"
#: What stands between a wording and what is said of it: no other verb.
_MEANWHILE = r"^(?:(?!\b(?:is|are|was|were|has|have|had|appl\w+|begins?|starts?|lasts?|runs?|and|or|which|that|who|but|to)\b)[^.;,]){0,40}?"
#: What behind a wording negates it, read from where the wording ends.
AFTER = {
    "en": (
        rf"{_MEANWHILE}\b(?:{_VERB}(?: (?:also|still|yet|generally|therefore|in fact))? not|\w+n't|cannot|never|no longer|not)(?:(?: {_EXIST})|\W*$)"
        r"|^[^.;,]{0,60}\b(?:is|are|was|were|been|be|being|hereby) (?:\w+ly )?(?:waived|excluded|void|inapplicable|absent|refused|abolished|removed|dropped|lifted|eliminated|withdrawn|cancelled|canceled|false|untrue|wrong|denied|a myth)\b"
        rf"|{_MEANWHILE}\b(?:not|never) (?:applicable|required|guaranteed|included|covered|available)\b|^\W*no longer\b"
        r"|^(?: ?[:–-]| \() ?(?:none|no|nil|n/a|not applicable)\b"
    ),
    "de": (
        r"^(?: \w+){0,4}? (?:gilt|gelten|besteht|bestehen|existiert|existieren|greift|greifen|gibt es|ist|sind|war|waren|wird|werden|wurde|wurden|kommt|findet|fällt)(?: \w+){0,3}? (?:nicht|nie|niemals|keineswegs)(?: mehr)?"
        r"(?:(?: \w+){0,3}? (?:vorgesehen|erforderlich|nötig|vereinbart|garantiert|enthalten|versichert|gedeckt|anwendbar|angewendet|angewandt|anzuwenden|verlangt|erhoben|Anwendung|statt|an|notwendig|Teil|gewährt|zugesagt|wahr)\b|\W*$)"
        r"|\b(?:entfällt|entfallen|ausgeschlossen|abgeschafft|aufgehoben|gestrichen|verzichtet|weggefallen|unwahr|falsch)\b|^ ?[:–-] ?(?:kein|keine|keiner|entfällt|nein)\b"
    ),
    "fr": (
        r"^(?: (?!est |sont |commence|dure |et |ou |qui |que )[\w'-]+){0,4}? (?:ne |n')(?:s'|y |a |est |sont |sera |seront |fait |font |peut |doit |existe)?\w*(?: \w+)? ?(?:pas|plus|jamais|appliqu\w+|aucun\w*|existe)\b"
        r"(?:(?: \w+){0,2}? (?:applicable\w*|prévue?s?|requise?s?|dû|due|nécessaires?|garantie?s?|incluse?s?|couverte?s?|appliquée?s?|exigée?s?|valables?|vraie?)|\W*$| (?:aux?|à|en|pour)\b)"
        r"|\b(?:exclue?s?|supprimée?s?|abolie?s?|levée?s?)\b|^ ?[:–-] ?(?:aucune?|non|néant|sans)\b"
    ),
    "es": r"^(?: [\w-]+){0,3}? no (?:se )?(?:aplica|existe|rige|está|es|hay|será|procede)|\b(?:excluid[oa]s?|suprimid[oa]s?|eliminad[oa]s?)\b|^ ?[:–-] ?(?:ningun[oa]|no|sin)\b",
    "it": r"^(?: [\w-]+){0,3}? non (?:si )?(?:applica|esiste|è|sono|vale|c'è|sarà)|\b(?:esclus[oaie]|soppress[oaie]|eliminat[oaie])\b|^ ?[:–-] ?(?:nessun[oa]?|no|senza)\b",
    "nl": r"^(?: \w+){0,4}? (?:niet|nooit)\b|\b(?:uitgesloten|vervalt|vervallen|afgeschaft|geschrapt)\b|^ ?[:–-] ?(?:geen|nee)\b",
    "pt": r"^(?: [\w-]+){0,3}? não (?:se )?(?:aplica|existe|é|são|há|está|será|vigora)|\b(?:excluíd[oa]s?|suprimid[oa]s?|eliminad[oa]s?)\b|^ ?[:–-] ?(?:nenhum[a]?|não|sem)\b",
    "ru": r"^(?: \w+){0,3}? (?:не|нет)\b|\b(?:отсутству\w+|отмен[её]н\w*|исключ[её]н\w*)\b|^ ?[:–-] ?нет\b",
    "ar": r"(?<!\w)(?:لا|ليس|ليست|لن|لم)(?!\w)",
    "he": r"(?<!\w)(?:לא|אינו|אינה|אינם|איננו|אין)(?!\w)",
}  # fmt: skip
#: A negation behind a wording that may be of something else.
LATER = {
    "en": r"\b(?:not|never|cannot|no longer)\b|n't\b",
    "de": r"\b(?:nicht|nie|niemals|kein|keine|keinen|keinem|keiner)\b",
    "fr": r"\bne\b|\bn'|\b(?:jamais|aucune?|pas)\b",
    "es": r"\b(?:no|nunca|ningún|ninguna)\b",
    "it": r"\b(?:non|mai|nessuna?)\b",
    "pt": r"\b(?:não|nunca|nenhuma?)\b",
    "nl": r"\b(?:niet|nooit|geen)\b",
    "ru": r"\b(?:не|нет)\b",
}
CHINESE_BEFORE = r"不是|并非|並非|没有|沒有|无须|無須|无需|無需|取消|废除|廢除|免除|不|没|沒|无|無|非|未|免|勿|禁止|除外"
CHINESE_KEEP = r"不少于|不少於|不超过|不超過|不低于|不低於|不高于|不足|不仅|不僅|不但|无论|無論|非常|不断|不斷|未来|未來|不同|不含税"
CHINESE_AFTER = r"^.{0,4}?(?:不适用|不適用|不存在|不予|不包括|不设|不設|未设|未設)|除外|^[:：]?(?:无|無|没有|沒有|不|未)(?:$|[。，；])|已?(?:被|经|經)?(?:取消|废除|廢除)|豁免|被排除"
CHINESE_LATER = r"不[一-鿿]|未[一-鿿]|无[一-鿿]|無[一-鿿]"
JAPANESE_AFTER = r"ない|ません|なし|無し|ず(?:$|[、。])|ぬ(?:$|[、。])|免除|除外|対象外|廃止|撤廃"

#: What doubts or asks somewhere in a sentence.
DOUBT = {
    "en": r"\b(?:might|possibly|perhaps|maybe|allegedly|supposedly|reportedly|presumably|probably|rumou?red|not necessarily|it is unclear|whether(?! or not)|would have)\b",
    "de": r"\b(?:möglicherweise|vielleicht|eventuell|angeblich|vermutlich|wohl|ob|könnten?|unter umständen)\b",
    "fr": r"\b(?:peut-être|éventuellement|prétendument|probablement|il se peut|pourrai(?:t|ent))\b",
    "es": r"\b(?:quizás?|tal vez|posiblemente|probablemente|supuestamente|podrían?)\b",
    "it": r"\b(?:forse|eventualmente|probabilmente|presumibilmente|potrebbe(?:ro)?)\b",
    "nl": r"\b(?:misschien|mogelijk|wellicht|vermoedelijk|eventueel)\b",
    "pt": r"\b(?:talvez|possivelmente|provavelmente|supostamente|poderia)\b",
    "zh": r"可能|也许|也許|或许|或許|是否|据称|據稱|如有|若有",
    "ja": r"かもしれ|可能性|おそらく|かどうか",
    "ar": r"ربما|قد(?!\w)|هل(?!\w)",
    "he": r"אולי|ייתכן|האם",
}
_HERE = r"(?:[ ,]+(?!(?:that|dass|que)? ?(?:no|not|kein\w*|nicht)\b)[\w'-]+){0,3}[ ,]*$"
#: What doubts the wording itself: right before it, …
DOUBTED_BEFORE = {
    "en": rf"\b(?:possibly|perhaps|maybe|allegedly|supposedly|reportedly|presumably|probably|rumou?red|might (?:be|have|include|contain|apply|impose)|whether(?! or not)){_HERE}",
    "de": rf"\b(?:möglicherweise|vielleicht|eventuell|angeblich|vermutlich|wohl|ob){_HERE}",
    "fr": rf"\b(?:peut-être|éventuellement|prétendument|probablement|il se peut){_HERE}",
    "es": rf"\b(?:quizás?|tal vez|posiblemente|probablemente|supuestamente){_HERE}",
    "it": rf"\b(?:forse|eventualmente|probabilmente|presumibilmente){_HERE}",
    "nl": rf"\b(?:misschien|mogelijk|wellicht|vermoedelijk){_HERE}",
    "pt": rf"\b(?:talvez|possivelmente|provavelmente|supostamente){_HERE}",
    "zh": r"(?:可能|也许|也許|或许|或許|是否|据称|據稱)(?:会|會)?(?:有|设有|設有|存在|需要|要|是|为|為)?$",
    "ja": r"おそらく、?$",
    "ar": r"(?<!\w)(?:ربما|قد|هل)(?: \S+){0,2} ?$",
    "he": r"(?<!\w)(?:אולי|ייתכן|האם)(?: \S+){0,2} ?$",
}
#: … or right behind it.
DOUBTED_AFTER = {
    "en": r"^ (?:might|could|would) (?:(?:also|still|well|possibly|perhaps) )?(?:appl\w+|exist|hold|have (?:applied|existed|been)|be(?! \w+ed\b))|^ (?:is|are) (?:\w+ly )?(?:rumou?red|alleged|reported|thought|unclear|uncertain|doubtful)\b",
    "de": r"^ (?:könnten?|dürften?) (?:gelten|bestehen|greifen)|^ (?:gilt|besteht) (?:möglicherweise|vielleicht|eventuell|angeblich|wohl)\b",
    "fr": r"^ (?:pourrai(?:t|ent)) (?:s'appliquer|exister)|^ (?:est|s'applique) (?:peut-être|éventuellement)\b",
    "ja": r"^.{0,10}(?:かもしれ|かどうか)",
}
#: How a question begins that is answered by yes or no.
ASKED = (
    r"\W*(?:is|are|was|were|does|do|did|has|have|had|can|could|will|would|shall|should|may|might|gibt|ist|sind|hat|haben|gilt|gelten|besteht|wird|werden|kann|est-ce|y a-t-il|existe-t-il|le|la|les|un|une"
    r"|¿?(?:hay|es|existe|se aplica)|c'è|esiste|si applica|is er|geldt|há|هل|האם|יש)(?!\w)|.*(?:吗|嗎|か)\W*$"
)
