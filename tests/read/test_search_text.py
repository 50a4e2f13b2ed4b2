"""The searchable text of entries: one column per kind of text, without base64 data."""

import json
import re
from base64 import b64encode, urlsafe_b64encode
from hashlib import sha256, sha512
from typing import Any
from unicodedata import combining, decomposition, normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccindex.model.recorded import SearchText
from ccindex.read.search_text import _UNCHANGED, _UNSPACED, BREAK, _suspect_spans, normalize_for_search
from tests.making.hypothesis_settings import examples
from tests.making.parsed_objects import parse_entry
from tests.making.transcripts import text_block, thinking_block, tool_result, tool_use


def noise(count: int, seed: int = 0) -> bytes:
    """Return pseudo-random bytes, which are always the same for the same seed."""
    return b"".join(sha256(f"{seed} {n}".encode()).digest() for n in range(count // 32 + 1))[:count]


def search_text(**keys: Any) -> SearchText | None:
    return parse_entry({"uuid": "u1", "type": "user"} | keys).search_text


def block_text(*blocks: dict[str, Any], **keys: Any) -> SearchText:
    columns = search_text(message={"content": list(blocks)}, **keys)
    assert columns is not None
    return columns


def tokens(text: str | None) -> list[str]:
    """Split text roughly as FTS5 does."""
    return re.findall(r"[^\W_]+", text or "")


def call(**values: Any) -> dict[str, Any]:
    return tool_use("t1", "Bash", **values)


def answer(content: Any) -> dict[str, Any]:
    return tool_result("t1", content)


def test_texts_of_an_answer_are_assigned_to_their_columns() -> None:
    blocks = (text_block("prose"), thinking_block("doubt"), call(command="ls -l"))
    assert block_text(*blocks, text_block("more"), type="assistant") == SearchText(
        prompt=None, answer="prose\nmore", thinking="doubt", input="ls -l", result=None, other=None
    )


def test_only_typed_text_is_a_prompt() -> None:
    typed = text_block("look")
    assert block_text(typed) == SearchText("look", None, None, None, None, None)
    assert block_text(typed, isMeta=True) == SearchText(None, None, None, None, None, "look")
    assert block_text(typed, isCompactSummary=True) == SearchText(None, None, None, None, None, "look")
    assert block_text(answer("out")) == SearchText(None, None, None, None, "out", None)
    assert block_text(answer("out"), typed) == SearchText("look", None, None, None, "out", None)
    assert block_text(answer([typed, text_block("again")])).result == "look\nagain"
    assert search_text(message={"content": "plain"}) == SearchText("plain", None, None, None, None, None)
    assert search_text(type="system", content="notice") == SearchText(None, None, None, None, None, "notice")


def test_entry_without_text_has_no_search_text() -> None:
    assert search_text(type="progress", data={"type": "bash_progress", "output": "x"}) is None
    assert search_text(message={"content": ""}) is None
    assert search_text(message={"content": [{"type": "image", "source": {"data": "aGk="}}]}) is None


def test_text_of_a_message_wrapped_by_agent_progress_is_searchable() -> None:
    message = {"role": "assistant", "content": [text_block("heliotrope"), call(command="make tea")]}
    columns = search_text(
        type="progress", data={"type": "agent_progress", "message": {"type": "assistant", "message": message}}
    )
    assert columns is not None
    assert {"heliotrope", "make", "tea"} <= set(tokens(columns.other))


def test_values_of_a_tool_input_are_searchable_and_keys_are_not() -> None:
    tool_input = {
        "file_path": "/w/x.py",
        "edits": [{"old_string": "spam"}, {"count": 7, "deep": {"more": "eggs"}}],
        "all": True,
    }
    indexed = block_text(call(**tool_input, ratio=0.5, none=None), type="assistant").input
    assert indexed == "/w/x.py\nspam\n7\neggs\n0.5"


@pytest.mark.parametrize("depth", [10, 199, 900])
def test_tool_input_may_have_any_depth(depth: int) -> None:
    deep: Any = "bottom"
    for _ in range(depth):
        deep = [deep]
    columns = block_text(text_block("top"), call(deep=deep), type="assistant")
    assert columns.answer == "top"
    assert tokens(columns.input) in ([], ["bottom"])


@pytest.mark.parametrize("encode", [b64encode, urlsafe_b64encode])
def test_base64_of_a_hundred_or_more_characters_is_removed(encode: Any) -> None:
    for size in range(75, 300):
        encoded = encode(noise(size, seed=size)).decode()
        assert normalize_for_search(f"before {encoded} after").split() == ["before", "after"], encoded


def test_images_are_removed_everywhere() -> None:
    data = b64encode(noise(4_000)).decode()
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}
    text = text_block("see")
    assert block_text(image, text) == SearchText("see", None, None, None, None, None)
    assert block_text(answer([image, text])) == SearchText(None, None, None, None, "see", None)
    assert block_text(answer([text, {"type": "document", "source": {"data": data}}])).result == "see"
    assert block_text({"type": "new-block", "payload": data}, text).other is None
    columns = search_text(type="attachment", attachment={"type": "file", "content": [image, text]})
    assert columns == SearchText(None, None, None, None, None, "see")


@pytest.mark.parametrize(
    "around",
    [
        "![logo](data:image/png;base64,{})",
        "url('data:font/woff2;base64,{}')",
        'src="data:image/gif;base64,{}"/>',
        "x={}",
    ],
)
def test_data_url_is_removed_from_the_text_around_it(around: str) -> None:
    data = b64encode(noise(3_750)).decode()
    for indexed in (
        block_text({"type": "text", "text": around.format(data)}).prompt,
        block_text(answer(around.format(data))).result,
        block_text(call(content=around.format(data)), type="assistant").input,
        block_text(answer([{"type": "text", "text": json.dumps({"image": around.format(data)})}])).result,
    ):
        assert indexed is not None
        assert len(indexed) < 100, indexed


_PROSE = "Get-ChildItem -Path C:\\Users\\jane -Recurse | Where-Object { $_.Length -gt 1000 } # what is large there"
_PAYLOADS = {
    "white picture": b"".join(b"\xff" * 9 + noise(24, seed=row) for row in range(40)),  # as many slashes as a path has
    "icon": b"\0\0\1\0\1\0\x10\x10" + bytes(500) + noise(900),  # the base64 begins with a long run of A
    "program": b"".join(noise(3, seed=n) + bytes(5) for n in range(200)),
    "wide text": _PROSE.encode("utf-16-le"),
    "plain text": _PROSE.encode(),
    "small letters": b"lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt",
    "vector picture": b'<svg xmlns="http://www.w3.org/2000/svg" width="24"><path d="M12 2L2 7l10 5 10-5-10-5z"/></svg>',
    "JSON": json.dumps({"name": "ccindex", "version": "0.1.0", "files": ["a.py", "b.py"], "private": True}).encode(),
}


@pytest.mark.parametrize("name", _PAYLOADS)
def test_base64_is_removed_whatever_it_encodes(name: str) -> None:
    encoded = b64encode(_PAYLOADS[name]).decode()
    assert len(encoded) >= 100
    for text in (encoded, f"data:application/x;base64,{encoded}", f"powershell -EncodedCommand {encoded}"):
        assert not {token for token in tokens(normalize_for_search(text)) if len(token) > 14}, normalize_for_search(
            text
        )


@pytest.mark.parametrize(
    "shown",
    ["{}\n", "  {}\r\n", "> {}\n", "+{}\n", "     1→{}\n", '      "{}",\n', "{}\\n"],
    ids=["plain", "indented", "quoted", "diff", "Read output", "JSON list", "escaped"],
)
@pytest.mark.parametrize("width", [64, 76])
def test_line_wrapped_base64_is_removed(shown: str, width: int) -> None:
    encoded = b64encode(noise(1_500)).decode()
    lines = [encoded[start : start + width] for start in range(0, len(encoded) - width, width)]
    text = "-----BEGIN\n" + "".join(map(shown.format, lines)) + "-----END"
    for indexed in (block_text(answer(text)).result, block_text(call(content=text), type="assistant").input):
        assert indexed is not None
        assert {"BEGIN", "END"} <= set(tokens(indexed))
        assert not [part for part in lines if part in indexed]


def test_web_token_is_removed() -> None:
    claims = {"iss": "https://login.example.com/", "sub": "auth0|5f7c8ec7c33c6c004bbafe82", "aud": ["api", "web"]}
    parts = [
        urlsafe_b64encode(json.dumps(claims | {"exp": 1_772_359_200, "scope": "openid profile email"}).encode()),
        urlsafe_b64encode(noise(256)),
    ]
    token = "eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9." + ".".join(part.decode().rstrip("=") for part in parts)
    normalized = normalize_for_search(f"Authorization: Bearer {token}")
    assert tokens(normalized)[:2] == ["Authorization", "Bearer"]
    assert not [part for part in token.split(".")[1:] if part in normalized]


_COMMIT = sha256(b"x").hexdigest()[:40]
_KEPT_TEXTS = {
    "sha256": sha256(b"x").hexdigest(),
    "sha512": sha512(b"x").hexdigest(),
    "upper case": sha512(b"x").hexdigest().upper(),
    "image digest": f"registry.example.com/Team/App@sha256:{sha256(b'y').hexdigest()}",
    "path": "/home/jane/.claude/projects/-home-jane-workspace-coderabbit-review-helper/"
    "0a5857c1-7c3d-4165-b520-c7eff1cfa27a.jsonl",
    "transcript": "/Users/Jane/Library/Claude/projects/-Users-Jane-Work/0a5857c1-7c3d-4165-b520-c7eff1cfa27a/subagents/"
    "workflows/wf_1/agent-a88b0fd4d7ae64239.jsonl",
    "java path": "/Users/jane1/IdeaProjects/CustomerRelations/backend/src/main/java/com/company/crm/accounts/services/"
    "implementation/AccountServiceImplementation.java",
    "permalink": f"https://github.com/anthropics/claude-code/blob/{_COMMIT}/src/components/PermissionDialog/Confirm.tsx#L10",
    "query": "https://example.com/search?utm_source=NewsLetter2026&utm_medium=Email&redirect=https%3A%2F%2Fexample.org%2FA1&x=1",
    "snake case": "test_that_a_session_which_was_resumed_twice_and_then_compacted_keeps_the_first_of_its_titles_v2_"
    * 2,
    "kebab case": "Very-Long-Branch-Name-For-Ticket-1234-which-says-all-that-the-title-says-and-then-some-more-of-it",
    "camel case": "shouldReturnTheCachedResponseWhenTheUpstreamServiceAnswersWith503AndTheRetryBudget"
    "OfTheClientIsUsedUpAlready",
    "constant": "MAXIMUM_NUMBER_OF_RETRIES_BEFORE_THE_CIRCUIT_BREAKER_OPENS_FOR_UPSTREAM_SERVICES_IN_REGION_2" * 2,
    "minified": '!function(e,t){"use strict";for(var n=0,r=e.length;n<r;n++){var i=e[n];i&&(t[i.Id1]=i.Value2)}}'
    "(window.A1,{});",
    "long words": "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft2026Satzung" * 2,
}


@pytest.mark.parametrize("name", _KEPT_TEXTS)
def test_long_text_that_is_not_base64_is_kept(name: str) -> None:
    text = _KEPT_TEXTS[name]
    assert normalize_for_search(f"see {text} there") == f"see {text} there"


def test_list_of_folders_is_kept() -> None:
    folders = [f"/Users/jane/Workspace/ios-app-v2/Sources/Feature{name}/ViewModels" for name in _NAMES]
    assert all(len(folder) >= 60 for folder in folders)
    listing = "\n".join(folders)
    assert normalize_for_search(listing) == listing


_NAMES = ("Onboarding", "Notifications", "AccountSettings", "CheckoutFlow", "SearchResults", "ProfileEditor")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("今日は東京へ行く", list("今日は東京へ行く")),
        ("カタカナ語", list("カタカナ語")),
        ("한국어를", list("한국어를")),
        ("ไปกิน", list("ไปกิน")),
        ("fix東京bug", ["fix", "東", "京", "bug"]),
        ("𠮷野家", list("𠮷野家")),
        ("Größe и слово", ["Größe и слово"]),
    ],
)
def test_scripts_without_spaces_are_split_into_characters(text: str, parts: list[str]) -> None:
    assert [part for part in normalize_for_search(text).split(BREAK) if part] == parts
    assert normalize_for_search(text).replace(BREAK, "") == text


