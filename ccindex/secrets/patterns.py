"""Patterns of secrets: hints, regular expression and a check against placeholders, per kind."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of secret; a text without any of its hints contains none.

    The group `secret` of the pattern is masked, the group `public` before it, if any, is not. `is_meant` distinguishes
    secrets from text that looks like one. With `behind`, a hint is that many characters after the beginning of the
    pattern, and only there a text is searched.
    """

    name: str
    hints: tuple[str, ...]
    pattern: str
    is_meant: Callable[[re.Match[str]], bool]
    behind: int | None = None

    def found_in(self, text: str) -> Iterator[re.Match[str]]:
        """Yield the matches that are secrets, in any order; they can overlap."""
        hints = [hint for hint in self.hints if hint in text]
        if hints:
            # compiled when a text first contains a hint
            yield from filter(self.is_meant, self._matches(_compiled(self.pattern), text, hints))

    def _matches(self, pattern: re.Pattern[str], text: str, hints: Sequence[str]) -> Iterator[re.Match[str]]:
        if self.behind is None:
            yield from pattern.finditer(text)
            return
        for hint in hints:
            place = text.find(hint)
            while place >= 0:
                after = place + len(hint)
                if found := pattern.match(text, max(place - self.behind, 0)):
                    yield found
                    after = after if self.behind else found.end()  # the beginning of a secret can occur in it again
                place = text.find(hint, after)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


# where a secret can start: not within a word, but after an escape (\n, %3D) or a colour code;
# each of these has a character that no secret contains, which avoids repeated matching
_ESCAPES = (
    r"(?<=\\[nrtbf])|(?<=%[0-9A-Fa-f]{2})|(?<=\x1b\[[mK])"
    r"|(?<=\[\dm)|(?<=\[\d\dm)|(?<=;\dm)|(?<=;\d\dm)|(?<=\\u00[0-9a-f]{2})"
)
_START = rf"(?:(?<![A-Za-z0-9_-])|{_ESCAPES})"
_WORD = "[A-Za-z0-9_-]"
_LETTER = "[A-Za-z0-9]"

_FILLER = re.compile(r"(?i)x{5,}|\.{3}|\*{3}|example|your|placeholder|redacted|123456789|abcdefgh|(.)\1{7,}")
_WORDS = re.compile("[a-z]{4,}|[A-Z]{4,}")
_CHANGES = re.compile(r"(?<=[a-z])(?=[A-Z0-9])|(?<=[A-Z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])")
_DIGIT = re.compile(r"\d")
_BASE64 = re.compile(r"[A-Za-z0-9+/]{24}")


def _is_no_filler(found: re.Match[str]) -> bool:
    return not _FILLER.search(found["secret"])


def _has_digits(found: re.Match[str]) -> bool:
    return _is_no_filler(found) and _DIGIT.search(found["secret"]) is not None


def _is_no_stand_in(found: re.Match[str]) -> bool:
    """Whether it is not a placeholder for a key; in doubt it is masked."""
    return not _STAND_IN.search(found["secret"])


def _is_token(found: re.Match[str]) -> bool:
    value = found["secret"]
    if value is None:
        return True
    return _is_no_stand_in(found) and (len(value) >= _NO_NAME or _DIGIT.search(value) is not None)


_STAND_IN = re.compile(r"(?i)x{5,}|\.{3}|\*{3}|your|placeholder|redacted")
_NO_NAME = 32  # characters: longer than almost all names


def looks_random(value: str) -> bool:
    """Whether letters and digits alternate more often than in names, paths and words."""
    if not _DIGIT.search(value) or len(set(value)) < _FEW_SIGNS:
        return False
    in_words = sum(map(len, _WORDS.findall(value)))
    return len(_CHANGES.findall(value)) >= _FEW_CHANGES and 2 * in_words < len(value)


_FEW_SIGNS = 7
_FEW_CHANGES = 3


