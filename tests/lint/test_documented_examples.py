"""The examples of the custom-tools document, each as it stands there."""

from __future__ import annotations

import pytest

from adal_ls.lint import Finding, check, read

BASIC = '''\
from adalflow.core.types import ToolOutput


def create_jira_ticket(title: str, description: str, priority: str = "Medium") -> ToolOutput:
    """Create a Jira ticket in the current sprint.

    Args:
        title: Short summary of the ticket.
        description: Detailed description of the work.
        priority: Priority level — Low, Medium, High, or Critical.
    """
    # Your integration logic here
    import requests
    resp = requests.post(
        "https://your-org.atlassian.net/rest/api/3/issue",
        json={"fields": {"summary": title, "description": description, "priority": {"name": priority}}},
        auth=("email", "JIRA_API_TOKEN"),
    )
    ticket_key = resp.json().get("key", "UNKNOWN")
    return ToolOutput(
        output={"key": ticket_key, "url": f"https://your-org.atlassian.net/browse/{ticket_key}"},
        observation=f"Created ticket {ticket_key}: {title}",
        display=f"🎫 {ticket_key}",
        status="success",
    )


# This list is what the runtime reads — every tool you want exposed must be here.
CUSTOM_TOOLS = [create_jira_ticket]
'''

SIMPLE = '''\
def deploy_staging(service: str) -> ToolOutput:
    """Deploy a service to the staging environment."""
    ...

def run_migration(name: str, dry_run: bool = True) -> ToolOutput:
    """Run a database migration."""
    ...

CUSTOM_TOOLS = [deploy_staging, run_migration]
'''

DICT = """\
CUSTOM_TOOLS = [
    {
        "function": deploy_staging,
        "name": "deploy",               # override the tool name
        "description": "Ship to staging",  # override the description
        "require_approval": True,        # default is True
    },
    {
        "function": run_migration,
        "require_approval": False,       # skip approval (use with caution!)
    },
]
"""

RETURN = """\
from adalflow.core.types import ToolOutput

def my_tool() -> ToolOutput:
    return ToolOutput(
        output={"result": "data"},           # structured data (stored internally)
        observation="Human-readable result",  # what the agent sees
        display="Short UI display text",      # what the user sees in the tool card
        status="success",                     # "success" or "error"
    )
"""

APPROVAL = """\
CUSTOM_TOOLS = [
    {"function": safe_read_only_tool, "require_approval": False},
    dangerous_write_tool,  # keeps default require_approval=True
]
"""

ASYNC = '''\
import httpx
from adalflow.core.types import ToolOutput


async def check_service_health(service_url: str) -> ToolOutput:
    """Check if a service is healthy by hitting its /health endpoint."""
    async with httpx.AsyncClient() as client:
        resp = await client.get(f"{service_url}/health", timeout=5)
        healthy = resp.status_code == 200
        return ToolOutput(
            output={"healthy": healthy, "status_code": resp.status_code},
            observation=f"{'✅ Healthy' if healthy else '❌ Unhealthy'} — {service_url} returned {resp.status_code}",
            display=f"{'✅' if healthy else '❌'} {service_url}",
            status="success",
        )


CUSTOM_TOOLS = [check_service_health]
'''

ERRORS = '''\
def risky_operation(target: str) -> ToolOutput:
    """Do something that might fail."""
    if not valid(target):
        # Option 1: Return an error ToolOutput (preferred — gives you control)
        return ToolOutput(
            output=None,
            observation=f"Invalid target: {target}",
            display="❌ Invalid target",
            status="error",
        )
    # Option 2: Raise an exception (runtime wraps it as error ToolOutput)
    raise ValueError(f"Something went wrong with {target}")
'''

OTHERS = '''\
def safe_read_only_tool(name: str) -> str:
    """Read."""
    return name


def dangerous_write_tool(name: str) -> str:
    """Write."""
    return name


'''


def findings(text: str) -> list[Finding]:
    return check(read(text))


@pytest.mark.parametrize(
    "text",
    [
        BASIC,
        SIMPLE,
        SIMPLE + DICT,
        OTHERS + APPROVAL,
        ASYNC,
        RETURN + "\n\nCUSTOM_TOOLS = []\n",
        ERRORS + "\n\nCUSTOM_TOOLS = [risky_operation]\n",
    ],
    ids=["basic", "simple", "dict", "approval", "async", "return", "errors"],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_the_lint_says_nothing_about_a_documented_example(text: str, end: str) -> None:
    assert findings(text.replace("\n", end)) == []


def test_the_documented_result_as_a_tool_lacks_only_its_docstring() -> None:
    assert [finding.code for finding in findings(RETURN + "\n\nCUSTOM_TOOLS = [my_tool]\n")] == ["ADAL401"]
