"""Convert text to the form that the full-text index stores and that queries must use."""

import re
import unicodedata
from collections.abc import Mapping
from string import ascii_letters, ascii_uppercase, digits

from ccindex.model.recorded import Content, SearchText
from ccindex.read.json_values import values_in
from ccindex.read.tool_outcomes import is_notification, split_reports

_MIN_BLOCK_CHARS = 100  # minimum length of base64 data without line breaks
_MIN_LINE_CHARS = 40  # minimum line length of wrapped base64 data, as written by the base64 command and mail programs
_MIN_LINES = 3
# matches only at the start of a run of base64 characters, which avoids quadratic matching
_SUSPECT = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{40,}={0,2}")
# _MARKED_SUSPECT is the same for marked text, in which every base64 character is replaced with "a" and any other
# character except "=" with a space
_ALPHABET = frozenset((ascii_letters + digits + "+/_-").encode())
_MARKED = bytes(ord("a") if byte in _ALPHABET else ord("=") if byte == ord("=") else ord(" ") for byte in range(256))
_ROW = b"a" * _MIN_LINE_CHARS
_MARKED_SUSPECT = re.compile(_ROW + b"a*={0,2}")
_REMOVED = "\uffff"
# the last line of wrapped base64 data, possibly after a prefix such as the line number in a listing
_LAST_LINE = re.compile(_REMOVED + r"[^A-Za-z0-9+/]{0,16}(?:\d{1,6}→)?([A-Za-z0-9+/_-]{1,99}={0,2})(?![A-Za-z0-9+/_-])")
_MIN_LAST_LINE_CHARS = 16
_WORDS = re.compile(b"[a-z]{4,}")
_DIGIT = re.compile(b"[0-9]")
_CAPITALS = ascii_uppercase.encode()


def remove_base64(text: str, data: bytes) -> str:
    """Replace every base64 block in the text with a space; `data` is the text encoded as UTF-8.

    Whether a run of characters is base64 depends on the other runs, so all runs are found before any is replaced. The
    search uses marked text (see `_MARKED_SUSPECT`), which takes 0.05 s instead of 0.22 s for 15 million characters.
    """
    marked = data.translate(_MARKED)
    if _ROW not in marked:
        return text
    suspects = (data[slice(*match.span())] for match in _MARKED_SUSPECT.finditer(marked))
    encoded_sizes = [len(word) for word in suspects if _is_encoded(word)]
    is_folded = len(encoded_sizes) >= _MIN_LINES
    if not is_folded and max(encoded_sizes, default=0) < _MIN_BLOCK_CHARS:
        return text.replace(_REMOVED, " ")
    # a line of wrapped base64 data may contain no digits or no lower-case letters
    is_base64, min_chars = (_is_wordless, _MIN_LINE_CHARS) if is_folded else (_is_encoded, _MIN_BLOCK_CHARS)

    def replace(match: re.Match[str]) -> str:
        return _REMOVED if len(match[0]) >= min_chars and is_base64(match[0].encode()) else match[0]

    text = _SUSPECT.sub(replace, text)
    return (_LAST_LINE.sub(_replace_last_line, text) if is_folded else text).replace(_REMOVED, " ")


def _replace_last_line(match: re.Match[str]) -> str:
    word = match[1].encode()
    return _REMOVED if word.endswith(b"=") or (len(word) >= _MIN_LAST_LINE_CHARS and _is_wordless(word)) else match[0]


def _is_encoded(word: bytes) -> bool:
    """Return whether a run contains digits and lower-case letters, at least 10% capitals, and less than 25% words."""
    is_mixed = not word.isupper() and 10 * _capitals(word) >= len(word) and _DIGIT.search(word) is not None
    return is_mixed and 4 * _letters_in_words(word) < len(word)


def _is_wordless(word: bytes) -> bool:
    """Return whether a run contains capitals, and words make up less than 40% of it."""
    return _capitals(word) > 0 and 5 * _letters_in_words(word) < 2 * len(word)


