"""Secrets are masked, text that only looks like a secret is not, and long hostile text is processed.

This file contains no real secrets. The samples are assembled when the tests run.
"""

import json

import pytest

from ccindex.secrets.masking import MASK, Secret, find_secrets, mask
from ccindex.secrets.patterns import KINDS

MIXED = "a1B2c3D4e5F6g7H8j9K0" * 5
HEX = "0f1e2d3c4b5a69788796a5b4c3d2e1f0" * 3
CAPITALS = "QX7ZPLM2WRT9KVNB" * 4

# kind: the text before a secret, the secret's public prefix, and the part that must be masked
SAMPLES: dict[str, list[tuple[str, str, str]]] = {
    "anthropic-key": [("key ", "sk-ant-", f"api03-{MIXED[:80]}"), ("", "sk-ant-", MIXED[:40])],
    "openai-key": [("", "sk-proj-", MIXED[:60]), ("", "sk-", MIXED[:48]), ("", "sk-svcacct-", MIXED[:40])],
    "github-token": [
        *(("", f"gh{sign}_", MIXED[:36]) for sign in "pousr"),
        ("", "github_pat_", f"{MIXED[:22]}_{HEX[:59]}"),
    ],
    "gitlab-token": [("", "glpat-", MIXED[:20])],
    "aws-access-key": [("", "AKIA", CAPITALS[:16]), ("", "ASIA", CAPITALS[:16])],
    "aws-secret-key": [
        ("aws_secret_access_key = ", "", MIXED[:40]),
        ('"SecretAccessKey": "', "", f"{MIXED[:38]}/+"),
        ("aws configure set aws_secret_access_key ", "", MIXED[:40]),
        ("<SecretAccessKey>", "", MIXED[:40]),
    ],
    "google-key": [("", "AI" + "za", MIXED[:35])],
    "google-oauth": [("", "ya29.", MIXED[:60]), ("", "GOCSPX-", MIXED[:28])],
    "slack-token": [
        ("", "xoxb-", f"123-456-{MIXED[:24]}"),
        ("", "xoxp-", MIXED[:30]),
        ("", "xapp-", f"1-{MIXED[:30]}"),
    ],
    "slack-webhook": [("https://hooks.slack.com/services/", "", f"T0{CAPITALS[:8]}/B0{CAPITALS[:8]}/{MIXED[:24]}")],
    "stripe-key": [("", "sk_" + "live_", MIXED[:24]), ("", "rk_" + "live_", MIXED[:24]), ("", "whsec_", MIXED[:32])],
    "npm-token": [("", "npm_", MIXED[:36])],
    "pypi-token": [("", "pypi-AgEI", MIXED[:90])],
    "huggingface-token": [("", "hf_", MIXED[:34])],
    "sendgrid-key": [("", "SG.", f"{MIXED[:22]}.{MIXED[:43]}")],
    "twilio-key": [("", "SK", HEX[:32])],
    "discord-token": [("Discord ", "", f"M{MIXED[:23]}.{MIXED[:6]}.{MIXED[:38]}")],
    "discord-webhook": [("https://discord.com/api/webhooks/123456789012345678/", "", MIXED[:68])],
    "telegram-token": [("bot123456789:", "", f"AA{MIXED[:33]}")],
    "digitalocean-token": [("", "dop_v1_", HEX[:64])],
    "azure-key": [("DefaultEndpointsProtocol=https;AccountName=a;AccountKey=", "", f"{MIXED[:86]}==")],
    "age-key": [("", "AGE-SECRET-KEY-1", CAPITALS[:58])],
    "jwt": [("", "eyJ", f"{MIXED[:20]}.eyJ{MIXED[:60]}.{MIXED[:43]}")],
    "private-key": [
        (f"-----BEGIN {name}-----\n", "", "\n".join([MIXED[:64]] * 4))
        for name in ("RSA PRIVATE KEY", "EC PRIVATE KEY", "OPENSSH PRIVATE KEY", "PRIVATE KEY", "PGP PRIVATE KEY BLOCK")
    ],
    "url-password": [("postgres://bob:", "", "s3same0pen"), ("https://:", "", "s3same0pen")],
    "authorization": [("Authorization: Bearer ", "", MIXED[:32]), ("-H 'authorization: Basic ", "", MIXED[:24])],
    "assigned": [
        ('password = "', "", "tr0ub4dor&3"),
        ('password: str = "', "", "correcthorse"),
        ("API_KEY=", "", MIXED[:24]),
        ('{"client_secret": "', "", MIXED[:16]),
        ("token: ", "", MIXED[:24]),
        ("deploy --auth-token ", "", MIXED[:24]),
        ("x-api-key: ", "", MIXED[:24]),
        ("X-Api-Key: ", "", MIXED[:24]),
        ("APIKey=", "", MIXED[:24]),
        ("access-key: ", "", MIXED[:24]),
        ("DB_PASS=", "", MIXED[:16]),
        ("config['secret'] = '", "", MIXED[:24]),
    ],
}  # fmt: skip
CASES = [(kind, *case) for kind, cases in SAMPLES.items() for case in cases]


