"""The text that search finds an entry by: one column per speaker, without encoded data."""

import json
import re
from base64 import b64encode, urlsafe_b64encode
from hashlib import sha256, sha512
from typing import Any
from unicodedata import combining, decomposition, normalize

import pytest

from ccindex.model.recorded import Words
from ccindex.read.entry_parser import parse
from ccindex.read.search_text import _PLAIN, _UNSPACED, BREAK, findable
from tests.making.transcripts import text_block, thinking_block, tool_result, tool_use


def noise(count: int, seed: int = 0) -> bytes:
    """Bytes without a pattern, the same each time."""
    return b"".join(sha256(f"{seed} {n}".encode()).digest() for n in range(count // 32 + 1))[:count]


def words(**keys: Any) -> Words | None:
    parsed = parse({"uuid": "u1", "type": "user"} | keys)
    assert parsed.entry is not None
    return parsed.entry.words


def said(*blocks: dict[str, Any], **keys: Any) -> Words:
    found = words(message={"content": list(blocks)}, **keys)
    assert found is not None
    return found


def tokens(text: str | None) -> list[str]:
    """Roughly as FTS5 takes a text apart."""
    return re.findall(r"[^\W_]+", text or "")


def call(**values: Any) -> dict[str, Any]:
    return tool_use("t1", "Bash", **values)


def answer(content: Any) -> dict[str, Any]:
    return tool_result("t1", content)


def test_every_text_of_an_answer_goes_to_the_column_of_those_who_said_it() -> None:
    blocks = (text_block("prose"), thinking_block("doubt"), call(command="ls -l"))
    assert said(*blocks, text_block("more"), type="assistant") == Words(
        prompt=None, answer="prose\nmore", thinking="doubt", input="ls -l", result=None, other=None
    )


def test_what_was_typed_is_a_prompt_and_what_was_put_in_is_not() -> None:
    typed = text_block("look")
    assert said(typed) == Words("look", None, None, None, None, None)
    assert said(typed, isMeta=True) == Words(None, None, None, None, None, "look")
    assert said(typed, isCompactSummary=True) == Words(None, None, None, None, None, "look")
    assert said(answer("out")) == Words(None, None, None, None, "out", None)
    assert said(answer("out"), typed) == Words("look", None, None, None, "out", None)
    assert said(answer([typed, text_block("again")])).result == "look\nagain"
    assert words(message={"content": "plain"}) == Words("plain", None, None, None, None, None)
    assert words(type="system", content="notice") == Words(None, None, None, None, None, "notice")


def test_what_says_nothing_has_no_words() -> None:
    assert words(type="progress", data={"type": "bash_progress", "output": "x"}) is None
    assert words(message={"content": ""}) is None
    assert words(message={"content": [{"type": "image", "source": {"data": "aGk="}}]}) is None


def test_the_words_of_a_message_that_agent_progress_wraps_are_there() -> None:
    message = {"role": "assistant", "content": [text_block("heliotrope"), call(command="make tea")]}
    found = words(
        type="progress", data={"type": "agent_progress", "message": {"type": "assistant", "message": message}}
    )
    assert found is not None
    assert {"heliotrope", "make", "tea"} <= set(tokens(found.other))


def test_the_values_of_an_input_are_found_and_its_keys_are_not() -> None:
    asked = {
        "file_path": "/w/x.py",
        "edits": [{"old_string": "spam"}, {"count": 7, "deep": {"more": "eggs"}}],
        "all": True,
    }
    found = said(call(**asked, ratio=0.5, none=None), type="assistant").input
    assert found == "/w/x.py\nspam\n7\neggs\n0.5"


@pytest.mark.parametrize("depth", [10, 199, 900])
def test_an_input_may_be_as_deep_as_it_likes(depth: int) -> None:
    deep: Any = "bottom"
    for _ in range(depth):
        deep = [deep]
    found = said(text_block("top"), call(deep=deep), type="assistant")
    assert found.answer == "top"
    assert tokens(found.input) in ([], ["bottom"])


@pytest.mark.parametrize("encode", [b64encode, urlsafe_b64encode])
def test_a_hundred_characters_of_base64_are_no_word(encode: Any) -> None:
    for size in range(75, 300):
        encoded = encode(noise(size, seed=size)).decode()
        assert findable(f"before {encoded} after").split() == ["before", "after"], encoded


def test_images_leave_nothing_wherever_they_stand() -> None:
    data = b64encode(noise(4_000)).decode()
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}
    text = text_block("see")
    assert said(image, text) == Words("see", None, None, None, None, None)
    assert said(answer([image, text])) == Words(None, None, None, None, "see", None)
    assert said(answer([text, {"type": "document", "source": {"data": data}}])).result == "see"
    assert said({"type": "new-block", "payload": data}, text).other is None
    found = words(type="attachment", attachment={"type": "file", "content": [image, text]})
    assert found == Words(None, None, None, None, None, "see")


@pytest.mark.parametrize(
    "around",
    [
        "![logo](data:image/png;base64,{})",
        "url('data:font/woff2;base64,{}')",
        'src="data:image/gif;base64,{}"/>',
        "x={}",
    ],
)
def test_a_data_url_in_a_text_leaves_only_what_is_around_it(around: str) -> None:
    data = b64encode(noise(3_750)).decode()
    for found in (
        said({"type": "text", "text": around.format(data)}).prompt,
        said(answer(around.format(data))).result,
        said(call(content=around.format(data)), type="assistant").input,
        said(answer([{"type": "text", "text": json.dumps({"image": around.format(data)})}])).result,
    ):
        assert found is not None
        assert len(found) < 100, found


_PROSE = "Get-ChildItem -Path C:\\Users\\jane -Recurse | Where-Object { $_.Length -gt 1000 } # what is large there"
_PAYLOADS = {
    "white picture": b"".join(b"\xff" * 9 + noise(24, seed=row) for row in range(40)),  # slashes, as many as in a path
    "icon": b"\0\0\1\0\1\0\x10\x10" + bytes(500) + noise(900),  # begins with a long row of A
    "program": b"".join(noise(3, seed=n) + bytes(5) for n in range(200)),
    "wide text": _PROSE.encode("utf-16-le"),
    "plain text": _PROSE.encode(),
    "small letters": b"lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt",
    "vector picture": b'<svg xmlns="http://www.w3.org/2000/svg" width="24"><path d="M12 2L2 7l10 5 10-5-10-5z"/></svg>',
    "JSON": json.dumps({"name": "ccindex", "version": "0.1.0", "files": ["a.py", "b.py"], "private": True}).encode(),
}


@pytest.mark.parametrize("name", _PAYLOADS)
def test_whatever_is_encoded_is_no_text(name: str) -> None:
    encoded = b64encode(_PAYLOADS[name]).decode()
    assert len(encoded) >= 100
    for text in (encoded, f"data:application/x;base64,{encoded}", f"powershell -EncodedCommand {encoded}"):
        assert not {token for token in tokens(findable(text)) if len(token) > 14}, findable(text)


@pytest.mark.parametrize(
    "shown",
    ["{}\n", "  {}\r\n", "> {}\n", "+{}\n", "     1→{}\n", '      "{}",\n', "{}\\n"],
    ids=["plain", "indented", "quoted", "added", "as Read shows it", "listed in JSON", "escaped"],
)
@pytest.mark.parametrize("width", [64, 76])
def test_base64_is_gone_where_it_is_folded(shown: str, width: int) -> None:
    encoded = b64encode(noise(1_500)).decode()
    lines = [encoded[start : start + width] for start in range(0, len(encoded) - width, width)]
    text = "-----BEGIN\n" + "".join(map(shown.format, lines)) + "-----END"
    for found in (said(answer(text)).result, said(call(content=text), type="assistant").input):
        assert found is not None
        assert {"BEGIN", "END"} <= set(tokens(found))
        assert not [part for part in lines if part in found]


def test_a_web_token_is_not_found() -> None:
    claims = {"iss": "https://login.example.com/", "sub": "auth0|5f7c8ec7c33c6c004bbafe82", "aud": ["api", "web"]}
    parts = [
        urlsafe_b64encode(json.dumps(claims | {"exp": 1_772_359_200, "scope": "openid profile email"}).encode()),
        urlsafe_b64encode(noise(256)),
    ]
    token = "eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9." + ".".join(part.decode().rstrip("=") for part in parts)
    found = findable(f"Authorization: Bearer {token}")
    assert tokens(found)[:2] == ["Authorization", "Bearer"]
    assert not [part for part in token.split(".")[1:] if part in found]


_COMMIT = sha256(b"x").hexdigest()[:40]
_SURVIVORS = {
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
    "words": "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft2026Satzung" * 2,
}


@pytest.mark.parametrize("name", _SURVIVORS)
def test_what_is_long_but_written_by_people_survives(name: str) -> None:
    text = _SURVIVORS[name]
    assert findable(f"see {text} there") == f"see {text} there"


def test_a_listing_of_folders_survives() -> None:
    folders = [f"/Users/jane/Workspace/ios-app-v2/Sources/Feature{name}/ViewModels" for name in _NAMES]
    assert all(len(folder) >= 60 for folder in folders)
    listing = "\n".join(folders)
    assert findable(listing) == listing


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
def test_words_of_scripts_without_spaces_are_parted_into_signs(text: str, parts: list[str]) -> None:
    assert [part for part in findable(text).split(BREAK) if part] == parts
    assert findable(text).replace(BREAK, "") == text


def test_one_word_has_one_form_however_it_was_typed() -> None:
    assert findable(normalize("NFD", "Übergröße")) == findable("Übergröße") == "Übergröße"
    assert findable("\uff21\uff22\uff23\uff11") == "ABC1"  # full width
    assert findable("ﬁle") == "file"
    assert findable("ﾄｳｷｮｳ") == findable("トウキョウ")
    assert findable(normalize("NFD", "한국")) == findable("한국")


def test_what_is_taken_for_plain_is_left_alone_in_any_order() -> None:
    every = "".join(chr(code) for code in range(128, 0x110000) if not 0xD800 <= code < 0xE000)
    parts = [made.split() for made in map(decomposition, every) if made and not made.startswith("<")]
    follows = {chr(int(pair[1], 16)) for pair in parts if len(pair) == 2}  # what joins the sign before it
    follows |= {chr(code) for code in range(0x1100, 0x1200)}  # Hangul's parts, which do so by rule
    plain = "".join(_PLAIN.findall(every))
    assert {"é", "ж", "→", "│", "✅", "🤖"} <= set(plain)
    assert [sign for sign in plain if normalize("NFKC", sign) != sign or combining(sign) or sign in follows] == []
    assert [sign for sign in plain if re.match(_UNSPACED, sign)] == []


@pytest.mark.parametrize(
    "some",
    ["a", "A1b2", "/", "-", "=", " ", "\n", "\0", "é", "東", "→", "a" * 39 + " ", "a=", "ab cd ", "x" * 60 + " "],
)
def test_five_megabytes_of_anything_take_no_more_than_their_time(some: str) -> None:
    text = some * (5_000_000 // len(some.encode()))
    found = said(answer(text)).result
    assert found is not None
    assert len(found) <= 3 * len(text)
