"""Read with oura-toolkit, and let it refresh its tokens; print the results as JSON."""

import json
import sys
from collections.abc import Callable
from datetime import date
from tempfile import TemporaryDirectory
from typing import Any

from oura_toolkit.api import ApiClient, Configuration
from oura_toolkit.api.api import DailyReadinessRoutesApi, PersonalInfoRoutesApi, SleepRoutesApi
from oura_toolkit.auth import ClientCredentials, TokenManager, Tokens, TokenStore

WINDOW = {"start_date": date(2026, 3, 1), "end_date": date(2026, 3, 12)}


def attempt(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except Exception as error:
        return f"{type(error).__name__} {getattr(error, 'status', '')}".strip()


def all_nights(client: ApiClient) -> list[Any]:
    nights: list[Any] = []
    following: dict[str, str] = {}
    while True:
        page = SleepRoutesApi(client).multiple_sleep_documents_v2_usercollection_sleep_get(
            **WINDOW, **following
        )
        nights += page.data
        if page.next_token is None:
            return nights
        following = {"next_token": page.next_token}


def main(url: str, client_id: str, client_secret: str, refresh_token: str) -> None:
    with TemporaryDirectory() as folder:
        expired = Tokens("expired", refresh_token, 0)
        store = TokenStore(folder)
        manager = TokenManager(
            store,
            ClientCredentials(client_id, client_secret),
            expired,
            token_url=f"{url}/oauth/token",
        )
        token = manager.access_token()
        kept = store.load_tokens()
        burnt = TokenManager(
            TokenStore(f"{folder}/other"),
            ClientCredentials(client_id, client_secret),
            expired,
            token_url=f"{url}/oauth/token",
        )
        client = ApiClient(Configuration(host=url, access_token=token))
        stranger = ApiClient(Configuration(host=url, access_token="wrong"))  # noqa: S106
        readiness = DailyReadinessRoutesApi(client)
        personal = "single_personal_info_document_v2_usercollection_personal_info_get"
        collection = "multiple_daily_readiness_documents_v2_usercollection_daily_readiness_get"
        found = {
            "rotated": kept is not None and kept.refresh_token != refresh_token,
            "used refresh token": attempt(burnt.access_token),
            "athlete": getattr(PersonalInfoRoutesApi(client), personal)().id,
            "nights": [f"{one.day} {one.average_hrv}" for one in all_nights(client)],
            "readiness": [
                f"{one.day} {one.score}" for one in getattr(readiness, collection)(**WINDOW).data
            ],
            "wrong token": attempt(lambda: all_nights(stranger)),
        }
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