def embed(kind: str, before: str, secret: str) -> str:
    """Return text that contains the secret, followed by typical text."""
    if kind == "url-password":
        return f"{before}{secret}@db.local/x"
    if kind == "private-key":
        return f"{before}{secret}\n{before.strip().replace('BEGIN', 'END')}"
    quote = before[-1:] if before[-1:] in "\"'" else ""
    return f"{before}{secret}{quote} and so on"


def test_every_kind_has_samples() -> None:
    assert {kind.name for kind in KINDS} == set(SAMPLES)


@pytest.mark.parametrize(("kind", "before", "public", "hidden"), CASES)
def test_secret_is_masked_except_for_its_public_prefix(kind: str, before: str, public: str, hidden: str) -> None:
    text = embed(kind, before, public + hidden)
    [secret] = find_secrets(text)
    start = len(before)
    assert secret == Secret(kind, start, start + len(public) + len(hidden), len(public))
    assert mask(text) == embed(kind, before, public + MASK)
    assert mask(mask(text)) == mask(text)


@pytest.mark.parametrize(("kind", "before", "public", "hidden"), CASES)
@pytest.mark.parametrize("depth", [1, 2])
def test_secret_in_nested_json_is_masked_and_the_json_stays_valid(
    kind: str, before: str, public: str, hidden: str, depth: int
) -> None:
    text = json.dumps({"first": "line\n" + embed(kind, before, public + hidden)})
    for _ in range(depth - 1):
        text = json.dumps(["\t" + text])
    shown = mask(text)
    json.loads(shown)
    assert MASK in shown
    assert [hidden[i : i + 8] for i in range(len(hidden) - 7) if hidden[i : i + 8] in shown] == []


@pytest.mark.parametrize(
    "start", ["\\n", "\x1b[32m", "\x1b[01;31m\x1b[K", "\\u001b[0m", "%3D", "%3d", "=", '"', "(", "\n", "→"]
)
def test_secret_is_found_after_escapes_and_punctuation(start: str) -> None:
    secret = "ghp_" + MIXED[:36]
    assert mask(f"a{start}{secret}") == f"a{start}ghp_{MASK}"


@pytest.mark.parametrize(
    "text",
    [
        'password = "<your password>"',
        'password = "changeme"',
        'password: "${DB_PASSWORD}"',
        "password=$PASSWORD",
        'API_KEY = os.environ["API_KEY"]',
        "apiKey: process.env.API_KEY_1a2B3c",
        "api_key=xxxxxxxxxxxxxxxxxxxx",
        "token = get_token_v2(request1)",
        '"token": "***"',
        "secret: example-Secret-1a2B3c4D",
        "Authorization: Bearer <token>",
        "Authorization: Bearer $TOKEN1a2B3c4D5e6F",
        '{"input_tokens":12345678,"output_tokens":87654321}',
        "max_tokens=1234567890",
        "token_type: Bearer",
        "git@github.com:me/it.git https://host:8080/a@b",
        "https://user:password@host https://user:$PASS@host https://user:<pass>@host",
        "sk-" + "x" * 40,
        "sk-ant-your-own-key-from-the-console",
        "task-a1B2c3D4e5F6g7H8j9K0a1B2c3D4e5F6",
        "the disk-encryption-with-a-very-long-name-1",
        "51ea40b0-7088-4482-b231-74d06cde3e3a toolu_01A2b3C4d5E6f7G8h9J0k1L2",
        "commit 2cb4e2960f1e2d3c4b5a69788796a5b4c3d2e1f0",
        "-----BEGIN PUBLIC KEY-----\n" + MIXED[:64] + "\n-----END PUBLIC KEY-----",
        "grep -- '-----BEGIN RSA PRIVATE KEY-----' and so on",
        "token: csrfToken",
        'TOKEN="xoxb-token"',
        "secretRef: prod-db-7f9c8a1b2",
        "2 tests PASS: a1B2c3D4e5F6g7H8 --bypass=a1B2c3D4e5F6g7H8",
        "npm_lifecycle_event hf_hub_download SG.nothing",
        "",
    ],
)
def test_text_that_only_looks_like_a_secret_is_not_masked(text: str) -> None:
    assert list(find_secrets(text)) == []
    assert mask(text) == text


