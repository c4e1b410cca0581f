"""Read with intervals-kit; print the results as JSON."""

import asyncio
import json
import sys
from typing import Any

from intervals_kit.config import ApiConfig
from intervals_kit.errors import AuthenticationError
from intervals_kit.service import IntervalsService


async def results(url: str, key: str) -> dict[str, Any]:
    service = IntervalsService(ApiConfig(api_key=key, athlete_id="0", base_url=url))
    stranger = IntervalsService(ApiConfig(api_key="wrong", athlete_id="0", base_url=url))
    days = await service.list_wellness("2026-03-01", "2026-03-02")
    try:
        refused = str(await stranger.list_wellness("2026-03-01", "2026-03-02"))
    except AuthenticationError:
        refused = "AuthenticationError"
    return {
        "athlete": (await service.get_athlete()).id,
        "days": [f"{one.id} {one.hrv} {one.restingHR}" for one in days],
        "wrong key": refused,
    }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(results(*sys.argv[1:]))))
