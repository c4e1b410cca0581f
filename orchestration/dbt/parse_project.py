"""Parse the dbt project into a folder: `python -m orchestration.dbt.parse_project FOLDER`.

A separate process: parsing takes 70 MB that the build after it does not need.
"""

import sys

from orchestration.dbt.runner import DbtError, parse_into


def main() -> None:
    """Write the artifacts of a parse into the folder; exits with the reason if it fails."""
    try:
        parse_into(sys.argv[1])
    except DbtError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
