import subprocess
import sys

import pytest

import bestdo

HEAVY = "numpy scipy networkx rich opt_einsum click"


def loaded(code):
    """Which heavy modules a fresh interpreter has loaded after running the code."""
    script = f"{code}\nimport sys\nprint(*[m for m in {HEAVY.split()!r} if m in sys.modules])"
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()


def test_importing_loads_only_the_standard_library():
    assert loaded("import bestdo") == []


def test_help_loads_only_click():
    code = "import sys; sys.argv = ['bestdo', '--help']\nimport bestdo.cli\n"
    code += "try: bestdo.cli.main()\nexcept SystemExit: pass"
    assert loaded(code)[-1:] == ["click"]
    assert "numpy" not in loaded(code)


@pytest.mark.parametrize("name", bestdo.__all__)
def test_every_name_opens(name):
    assert getattr(bestdo, name) is not None
    assert name in dir(bestdo)


def test_there_are_at_most_30_names():
    assert len(bestdo.__all__) <= 30


def test_rooms_open_from_the_front_door():
    assert bestdo.causal.where.possibly_optimal_sets
    assert bestdo.causal.identify.identify
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        bestdo.nothing  # noqa: B018
