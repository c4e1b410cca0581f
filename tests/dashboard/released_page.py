"""A page of the dashboard for the athlete of the answers' scenario, as a script of `AppTest`."""


def show_released_page(name: str) -> None:
    """Show a page of the released marts; `AppTest` runs the source of this function alone."""
    from dashboard.app import show_page
    from dashboard.logins import Login
    from dashboard.released import current_release
    from orchestration.config.settings import load_settings

    settings = load_settings()
    released = current_release(settings.release_folder)
    assert released is not None
    show_page(name, settings, released, Login("ann"))