def test_equivalent_unicode_forms_are_normalised() -> None:
    assert normalize_for_search(normalize("NFD", "Übergröße")) == normalize_for_search("Übergröße") == "Übergröße"
    assert normalize_for_search("\uff21\uff22\uff23\uff11") == "ABC1"  # full width
    assert normalize_for_search("ﬁle") == "file"
    assert normalize_for_search("ﾄｳｷｮｳ") == normalize_for_search("トウキョウ")
    assert normalize_for_search(normalize("NFD", "한국")) == normalize_for_search("한국")


def test_characters_exempt_from_nfkc_are_stable_in_any_combination() -> None:
    every = "".join(chr(code) for code in range(128, 0x110000) if not 0xD800 <= code < 0xE000)
    parts = [codes.split() for codes in map(decomposition, every) if codes and not codes.startswith("<")]
    follows = {chr(int(pair[1], 16)) for pair in parts if len(pair) == 2}  # compose with the preceding character
    follows |= {chr(code) for code in range(0x1100, 0x1200)}  # Hangul jamo, which are composed algorithmically
    unchanged = "".join(_UNCHANGED.findall(every))
    assert {"é", "ж", "→", "│", "✅", "🤖"} <= set(unchanged)
    assert [char for char in unchanged if normalize("NFKC", char) != char or combining(char) or char in follows] == []
    assert [char for char in unchanged if re.match(_UNSPACED, char)] == []


@given(st.lists(st.sampled_from((b"a" * 39, b"a" * 40, b"a" * 81, b"a", b"=", b"===", b" ")), max_size=12))
@examples(300)
def test_suspects_in_marked_text_are_those_that_a_pattern_finds(parts: list[bytes]) -> None:
    marked = b"".join(parts)
    expected = [match.span() for match in re.finditer(b"a{40,}={0,2}", marked)]
    assert [*_suspect_spans(marked, marked.find(b"a" * 40))] == expected


@pytest.mark.parametrize(
    "pattern",
    [
        "a",
        "A1b2",
        "/",
        "-",
        "=",
        " ",
        "\n",
        "\0",
        "é",
        "東",
        "→",
        "a" * 39 + " ",
        "a=",
        "ab cd ",
        "x" * 60 + " ",
        "x" * 60 + "=",
    ],
)
def test_five_megabytes_of_a_repeated_pattern_are_processed_in_linear_time(pattern: str) -> None:
    text = pattern * (5_000_000 // len(pattern.encode()))
    indexed = block_text(answer(text)).result
    assert indexed is not None
    assert len(indexed) <= 3 * len(text)
