"""Forms of text that tries to direct whoever reads it; a hit is told and decides nothing.

RE2 syntax, without regard to case. Words are matched however they are set apart, so that marks,
quotes and line ends between them hide nothing. A rule is for sentences that address the reader or
name an act: documentation speaks of tests that are skipped, and is not meant.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class SignalHit(NamedTuple):
    """A place of a text that has the form of an instruction; never the text itself."""

    kind: str
    line: int
    """From 1."""


AUTHORITY: Final = "claim-authority"
"""The kind of text that says it is more than its source makes it."""

_GAP: Final = (
    r"[\x00-/:-@\[-`{-\x7f\x{80}-\x{a9}\x{ab}-\x{b4}\x{b6}-\x{b9}\x{bb}-\x{bf}"
    r"\x{2000}-\x{206f}\x{3000}-\x{3004}\x{3008}-\x{3020}]+"
)
"""What may stand between two words of a phrase: marks and blanks, of the scripts of the rules."""
_LETTER: Final = r"[a-z\x{c0}-\x{24f}]"
_CYRILLIC: Final = r"[\x{430}-\x{45f}]*"
_LINE: Final = r"(?m:^)[ \t>#*\-]{0,8}"
"""The start of a line, behind marks of quotes, lists and headings."""
_REST: Final = r"(?:[^\n.!?]|[.!?][^\s])"
"""A character of the same sentence; names of hosts and files have dots too."""


def _some(words: str, most: int) -> str:
    """Up to so many of the words, each with the gap behind it."""
    return f"(?:(?:{words}){_GAP}){{0,{most}}}"


_IGNORE: Final = (
    r"ignore|disregard|forget|override|do not follow|don.t follow|stop following|do not obey"
)
_FILLERS: Final = "all|any|every|the|your|my|of|these|those|this|other|and|on"
_EARLIER: Final = (
    "previous|prior|earlier|preceding|above|foregoing|system|developer|initial|original|existing"
)
_ORDERS: Final = (
    "instructions?|directions|directives?|rules?|guidelines?|prompts?|polic(?:y|ies)|constraints?|"
    "messages?|context|restrictions|orders|commands"
)

SIGNAL_RULES: Final = {
    "override-instructions": (
        rf"\b(?:{_IGNORE}){_GAP}{_some(_FILLERS, 4)}(?:{_EARLIER}){_GAP}"
        rf"{_some(_FILLERS + '|' + _EARLIER, 2)}(?:{_ORDERS})\b",
        rf"\b(?:{_IGNORE}){_GAP}(?:(?:{_FILLERS}){_GAP}){{1,3}}"
        r"(?:instructions|directives|guidelines)\b",
        rf"\b(?:ignore|disregard|forget){_GAP}the{_GAP}(?:user.s{_GAP})?(?:question|request)\b",
        rf"\b(?:ignore|disregard|forget){_GAP}(?:everything|anything|all){_GAP}(?:that{_GAP})?"
        rf"(?:you{_GAP}(?:were|have|are)|above|before|said|written)\b",
        rf"\bfrom{_GAP}now{_GAP}on{_GAP}you{_GAP}(?:are|will|must|should|shall|act|answer|only)\b",
        rf"\byou{_GAP}are{_GAP}no{_GAP}longer{_GAP}(?:bound|an?|required|restricted|limited)\b",
        rf"\byour{_GAP}(?:new|real|actual|true){_GAP}(?:instructions?|task|goal|objective|role)"
        rf"{_GAP}(?:is|are)\b",
        # Chinese, both scripts
        r"(?:忽略|无视|無視|忘记|忘記|不要遵[守循]|不要理[会會])"
        r"(?:掉|以上|上述|上面|之前|先前|前面|此前|所有|全部|任何|的|你|您|系统|系統|一切|原有){1,6}"
        r"(?:指令|指示|说明|說明|规则|規則|提示|要求|命令)",
        # Japanese, Korean
        r"(?:以前|これまで|上記|上|前|すべて|全て|システム)の[^\s。]{0,12}"
        r"(?:指示|命令|ルール|規則|プロンプト)[^\s。]{0,8}(?:無視|忘れ)",
        r"(?:이전|위의?|앞의|모든|기존|시스템)[^\n.]{0,12}(?:지시|명령|규칙|지침|프롬프트)"
        r"[^\n.]{0,8}(?:무시|잊)",
        # German, French, Spanish, Portuguese, Italian, Russian
        rf"\b(?:ignorier{_LETTER}*|missachte{_LETTER}*|vergiss|vergessen){_GAP}(?:(?:sie|du|alle|die|den|"
        rf"vorherig{_LETTER}*|bisherig{_LETTER}*|obig{_LETTER}*|fr{_LETTER}her{_LETTER}*|vorig{_LETTER}*|vorangegangen{_LETTER}*|deine|ihre)"
        rf"{_GAP}){{1,4}}(?:anweisungen|instruktionen|regeln|vorgaben|richtlinien|befehle)\b",
        rf"\b(?:ignore[zr]?|oublie[zr]?){_GAP}(?:(?:toutes|tous|les|vos|tes|ces){_GAP}){{1,2}}"
        rf"(?:instructions|consignes|r{_LETTER}gles|directives)\b",
        rf"\b(?:ignor[ae]|olvid[ae]|desestim[ae]){_GAP}(?:(?:todas|las|tus|sus|los|estas){_GAP})"
        rf"{{1,3}}(?:instrucciones|reglas|indicaciones|{_LETTER}rdenes|directrices)\b",
        rf"\b(?:ignor[ae]|esque{_LETTER}[ae]|desconsidere){_GAP}(?:(?:todas|as|suas|tuas|estas|quaisquer)"
        rf"{_GAP}){{1,3}}(?:instru{_LETTER}{_LETTER}es|regras|orienta{_LETTER}{_LETTER}es|diretrizes)\b",
        rf"\b(?:ignora|dimentica|trascura){_GAP}(?:(?:tutte|le|tue|sue|queste){_GAP}){{1,3}}"
        r"(?:istruzioni|regole|direttive|indicazioni)\b",
        rf"(?:игнорируй|забудь){_CYRILLIC}{_GAP}(?:(?:все|всех|предыдущ{_CYRILLIC}|прежн{_CYRILLIC}|эти|свои|ваши|"
        rf"вышеуказанн{_CYRILLIC}|данн{_CYRILLIC}){_GAP}){{1,4}}(?:инструкци|указани|правил|команд){_CYRILLIC}",
    ),
    AUTHORITY: (
        # Front matter and the like: a text that gives itself a trust word.
        r"(?m:^)[> \t]{0,4}(?:trust|trust[_-]level|authority|clearance|privilege):[ \t]*[\"']?"
        r"(?:authori[sz]ed|policy|system|developer|admin|administrator|root|highest|full|maximum|"
        r"trusted)[\"']?[ \t]*\r?(?m:$)",
        r"(?m:^)role:[ \t]*(?:system|developer)[ \t]*\r?(?m:$)",
        # Marks by which models tell who speaks.
        r"<\|(?:im_start|im_end|im_sep|endoftext|endofprompt|system|developer|user|assistant|"
        r"start_header_id|end_header_id|eot_id|begin_of_text|end_of_text)\|>",
        r"(?-i:\[/?INST\]|<</?SYS>>)",
        rf"{_LINE}</?(?:system|system[-_ ](?:prompt|message|reminder|instructions?)|developer|"
        r"permissions instructions|environment_context|instructions)>",
        rf"{_LINE}(?:system|developer|admin|administrator|operator)"
        rf"(?:[ \t](?:message|prompt|override|notice|note|instructions?|update))?[ \t]*:[ \t*]+"
        r"(?:you|ignore|disregard|from now|please|never|always|do not|assistant)\b",
        rf"\bthis{_GAP}(?:is|was){_GAP}(?:(?:an?|the){_GAP})?(?:(?:official|authori[sz]ed|verified|"
        rf"urgent|trusted|binding|system|administrative){_GAP}){{1,2}}"
        r"(?:message|instructions?|request|directive|override|order|command)s?\b",
        rf"\b(?:authori[sz]ed|approved|issued){_GAP}by{_GAP}(?:(?:the|your){_GAP})?(?:system|"
        r"administrators?|developers?|operators?|security team|anthropic|openai|google)\b",
        rf"\b(?:system|admin|administrator|developer|root){_GAP}(?:override|mode){_GAP}"
        r"(?:enabled|activated|granted|engaged|on)\b",
    ),
    "disable-checks": (
        rf"\b(?:disable|bypass|turn{_GAP}off|switch{_GAP}off|deactivate|circumvent){_GAP}"
        rf"{_some(_FILLERS + '|its|input|schema|security|safety|pre|commit|ci', 4)}"
        r"(?:validation|checks|tests|linters?|linting|hooks|verification|sandbox|guardrails|"
        r"safeguards|monitoring|scanners?|firewall|approvals?)\b",
        rf"\bskip{_GAP}(?:(?:the|all|any|every|your){_GAP}){{1,2}}(?:validation|checks|tests|hooks|"
        r"verification|review|approvals?)\b",
        r"--no-verify\b",
    ),
    "send-data": (
        rf"\b(?:send|post|upload|forward|e-?mail|exfiltrate|transmit|leak|submit|paste)\b{_REST}"
        r"{0,60}\b(?:logs?|secrets?|tokens?|credentials?|passwords?|api keys?|private keys?|"
        r"ssh keys?|environment variables|env vars?|source code|chat history|system prompt|"
        rf"contents? of|customer data)\b{_REST}{{0,60}}\bto\b{_REST}{{0,20}}(?:https?://|ftp://|"
        rf"[a-z0-9_-]+@[a-z0-9-]+\.|webhook|(?:another|an external|a remote|a different|my|our|"
        r"the following) (?:host|server|address|url|endpoint|site|account|e-?mail|machine))",
        r"\bcurl\b[^\n]{0,120}[ \t](?:-d|--data|--data-binary|--data-raw|-F|--form|-T|"
        r"--upload-file)[ =]?[\"']?(?:[a-z_]+=)?(?:@|\$\()",
        r"\b(?:curl|wget|nc|ncat)\b[^\n]{0,80}\$\((?:cat|env|printenv|base64)\b",
        r"\b(?:cat|env|printenv)\b[^\n|]{0,60}\|[ \t]*(?:curl|nc|ncat|wget)\b",
    ),
    "run-command": (
        r"\b(?:curl|wget)\b[^\n|]{0,160}\|[ \t]*(?:sudo[ \t]+)?(?:ba|z|da|k)?sh\b",
        r"\beval[ \t]+[\"']?(?:\$\(|`)(?:curl|wget)\b",
        r"\bbase64[ \t]+(?:-d|-D|--decode)\b[^\n]{0,40}\|[ \t]*(?:ba|z|da|k)?sh\b",
        r"\bpowershell\b[^\n]{0,40}[ \t]-e(?:nc|ncodedcommand)?[ \t]",
        rf"\b(?:you{_GAP}must|immediately|before{_GAP}(?:doing{_GAP})?anything{_GAP}else|first"
        rf"{_GAP}of{_GAP}all){_REST}{{0,30}}\b(?:run|execute){_GAP}(?:the|this|these){_GAP}"
        rf"(?:following{_GAP})?(?:commands?|scripts?|code)\b",
    ),
    "destructive-command": (
        r"\brm[ \t]+(?:-[a-z-]+[ \t]+){0,3}-(?:[a-z]*r[a-z]*|-recursive)[ \t]+"
        r"(?:-[a-z-]+[ \t]+){0,3}[\"']?(?:/(?:(?:etc|usr|var|home|root)/?)?(?:[ \t*\"'\r\n]|$)|~|"
        r"\$HOME|\*|\.git\b|\.(?:[ \t\r\n/]|$))",
        r"\bgit[ \t]+push\b[^\n]{0,60}[ \t](?:--force|-f)\b",
        r"\bmkfs\.[a-z0-9]+[ \t]+/dev/|\bdd[ \t]+if=[^ \t\n]+[ \t]+of=/dev/|:\(\)[ \t]*\{[ \t]*:\|",
        rf"\b(?:delete|erase|wipe|destroy){_GAP}(?:all{_GAP}(?:of{_GAP})?|everything{_GAP}|the{_GAP}"
        rf"(?:entire|whole){_GAP})(?:the{_GAP}|your{_GAP}|in{_GAP}){{0,2}}(?:files|repository|"
        r"branches|backups|history|home directory|disk)\b",
    ),
    "change-grant": (
        rf"\b(?:add|append|put)\b{_REST}{{0,50}}\b(?:to|on|into)\b{_REST}{{0,12}}\b"
        rf"(?:allow-?list|white-?list|allowed{_GAP}(?:tools|hosts|commands))\b",
        rf"\b(?:auto-?approve|always{_GAP}approve|approve{_GAP}(?:all|every|any)){_REST}{{0,20}}\b"
        r"(?:tools?|commands?|permissions?|tool calls?)\b",
        rf"\b(?:grant|give){_GAP}(?:yourself|this{_GAP}agent|the{_GAP}(?:agent|assistant|model))\b"
        rf"{_REST}{{0,40}}\b(?:(?:full|root|write|network|admin) access|permissions?|"
        r"privileges?)\b",
        r"approval_policy[ \t]*=[ \t]*[\"']?never|sandbox_mode[ \t]*=[ \t]*[\"']?danger|"
        r"--dangerously-skip-permissions|--dangerously-bypass-approvals|"
        r"\bbypassPermissions\b",
        rf"\b(?:edit|modify|change|rewrite|delete|overwrite)\b{_REST}{{0,30}}"
        r"(?:\.assembler/|\.claude/settings|\.codex/config|agents\.md\b)",
    ),
    "hide-from-user": (
        rf"\b(?:do{_GAP}not|don.t|never|without){_GAP}(?:ever{_GAP})?(?:tell|telling|mention|"
        rf"mentioning|inform|informing|notify|notifying|reveal|revealing|alert|alerting){_GAP}"
        rf"{_some('this|that|it|about|to|any|of|the|your', 4)}"
        r"(?:users?|humans?|anyone|anybody|developers?|reviewers?|operators?|maintainers?)\b",
        rf"\bkeep{_GAP}(?:this|it){_GAP}(?:a{_GAP})?(?:secret|hidden){_GAP}from\b",
    ),
}
"""Patterns by kind, the kinds in the order in which they are told."""


def ascii_rules() -> dict[str, tuple[str, ...]]:
    """The same for text of ASCII alone, a third of the work to compile.

    What asks for other letters can't be there, and what stands between words is ASCII.
    """
    narrow = {_GAP: r"[\x00-/:-@\[-`{-\x7f]+", _LETTER: "[a-z]", _CYRILLIC: ""}
    rules: dict[str, tuple[str, ...]] = {}
    for kind, patterns in SIGNAL_RULES.items():
        found = []
        for pattern in patterns:
            for wide, ascii_only in narrow.items():
                pattern = pattern.replace(wide, ascii_only)  # noqa: PLW2901 - step by step
            if pattern.isascii():
                found.append(pattern)
        rules[kind] = tuple(found)
    return rules


HINTS: Final = (
    # override-instructions
    b"ignor", b"disregard", b"forget", b"overrid", b"follow", b"obey", b"now", b"longer", b"your",
    b"missachte", b"vergiss", b"vergessen", b"oublie", b"olvid", b"desestim", b"esque",
    b"desconsider", b"dimentica", b"trascura",
    # claim-authority
    b"trust", b"authori", b"clearance", b"privilege", b"role:", b"<|", b"inst]", b"sys>",
    b"system", b"developer", b"instructions>", b"environment_context", b"admin", b"operator",
    b"official", b"verified", b"urgent", b"binding", b"approved", b"issued", b"root",
    # disable-checks, send-data, run-command
    b"disable", b"bypass", b"off", b"switch", b"deactivate", b"circumvent", b"skip",
    b"--no-verify", b"send", b"post", b"upload", b"forward", b"mail", b"exfiltrate", b"transmit",
    b"leak", b"submit", b"paste", b"curl", b"wget", b"$(", b"|", b"base64", b"powershell",
    b"must", b"immediately", b"anything", b"first",
    # destructive-command, change-grant, hide-from-user
    b"rm ", b"rm\t", b"push", b"mkfs", b"of=/dev/", b":()", b"delete", b"erase", b"wipe",
    b"destroy", b"allow", b"white", b"approve", b"grant", b"give", b"approval_policy",
    b"sandbox_mode", b"--dangerously", b".assembler/", b".claude/", b".codex/", b"agents.md",
    b"tell", b"mention", b"inform", b"notify", b"reveal", b"alert", b"secret", b"hidden",
)  # fmt: skip
"""What every hit in text of ASCII holds one of, in lower case."""


def may_hold_signal(data: bytes) -> bool:
    """Whether a look by the rules could find something; False is certain. Cheap, without RE2."""
    if not data.isascii():
        return True
    lower = data.lower()
    return b"\0" in lower or any(hint in lower for hint in HINTS)


KINDS: Final = tuple(SIGNAL_RULES)

COMMON_KINDS: Final = ("disable-checks", "send-data", "run-command", "destructive-command")
"""What manuals and source code speak of too: in a file of the repository it is a note."""

GRANTED_BY: Final = {
    "send-data": "hosts",
    "run-command": "tools",
    "destructive-command": "tools",
}
"""Which part of an executor grant an act of the kind would need."""