def _is_random(found: re.Match[str]) -> bool:
    return _is_no_filler(found) and looks_random(found["secret"])


def _holds_a_key(found: re.Match[str]) -> bool:
    return _BASE64.search(found["secret"]) is not None


def _is_password_of_a_url(found: re.Match[str]) -> bool:
    value = found["secret"]
    return not _is_told_elsewhere(value) and value.lower() not in _SAID_FOR_PASSWORDS


def _is_credential(found: re.Match[str]) -> bool:
    value = found["secret"]
    is_long = len(value) >= _LONG and _DIGIT.search(value) is not None
    return not _is_told_elsewhere(value) and (is_long or looks_random(value))


_LONG = 24


def _is_assigned(found: re.Match[str]) -> bool:
    """Whether an assigned value is a secret: a quoted password that is not a placeholder, or random characters."""
    value, is_quoted = found["quoted"] or found["bare"], found["quoted"] is not None
    if _is_told_elsewhere(value) or _OF_OTHERS.search(found["suffix"]) or _DOTTED.fullmatch(value):
        return False
    if looks_random(value):
        return len(value) >= (_SHORT if is_quoted else _BARE)
    is_password = found["name"].lower().startswith("pass") or found["name"].lower().endswith("pwd")
    return is_quoted and is_password and value.lower() not in _SAID_FOR_PASSWORDS


_SHORT, _BARE = 8, 12
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_OF_OTHERS = re.compile(
    r"(?i)(?:id|name|type|file|path|url|uri|count|len(?:gth)?|hash|field|index|ids|limit|env|var|ref)$"
)
_SAID_FOR_PASSWORDS = frozenset(
    (
        "pass password passwd pwd secret token user username admin root test testing string hidden required none null "
        "postgres mysql guest tiger foo bar baz key value credentials pw pwd123 pass123 password123 password1"
    ).split()
)
# variables, calls, templates and words that the reader has to replace
_ELSEWHERE = re.compile(
    r"(?i)[<>{}$…()\[\]]|x{3,}|\*{2,}|\.{3}|^[%#@&\\/.~-]|example|sample|placeholder|dummy|fake|mock|your|change.?me"
    r"|insert|redact|replace|todo|undefined|process\.|environ|getenv|secrets?\.|vars\.|(.)\1{5,}"
    r"|^(?:my|test|some|the|new|old|invalid|valid|wrong)[-_.]|://|::|\|\||&&"
)


def _is_told_elsewhere(value: str) -> bool:
    return _ELSEWHERE.search(value) is not None


def _token(name: str, hints: str, prefix: str, rest: str) -> Kind:
    """Return a kind that is recognised by its first characters, also if it is cut at the end of a text."""
    chars = rest.partition("{")[0]
    # also after a dash or two underscores, as in names of projects and tools
    start = rf"(?:(?<![A-Za-z0-9_])|(?<=__)|{_ESCAPES})"
    pattern = rf"{start}(?P<public>{prefix})(?:(?P<secret>{rest}+)|(?P<cut>{chars}{{4,}}+)\Z)"
    return Kind(name, tuple(hints.split()), pattern, _is_token, 0)


