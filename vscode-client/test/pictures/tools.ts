/** A tools file as the guides show it; with a name that the lint refuses, or without. */
export function reportTools(saveName = "save_report"): string {
  return `"""Tools for the weekly report."""

from datetime import date
from pathlib import Path


def sales(region: str, week: int) -> dict:
    """Look up the sales of a region.

    Args:
        region: North, south, east or west.
        week: Number of the week, from 1.
    """
    return {"region": region, "week": week, "total": 1200 + 35 * week}


def save_report(title: str, text: str) -> str:
    """Save a report as Markdown.

    Args:
        title: Heading of the report.
        text: Body of the report.
    """
    file = Path("reports") / f"{date.today()}.md"
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"# {title}\\n\\n{text}\\n", encoding="utf-8")
    return f"saved {file}"


CUSTOM_TOOLS = [
    {"function": sales, "require_approval": False},
    {"function": save_report, "name": "${saveName}"},
]
`;
}
