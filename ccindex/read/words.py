"""What full-text search finds an entry by: its words, without what is encoded, parted where scripts know no space."""

import re
import unicodedata

from ccindex.model.facts import Content, Words

from .encoded import without_base64
from .jsontext import values_in

BREAK = "\u200b"  # takes no room where it is shown, and parts words where they are counted

# Thai, Lao, Burmese, Khmer, kana, Han, Hangul: a word there is found as the run of its signs
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
    "\uf900-\ufaff\U00020000-\U0003134f]"
)


def words_of(kind: str, content: Content, own: str | None, *, is_typed: bool) -> Words | None:
    """Sort an entry's texts into the columns of the search index; None if there is nothing to find."""
    inputs = {use.idx: use.input for use in content.uses}
    said: dict[str, list[str]] = {name: [] for name in Words._fields}
    text_column = "answer" if kind == "assistant" else "prompt" if is_typed else "other"
    columns = {"text": text_column, "thinking": "thinking", "tool_use": "input", "tool_result": "result"}
    for block in content.blocks:
        text = values_in(inputs[block.idx]) if block.idx in inputs else block.text
        if text:
            said[columns.get(block.type or "", "other")].append(text)
    if own:
        said["other"].append(own)
    if not any(said.values()):
        return None
    return Words(**{name: findable("\n".join(texts)) if texts else None for name, texts in said.items()})


def findable(text: str) -> str:
    """Text as it goes into the index, and as a query must be to find it."""
    text = without_base64(text)
    if text.isascii():
        return text
    return _UNSPACED.sub(BREAK + r"\g<0>" + BREAK, unicodedata.normalize("NFKC", text))