_NAMES = (
    r"(?i:passw(?:or)?d|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key"
    r"|private[_-]?key|signing[_-]?key|encryption[_-]?key|auth[_-]?key|_pass)"
)
_NAME = rf"(?P<name>{_NAMES})(?![a-z])(?P<suffix>(?:[A-Z0-9_-][A-Za-z0-9_-]{{0,30}}+)?)"
_GIVEN = r"[ \t]{0,8}(?::[ \t]?[A-Za-z][A-Za-z0-9_.|\[\] ]{0,30}=(?!=)|=>|:=|={1,3}|:)\s{0,8}"
# a quote with one or more backslashes before it, if its string is nested in others
_QUOTED = (
    r"(?P<mark>\\{0,7})(?P<quote>[\"'`])(?P<quoted>(?:(?!(?P=mark)(?P=quote))(?:\\++[^\s\\]|[^\s\\])){4,256}+)"
    r"(?:(?P=mark)(?P=quote)|\Z)"  # or the text was cut
)
_BARE_VALUE = r"(?P<bare>[A-Za-z0-9+/_.~!@#%^&*-]{8,256}+={0,2}+)(?![(\[{<$])"
_OPEN = r"\\{0,7}[\"'`]?"
_NAMED = tuple(
    "assw assW ASSW assphrase ASSPHRASE wd WD ecret ECRET oken OKEN pi_key PI_KEY piKey pikey PIKEY pi-key PI-KEY "
    "PI-Key pi-Key PIKey ccess_key CCESS_KEY ccessKey ccess-key rivate_key RIVATE_KEY rivateKey igning_key "
    "IGNING_KEY ncryption_key NCRYPTION_KEY ncryptionKey uth_key UTH_KEY uthKey uth-key PASS= pass= PASS: pass:".split()
)

