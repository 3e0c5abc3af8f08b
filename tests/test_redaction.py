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
    "text",
    [
        "",
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
