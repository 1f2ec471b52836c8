"""What a row's label tells: that it sums others, states their mean, a balance or a bound.

Takes one label as published; gives what it speaks of, and the group that a subtotal names. Whether
the numbers agree is told elsewhere.
"""

from __future__ import annotations

import re

_PHRASES = (
    *("sum", "overall", "all", "totaux", "totale", "subtotale", "sous-total", "total général"),
    *("total general", "total geral", "suma", "suma total", "somme", "totaal", "tussentotaal"),
    *("insgesamt", "gesamt", "gesamtsumme", "gesamtbetrag", "gesamtergebnis", "summe"),
    *("zwischensumme", "endsumme", "summa", "delsumma", "totalt", "i alt", "yhteensä"),
    *("celkem", "spolu", "razem", "ogółem", "łącznie", "összesen", "mindösszesen", "toplam"),
    *("ara toplam", "genel toplam", "итого", "всего", "разом", "усього", "всього", "σύνολο"),
    *("合计", "总计", "小计", "合計", "総計", "小計", "합계", "총계", "소계", "कुल", "कुल योग"),
    *("jumlah", "tổng", "tổng cộng", "الإجمالي", "إجمالي", "المجموع", "مجموع", 'סה"כ'),
)
_ALL = r"(?:sub-?\s?|grand\s+)?totals?|" + "|".join(map(re.escape, _PHRASES))
_TOTAL = re.compile(_ALL, re.I)
_SET_OFF = re.compile(r"^totals?\s*[,:(]|,\s*totals?$", re.I)
_MARKS = re.compile(r"\s*(?:\\\d|\(\w\)|\[\w+\]|[*†‡:.\d])+$")
"""Footnote marks after a label."""

_WITHIN = re.compile(
    r"\b(?:sub-?\s?)?(?:totals?|итого|всего)\b|^ensemble$|合计|总计|小计|合計|総計|小計|합계|총계|소계",
    re.I,
)
_SPEAKS_OF_TOTAL = re.compile(rf"\b(?:{_ALL})\b", re.I)
"""Asked of words in a column of dates or numbers, where nothing is called "Total Station"."""

_GROUP_WORDS = rf"(?:{_ALL}|ergebnis)"
_GROUP = re.compile(
    rf"{_GROUP_WORDS}\s*(?:[-–:]|\b(?:for|of|für|de|du|di)\b)?\s*(?P<after>.+)"
    rf"|(?P<before>.+?)\s*[-–:]?\s*\b{_GROUP_WORDS}",
    re.I,
)
"""A subtotal's label beside the name of its group: "Subtotal North", "2023 Total"."""

STATISTICS = {
    "mean": r"(?:overall\s+)?(?:averages?|avg|means?|medians?)(?:\s+(?:per|for|of)\s+.+)?"
    r"|(?:durchschnitt|mittelwert)(?:\s+(?:pro|je)\s+.+)?|moyenne(?:\s+(?:par|des?)\s+.+)?"
    r"|media|(?:media|promedio)\s+(?:por|per)\s+.+|promedio|média|gemiddelde?|genomsnitt"
    r"|medelvärde|gjennomsnitt|gennemsnit|średni[ao]|průměr|priemer|keskiarvo|ortalama|átlag"
    r"|среднее(?: значение)?|в среднем|середнє|μέσος όρος|平均值?|평균",
    "max": r"max(?:imum|imal)?\.?|highest|höchstwert|m[áa]ximo|massimo|maks(?:imum)?\.?"
    r"|najwyższa|максимум|最大值?|최대",
    "min": r"min(?:imum|imal)?\.?|lowest|tiefstwert|m[íi]nimo|minimo|najniższa|минимум"
    r"|最小值?|최소",
    "deviation": r"(?:std|standard)\.?\s*(?:dev(?:iation)?\.?)?|stdev|sd|standardabweichung"
    r"|écart[- ]type",
    "count": r"count|anzahl|n|number of (?:rows|records|entries)|records|nombre|conteo",
}
"""What a row is called that describes the rows above, by the figure that it states."""