# precise patterns before those that find the same secrets by their context
KINDS: tuple[Kind, ...] = (
    _token("anthropic-key", "sk-ant-", "sk-ant-", _WORD + "{20,}"),
    _token("openai-key", "sk-proj- sk-svcacct- sk-admin-", "sk-(?:proj|svcacct|admin)-", _WORD + "{20,}"),
    Kind("openai-key", ("sk-",), rf"{_START}(?P<public>sk-)(?P<secret>{_LETTER}{{32,}}+)(?!-)", _has_digits, 0),
    _token("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", "gh[pousr]_", _LETTER + "{36,}"),
    _token("github-token", "github_pat_", "github_pat_", "[A-Za-z0-9_]{36,}"),
    _token("gitlab-token", "glpat- glptt- gldt- glrt- glcbt-", "gl(?:pat|ptt|dt|rt|cbt)-", _WORD + "{20,}"),
    Kind(
        "aws-access-key",
        ("AKIA", "ASIA"),
        rf"{_START}(?P<public>A[KS]IA)(?P<secret>[A-Z0-9]{{16}}+)(?![A-Z0-9])",
        _is_no_stand_in,
        0,
    ),
    Kind(
        "aws-secret-key",
        ("ecret", "ECRET"),
        rf"(?i:secret_?(?:access_?)?key)\\{{0,7}}[\"'`]?(?:{_GIVEN}{_OPEN}|[ \t]{{1,8}}|>)"
        r"(?P<secret>(?=[^\s]{0,40}\d)[A-Za-z0-9/+]{40}+)(?![/+=])",
        _is_random,
    ),
    _token("google-key", "AIza", "AIza", _WORD + "{35,}"),
    _token("google-oauth", "ya29. GOCSPX-", r"(?:ya29\.|GOCSPX-)", _WORD + "{20,}"),
    _token("slack-token", "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xapp-", "(?:xox[abeoprs]|xapp)-", _WORD + "{16,}"),
    Kind(
        "slack-webhook",
        ("hooks.slack.com",),
        r"hooks\.slack\.com\\?/(?:services|workflows|triggers)\\?/(?P<secret>[A-Za-z0-9_/\\]{20,}+)",
        _is_no_filler,
    ),
    _token(
        "stripe-key", "sk_live_ rk_live_ sk_test_ rk_test_ whsec_", "(?:[sr]k_(?:live|test)_|whsec_)", _LETTER + "{16,}"
    ),
    Kind("npm-token", ("npm_",), rf"{_START}(?P<public>npm_)(?P<secret>{_LETTER}{{36,}}+)", _has_digits, 0),
    _token("pypi-token", "pypi-AgEI", "pypi-AgEI", _WORD + "{40,}"),
    Kind("huggingface-token", ("hf_",), rf"{_START}(?P<public>hf_)(?P<secret>{_LETTER}{{30,}}+)", _is_no_stand_in, 0),
    Kind(
        "sendgrid-key",
        ("SG.",),
        rf"{_START}(?P<public>SG\.)(?P<secret>{_WORD}{{16,64}}+\.{_WORD}{{16,128}}+)",
        _has_digits,
        0,
    ),
    Kind("twilio-key", ("SK",), rf"{_START}(?P<public>SK)(?P<secret>[0-9a-f]{{32}}+)(?!{_WORD})", _is_no_filler, 0),
    Kind(
        "discord-token",
        ("iscord", "ISCORD", "Bot "),
        rf"{_START}(?P<secret>[MNO]{_WORD}{{23,25}}\.{_WORD}{{6}}\.{_WORD}{{27,}}+)",
        _has_digits,
    ),
    Kind(
        "discord-webhook",
        ("/webhooks/",),
        rf"/webhooks/\d{{16,22}}/(?P<secret>{_WORD}{{60,}}+)",
        _has_digits,
    ),
    Kind("telegram-token", (":AA",), rf"(?<=\d{{8}}):(?P<secret>AA{_WORD}{{33}}+)(?!{_WORD})", _has_digits),
    _token("digitalocean-token", "doo_v1_ dop_v1_ dor_v1_", "do[opr]_v1_", "[0-9a-f]{64,}"),
    Kind(
        "azure-key",
        ("AccountKey=", "AccessKey="),
        r"(?:Account|Access)Key=(?P<secret>[A-Za-z0-9+/]{43,}+={1,2})",
        _is_no_filler,
    ),
    Kind("age-key", ("AGE-SECRET-KEY-1",), r"(?P<public>AGE-SECRET-KEY-1)(?P<secret>[0-9A-Z]{58,}+)", _is_no_filler),
    Kind(
        "jwt",
        ("eyJ",),
        rf"{_START}(?P<public>eyJ)(?P<secret>{_WORD}{{8,}}+\.eyJ{_WORD}{{8,}}+\.{_WORD}{{8,}}+)",
        _is_no_stand_in,
        0,
    ),
    Kind(
        "private-key",
        ("PRIVATE KEY",),
        # to the next row of dashes, or to the end of the base64
        r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\++[nrt])*+"
        r"(?P<secret>(?:[^-]|-(?!----)){1,20000}+(?=-----END )|(?:[A-Za-z0-9+/=\s]|\\++[nrt]){24,20000}+)",
        _holds_a_key,
    ),
    Kind(
        "url-password",
        ("://", r":\/\/"),
        r":(?:\\?/){2}[^\s:@/\"'<>\\]{0,128}+:(?P<secret>[^\s@/\"'<>\\:]{3,256}+)@(?=[A-Za-z0-9\[])",
        _is_password_of_a_url,
    ),
    Kind(
        "authorization",
        ("earer", "EARER", "asic ", "BASIC "),
        r"(?:[Bb]earer|BEARER|[Bb]asic|BASIC)(?:[ \t]|\+|%20){1,4}(?P<secret>[A-Za-z0-9._~+/=-]{16,4096}+)",
        _is_credential,
    ),
    Kind(
        "authorization",
        ("uthorization", "UTHORIZATION"),
        rf"(?:[Aa]uthorization|AUTHORIZATION){_OPEN}[ \t]{{0,8}}[:=]\s{{0,8}}{_OPEN}(?:[A-Za-z]{{1,16}}[ \t]{{1,4}})?"
        r"(?P<secret>[A-Za-z0-9._~+/=-]{8,4096}+)",
        _is_credential,
    ),
    Kind("assigned", _NAMED, rf"{_NAME}{_OPEN}\]?{_GIVEN}(?:{_QUOTED}|{_BARE_VALUE})", _is_assigned, 1),
    Kind(
        "assigned",
        ("--",),
        rf"(?<!-)--(?=[a-z])[a-z-]{{0,30}}?{_NAME}[ \t]{{1,8}}(?:{_QUOTED}|{_BARE_VALUE})",
        _is_assigned,
    ),
)
