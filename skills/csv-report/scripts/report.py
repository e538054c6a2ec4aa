"""Makes a report of a CSV: what each column holds, one value by group, and a chart.

Reads a file or standard input, prints the report, and writes the chart.
"""

import argparse
import collections
import dataclasses
import decimal
import difflib
import pathlib
import statistics
import sys

import chart
import table

# How much of an ISO date names its day, month and year.
UNITS_OF_TIME = (10, 7, 4)
GROUPS_OF_TIME_MOST = 40
HOW = {
    "sum": sum,
    "mean": statistics.mean,
    "median": statistics.median,
    "min": min,
    "max": max,
    "count": len,
}


class Unfit(Exception):
    """What the user can mend; its text says how."""


@dataclasses.dataclass
class Question:
    by: table.Column
    value: table.Column | None
    how: str

    def __str__(self):
        measured = "Rows" if self.value is None else f"{self.how.capitalize()} of {self.value.name}"
        return f"{measured} by {self.by.name}"


def main():
    options = parse_arguments()
    try:
        report, drawing = make_report(options)
    except (Unfit, table.Unreadable) as problem:
        print(f"report.py: {problem}", file=sys.stderr)
        return 2
    if options.report is not None:
        write(options.report, report)
    if drawing is not None:
        write(options.chart, drawing)
    print(report, end="")
    return 0


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", nargs="?", default="-", help="the CSV; standard input unless given")
    parser.add_argument("--by", metavar="COLUMN", help="group by this column")
    parser.add_argument("--value", metavar="COLUMN", help="count with this column; rows are counted without it")
    parser.add_argument("--how", choices=HOW, help="sum unless given")
    parser.add_argument(
        "--where", action="append", default=[], metavar="COLUMN=VALUE", help="only such rows; != for all others"
    )
    parser.add_argument("--top", type=int, default=12, help="so many groups, the rest as one")
    parser.add_argument("--title", default="Report")
    parser.add_argument("--chart", type=pathlib.Path, default="chart.svg", help="where the chart goes")
    parser.add_argument("--report", type=pathlib.Path, help="where the report goes, too")
    options = parser.parse_args()
    if options.top < 1:
        parser.error("--top must be 1 or more")
    return options


def make_report(options):
    read = table.read(read_bytes(options.file))
    kept = read.where([condition(read, text) for text in options.where])
    if kept.count == 0:
        raise Unfit("no row is left: look at --where, and at the input below its header")
    lines = [f"# {options.title}", "", count_line(read, kept), ""]
    lines += table.markdown(
        ["Column", "Kind", "Filled", "Different", "Least", "Most"],
        [describe(column) for column in kept.columns],
        right=(2, 3, 4, 5),
    )
    question = ask(kept, options)
    notes, drawing = list(read.notes), None
    if question is not None:
        groups, unclear = answer(question, kept, options.top)
        lines += ["", f"## {question}", "", *group_table(question, groups), "", f"![{question}]({options.chart})"]
        drawing = chart.bars(str(question), [(name, value, shown(value)) for name, value in groups])
        if unclear:
            notes.append(f"Not counted, since {question.value.name} is no number there: lines {table.listed(unclear)}.")
    if notes:
        lines += ["", *(f"- {note}" for note in notes)]
    return "\n".join(lines) + "\n", drawing


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def read_bytes(name):
    if name == "-":
        return sys.stdin.buffer.read()
    try:
        return pathlib.Path(name).read_bytes()
    except OSError as error:
        raise Unfit(f"{name} cannot be read ({error.strerror}): give the CSV as input, or a path") from error


def count_line(read, kept):
    if kept.count == read.count:
        return f"{read.count} rows, {len(read.columns)} columns."
    return f"{kept.count} of {read.count} rows, {len(read.columns)} columns."