MEAN_SIGNS = (
    "average avg mean median durchschnitt mittelwert moyenne media média promedio gemiddeld "
    "genomsnitt gjennomsnit gennemsnit średni průměr priemer keskiarvo ortalama átlag "
    "средн середн 平均 평균"
)
"""What the label of a mean holds: "Class average", "Klassendurchschnitt"."""

_BESIDE_TOTAL = re.compile(
    r"[\s–-]*(?:(?:of|out of) (?:which|whom|those|this)|thereof|therein|davon|darunter|hiervon|dont"
    r"|di cui|de (?:los|las) cuales|d[ao]s quais|waarvan|heraf|herav|varav|w tym"
    r"|в том числе|其中|うち"
    r"|(?:(?:grand )?totals?|all|sum|summe|gesamt)?\s*(?:incl|excl)(?:uding|usive|\.)?|y compris"
    r"|(?:total|all|summe|gesamt)?\s*(?:without|ohne|hors|sans|sin)"
    r"|(?:%|per ?cent|percentage)?\s*(?:change|growth|increase|decrease|difference|variance)s?"
    r"|(?:abs\w*\.? |percentage )?(?:veränderung|differenz|abweichung|zuwachs|évolution|écart"
    r"|variación|variazione)|previous year|prior year|last year|vorjahr|year[- ]on[- ]year"
    r")(?![^\W\d_])",
    re.I,
)
"""How a row right below a total begins that tells a part of it, or how it compares."""

_NAMES_OF_THINGS = frozenset({"media", "n", "records"})
"""Words among these that are called after things as often: the numbers alone tell them apart."""

_FEW_WORDS = 5

_STATISTIC = {name: re.compile(pattern, re.I) for name, pattern in STATISTICS.items()}

_BALANCE = re.compile(
    r"(?:(?:opening|closing|starting|beginning|ending|final|initial|previous|current|available"
    r"|account|bank)\s+)*balance(?:\s+(?:brought|carried)\s+(?:forward|down|over))?"
    r"|(?:brought|carried)\s+forward"
    r"|(?:(?:alter|neuer|aktueller)\s+)?(?:(?:end|anfangs|schluss)?saldo|kontostand)"
    r"|(?:(?:end|anfangs|schluss)bestand)|übertrag|saldovortrag"
    r"|(?:(?:ancien|nouveau)\s+)?solde(?:\s+(?:initial|final|créditeur|débiteur))?"
    r"|saldo\s+(?:iniziale|finale|inicial|final|anterior)",
    re.I,
)
"""What a row is called that states what an account holds."""

_BOUND = re.compile(
    r"(?:max(?:imum|imal)?|min(?:imum|imal)?|full|total|possible)\.?\s+(?:\w+\s+)?"
    r"(?:points|marks|scores?|values?)"
    r"|(?:points|marks)\s+(?:possible|available)|out\s+of|max(?:imum)?\.?|min(?:imum)?\.?"
    r"|(?:upper\s+|lower\s+)?(?:limits?|bounds?|thresholds?)(?:\s+values?)?|(?:\w+\s+)?targets?(?:\s+values?)?"
    r"|goals?|benchmarks?|weight(?:ing|age)s?|quotas?|zielwerte?|ziel|soll(?:werte?)?|grenzwerte?",
    re.I,
)
"""What a row is called that states what the records are measured against."""

_STATED = re.compile(
    r"(?:opening|closing|starting|beginning|ending|final|initial|previous)\s+balance"
    r"|balance\s+(?:brought|carried)|(?:brought|carried)\s+(?:forward|down|over)"
    r"|(?:anfangs|schluss|end)(?:saldo|bestand)|saldovortrag|saldo\s+(?:iniziale|inicial)"
    r"|(?:ancien|nouveau)\s+solde|solde\s+initial",
    re.I,
)
"""The beginning of a label that says which balance it states: no product is called so."""

_CARRIED = re.compile(
    r"(?:balance\s+|amount\s+|total\s+)?(?:brought|carried)\s+(?:forward|down|over)|[bc]/[fd]"
    r"|(?:saldo|summen)?-?übertrag|saldovortrag|à reporter|report à nouveau|suma y sigue|riporto",
    re.I,
)
"""What a row is called that takes a page's sum over to the next page."""

