"""Fit an agent's lines of skills into its budget: shorten all descriptions, then leave lines out.

In: name, description and path of each skill in both forms, in the agent's order; a limit. Out: one
line, or None, for each, in the form that keeps more. Never here: another order, or a longer line.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from assembler.model.agent_skills import AgentSkillRules, KnownModel, PathForm, SkillBudget

CUT_MARK = "..."


class LineParts(NamedTuple):
    """What a line is made of."""

    name: str
    description: str
    """As long as it may be; see `cut_description`."""
    path: str

    def spell(self, characters: int) -> str:
        """The line with so many characters of the description."""
        shown = self.description[:characters]
        return f"- {self.name}: {shown}{' ' if shown else ''}(file: {self.path})"


class FittedLine(NamedTuple):
    """What became of one skill."""

    line: str | None
    """None: left out."""
    cost: int
    """Of the line; 0 where it is left out."""
    missing_characters: int
    """Of its description."""


class ChosenLines(NamedTuple):
    """The lines of the form that was taken."""

    paths: PathForm
    fitted: tuple[FittedLine, ...]
    table_cost: int
    """What the table of roots takes of the budget; 0 without one."""

    @property
    def used(self) -> int:
        """Of the budget."""
        return self.table_cost + sum(item.cost for item in self.fitted)

    @property
    def loss(self) -> tuple[int, int, int]:
        """Lines left out, characters of descriptions left out, cost: less is better."""
        left_out = sum(item.line is None for item in self.fitted)
        return (left_out, sum(item.missing_characters for item in self.fitted), self.used)


def choose_lines(
    aliased: Sequence[LineParts],
    absolute: Sequence[LineParts],
    root_lines: Sequence[str],
    budget: SkillBudget,
    rules: AgentSkillRules,
) -> ChosenLines:
    """The lines with aliases, if they lose less than those with whole paths, else these.

    Args:
        aliased: what the lines with aliases are made of.
        absolute: the same skills with whole paths.
        root_lines: of the table that explains the aliases.
        budget: for the lines of either form; the table is paid out of it too.
        rules: of the agent.
    """
    whole = ChosenLines("absolute", _fit(absolute, budget, rules), 0)
    has_descriptions = any(part.description for part in absolute)
    table_cost = _table_cost(root_lines, budget, rules, has_descriptions=has_descriptions)
    if table_cost >= budget.limit:
        return whole
    left = budget._replace(limit=budget.limit - table_cost)
    short = ChosenLines("aliased", _fit(aliased, left, rules), table_cost)
    return short if short.loss < whole.loss else whole


def _fit(
    parts: Sequence[LineParts], budget: SkillBudget, rules: AgentSkillRules
) -> tuple[FittedLine, ...]:
    return fit_lines(parts, budget, bytes_per_token=rules.bytes_per_token)


def _table_cost(
    root_lines: Sequence[str],
    budget: SkillBudget,
    rules: AgentSkillRules,
    *,
    has_descriptions: bool,
) -> int:
    """What the text with a table costs more than the one without; never below nothing.

    Both introductions are counted, and the text on usage is not, even where it follows.
    """
    framing = rules.framing

    def cost_of(paths: PathForm, extra: Sequence[str]) -> int:
        pieces = framing.pick(paths, has_descriptions=has_descriptions)
        introduction = next(piece for piece in pieces if piece.name == "introduction")
        lines = [framing.heading, *extra, framing.list_heading]
        # A line feed before the text, one behind, and one between each two lines.
        feeds = len(lines) + 2
        if budget.unit == "character":
            return introduction.size_bytes + sum(map(len, lines)) + feeds
        size = introduction.size_bytes + sum(len(line.encode()) for line in lines) + feeds
        return -(-size // rules.bytes_per_token)

    with_table = cost_of("aliased", [framing.roots_heading, *root_lines])
    return max(0, with_table - cost_of("absolute", []))


def cut_description(text: str, most_characters: int) -> str:
    """The text, or its beginning with three dots, together not longer than that."""
    if len(text) <= most_characters:
        return text
    return text[: most_characters - len(CUT_MARK)] + CUT_MARK


def set_budget(
    rules: AgentSkillRules,
    model: KnownModel,
    *,
    name: str,
    window_tokens: int | None,
    window_place: str,
    is_known: bool,
) -> SkillBudget:
    """The budget of a model.

    Args:
        rules: of the agent.
        model: what is known of it.
        name: of the model, as configured.
        window_tokens: of a setting, if there is one.
        window_place: where that setting is written.
        is_known: whether the catalogue has the model.
    """
    window = model.window_tokens
    origin = "model" if is_known else "unknown-model"
    if window_tokens is not None:
        window = min(window_tokens, model.most_window_tokens)
        origin = window_place
    if window <= 0:
        return SkillBudget(rules.fallback_characters, "character", None, name, origin)
    limit = max(1, window * rules.budget_percent // 100)
    return SkillBudget(limit, "token", window, name, origin)


def find_model(models: Sequence[KnownModel], name: str) -> KnownModel | None:
    """The model whose slug begins the name, the longest one; a vendor before one `/` is ignored."""
    found = _longest_prefix(models, name)
    if found is not None:
        return found
    vendor, separator, rest = name.partition("/")
    plain = vendor.replace("_", "").replace("-", "")
    if not separator or "/" in rest or not (plain.isascii() and plain.isalnum()):
        return None
    return _longest_prefix(models, rest)


def _longest_prefix(models: Sequence[KnownModel], name: str) -> KnownModel | None:
    fitting = [model for model in models if name.startswith(model.slug)]
    return max(fitting, key=lambda model: len(model.slug), default=None)


def fit_lines(
    parts: Sequence[LineParts], budget: SkillBudget, *, bytes_per_token: int
) -> tuple[FittedLine, ...]:
    """A line for each skill, as far as the budget goes.

    All whole, if they fit. Else all descriptions are emptied and get one character each in turn,
    in order, as long as one fits. If the bare lines do not fit, those that do are taken in order.
    """

    def cost_of(characters: int, size_bytes: int) -> int:
        if budget.unit == "character":
            return characters
        return -(-size_bytes // bytes_per_token)

    whole = [part.spell(len(part.description)) for part in parts]
    if sum(_line_cost(line, cost_of) for line in whole) <= budget.limit:
        return tuple(FittedLine(line, _line_cost(line, cost_of), 0) for line in whole)
    bare = [part.spell(0) for part in parts]
    least = [_line_cost(line, cost_of) for line in bare]
    if sum(least) > budget.limit:
        return _first_that_fit(parts, bare, least, budget.limit)
    lengths = _share_out(parts, bare, budget.limit - sum(least), cost_of)
    lines = [part.spell(length) for part, length in zip(parts, lengths, strict=True)]
    return tuple(
        FittedLine(line, _line_cost(line, cost_of), len(part.description) - length)
        for line, part, length in zip(lines, parts, lengths, strict=True)
    )


def _line_cost(line: str, cost_of: Callable[[int, int], int]) -> int:
    return cost_of(len(line) + 1, len(line.encode()) + 1)


def _first_that_fit(
    parts: Sequence[LineParts], bare: Sequence[str], costs: Sequence[int], limit: int
) -> tuple[FittedLine, ...]:
    fitted: list[FittedLine] = []
    used = 0
    for part, line, cost in zip(parts, bare, costs, strict=True):
        fits = used + cost <= limit
        used += cost if fits else 0
        missing = len(part.description)
        fitted.append(FittedLine(line, cost, missing) if fits else FittedLine(None, 0, missing))
    return tuple(fitted)


def _share_out(
    parts: Sequence[LineParts],
    bare: Sequence[str],
    left: int,
    cost_of: Callable[[int, int], int],
) -> list[int]:
    """How many characters of each description stay."""
    # Characters and bytes of each line, with line feed and the blank behind a description.
    sizes = [[len(line) + 2, len(line.encode()) + 2] for line in bare]
    costs = [cost_of(size[0] - 1, size[1] - 1) for size in sizes]
    lengths = [0] * len(parts)
    open_parts = [index for index, part in enumerate(parts) if part.description]
    while open_parts:
        still_open = []
        for index in open_parts:
            description, size = parts[index].description, sizes[index]
            character = description[lengths[index]]
            grown = (size[0] + 1, size[1] + len(character.encode()))
            cost = cost_of(*grown)
            if cost - costs[index] > left:
                # What is left never grows, so the same character will not fit later either.
                continue
            left -= cost - costs[index]
            costs[index], sizes[index] = cost, list(grown)
            lengths[index] += 1
            if lengths[index] < len(description):
                still_open.append(index)
        open_parts = still_open
    return lengths
