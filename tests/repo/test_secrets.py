"""What is masked, and what is not."""

import pytest

from dragoman.repo import secrets

# Written in halves, so that no scanner takes this file for a leak.
SECRETS = [
    "AKIA" + "IOSFODNN7EXAMPLE",
    "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
    "github_pat_" + "11ABCDEFG0" * 5,
    "glpat-" + "xY12_zW34-aB56cD78eF",
    "xoxb-" + "123456789012-abcdefABCDEF",
    "sk-ant-" + "api03-Ab12Cd34Ef56Gh78Ij90",
    "sk-or-" + "v1-0123456789abcdef0123456789abcdef",
    "sk-" + "0123456789abcdef0123456789abcdef",
    "sk_live_" + "51H8abcdEFGHijklMNOP",
    "AIza" + "SyA1234567890abcdefghijklmnopqrstuv",
    "npm_" + "0123456789abcdefghijABCDEFGHIJ012345",
    "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0NTY3ODkwIn0" + ".dozjgNryP4J3jVmNHl0w5N",
]


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("line", ["{}", "key = get('{}')", '+  "x": "{}",', "see {}."])
def test_a_known_kind_of_token_is_masked_wherever_it_stands(secret: str, line: str) -> None:
    text, count = secrets.mask(f"before\n{line.format(secret)}\nafter")
    assert text == f"before\n{line.format(secrets.MASKED)}\nafter"
    assert count == 1


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("DATABASE_URL=postgres://ada:{}@db.example.org/x", "s3cr3t"),
        ("git clone https://ada:{}@git.example.org/x.git", "gibberish"),
        ("//registry.npmjs.org/:_authToken={}", "0a1b2c3d-4e5f"),
        ("_auth={}", "YWRhOmh1bnRlcjI="),
        ("machine example.org login ada password {}", "hunter2x"),
        ('curl -H "Authorization: Bearer {}"', "0123456789abcdef"),
        ('password = "{}"', "hunter22"),
        ("'api_key': '{}',", "Zx81-spectrum"),
        ('"clientSecret": "{}"', "a8f5f167f44f4964e6c998dee827110c"),
        ("DB_PASSWORD={}", "Tr0ub4dor&3"),
        ("  secret_key: {}", "kq3vN8xT2bLw9ZrP"),
        ("aws_secret_access_key = {}", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
        ("Server=db;User=sa;Password={};Encrypt=true", "pa55"),
        (
            "DefaultEndpointsProtocol=https;AccountKey={}",
            "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq",
        ),
    ],
)
def test_a_password_is_masked_where_its_name_or_place_tells_it(line: str, value: str) -> None:
    assert secrets.mask(line.format(value)) == (line.format(secrets.MASKED), 1)


@pytest.mark.parametrize(
    "line",
    [
        "password = get_password(user)",
        'token_url = "https://example.org/oauth2/token"',
        'password_field = "user_password1"',
        'PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]',
        "token = tokens[1]",
        "    secret: str",
        "key = session.key2",
        'api_key="${API_KEY}"',
        "password: {{ vault.db_password1 }}",
        'key_variable = "OPENAI_API_KEY"',
        "postgres://ada:$PASSWORD@db/x and https://example.org:8080/a@b",
        'if token == "end_of_file":',
        "class sk-folding-cube-one-two-three-four",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        '_BEGIN = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----")',
        "The password is asked for at the first start.",
        'keys = {"token": token, "secret": secret}',
    ],
)  # fmt: skip
def test_ordinary_code_stays_as_it_is(line: str) -> None:
    assert secrets.mask(line) == (line, 0)


BODY = "MIIEpAIBAAKCAQEA7bq0p0q9Xr1Zk3u0vJmQpYx2\nq83vEw0kz8sZ1A==\n"


def test_a_private_key_is_masked_line_for_line_and_counted_once() -> None:
    text, count = secrets.mask(f"a = 1\n-----BEGIN RSA PRIVATE KEY-----\n{BODY}-----END RSA PRIVATE KEY-----\nb = 2\n")
    assert count == 1
    assert "MIIE" not in text
    assert "q83v" not in text
    assert text.split("\n")[0] == "a = 1"
    assert text.split("\n")[5:] == ["b = 2", ""]


def test_a_private_key_in_a_diff_a_string_or_on_one_line_is_masked() -> None:
    for text in (
        "+-----BEGIN PRIVATE KEY-----\n+" + BODY.replace("\n", "\n+", 1) + "+-----END PRIVATE KEY-----",
        'KEY = ("-----BEGIN PRIVATE KEY-----\\n"\n    "' + BODY.replace("\n", '\\n"\n    "', 1) + '")',
        "-----BEGIN PRIVATE KEY-----\\n" + BODY.replace("\n", "\\n") + "-----END PRIVATE KEY-----",
    ):
        masked, count = secrets.mask(text)
        assert "MIIE" not in masked, text
        assert "q83v" not in masked, text
        assert count == 1


def test_code_after_a_mark_without_a_key_is_not_swallowed() -> None:
    text = 'BEGIN = "-----BEGIN PRIVATE KEY-----"\n\ndef read(path):\n    return open(path)\n'
    assert secrets.mask(text) == (text, 0)