_AS_OF = re.compile(
    r"(?:[\s,:(]+(?:as|of|at|on|per|am|zum|vom|den|au|le|al|in|[A-Z]{3}|[$€£]|\d[\d./-]*"
    r"|(?:jan|feb|mar|mär|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez)\w*\.?))+\)?$",
    re.I,
)
"""The day and the currency of a balance: "as of 31 March 2025", "(EUR)"."""

TOTAL_START = " ".join(sorted({"sub", "tot", "gra", "ens", *(phrase[:3] for phrase in _PHRASES)}))
TOTAL_SIGNS = "total summe ergebnis итого всего 合计 总计 小计 合計 総計 小計 합계 총계 소계"
STATISTIC_START = (
    "ove ave avg mea med dur mit moy pro max hig min low std sta sd éca cou anz n num rec nom con "
    "gem gen gje méd śre prů pri kes ort átl сре сер в μέσ 平均 평균 höc máx mas mak naj мак "
    "最大 최대 tie mín мин 最小 최소"
)
BALANCE_START = (
    "ope clo sta beg end fin ini pre cur ava acc ban bal bro car alt neu akt anf sch sal kon übe "
    "anc nou sol max min ful tot pos poi mar out upp low lim bou thr tar goa ben wei quo zie gre "
    "b/ c/ amo sum rep rip à"
)
"""How the first word of a label of each kind begins; what a total's label holds elsewhere."""


def bare(label: str) -> str:
    """A label without footnote marks and the signs around it."""
    return _MARKS.sub("", label).strip(" -–:")


def is_total(label: str) -> bool:
    """Whether a label says little else than "total"."""
    name = bare(label)
    return _TOTAL.fullmatch(name) is not None or _SET_OFF.search(name) is not None


def speaks_of_total(label: str, *, among_values: bool = False) -> bool:
    """Whether a label holds the word; `among_values`: it stands where dates or numbers do."""
    pattern = _SPEAKS_OF_TOTAL if among_values else _WITHIN
    return pattern.search(bare(label)) is not None


def is_total_word(word: str) -> bool:
    """Whether a word alone means a total: no unit of a number."""
    return _TOTAL.fullmatch(word) is not None


def group_of(label: str) -> str:
    """The group that a subtotal's label names: "North" of "Subtotal North"; "" for none."""
    found = _GROUP.fullmatch(" ".join(label.split()).strip(" -–:*"))
    return "" if found is None else (found["after"] or found["before"]).strip(" -–:()")


def statistic(label: str) -> str:
    """The figure that a row's label states, of `STATISTICS`; "" where it states none."""
    name = bare(label)
    return next((key for key, form in _STATISTIC.items() if form.fullmatch(name)), "")


def speaks_of_mean(label: str) -> bool:
    """Whether a label of a few words holds one for a mean: that it states one, numbers tell."""
    name = bare(label).casefold()
    return len(name.split()) <= _FEW_WORDS and any(sign in name for sign in MEAN_SIGNS.split())


def beside_total(label: str) -> bool:
    """Whether a label below a total tells a part of it ("of which North") or its change."""
    return _BESIDE_TOTAL.match(label) is not None


def names_things(label: str) -> bool:
    """Whether a figure's name is a record's name as often."""
    return bare(label).casefold() in _NAMES_OF_THINGS


def is_balance(label: str) -> bool:
    """Whether a label names a balance, or a bound that records are measured against."""
    stripped = label.strip(" -–:")
    name = _AS_OF.sub("", stripped).strip(" -–:")
    return (_BALANCE.fullmatch(name) or _BOUND.fullmatch(stripped)) is not None


def is_carried(label: str) -> bool:
    """Whether a label says that a page's sum is taken over: no record is called so."""
    return _CARRIED.fullmatch(bare(label)) is not None


def states_balance(label: str) -> bool:
    """Whether a label begins by saying which balance it states: no product is called so."""
    return _STATED.match(label.strip(" -–:")) is not None
