"""What no text of a model may hold, whatever its numbers: links, keys, unsafe advice, own plans."""

import re

_ENDINGS = (
    "com|org|net|io|app|dev|co|ai|me|info|biz|xyz|ru|cn|de|uk|fr|es|it|nl|ch|at|eu|us|ly|gg|sh"
    "|site|online|shop|link|club|top|fit"
)
_DOT = (
    r"(?:\.|\s*\[\s*\.\s*\]\s*|\s*\(\s*\.\s*\)\s*|\s*[(\[]\s*(?:dot|punkt)\s*[)\]]\s*"
    r"|\s+(?:dot|punkt)\s+)"
)
_LINK = (
    r"https?\s*:|hxxps?|ftp\s*:|www\s*\.|javascript\s*:|vbscript\s*:|data:\w|mailto\s*:|://"
    r"|\]\s*\(|!\[|\[[^\]]*\]\s*:"
    rf"|\b[\w-]{{1,63}}{_DOT}(?:{_ENDINGS})\b"
    r"|\b[\w-]{1,63}\s*[.,]\s*(?:com|org|net|io)\b"
    # Any name with a point in it: no sentence goes on in a small letter right after its end.
    r"|(?-i:\b[^\W_]{2,}\.[a-z]{2,}\b)"
    r"|\b\d{1,3}(?:\.\d{1,3}){3}\b"
)
_ADDRESS = (
    r"[\w.+-]+@[\w-]+\.\w+|\b\w+\s*[(\[]\s*(?:at|@|ät)\s*[)\]]\s*\w+"
    r"|(?<![\w\d])@(?!rpe|rir)[^\W\d_]\w{2,}"
)
_MARKUP = r"<\s*[/!?a-zA-Z][^>]*>?|&#?\w+;"
_KEY = (
    r"AIza[\w-]{10,}|\bsk[-_][\w-]{8,}|\bBearer\s+\S{8,}|\bkey-[\w-]{8,}|\bgh[pousr]_\w{8,}"
    r"|(?:api|secret)[ _-]?key|\bpassword\b|\bpasswort\b|\bxox[abp]-\S+|-----BEGIN"
    r"|\b[A-Za-z0-9+/_-]{32,}={0,2}"
)
_ROLE = (
    r"^\W*(?:system|assistant|developer|user)\b[^.]{0,12}:|\bsystem\s+prompt\b"
    r"|^\W*(?:system|assistant|developer|user)\W*$|\[\s*/?\s*inst\s*\]"
)
_PAIN = (
    r"(?:\b(?:pain|ache|aching|hurt|discomfort|injur|twinge|sore|schmerz|weh|beschwerden|zerrung"
    r"|verletzung|dolor|molesti|douleur|dor\b|dores\b|pijn|боль|боли|болит)|痛|疼)"
)
_AGAINST = (
    r"(?:\b(?:through|despite|ignor\w*|forget|even\s+(?:if|when|though)|embrace|(?:push|press)\s+on"
    r"|trotz|gegen den|weg|auch wenn|pese|aunque|aguant\w*|malgré|même si|nonostante|apesar|ondanks"
    r"|negeer|терпи\w*|несмотря|через|игнорир\w*)\b|無視|无视|忽略|我慢|忍)"
)
_MEDICINE = (
    r"\b(?:steroid|testosteron|ibuprofen|aspirin|paracetamol|acetaminophen|naproxen|diclofenac"
    r"|voltaren|nsaid|pain\s?killer|schmerzmittel|schmerztablette|clenbuterol|trenbolon|anabol"
    r"|ephedrin|insulin|diuretic|laxative|sarms?\b|pills?\b|tablette)"
)
_UNSAFE = (
    rf"{_AGAINST}[^.]{{0,25}}{_PAIN}|{_PAIN}[^.]{{0,25}}\bignor|(?:痛|疼)[^。]{{0,10}}(?:無視|无视|忽略|我慢|忍)"
    rf"|{_PAIN}\w*\s+(?:is|ist)\s+(?:just\s+|only\s+|nur\s+)?(?:nothing|weakness|normal|nichts|schwäche)"
    r"|\b(?:should|must|supposed to|has to|soll|muss)\s+(?:\w+\s+)?(?:hurt|weh|schmerz)"
    rf"|{_MEDICINE}"
    r"|\b(?:skip|no|without|drop)\b[^.]{0,12}\bwarm(?:[ -]?ups?|ing)\b|\bno need\b[^.]{0,8}\bwarm"
    r"|\bohne\b[^.]{0,12}\b(?:auf|ein)?wärm"
    r"|\b(?:sin|sans|senza|sem|zonder|без)\s+(?:\w+\s+)?(?:calent|échauff|riscald|aquec|opwarm"
    r"|разминк)"
    r"|\bне\s+размин"  # noqa: RUF001 - a Russian word
    r"|\b(?:don['\u2019]?t|do not|stop|nicht|nichts)\s+(?:eat|drink|breath|essen|trinken|atmen)"
    r"|\b(?:until|till|bis)\b[^.]{0,20}\b(?:fail|cannot|can['\u2019]?t|nicht mehr)\b"
    r"|\b(?:al? fallo|el fallo|l['\u2019]échec|cedimento|a falha|tot falen|до отказа)\b"
    r"|力竭|限界まで"
    r"|\b(?:to|until|till|bis zum|bis zu|bis ans)\s+(?:\w+\s+)?(?:failure|exhaustion|versagen"
    r"|muskelversagen|erschöpfung)\b"
)
# Loads and amounts that no digits say: plates, shares, and whatever is left to the day.
_OWN_PLAN = (
    r"\b(?:plates?|discs?|scheiben?)\b[^.]{0,15}\b(?:more|extra|side|mehr|drauf|seite)\b"
    r"|\b(?:a|an|another|extra|more|one|two|noch eine|eine|zwei)\s+(?:\w+\s+)?"
    r"(?:plates?|scheiben?)\b"
    r"|\bhalf again\b|\b(?:a|one)\s+(?:third|quarter|half|fifth|tenth)\s+(?:\w+\s+)?"
    r"(?:more|less|heavier|lighter|as)\b"
    r"|\b(?:anderthalb|eineinhalb|zweieinhalb|halb so)\w*"
    r"|\b(?:ein|einen)\s+(?:drittel|viertel|fünftel|zehntel)\b"
    r"|\b(?:heavier|lighter|more|less|fewer|extra)\b[^.]{0,20}\b(?:than\s+(?:planned|prescribed|told"
    r"|written|the plan)|if\s+(?:it|you|that|the))\b"
    r"|\bif\b[^.]{0,30}\b(?:add|use|take|put|go)\b[^.]{0,15}\b(?:more|heavier|extra|up)\b"
    r"|\b(?:schwerer|leichter|mehr|weniger)\b[^.]{0,20}\bals\s+(?:geplant|vorgegeben|der plan)\b"
    # An order to do more that has no number to be checked.
    r"|^(?:[^\d]*\b(?:and|then|so|und|dann)\s+)?(?:add|raise|increase|bump|erhöhe|steigere)\b\D{0,20}"
    r"\b(?:weights?|loads?|gewichte?)\b\D*$"
    r"|^(?:do|take|use)\s+(?:extra|more|some more|additional)\b\D*$|^go\s+(?:\w+\s+)?heavier\b\D*$"
    r"|^(?:geh|nimm|mach)\s+(?:\w+\s+)?(?:schwerer|mehr)\b\D*$|\bmax(?:imum)?\s+(?:single|attempt)\b"
    r"|\b(?:más|plus|più|mais|больше)\b[^.]{0,20}\b(?:planeado|previsto|prévu|pianificato|planejado"
    r"|плана)\b"
    # A sum, or a share of what is not said: its numbers may all be known and it still is not.
    r"|\d\s*(?:kgs?|kilos?|lbs?|pounds?)?\s*[+±]\s*\d|\b\d/\d\s+(?:more|less|heavier|lighter|of|mehr)"
    r"|\b(?:one|a|two|three)[ -](?:half|thirds?|quarters?)\s+(?:more|less|heavier|lighter)"
    r"|\ba\s+(?:score|gross)\s+(?:of|more)\b"
    r"|\b(?:olvida|ignora|oublie|oubliez|dimentica|esquece|vergeet|забудь)\b[^.]{0,20}"
    r"\b(?:plan|plano|piano|план|reglas?|règles?|regole|regras?|regels)\b|(?:无视|忽略|無視)[^。]{0,6}(?:计划|計画)"
    r"|\b(?:ignore|forget|override|vergiss|ignoriere)\b[^.]{0,20}\b(?:plan|rules?|limits?|instructions?"
    r"|regeln?|grenzen?|anweisungen?|previous)\b"
)
_LOAD_WORDS = (
    r"\b(?:kgs?|kilos?|kilo\w*|lbs?|pounds?|кг|кило\w*|кіло\w*|κιλ\w*|фунт\w*)\b"
    r"|킬로|キロ|ポンド|公斤|千克|磅|كجم|كغ|كيلو|کیلو|किलो|קילו|กิโล"
)
# A roman number of two signs and more; DL is what lifters call a deadlift.
_ROMAN = (
    r"\b(?-i:(?!DL\b)(?=[MDCLXVI]{2})"
    r"M{0,4}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3}))\b"
)

_REASONS = {
    re.compile(pattern, re.IGNORECASE): reason
    for pattern, reason in (
        (_MARKUP, "markup"),
        (_LINK, "a link"),
        (_ADDRESS, "an address"),
        (_KEY, "what looks like a key"),
        (_ROLE, "another role"),
        (_UNSAFE, "unsafe advice"),
        (_OWN_PLAN, "a plan of its own"),
        (_ROMAN, "a number in letters"),
    )
}
_WITH_A_NUMBER = re.compile(rf"\d[\s\u00a0-]*(?:{_LOAD_WORDS})", re.IGNORECASE)
_LOAD = re.compile(_LOAD_WORDS, re.IGNORECASE)


def forbidden(sentence: str) -> str | None:
    """Why a sentence may not be shown whatever the data says; None if nothing is against it."""
    return next((why for pattern, why in _REASONS.items() if pattern.search(sentence)), None)


def has_load_without_digits(text: str) -> bool:
    """Whether a load is named whose number was not read: in words of a language that none knows.

    `text` has its number words as digits as far as they are known.
    """
    return _LOAD.search(_WITH_A_NUMBER.sub(" ", text)) is not None
