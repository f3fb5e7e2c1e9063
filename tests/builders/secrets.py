"""Tokens in the form of real ones, made anew each time: none stands in any file."""

from __future__ import annotations

import random
import string
from collections.abc import Callable

ALPHANUMERIC = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
URL_SAFE = ALPHANUMERIC + "_-"
BASE64 = ALPHANUMERIC + "+/"
UPPER = string.ascii_uppercase + "234567"


def make_tokens(seed: int) -> dict[str, list[str]]:
    """Tokens by rule, each of another random text."""
    chooser = random.Random(seed)

    def draw(alphabet: str, count: int) -> str:
        return "".join(chooser.choice(alphabet) for _ in range(count))

    word: Callable[[int], str] = lambda count: draw(ALPHANUMERIC, count)  # noqa: E731
    safe: Callable[[int], str] = lambda count: draw(URL_SAFE, count)  # noqa: E731
    return {
        "age-key": ["AGE-SECRET-KEY-1" + draw("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58)],
        "anthropic-key": [f"sk-ant-api03-{safe(93)}AA", f"sk-ant-admin01-{safe(93)}"],
        "atlassian-token": [f"ATATT3xFfGF0{safe(180)}"],
        "aws-access-key-id": [f"AKIA{draw(UPPER, 16)}", f"ASIA{draw(UPPER, 16)}"],
        "aws-secret-access-key": [
            f'aws_secret_access_key = "{draw(BASE64, 40)}"',
            f"AWS_SECRET_ACCESS_KEY={draw(BASE64, 40)}",
            f"awsSecretAccessKey: '{draw(BASE64, 40)}'",
        ],
        "azure-storage-key": [f"AccountKey={draw(BASE64, 86)}=="],
        "databricks-token": [f"dapi{draw(HEX, 32)}"],
        "digitalocean-token": [f"dop_v1_{draw(HEX, 64)}"],
        "discord-token": [f"M{safe(24)}.{safe(6)}.{word(27)}"],
        "github-token": [f"gh{kind}_{word(36)}" for kind in "pousr"],
        "github-fine-grained-token": [f"github_pat_{word(22)}_{word(59)}"],
        "gitlab-token": [f"glpat-{safe(20)}"],
        "google-key": [f"AIza{safe(35)}", f"GOCSPX-{safe(28)}", f"ya29.{safe(60)}"],
        "huggingface-token": [f"hf_{word(34)}"],
        "json-web-token": [f"eyJ{safe(33)}.eyJ{safe(60)}.{safe(43)}"],
        "npm-token": [f"npm_{word(36)}"],
        "openai-key": [f"sk-proj-{safe(74)}T3BlbkFJ{safe(74)}", f"sk-{word(20)}T3BlbkFJ{word(20)}"],
        "private-key": [
            f"-----BEGIN {kind}PRIVATE KEY{end}-----"
            for kind, end in (("", ""), ("RSA ", ""), ("OPENSSH ", ""), ("PGP ", " BLOCK"))
        ],
        "pypi-token": [f"pypi-AgEIcHlwaS5vcmc{safe(120)}"],
        "sendgrid-key": [f"SG.{safe(22)}.{safe(43)}"],
        "shopify-token": [f"shpat_{draw(HEX, 32)}"],
        "slack-token": [f"xoxb-{draw(string.digits, 12)}-{draw(string.digits, 12)}-{word(24)}"],
        "slack-webhook": [f"https://hooks.slack.com/services/T{word(8)}/B{word(10)}/{word(24)}"],
        "stripe-key": [f"sk_live_{word(24)}", f"rk_test_{word(99)}"],
        "telegram-token": [f"{draw('123456789', 10)}:AA{safe(33)}"],
        "twilio-key": [f"SK{draw(HEX, 32)}"],
        "vault-token": [f"hvs.{safe(90)}"],
    }
