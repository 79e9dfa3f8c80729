"""The package as people install it: a wheel built from the source archive, in a fresh environment without a compiler."""

import json
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile

import pytest

from support import ROOT

NOT_SOURCE = (".git", ".venv", "build", "out", "_build", "__pycache__", "*.so", "*.egg-info", ".*_cache", ".hypothesis")


def run(*command, folder, **environment):
    done = subprocess.run(
        list(map(str, command)), cwd=folder, env=environment or None, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, by way of the source archive."""
    folder = tmp_path_factory.mktemp("wheel")
    shutil.copytree(ROOT, folder / "source", symlinks=True, ignore=shutil.ignore_patterns(*NOT_SOURCE))
    run(sys.executable, "setup.py", "-q", "sdist", "-d", folder, folder=folder / "source")
    (archive,) = folder.glob("*.tar.gz")
    wheels = "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", folder
    run(sys.executable, *wheels, archive, folder=folder)
    (found,) = folder.glob("*.whl")
    return found


@pytest.mark.campaign
def test_the_wheel_holds_all_that_the_package_needs(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    source = ROOT / "src"
    for path in source.rglob("*"):
        name = path.relative_to(source).as_posix()
        if path.is_dir() or "__pycache__" in name or ".egg-info" in name or path.suffix == ".so":
            continue
        if path.suffix == ".pyx":
            assert name.replace(".pyx", sysconfig.get_config_var("EXT_SUFFIX")) in names
        elif path.suffix not in (".pxi", ".pxd"):
            assert name in names


@pytest.mark.campaign
def test_a_study_runs_from_the_wheel_without_a_compiler(wheel, tmp_path):
    """The libraries are those of this environment, but bestdo itself is that of the wheel."""
    venv.create(tmp_path / "venv")
    python = tmp_path / "venv" / "bin" / "python"
    run(sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", wheel, folder=tmp_path)
    (packages,) = (tmp_path / "venv").glob("lib/*/site-packages")
    (packages / "libraries.pth").write_text(sysconfig.get_path("purelib"))

    def bestdo(*words):
        return run(python, "-m", "bestdo", *words, folder=tmp_path, PATH="", CC="no-compiler", COLUMNS="120")

    where = run(python, "-c", "import bestdo; print(bestdo.__file__)", folder=tmp_path, PATH="")
    assert where.startswith(str(packages))
    storage = "--storage", f"sqlite:///{tmp_path}/farm.db"
    bestdo("new", ROOT / "examples" / "farm.toml", "--rounds", "10", *storage)
    seen = {"temperature": "low", "nutrient": "rich", "moisture": "wet", "yield": "good"}
    for _ in range(3):
        (asked,) = json.loads(bestdo("ask", "-f", "json", *storage))
        bestdo("tell", asked["number"], *(f"{n}={v}" for n, v in {**seen, **asked["set"]}.items()), *storage)
    assert "3 rounds told" in bestdo("status", *storage)
    assert "do(moisture=wet)" in bestdo("best", *storage)
