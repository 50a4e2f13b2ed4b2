"""Base64 in texts: pictures, keys and tokens that nobody looks for by their letters."""

import re
from string import ascii_letters, ascii_uppercase, digits

_LONG = 100  # so many characters of it in one piece are no word
_LINE = 40  # nor are several lines of so many, as its command and mails fold it
_FEW = 3
# looked for where a row of such characters begins and nowhere in it, lest time be squared
_SUSPECT = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{40,}={0,2}")
# The same in text that was marked: each of the characters as an "a", what is none of them as a blank. Looking for
# so many equal bytes takes a fifth of the time that looking for so many of a class does.
_ALPHABET = frozenset((ascii_letters + digits + "+/_-").encode())
_MARKED = bytes(ord("a") if byte in _ALPHABET else ord("=") if byte == ord("=") else ord(" ") for byte in range(256))
_ROW = b"a" * _LINE
_MARKED_END = re.compile(b"a*={0,2}")
_GONE = "\uffff"
# the last line of a folded block, whatever a listing puts before it
_REST = re.compile(_GONE + r"[^A-Za-z0-9+/]{0,16}(?:\d{1,6}→)?([A-Za-z0-9+/_-]{1,99}={0,2})(?![A-Za-z0-9+/_-])")
_SHORT = 16
_WORDS = re.compile(b"[a-z]{4,}")
_DIGIT = re.compile(b"[0-9]")
_CAPITALS = ascii_uppercase.encode()


def without_base64(text: str, data: bytes) -> str:
    """Text with a blank in the place of whatever is encoded in it; `data`: the same in UTF-8."""
    suspects = _suspects(data)
    if not suspects:
        return text
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


def _suspects(data: bytes) -> list[bytes]:
    """What `_SUSPECT` finds."""
    if len(data) < _LINE:
        return []
    marked = data.translate(_MARKED)
    found: list[bytes] = []
    start = marked.find(_ROW)
    while start >= 0:
        rest = _MARKED_END.match(marked, start + _LINE)
        assert rest is not None  # it matches the empty string
        found.append(data[start : rest.end()])
        start = marked.find(_ROW, rest.end())
    return found


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
