"""The extension modules: kernels in Cython. All else about the package is in pyproject.toml."""

import os
import platform
from pathlib import Path

import numpy
from Cython.Build import cythonize
from setuptools import Extension, setup

SOURCE = Path("src")
OPTIONS = (
    [] if os.name == "nt" else ["-O3", "-g0", "-ffp-contract=off", "-fno-math-errno"]
)  # the same numbers everywhere
if platform.system() == "Linux" and platform.machine() == "x86_64":
    OPTIONS += ["-msse4.2", "-mpopcnt"]  # what numpy itself needs (x86-64-v2): processors since about 2010
RANDOM = Path(numpy.get_include(), "..", "..", "random", "lib").resolve()  # numpy's samplers, for the same streams

extensions = [
    Extension(
        ".".join(path.relative_to(SOURCE).with_suffix("").parts),
        [str(path)],
        include_dirs=[numpy.get_include()],
        library_dirs=[str(RANDOM)],
        libraries=["npyrandom", *([] if os.name == "nt" else ["m"])],
        define_macros=[("NPY_NO_DEPRECATED_API", "NPY_1_7_API_VERSION")],
        extra_compile_args=OPTIONS,
    )
    for path in sorted(SOURCE.rglob("*.pyx"))
]
DIRECTIVES = {
    "language_level": 3,
    "boundscheck": False,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": False,
}
setup(
    ext_modules=cythonize(extensions, include_path=["src"], compiler_directives=DIRECTIVES, build_dir="build/cython"),
    options={"build_ext": {"parallel": os.cpu_count()}},
)
