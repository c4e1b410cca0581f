"""Two facts that the specification implies but does not declare."""

from typing import Any

import schemathesis


@schemathesis.hook
def before_load_schema(context: Any, raw_schema: dict[str, Any]) -> None:
    # Every operation returns 401 for a wrong key.
    for operations in raw_schema["paths"].values():
        for operation in operations.values():
            operation["responses"]["401"] = {"description": "The text InvalidApiKey"}
    # The RPE is nullable, but its list of values lacks null, so no null would fit.
    performed_set = raw_schema["components"]["schemas"]["PostWorkoutsRequestSet"]
    performed_set["properties"]["rpe"]["enum"].append(None)
