"""This plugin (-p numba_suite) has what the tests of numba-cuda need of their repository's conftest: the wheel lacks it."""

import pytest


@pytest.fixture(scope="class")
def initialize_from_pytest_config(request):
    request.cls._dump_failed_filechecks = False
