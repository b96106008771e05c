"""What the tests of numba-cuda take from the conftest of their repository, which the wheel does not have (-p numba_suite)."""

import pytest


@pytest.fixture(scope="class")
def initialize_from_pytest_config(request):
    request.cls._dump_failed_filechecks = False