def find(found, name):
    for column in found.columns:
        if column.name.casefold() == name.strip().casefold():
            return column
    names = [column.name for column in found.columns]
    near = difflib.get_close_matches(name, names, 1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise Unfit(f"there is no column {name!r}: {hint}the columns are {', '.join(names)}")


def condition(found, text):
    name, separator, wanted = text.partition("=")
    if not separator:
        raise Unfit(f"--where {text!r} is not understood: write COLUMN=VALUE or COLUMN!=VALUE")
    is_not = name.endswith("!")
    return find(found, name.rstrip("!")), wanted.strip().casefold(), is_not


def describe(column):
    filled = [cell for cell in column.cells if cell != ""]
    least, most = "-", "-"
    if column.kind == "number":
        least, most = shown(min(column.numbers())), shown(max(column.numbers()))
    elif column.kind == "date":
        least, most = min(filled), max(filled)
    return [column.name, column.kind, str(len(filled)), str(len(set(filled))), least, most]


def ask(found, options):
    """What to tell by group: what was asked for, else what the columns suggest."""
    value = find(found, options.value) if options.value else None
    numbers = ", ".join(column.name for column in found.columns if column.kind == "number") or "there is none"
    if value is not None and value.kind != "number":
        raise Unfit(f"{value.name!r} has no numbers: choose a column of {numbers}, or leave --value out to count rows")
    if value is None and options.how not in (None, "count"):
        raise Unfit(f"--how {options.how} needs --value, a column with numbers: {numbers}")
    if options.by:
        by = find(found, options.by)
    else:
        by = next((column for column in found.columns if column.groups_well()), None)
        if by is None and options.value:
            raise Unfit("no column groups the rows well: name one with --by")
        if by is None:
            return None
        # The last number of a row is seldom an id, and often what it is about.
        value = value or next((column for column in reversed(found.columns) if column.kind == "number"), None)
    return Question(by, value, "sum" if value is None else options.how or "sum")


def answer(question, found, top):
    """The groups, largest first or in the order of time, and the lines that could not be counted."""
    ones = [decimal.Decimal(1)] * found.count
    numbers = ones if question.value is None else question.value.values
    members, unclear = collections.defaultdict(list), []
    for name, number, line in zip(group_names(question.by), numbers, found.lines):
        if number is None:
            unclear.append(line)
        else:
            members[name].append(number)
    if not members:
        raise Unfit(f"the column {question.value.name!r} has no number in these rows")
    measured = {name: HOW[question.how](values) for name, values in members.items()}
    if question.by.kind == "date":
        return sorted(measured.items()), unclear
    ranked = sorted(measured, key=lambda name: (-measured[name], name))
    groups = [(name, measured[name]) for name in ranked[:top]]
    rest = [number for name in ranked[top:] for number in members[name]]
    if rest:
        groups.append((f"({len(ranked) - top} others)", HOW[question.how](rest)))
    return groups, unclear


def group_names(by):
    """For each row. Dates become the finest unit that puts rows together, or that is few enough."""
    if by.kind != "date":
        return [cell or "(empty)" for cell in by.cells]
    different = {unit: len({cell[:unit] for cell in by.cells}) for unit in UNITS_OF_TIME}
    few = [unit for unit in UNITS_OF_TIME if different[unit] <= GROUPS_OF_TIME_MOST] or [UNITS_OF_TIME[-1]]
    unit = next((unit for unit in few if 2 * different[unit] <= len(by.cells)), few[0])
    return [cell[:unit] or "(empty)" for cell in by.cells]


def group_table(question, groups):
    is_whole = question.how in ("sum", "count") and all(value >= 0 for _, value in groups)
    total = sum(value for _, value in groups)
    head = [question.by.name, "rows" if question.value is None else f"{question.how} of {question.value.name}"]
    if not is_whole or not total:
        return table.markdown(head, [[name, shown(value)] for name, value in groups], right=(1,))
    rows = [[name, shown(value), f"{100 * value / total:.1f} %"] for name, value in groups]
    return table.markdown([*head, "share"], [*rows, ["**all**", f"**{shown(total)}**", ""]], right=(1, 2))


def shown(value):
    """A number as people read it: no exponent, two places at most where it is not whole."""
    value = decimal.Decimal(value)
    whole = value == value.to_integral_value()
    return f"{value:,.0f}" if whole else f"{value:,.2f}"


if __name__ == "__main__":
    sys.exit(main())
