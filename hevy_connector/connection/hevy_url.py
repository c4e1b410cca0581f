"""Address of the service, which settings read without importing an HTTP client."""

HEVY_URL = "https://api.hevyapp.com"
