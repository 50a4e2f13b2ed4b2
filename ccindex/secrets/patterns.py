"""Define the kinds of secrets: hints, a regular expression and a check that excludes placeholders."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class SecretKind:
    """A kind of secret; text without any of its hints contains no such secret.

    Whichever of the pattern's groups `secret`, `quoted`, `bare` and `cut` matches is masked. The optional group
    `public` before it is not masked. `is_secret` excludes text that only looks like a secret. If `hint_offset` is set,
    a match starts that many characters before a hint, and the pattern is tried only there.
    """

    name: str
    hints: tuple[str, ...]
    pattern: str
    is_secret: Callable[[re.Match[str]], bool]
    hint_offset: int | None = None

    def find_matches(self, text: str) -> Iterator[re.Match[str]]:
        """Yield the matches that are secrets, in any order; they may overlap."""
        hints = [hint for hint in self.hints if hint in text]
        if hints:
            # the pattern is compiled when text first contains a hint
            yield from filter(self.is_secret, self._matches(_compiled(self.pattern), text, hints))

    def _matches(self, pattern: re.Pattern[str], text: str, hints: Sequence[str]) -> Iterator[re.Match[str]]:
        if self.hint_offset is None:
            yield from pattern.finditer(text)
            return
        for hint in hints:
            position = text.find(hint)
            while position >= 0:
                next_start = position + len(hint)
                if match := pattern.match(text, max(position - self.hint_offset, 0)):
                    yield match
                    # if a match starts with its hint, skip all of it, because a secret can contain its own prefix
                    next_start = next_start if self.hint_offset else match.end()
                position = text.find(hint, next_start)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


# a secret can start after an escape (\n, %3D) or a colour code, but not inside a word;
# every escape contains a character that no secret contains, so that no match is tried in the middle of a secret
_ESCAPES = (
    r"(?<=\\[nrtbf])|(?<=%[0-9A-Fa-f]{2})|(?<=\x1b\[[mK])"
    r"|(?<=\[\dm)|(?<=\[\d\dm)|(?<=;\dm)|(?<=;\d\dm)|(?<=\\u00[0-9a-f]{2})"
)
_START = rf"(?:(?<![A-Za-z0-9_-])|{_ESCAPES})"
_WORD_CHAR = "[A-Za-z0-9_-]"
_ALPHANUMERIC = "[A-Za-z0-9]"

_FILLER = re.compile(r"(?i)x{5,}|\.{3}|\*{3}|example|your|placeholder|redacted|123456789|abcdefgh|(.)\1{7,}")
_WORDS = re.compile("[a-z]{4,}|[A-Z]{4,}")
_CHANGES = re.compile(r"(?<=[a-z])(?=[A-Z0-9])|(?<=[A-Z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])")
_DIGIT = re.compile(r"\d")
_BASE64 = re.compile(r"[A-Za-z0-9+/]{24}")


def _is_not_filler(match: re.Match[str]) -> bool:
    return not _FILLER.search(match["secret"])


def _has_digits(match: re.Match[str]) -> bool:
    return _is_not_filler(match) and _DIGIT.search(match["secret"]) is not None


def _is_not_placeholder(match: re.Match[str]) -> bool:
    """Return whether a key is not a placeholder; doubtful values count as secrets."""
    return not _PLACEHOLDER.search(match["secret"])


def _is_token(match: re.Match[str]) -> bool:
    value = match["secret"]
    if value is None:
        return True
    return _is_not_placeholder(match) and (len(value) >= _MAX_NAME_CHARS or _DIGIT.search(value) is not None)


_PLACEHOLDER = re.compile(r"(?i)x{5,}|\.{3}|\*{3}|your|placeholder|redacted")
_MAX_NAME_CHARS = 32  # longer values are hardly ever names


def looks_random(value: str) -> bool:
    """Return whether letters and digits alternate more often than in names, paths and words."""
    if not _DIGIT.search(value) or len(set(value)) < _MIN_DISTINCT_CHARS:
        return False
    in_words = sum(map(len, _WORDS.findall(value)))
    return len(_CHANGES.findall(value)) >= _MIN_CHANGES and 2 * in_words < len(value)


_MIN_DISTINCT_CHARS = 7
_MIN_CHANGES = 3


def _is_random(match: re.Match[str]) -> bool:
    return _is_not_filler(match) and looks_random(match["secret"])


def _contains_key(match: re.Match[str]) -> bool:
    return _BASE64.search(match["secret"]) is not None


def _is_url_password(match: re.Match[str]) -> bool:
    value = match["secret"]
    return not _is_reference(value) and value.lower() not in _COMMON_PASSWORDS


def _is_credential(match: re.Match[str]) -> bool:
    value = match["secret"]
    is_long = len(value) >= _MIN_CREDENTIAL_CHARS and _DIGIT.search(value) is not None
    return not _is_reference(value) and (is_long or looks_random(value))


_MIN_CREDENTIAL_CHARS = 24


def _is_assigned(match: re.Match[str]) -> bool:
    """Return whether an assigned value is a secret: random characters or a quoted password, not a placeholder."""
    value, is_quoted = match["quoted"] or match["bare"], match["quoted"] is not None
    if _is_reference(value) or _NON_SECRET_SUFFIX.search(match["suffix"]) or _DOTTED.fullmatch(value):
        return False
    if looks_random(value):
        return len(value) >= (_MIN_QUOTED_CHARS if is_quoted else _MIN_BARE_CHARS)
    is_password = match["name"].lower().startswith("pass") or match["name"].lower().endswith("pwd")
    return is_quoted and is_password and value.lower() not in _COMMON_PASSWORDS


_MIN_QUOTED_CHARS, _MIN_BARE_CHARS = 8, 12
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_NON_SECRET_SUFFIX = re.compile(
    r"(?i)(?:id|name|type|file|path|url|uri|count|len(?:gth)?|hash|field|index|ids|limit|env|var|ref)$"
)
_COMMON_PASSWORDS = frozenset(
    (
        "pass password passwd pwd secret token user username admin root test testing string hidden required none null "
        "postgres mysql guest tiger foo bar baz key value credentials pw pwd123 pass123 password123 password1"
    ).split()
)
# variables, calls, templates and placeholders
_REFERENCE = re.compile(
    r"(?i)[<>{}$…()\[\]]|x{3,}|\*{2,}|\.{3}|^[%#@&\\/.~-]|example|sample|placeholder|dummy|fake|mock|your|change.?me"
    r"|insert|redact|replace|todo|undefined|process\.|environ|getenv|secrets?\.|vars\.|(.)\1{5,}"
    r"|^(?:my|test|some|the|new|old|invalid|valid|wrong)[-_.]|://|::|\|\||&&"
)


def _is_reference(value: str) -> bool:
    return _REFERENCE.search(value) is not None


def _token(name: str, hints: str, prefix: str, secret: str) -> SecretKind:
    """Return a kind of secret that has a fixed prefix. It is recognised even if the text ends within the secret."""
    chars = secret.partition("{")[0]
    # a token can also start after a dash or two underscores, as in project and tool names
    start = rf"(?:(?<![A-Za-z0-9_])|(?<=__)|{_ESCAPES})"
    pattern = rf"{start}(?P<public>{prefix})(?:(?P<secret>{secret}+)|(?P<cut>{chars}{{4,}}+)\Z)"
    return SecretKind(name, tuple(hints.split()), pattern, _is_token, 0)


_NAMES = (
    r"(?i:passw(?:or)?d|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key"
    r"|private[_-]?key|signing[_-]?key|encryption[_-]?key|auth[_-]?key|_pass)"
)
_NAME = rf"(?P<name>{_NAMES})(?![a-z])(?P<suffix>(?:[A-Z0-9_-][A-Za-z0-9_-]{{0,30}}+)?)"
_ASSIGNMENT = r"[ \t]{0,8}(?::[ \t]?[A-Za-z][A-Za-z0-9_.|\[\] ]{0,30}=(?!=)|=>|:=|={1,3}|:)\s{0,8}"
# the quote has backslashes before it if the string is nested in other strings
_QUOTED = (
    r"(?P<mark>\\{0,7})(?P<quote>[\"'`])(?P<quoted>(?:(?!(?P=mark)(?P=quote))(?:\\++[^\s\\]|[^\s\\])){4,256}+)"
    r"(?:(?P=mark)(?P=quote)|\Z)"  # or the end of text that was cut
)
_BARE_VALUE = r"(?P<bare>[A-Za-z0-9+/_.~!@#%^&*-]{8,256}+={0,2}+)(?![(\[{<$])"
_OPEN = r"\\{0,7}[\"'`]?"
_NAME_HINTS = tuple(
    "assw assW ASSW assphrase ASSPHRASE wd WD ecret ECRET oken OKEN pi_key PI_KEY piKey pikey PIKEY pi-key PI-KEY "
    "PI-Key pi-Key PIKey ccess_key CCESS_KEY ccessKey ccess-key rivate_key RIVATE_KEY rivateKey igning_key "
    "IGNING_KEY ncryption_key NCRYPTION_KEY ncryptionKey uth_key UTH_KEY uthKey uth-key PASS= pass= PASS: pass:".split()
)

# precise patterns come before patterns that find the same secrets by their context
KINDS: tuple[SecretKind, ...] = (
    _token("anthropic-key", "sk-ant-", "sk-ant-", _WORD_CHAR + "{20,}"),
    _token("openai-key", "sk-proj- sk-svcacct- sk-admin-", "sk-(?:proj|svcacct|admin)-", _WORD_CHAR + "{20,}"),
    SecretKind(
        "openai-key", ("sk-",), rf"{_START}(?P<public>sk-)(?P<secret>{_ALPHANUMERIC}{{32,}}+)(?!-)", _has_digits, 0
    ),
    _token("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", "gh[pousr]_", _ALPHANUMERIC + "{36,}"),
    _token("github-token", "github_pat_", "github_pat_", "[A-Za-z0-9_]{36,}"),
    _token("gitlab-token", "glpat- glptt- gldt- glrt- glcbt-", "gl(?:pat|ptt|dt|rt|cbt)-", _WORD_CHAR + "{20,}"),
    SecretKind(
        "aws-access-key",
        ("AKIA", "ASIA"),
        rf"{_START}(?P<public>A[KS]IA)(?P<secret>[A-Z0-9]{{16}}+)(?![A-Z0-9])",
        _is_not_placeholder,
        0,
    ),
    SecretKind(
        "aws-secret-key",
        ("ecret", "ECRET"),
        rf"(?i:secret_?(?:access_?)?key)\\{{0,7}}[\"'`]?(?:{_ASSIGNMENT}{_OPEN}|[ \t]{{1,8}}|>)"
        r"(?P<secret>(?=[^\s]{0,40}\d)[A-Za-z0-9/+]{40}+)(?![/+=])",
        _is_random,
    ),
    _token("google-key", "AIza", "AIza", _WORD_CHAR + "{35,}"),
    _token("google-oauth", "ya29. GOCSPX-", r"(?:ya29\.|GOCSPX-)", _WORD_CHAR + "{20,}"),
    _token(
        "slack-token", "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xapp-", "(?:xox[abeoprs]|xapp)-", _WORD_CHAR + "{16,}"
    ),
    SecretKind(
        "slack-webhook",
        ("hooks.slack.com",),
        r"hooks\.slack\.com\\?/(?:services|workflows|triggers)\\?/(?P<secret>[A-Za-z0-9_/\\]{20,}+)",
        _is_not_filler,
    ),
    _token(
        "stripe-key",
        "sk_live_ rk_live_ sk_test_ rk_test_ whsec_",
        "(?:[sr]k_(?:live|test)_|whsec_)",
        _ALPHANUMERIC + "{16,}",
    ),
    SecretKind("npm-token", ("npm_",), rf"{_START}(?P<public>npm_)(?P<secret>{_ALPHANUMERIC}{{36,}}+)", _has_digits, 0),
    _token("pypi-token", "pypi-AgEI", "pypi-AgEI", _WORD_CHAR + "{40,}"),
    SecretKind(
        "huggingface-token",
        ("hf_",),
        rf"{_START}(?P<public>hf_)(?P<secret>{_ALPHANUMERIC}{{30,}}+)",
        _is_not_placeholder,
        0,
    ),
    SecretKind(
        "sendgrid-key",
        ("SG.",),
        rf"{_START}(?P<public>SG\.)(?P<secret>{_WORD_CHAR}{{16,64}}+\.{_WORD_CHAR}{{16,128}}+)",
        _has_digits,
        0,
    ),
    SecretKind(
        "twilio-key", ("SK",), rf"{_START}(?P<public>SK)(?P<secret>[0-9a-f]{{32}}+)(?!{_WORD_CHAR})", _is_not_filler, 0
    ),
    SecretKind(
        "discord-token",
        ("iscord", "ISCORD", "Bot "),
        rf"{_START}(?P<secret>[MNO]{_WORD_CHAR}{{23,25}}\.{_WORD_CHAR}{{6}}\.{_WORD_CHAR}{{27,}}+)",
        _has_digits,
    ),
    SecretKind(
        "discord-webhook",
        ("/webhooks/",),
        rf"/webhooks/\d{{16,22}}/(?P<secret>{_WORD_CHAR}{{60,}}+)",
        _has_digits,
    ),
    SecretKind(
        "telegram-token", (":AA",), rf"(?<=\d{{8}}):(?P<secret>AA{_WORD_CHAR}{{33}}+)(?!{_WORD_CHAR})", _has_digits
    ),
    _token("digitalocean-token", "doo_v1_ dop_v1_ dor_v1_", "do[opr]_v1_", "[0-9a-f]{64,}"),
    SecretKind(
        "azure-key",
        ("AccountKey=", "AccessKey="),
        r"(?:Account|Access)Key=(?P<secret>[A-Za-z0-9+/]{43,}+={1,2})",
        _is_not_filler,
    ),
    SecretKind(
        "age-key", ("AGE-SECRET-KEY-1",), r"(?P<public>AGE-SECRET-KEY-1)(?P<secret>[0-9A-Z]{58,}+)", _is_not_filler
    ),
    SecretKind(
        "jwt",
        ("eyJ",),
        rf"{_START}(?P<public>eyJ)(?P<secret>{_WORD_CHAR}{{8,}}+\.eyJ{_WORD_CHAR}{{8,}}+\.{_WORD_CHAR}{{8,}}+)",
        _is_not_placeholder,
        0,
    ),
    SecretKind(
        "private-key",
        ("PRIVATE KEY",),
        # up to the next row of dashes, or to the end of the base64 data
        r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\++[nrt])*+"
        r"(?P<secret>(?:[^-]|-(?!----)){1,20000}+(?=-----END )|(?:[A-Za-z0-9+/=\s]|\\++[nrt]){24,20000}+)",
        _contains_key,
    ),
    SecretKind(
        "url-password",
        ("://", r":\/\/"),
        r":(?:\\?/){2}[^\s:@/\"'<>\\]{0,128}+:(?P<secret>[^\s@/\"'<>\\:]{3,256}+)@(?=[A-Za-z0-9\[])",
        _is_url_password,
    ),
    SecretKind(
        "authorization",
        ("earer", "EARER", "asic ", "BASIC "),
        r"(?:[Bb]earer|BEARER|[Bb]asic|BASIC)(?:[ \t]|\+|%20){1,4}(?P<secret>[A-Za-z0-9._~+/=-]{16,4096}+)",
        _is_credential,
    ),
    SecretKind(
        "authorization",
        ("uthorization", "UTHORIZATION"),
        rf"(?:[Aa]uthorization|AUTHORIZATION){_OPEN}[ \t]{{0,8}}[:=]\s{{0,8}}{_OPEN}(?:[A-Za-z]{{1,16}}[ \t]{{1,4}})?"
        r"(?P<secret>[A-Za-z0-9._~+/=-]{8,4096}+)",
        _is_credential,
    ),
    SecretKind("assigned", _NAME_HINTS, rf"{_NAME}{_OPEN}\]?{_ASSIGNMENT}(?:{_QUOTED}|{_BARE_VALUE})", _is_assigned, 1),
    SecretKind(
        "assigned",
        ("--",),
        rf"(?<!-)--(?=[a-z])[a-z-]{{0,30}}?{_NAME}[ \t]{{1,8}}(?:{_QUOTED}|{_BARE_VALUE})",
        _is_assigned,
    ),
)
