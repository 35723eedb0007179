"""What a process logs, without the secrets of its environment: whoever logs, and whichever handler writes it."""

from __future__ import annotations

import logging
import os
from typing import Any

_PLAIN = logging.Formatter()


def redact_logs() -> None:
    """From now on no record of this process holds a secret."""
    make = logging.getLogRecordFactory()

    def redacted(*args: Any, **kwargs: Any) -> logging.LogRecord:
        return without_secrets(make(*args, **kwargs))

    logging.setLogRecordFactory(redacted)


def without_secrets(record: logging.LogRecord) -> logging.LogRecord:
    """The record, with the names of secrets in place of their values."""
    from adal_ls.agent.store.secret_values import SecretValues  # only who logs pays for the import

    secrets = SecretValues(os.environ)
    try:
        text = record.getMessage()
    except Exception:  # noqa: BLE001 - arguments that do not fit their text: the handler would have told, and so do we
        text = f"{record.msg!r} with {record.args!r}"
    record.msg, record.args = secrets.redact(text), None
    if record.exc_info and record.exc_info[0] is not None:
        record.exc_text = secrets.redact(_PLAIN.formatException(record.exc_info))  # handlers write what is there
    return record
