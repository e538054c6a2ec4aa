"""A CSV as columns that know what they hold."""

import csv
import dataclasses
import decimal
import functools
import io
import re

DATE = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?(?:[T ]\d.*)?")
AROUND_NUMBER = re.compile(r"^[\s€$£¥]+|[\s€$£¥%]+$|(?<=\d)['\u00a0\u202f ](?=\d{3}\b)")
# A column is of a kind when at least so much of what is filled reads as it.
MOSTLY = 0.8
GROUPS_MOST = 30
SHOWN_LINES = 10


class Unreadable(Exception):
    """Input that is no table; its text says what is wrong."""


@dataclasses.dataclass
class Column:
    name: str
    cells: list[str]

    @functools.cached_property
    def values(self):
        """Each cell as a number, or None."""
        has_comma = self._decimal_comma()
        return [number(cell, has_comma) for cell in self.cells]

    @functools.cached_property
    def kind(self):
        filled = [cell for cell in self.cells if cell != ""]
        if not filled:
            return "empty"
        if sum(DATE.fullmatch(cell) is not None for cell in filled) >= MOSTLY * len(filled):
            return "date"
        return "number" if len(self.numbers()) >= MOSTLY * len(filled) else "text"

    def numbers(self):
        return [value for value in self.values if value is not None]

    def groups_well(self):
        different = len(set(self.cells))
        return self.kind == "text" and 2 <= different <= GROUPS_MOST and different < len(self.cells)

    def _decimal_comma(self):
        """Whether `1.234,5` is meant: told by the cells that can be read in one way only."""
        for cell in self.cells:
            if re.search(r",\d{1,2}\D*$", cell) or re.search(r"\.\d{3}\.|\.\d{3},", cell):
                return True
            if re.search(r"\.\d{1,2}\D*$", cell) or re.search(r",\d{3},|,\d{3}\.", cell):
                return False
        return False


@dataclasses.dataclass
class Table:
    columns: list[Column]
    # Where each row stands in the input.
    lines: list[int]
    # What was taken for granted or left out.
    notes: list[str]

    @property
    def count(self):
        return len(self.lines)

    def where(self, conditions):
        """The rows that meet all of `(column, folded value, is_not)`."""
        kept = [
            row
            for row in range(self.count)
            if all((column.cells[row].casefold() == wanted) != is_not for column, wanted, is_not in conditions)
        ]
        columns = [Column(column.name, [column.cells[row] for row in kept]) for column in self.columns]
        return Table(columns, [self.lines[row] for row in kept], self.notes)


def read(content):
    text, notes = decoded(content)
    if text.strip() == "":
        raise Unreadable("there is no input: give the CSV as standard input or the path of a file")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter_of(text))
    header, rows, lines, crooked = None, [], [], []
    try:
        for cells in reader:
            cells = [cell.strip() for cell in cells]
            if not any(cells):
                continue
            if header is None:
                header = unique(cells)
            elif len(cells) == len(header):
                rows.append(cells)
                lines.append(reader.line_num)
            else:
                crooked.append(reader.line_num)
    except csv.Error as error:
        raise Unreadable(f"line {reader.line_num} is no CSV: {error}") from error
    if not rows:
        raise Unreadable("no row has as many cells as the first line: is that the header?")
    if crooked:
        notes.append(f"Left out, since they have more or fewer cells than the header: lines {listed(crooked)}.")
    columns = [Column(name, list(cells)) for name, cells in zip(header, zip(*rows))]
    return Table(columns, lines, notes)


def decoded(content):
    """The text, and notes on how it was read."""
    try:
        if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
            return content.decode("utf-16"), []
        return content.decode("utf-8-sig"), []
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace"), ["The input is not UTF-8 and was read as Windows-1252."]


def delimiter_of(text):
    """The one that the first line has most of, outside of quotes."""
    first = re.sub(r'"[^"]*"', "", text.lstrip().split("\n", 1)[0])
    return max(",;\t|", key=first.count)


def unique(names):
    seen = {}
    for at, name in enumerate(names, 1):
        base = name or f"column {at}"
        seen[base] = seen.get(base, 0) + 1
        names[at - 1] = base if seen[base] == 1 else f"{base} ({seen[base]})"
    return names


def number(cell, has_comma):
    plain = AROUND_NUMBER.sub("", cell)
    if has_comma:
        plain = plain.translate(str.maketrans(",.", ".,"))
    if re.fullmatch(r"[+-]?(?:\d+|\d{1,3}(?:,\d{3})+)?(?:\.\d*)?", plain) is None or not re.search(r"\d", plain):
        return None
    return decimal.Decimal(plain.replace(",", ""))


def markdown(head, rows, right=()):
    def line(cells):
        return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"

    rule = "|" + "|".join("---:" if at in right else "---" for at in range(len(head))) + "|"
    return [line(head), rule, *map(line, rows)]


def listed(lines):
    more = f" and {len(lines) - SHOWN_LINES} more" if len(lines) > SHOWN_LINES else ""
    return ", ".join(map(str, lines[:SHOWN_LINES])) + more
