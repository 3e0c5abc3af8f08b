import pytest

from citator.redaction import redact

GITHUB = "ghp_" + "a1B2c3D4e5" * 3 + "a1B2c3"
AWS = "AKIA" + "IOSFODNN7" + "EXAMPLE"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\nabc\n-----END RSA PRIVATE KEY-----"


@pytest.mark.parametrize("secret", [GITHUB, AWS, JWT, KEY, KEY.split("-----END")[0]])
def test_a_secret_is_cut_out_and_the_rest_stays(secret: str) -> None:
    assert redact(f"the token is {secret}") == "the token is [redacted]"


def test_a_password_in_an_address_is_cut_out() -> None:
    assert redact("postgres://shop:correct-horse-battery@db/orders") == "postgres://shop:[redacted]@db/orders"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("aws_secret_access_key=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "aws_secret_access_key=[redacted]"),
        ("password: hunter2-very-secret", "password: [redacted]"),
        ("export DB_PASSWORD='s3cure-enough' # for now", "export DB_PASSWORD='[redacted]' # for now"),
        ('{"apiKey": "k9f8e7d6c5", "region": "eu1"}', '{"apiKey": "[redacted]", "region": "eu1"}'),
        (r"{\"client_secret\":\"k9f8e7d6c5\"}", r"{\"client_secret\":\"[redacted]\"}"),
        ("{auth_token: k9f8e7d6c5, port: 8080}", "{auth_token: [redacted], port: 8080}"),
        ("The **API key**: `k9f8e7d6c5`.", "The **API key**: `[redacted]`."),
        ("(pwd = k9f8/e7d+6c5==)", "(pwd = [redacted])"),
        ("Access-Token=k9f8e7d6c5\nuser=shop", "Access-Token=[redacted]\nuser=shop"),
        ("passwd = $2b$12$abcdefgh", "passwd = [redacted]"),
    ],
)
def test_the_value_of_a_name_that_says_secret_is_cut_out(text: str, left: str) -> None:
    assert redact(text) == left
    assert redact(left) == left


@pytest.mark.parametrize(
    "text",
    [
        "",
        "password: see the vault",
        "Password: rotate it every 90 days",
        "password: correct-horse-battery",
        "pwd: 2024-01-31",
        "DB_PASSWORD=$DB_PASSWORD_2",
        "password: ${VAULT_2_PASSWORD}",
        "api_key: <your-api-key-2>",
        "api_key = ab12****************",
        "client_secret: {{vault2.client_secret}}",
        "secret: /run/secrets/db-2/password",
        "secret = secrets/db2/password.txt",
        "secret: https://vault2.example.org/v1/secret",
        "password = read_password2(user)",
        "secrets: 12345678a is no name of one",
        "Use PostgreSQL as the job queue",
        "commit 3f786850e387550fdab836ed7e6dc881de23001b of 192.168.17.230",
        "https://example.org/a/very/long/path/to/some/page.html?with=a&query=string",
        "docs/decisions/0007-use-postgresql-as-the-job-queue.md",
        "注文の取り消しは発送前に限る。" * 20,
        "0b1f8f0e-5d3c-4b57-8d7e-0a8f6d1f2c3b",
    ],
)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert redact(text) == text
