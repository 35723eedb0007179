from __future__ import annotations

from adal_ls.lint import check, read, tools_with_problems


def many_tools(count: int) -> str:
    functions = "".join(
        f'def tool_{n}(title: str, tags: list[str], limit: int = {n}) -> str:\n    """Do {n}.\n\n    Args:\n'
        f'        title: Ünïcode.\n        tags: Words.\n        limit: How many.\n    """\n'
        f'    return f"{{title}} {n}"\n\n\n'
        for n in range(count)
    )
    entries = "".join(f'    {{"function": tool_{n}, "name": "t-{n}"}},\n' for n in range(count))
    return f"{functions}CUSTOM_TOOLS = [\n{entries}]\n"


def test_a_file_of_thousands_of_tools_with_thousands_of_findings_is_checked() -> None:
    file = read(many_tools(2000))
    findings = check(file)
    assert [finding.code for finding in findings] == ["ADAL101"] * 2000
    assert all(tool.problems == ("ADAL101",) for tool in tools_with_problems(file, findings))


def test_a_slip_in_a_file_of_five_megabytes_is_one_error() -> None:
    text = "def before(:\n    pass\n\n\n" + "X = [\n" + "    'a line of data',\n" * 260_000 + "]\n" + many_tools(10)
    assert len(text) > 5_000_000
    assert [finding.code for finding in check(read(text))] == ["ADAL001"] + ["ADAL101"] * 10


def test_a_string_of_five_megabytes_that_is_not_closed_is_one_error() -> None:
    text = many_tools(3).replace("t-", "t") + 'TEXT = """\n' + "a line of text\n" * 340_000
    assert [finding.code for finding in check(read(text))] == ["ADAL001"]