@pytest.mark.parametrize(
    ("public", "hidden"),
    [
        ("AKIA", "IOSFODNN7" + "EXAMPLE"),
        ("sk-ant-", "api03-" + "A" * 80),
        ("ghp_", "abcdefghijklmnopqrstuvwxyz" + "0123456789"),
        ("ghp_", "a" * 36),
        ("AI" + "za", "SyExample" * 4),
    ],
)
def test_sample_key_with_a_valid_format_is_masked(public: str, hidden: str) -> None:
    assert mask(f"it is {public}{hidden}, he said") == f"it is {public}{MASK}, he said"


def test_start_of_a_secret_at_the_end_of_a_cut_text_is_masked() -> None:
    assert mask("it is ghp_" + MIXED[:9]) == f"it is ghp_{MASK}"
    assert mask("it is sk-ant-" + MIXED[:7]) == f"it is sk-ant-{MASK}"


@pytest.mark.parametrize("text", ['-H "X-Api-Key: {}"', "-e 'DB_PASSWORD={}'", '{{"command":"export API_KEY={}"}}'])
def test_assignment_inside_quotes_is_masked(text: str) -> None:
    assert mask(text.format(MIXED[:24])) == text.format(MASK)


def test_password_without_its_closing_quote_is_masked() -> None:
    assert mask('it has password: "tr0ub4dor') == f'it has password: "{MASK}'
    assert mask('{\\"api_key\\":\\"' + MIXED[:20]) == '{\\"api_key\\":\\"' + MASK


@pytest.mark.parametrize("colour", ["\x1b[01;31m\x1b[K", "\x1b[m", "\\u001b[38;5;9m"])
@pytest.mark.parametrize(("kind", "before", "public", "hidden"), CASES)
def test_secret_that_contains_a_colour_code_is_masked(
    kind: str, before: str, public: str, hidden: str, colour: str
) -> None:
    text = embed(kind, before, public + hidden)
    for position in {0, len(before) // 2, len(before), len(before + public), len(before + public) + 5}:
        shown = mask(text[:position] + colour + text[position:])
        assert [hidden[i : i + 8] for i in range(len(hidden) - 7) if hidden[i : i + 8] in shown] == []
        assert shown.startswith((before + public)[: min(position, len(before + public))])


def test_text_around_a_coloured_secret_is_kept() -> None:
    red, off = "\x1b[31m", "\x1b[0m"
    secret = "ghp_" + MIXED[:36]
    assert mask(f"{red}a{off} {red}{secret[:9]}{off}{secret[9:]}{red} b{off}") == (
        f"{red}a{off} {red}ghp_{MASK}{red} b{off}"
    )


def test_most_precise_of_overlapping_secrets_is_reported() -> None:
    key = "sk-ant-" + MIXED[:40]
    assert [secret.kind for secret in find_secrets(f"Authorization: Bearer {key}")] == ["anthropic-key"]
    assert [secret.kind for secret in find_secrets(f'API_KEY="{key}"')] == ["anthropic-key"]
    assert [secret.kind for secret in find_secrets(f"https://x:ghp_{MIXED[:36]}@github.com")] == ["github-token"]
    two = f"{key} {key}"
    assert mask(two) == f"sk-ant-{MASK} sk-ant-{MASK}"


def test_truncated_private_key_is_masked_to_its_end() -> None:
    text = f"-----BEGIN RSA PRIVATE KEY-----\n{MIXED[:64]}\n{MIXED[:64]}\n"
    assert mask(text) == f"-----BEGIN RSA PRIVATE KEY-----\n{MASK}\n"


PIECES = (
    "a", "eyJ", "eyJ.", "-----BEGIN ", "-----BEGIN PRIVATE KEY-----", "token=", 'token="', "--a", "://:", "Bearer ",
    "sk-", "sk-ant-", "SG.", "\\", '\\"', 'password = "\\', "AA:AA", "Discord Ma.", "xoxb-", "secret_key=", "Bot M",
    "-----BEGIN PRIVATE KEY-----a", "[0msk-", "\\nsk-ant-", "=", "'", "secret: a1B2c3D4\\", "--password ", "hf_",
)  # fmt: skip


@pytest.mark.parametrize("piece", PIECES)
def test_long_text_of_repeated_secret_prefixes_is_processed(piece: str) -> None:
    text = (piece * (40_000 // len(piece) + 1))[:40_000]
    assert mask(mask(text)) == mask(text)
