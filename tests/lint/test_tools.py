from __future__ import annotations

from adal_ls.lint import check, read, tools_with_problems
from tests.lint.marks import F, G

SOURCE = """\
def deploy(service: str, dry_run: bool = True) -> str:
    \"\"\"Deploy a service.

    Args:
        service: Its name.
    \"\"\"
    return service


CUSTOM_TOOLS = [
    deploy,
    {"function": deploy, "name": "ship", "description": "Ship it.", "require_approval": False},
]
"""


def test_a_tool_has_the_name_description_and_parameters_that_the_model_will_see() -> None:
    first, second = read(SOURCE).tools
    assert (first.name, first.description, first.require_approval) == ("deploy", "Deploy a service.", True)
    assert first.parameters["properties"]["service"] == {"type": "string", "description": "Its name."}
    assert first.parameters["required"] == ["service"]
    assert (second.name, second.description, second.require_approval) == ("ship", "Ship it.", False)
    assert second.parameters == first.parameters


def test_a_tool_knows_where_its_name_and_its_function_are() -> None:
    file = read(SOURCE)
    first, second = file.tools
    assert file.lines.slice(first.name_range) == "deploy"
    assert first.name_range.start.line == 0
    assert file.lines.slice(second.name_range) == '"ship"'
    assert first.definition_range == second.definition_range
    assert first.definition_range is not None
    assert file.lines.slice(first.definition_range).startswith("def deploy")


def test_a_function_from_elsewhere_is_listed_without_a_schema() -> None:
    [tool] = read("from pack import remote\n\nCUSTOM_TOOLS = [remote]\n").tools
    assert (tool.name, tool.parameters, tool.definition_range) == ("remote", {"type": "object"}, None)


def test_a_method_of_an_object_is_a_tool_without_its_first_parameter() -> None:
    file = read(
        'class Desk:\n    def find(self, q: str) -> str:\n        """Find a room."""\n        return q\n\n\n'
        'desk = Desk()\nCUSTOM_TOOLS = [{"function": desk.find, "name": "find"}]\n'
    )
    [tool] = file.tools
    assert (tool.name, tool.description) == ("find", "Find a room.")
    assert tool.parameters == {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
    assert tool.definition_range is not None
    assert file.lines.slice(tool.definition_range).startswith("def find")


def test_an_override_that_cannot_be_read_is_not_replaced_by_the_docstring() -> None:
    [tool] = read(F + "TEXT = str(1)\nCUSTOM_TOOLS = [{'function': f, 'description': TEXT}]\n").tools
    assert tool.description == ""


def test_overrides_of_none_are_not_given() -> None:
    file = read(F + "CUSTOM_TOOLS = [{'function': f, 'name': None, 'description': None}]\n")
    [tool] = tools_with_problems(file, check(file))
    assert (tool.name, tool.description, tool.problems) == ("f", "Do f.", ("ADAL206",))


def test_an_alias_has_the_schema_of_its_function() -> None:
    [tool] = read(F + "g = f\nCUSTOM_TOOLS = [{'function': g, 'name': 'h'}]\n").tools
    assert list(tool.parameters["properties"]) == ["x"]


def test_the_definition_that_holds_at_the_end_is_the_tool() -> None:
    again = "def f(y: int) -> str:\n    return ''\n\n\n"
    [tool] = read(F + again + "CUSTOM_TOOLS = [f]\n").tools
    assert list(tool.parameters["properties"]) == ["y"]


def test_a_duplicated_name_is_one_tool_that_carries_the_problem() -> None:
    file = read(F + G + 'CUSTOM_TOOLS = [f, {"function": g, "name": "f"}, g]\n')
    tools = tools_with_problems(file, check(file))
    assert [(tool.name, tool.problems) for tool in tools] == [("f", ("ADAL103",)), ("g", ())]
    assert len(tools[0].entry_ranges) == 2


def test_problems_of_a_definition_s_name_stay_away_from_tools_with_another_name() -> None:
    file = read(
        "def bash(x: str) -> str:\n    'Run.'\n    return x\n\n\n"
        "CUSTOM_TOOLS = [bash, {'function': bash, 'name': 'run'}]\n"
    )
    tools = tools_with_problems(file, check(file))
    assert [(tool.name, tool.problems) for tool in tools] == [("bash", ("ADAL104",)), ("run", ())]


def test_a_broken_function_s_tool_carries_the_syntax_error() -> None:
    file = read(F + "def g(x: str) -> str:\n    return (x\n\n\nCUSTOM_TOOLS = [f, g]\n")
    tools = tools_with_problems(file, check(file))
    assert [(tool.name, tool.problems) for tool in tools] == [("f", ()), ("g", ("ADAL001",))]
