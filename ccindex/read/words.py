"""What full-text search finds an entry by: its words, without what is encoded, parted where scripts know no space."""

import re
import unicodedata
from collections.abc import Mapping

from ccindex.model.facts import Content, Words

from .encoded import without_base64
from .jsontext import values_in
from .notices import is_notification, parted

BREAK = "\u200b"  # takes no room where it is shown, and parts words where they are counted

# Thai, Lao, Burmese, Khmer, kana, Han, Hangul: a word there is found as the run of its signs
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
    "\uf900-\ufaff\U00020000-\U0003134f]"
)
# European letters, dashes, quotes, arrows, boxes, signs, emoji: what stands in most texts that are not all ASCII.
# None of it is of those scripts, and NFKC leaves it as it is, in any company of its kind and of ASCII.
_PLAIN = re.compile(
    "[\u00a7\u00b7\u00c0-\u00ff\u0391-\u03a1\u03a3-\u03c9\u0400-\u045f\u2010\u2012-\u2016\u2018-\u2023\u2190-\u21ff"
    "\u2260-\u2265\u2330-\u23ff\u2500-\u27bf\u2b00-\u2b5f\ufe0f\U0001f300-\U0001f6ff\U0001f900-\U0001f9ff]*"
)
_ASCII = bytes(range(128))

_PLACES = {name: place for place, name in enumerate(Words._fields)}
_PROMPT, _ANSWER, _OTHER = _PLACES["prompt"], _PLACES["answer"], _PLACES["other"]
_BY_TYPE = {"thinking": _PLACES["thinking"], "tool_use": _PLACES["input"], "tool_result": _PLACES["result"]}


def words_of(
    kind: str, content: Content, own: str | None, *, is_typed: bool, inputs: Mapping[int, str] | None = None
) -> Words | None:
    """Sort an entry's texts into the columns of the search index; None if there is nothing to find.

    `inputs`: what `values_in` finds in the calls, by their place, if that is known already.
    """
    if inputs is None:
        inputs = {use.idx: values_in(use.input) for use in content.uses}
    said: dict[int, list[str]] = {}
    for idx, type_, text, *_ in content.blocks:
        words = inputs.get(idx, text)
        if not words:
            continue
        if type_ != "text":
            said.setdefault(_BY_TYPE.get(type_ or "", _OTHER), []).append(words)
        elif kind == "assistant":
            said.setdefault(_ANSWER, []).append(words)
        else:
            _sort(words, said, is_typed=is_typed)
    if own:
        _sort(own, said, is_typed=is_typed)
    if not said:
        return None
    columns: list[str | None] = [None] * len(_PLACES)
    for place, texts in said.items():
        columns[place] = findable("\n".join(texts))
    return Words(*columns)


def _sort(text: str, said: dict[int, list[str]], *, is_typed: bool) -> None:
    """Add a text that is no answer of the model: a prompt, or another text in which agents may report."""
    if is_typed:
        said.setdefault(_PROMPT, []).append(text)
        return
    rest, reports = parted(text) if is_notification(text) else (text, ())
    said.setdefault(_OTHER, []).append(rest)
    if reports:
        said.setdefault(_ANSWER, []).extend(reports)


def findable(text: str) -> str:
    """Text as it goes into the index, and as a query must be to find it."""
    data = text.encode("utf-8", "surrogatepass")
    legible = without_base64(text, data)
    if text.isascii() or _PLAIN.fullmatch(data.translate(None, _ASCII).decode("utf-8", "surrogatepass")):
        return legible
    return _UNSPACED.sub(BREAK + r"\g<0>" + BREAK, unicodedata.normalize("NFKC", legible))