def _letters_in_words(word: bytes) -> int:
    return sum(map(len, _WORDS.findall(word)))


def _capitals(word: bytes) -> int:
    return len(word) - len(word.translate(None, _CAPITALS))


BREAK = "\u200b"  # an invisible character that separates tokens

# Thai, Lao, Burmese, Khmer, kana, Han, Hangul: every character is a token, so a word is found as a phrase.
# Not compiled at import, because that takes 3 ms and little text needs it.
_UNSPACED = (
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
    "\uf900-\ufaff\U00020000-\U0003134f]"
)
# European letters, dashes, quotes, arrows, boxes, symbols and emoji: the non-ASCII characters in most text.
# None of them belongs to the scripts above, and NFKC does not change any combination of them and ASCII characters.
_UNCHANGED = re.compile(
    "[\u00a7\u00b7\u00c0-\u00ff\u0391-\u03a1\u03a3-\u03c9\u0400-\u045f\u2010\u2012-\u2016\u2018-\u2023\u2190-\u21ff"
    "\u2260-\u2265\u2330-\u23ff\u2500-\u27bf\u2b00-\u2b5f\ufe0f\U0001f300-\U0001f6ff\U0001f900-\U0001f9ff]*"
)
_ASCII = bytes(range(128))

_COLUMNS = {name: index for index, name in enumerate(SearchText._fields)}
_PROMPT, _ANSWER, _OTHER = _COLUMNS["prompt"], _COLUMNS["answer"], _COLUMNS["other"]
_BY_TYPE = {"thinking": _COLUMNS["thinking"], "tool_use": _COLUMNS["input"], "tool_result": _COLUMNS["result"]}


def build_search_text(
    kind: str, content: Content, own_text: str | None, *, is_typed: bool, inputs: Mapping[int, str] | None = None
) -> SearchText | None:
    """Distribute the text of an entry over the columns of the full-text index. Return None if the entry has no text.

    `inputs` contains the results of `values_in` for the tool inputs, by block index. If it is None, they are computed.
    """
    if inputs is None:
        inputs = {use.idx: values_in(use.input) for use in content.uses}
    texts: dict[int, list[str]] = {}
    for idx, type_, text, *_ in content.blocks:
        block_text = inputs.get(idx, text)
        if not block_text:
            continue
        if type_ != "text":
            texts.setdefault(_BY_TYPE.get(type_ or "", _OTHER), []).append(block_text)
        elif kind == "assistant":
            texts.setdefault(_ANSWER, []).append(block_text)
        else:
            _add_text(block_text, texts, is_typed=is_typed)
    if own_text:
        _add_text(own_text, texts, is_typed=is_typed)
    if not texts:
        return None
    columns: list[str | None] = [None] * len(_COLUMNS)
    for index, column_texts in texts.items():
        columns[index] = normalize_for_search("\n".join(column_texts))
    return SearchText(*columns)


def _add_text(text: str, texts: dict[int, list[str]], *, is_typed: bool) -> None:
    """Add typed text as a prompt. In other text, agents' reports count as answers, and the rest is added as `other`."""
    if is_typed:
        texts.setdefault(_PROMPT, []).append(text)
        return
    rest, reports = split_reports(text) if is_notification(text) else (text, ())
    texts.setdefault(_OTHER, []).append(rest)
    if reports:
        texts.setdefault(_ANSWER, []).extend(reports)


def normalize_for_search(text: str) -> str:
    """Normalize text for the full-text index. Queries must be normalized in the same way."""
    data = text.encode("utf-8", "surrogatepass")
    legible = remove_base64(text, data) if len(data) >= _MIN_LINE_CHARS else text
    if text.isascii() or _UNCHANGED.fullmatch(data.translate(None, _ASCII).decode("utf-8", "surrogatepass")):
        return legible
    return re.sub(_UNSPACED, BREAK + r"\g<0>" + BREAK, unicodedata.normalize("NFKC", legible))
