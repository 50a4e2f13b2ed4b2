"""Text as the full-text index stores it and as queries ask for it."""

import re
import unicodedata
from collections.abc import Mapping
from string import ascii_letters, ascii_uppercase, digits

from ccindex.model.recorded import Content, Words
from ccindex.read.json_values import values_in
from ccindex.read.tool_outcomes import is_notification, parted

_LONG = 100  # so many characters of it in one piece are no word
_LINE = 40  # nor are several lines of so many, as its command and mails fold it
_FEW = 3
# matched only where a run of such characters begins: avoids quadratic matching
_SUSPECT = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{40,}={0,2}")
# the same in text that was marked: "a" for each of the characters, a blank for all others but "="
_ALPHABET = frozenset((ascii_letters + digits + "+/_-").encode())
_MARKED = bytes(ord("a") if byte in _ALPHABET else ord("=") if byte == ord("=") else ord(" ") for byte in range(256))
_ROW = b"a" * _LINE
_MARKED_SUSPECT = re.compile(_ROW + b"a*={0,2}")
_GONE = "\uffff"
# the last line of a folded block, whatever a listing puts before it
_REST = re.compile(_GONE + r"[^A-Za-z0-9+/]{0,16}(?:\d{1,6}→)?([A-Za-z0-9+/_-]{1,99}={0,2})(?![A-Za-z0-9+/_-])")
_SHORT = 16
_WORDS = re.compile(b"[a-z]{4,}")
_DIGIT = re.compile(b"[0-9]")
_CAPITALS = ascii_uppercase.encode()


def without_base64(text: str, data: bytes) -> str:
    """Return a text with a blank in place of every base64 block; `data`: the text in UTF-8.

    Whether a block is base64 depends on the others, so one substitution cannot do it. Blocks are looked for in marked
    text: for 15 million characters that takes 0.05 s of processor time, and 0.22 s in the text itself.
    """
    marked = data.translate(_MARKED)
    if _ROW not in marked:
        return text
    suspects = [data[slice(*found.span())] for found in _MARKED_SUSPECT.finditer(marked)]
    encoded = [word for word in suspects if _is_encoded(word)]
    is_folded = len(encoded) >= _FEW
    if not is_folded and not any(len(word) >= _LONG for word in encoded):
        return text.replace(_GONE, " ")
    # in such company a line may have no digit, or be one row of capitals
    is_no_word, shortest = (_is_wordless, _LINE) if is_folded else (_is_encoded, _LONG)

    def blank(found: re.Match[str]) -> str:
        return _GONE if len(found[0]) >= shortest and is_no_word(found[0].encode()) else found[0]

    text = _SUSPECT.sub(blank, text)
    return (_REST.sub(_without_rest, text) if is_folded else text).replace(_GONE, " ")


def _without_rest(found: re.Match[str]) -> str:
    word = found[1].encode()
    return _GONE if word.endswith(b"=") or (len(word) >= _SHORT and _is_wordless(word)) else found[0]


def _is_encoded(word: bytes) -> bool:
    """Whether it has digits and capitals as no name or path has, and hardly a row of small letters like a word's."""
    is_mixed = not word.isupper() and 10 * _capitals(word) >= len(word) and _DIGIT.search(word) is not None
    return is_mixed and 4 * _in_words(word) < len(word)


def _is_wordless(word: bytes) -> bool:
    """Whether it has capitals, and not too many small letters in rows."""
    return _capitals(word) > 0 and 5 * _in_words(word) < 2 * len(word)


def _in_words(word: bytes) -> int:
    return sum(map(len, _WORDS.findall(word)))


def _capitals(word: bytes) -> int:
    return len(word) - len(word.translate(None, _CAPITALS))


BREAK = "\u200b"  # takes no room where it is shown, and parts words where they are counted

# Thai, Lao, Burmese, Khmer, kana, Han, Hangul: a word there is found as the run of its signs.
# Not compiled here: that takes 3 ms, and few texts need it.
_UNSPACED = (
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
    legible = without_base64(text, data) if len(data) >= _LINE else text
    if text.isascii() or _PLAIN.fullmatch(data.translate(None, _ASCII).decode("utf-8", "surrogatepass")):
        return legible
    return re.sub(_UNSPACED, BREAK + r"\g<0>" + BREAK, unicodedata.normalize("NFKC", legible))
