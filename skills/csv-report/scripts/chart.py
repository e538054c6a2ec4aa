"""Bars as SVG, for light and dark pages."""

from xml.etree import ElementTree

WIDTH, ROW, BAR, TOP, EDGE = 720, 28, 18, 48, 16
LABEL, VALUE = 170, 96
LABEL_CHARACTERS = 24


def bars(title, groups):
    """A chart of `(name, value, text)`, one bar each. What is negative goes to the left."""
    values = [float(value) for _, value, _ in groups]
    low, high = min(0.0, *values), max(0.0, *values)
    span = (high - low) or 1.0
    left, width = EDGE + LABEL, WIDTH - 2 * EDGE - LABEL - VALUE
    zero = left + width * -low / span
    height = TOP + ROW * len(groups) + EDGE

    svg = ElementTree.Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "viewBox": f"0 0 {WIDTH} {height}",
            "width": str(WIDTH),
            "height": str(height),
            "role": "img",
            "font-family": "system-ui, sans-serif",
            "font-size": "13",
        },
    )
    ElementTree.SubElement(svg, "title").text = title
    rectangle(svg, 0, 0, WIDTH, height, "#ffffff")
    label(svg, EDGE, 28, title, {"font-size": "16", "font-weight": "600"})
    for at, ((name, _, text), value) in enumerate(zip(groups, values)):
        y = TOP + ROW * at
        length = width * abs(value) / span
        rectangle(svg, zero if value >= 0 else zero - length, y, length, BAR, "#2f6f9f" if value >= 0 else "#b4472f")
        label(svg, EDGE, y + 14, shorten(name))
        label(svg, max(zero, zero + width * value / span) + 6, y + 14, text)
    return ElementTree.tostring(svg, encoding="unicode") + "\n"


def rectangle(svg, x, y, width, height, fill):
    size = {"x": f"{x:.1f}", "y": f"{y:.1f}", "width": f"{width:.1f}", "height": f"{height:.1f}"}
    ElementTree.SubElement(svg, "rect", {**size, "fill": fill})


def label(svg, x, y, text, more=None):
    at = {"x": f"{x:.1f}", "y": f"{y:.1f}", "fill": "#1f2328", **(more or {})}
    # Characters that XML cannot hold are dropped; all others are escaped by the tree.
    ElementTree.SubElement(svg, "text", at).text = "".join(sign for sign in text if sign >= " ")


def shorten(name):
    return name if len(name) <= LABEL_CHARACTERS else name[: LABEL_CHARACTERS - 1] + "…"
