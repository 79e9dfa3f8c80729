"""A megabyte of anything is answered quickly and in little memory."""

import json
import os
import subprocess
import sys

import pytest

MEASURED = """
import json, os, sys, tempfile, time
from bestdo.files import read
from bestdo.errors import BestdoError

def peak():  # of this process alone, in MB
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM"))

found = {}
with tempfile.TemporaryDirectory() as folder:
    for name, (extension, text) in json.loads(sys.argv[1]).items():
        text = eval(text)
        data = text if isinstance(text, bytes) else text.encode()
        assert 500_000 < len(data) < 1_300_000, (name, len(data))
        path = os.path.join(folder, "a." + extension)
        with open(path, "wb") as file:
            file.write(data)
        start = time.process_time()
        message = ""
        try:
            read(path)
        except BestdoError as error:
            message = str(error)[len(path) :][:150]
        found[name] = time.process_time() - start, peak(), message
print(json.dumps(found))
"""
VARIABLES = "''.join(f'variable v{i} {{ type discrete [ 2 ] {{ a b }}; }}\\n' for i in range(15_000))"
CASES = {
    "random bytes": ("toml", "__import__('random').Random(1).randbytes(10**6)"),
    "random text": ("gml", "bytes(__import__('random').Random(1).choices(range(32, 127), k=10**6))"),
    "one arrow": ("dagitty", "'dag {' + 'a->b;' * 200_000 + '}'"),
    "a long path": ("dot", "'digraph {' + '->'.join(f'v{i}' for i in range(110_000)) + '}'"),
    "a long circle": ("dot", "'digraph {' + '->'.join(f'v{i:050}' for i in range(19_000)) + f'->v{0:050}}}'"),
    "arrows with two heads": ("dagitty", "'dag {' + ' '.join(f'a{0:040}<->b{i:040}' for i in range(11_000)) + '}'"),
    "exposures": ("dagitty", "'dag {Y[outcome=1]' + ' '.join(f'a{i:030}[exposure]' for i in range(19_000)) + '}'"),
    "groups": ("dot", "'digraph {' + '{a b c d}->{e f g h};' * 50_000 + '}'"),
    "open braces": ("dot", "'digraph ' + '{' * 10**6"),
    "open brackets": ("gml", "'graph ' + 'a [' * 330_000"),
    "open quotes": ("dagitty", "'dag {\"' + 'a' * 10**6"),
    "escapes in open quotes": ("dot", "'digraph {\"' + '\\\\a' * 500_000"),
    "one long name": ("dot", "'digraph {' + 'a' * 10**6 + '}'"),
    "one name many times": ("dagitty", "'dag {' + 'a ' * 500_000 + '}'"),
    "attributes": ("dot", "'digraph { a [' + 'b=c,' * 240_000 + '] }'"),
    "gml nodes": ("gml", "'graph [ directed 1 ' + ''.join(f'node [ id {i} ]' for i in range(55_000)) + ']'"),
    "gml pairs": ("gml", "'graph [ directed 1 ' + 'a 1 ' * 240_000 + ']'"),
    "deep toml lists": ("toml", "'bestdo = ' + '[' * 10**6"),
    "deep toml tables": ("toml", "'bestdo = ' + '{a=' * 330_000"),
    "long toml key": ("toml", "'bestdo = 1\\n' + '.'.join(['a'] * 500_000) + ' = 1'"),
    "long quoted toml key": ("toml", "'bestdo = 1\\n[' + '.'.join(['\"a,=b\"'] * 140_000) + ']'"),
    "many dotted toml keys": ("toml", "'bestdo = 1\\n' + ''.join(f'[k{i}.a.a.a.a]\\n' for i in range(60_000))"),
    "many toml keys": ("toml", "'bestdo = 1\\n' + ''.join(f'k{i} = 1\\n' for i in range(90_000))"),
    "toml digits": ("toml", "'bestdo = ' + '1' * 10**6"),
    "toml hexadecimal": ("toml", "'bestdo = 1\\nvariables.a.values = [0x' + '1' * 10**6 + ']'"),
    "toml arrows": ("toml", "'bestdo = 1\\n[variables.a]\\n[variables.b]\\n[graph]\\nedges = [' + "
                    "'\"a->b\",' * 140_000 + ']'"),
    "toml actions": ("toml", "'bestdo = 1\\n' + ''.join(f'[variables.v{i:030}]\\n' for i in range(15_000)) + "
                     "'[variables.y]\\n[graph]\\nreward = \"y\"\\n[actions]\\nat_most = 99999999999\\nset = [' + "
                     "','.join(f'\"v{i:030}\"' for i in range(15_000)) + ']'"),
    "bif open parentheses": ("bif", "'network x { } probability ' + '(' * 10**6"),
    "bif open comments": ("bif", "'network x { } ' + '/* ' * 330_000"),
    "bif zeros": ("bif", "b'\\0' * 10**6"),
    "bif table": ("bif", "'variable b { type discrete [2] {0 1}; } probability (b) { table ' + '1 ' * 490_000 + ';}'"),
    "bif values": ("bif", "'variable b { type discrete [330000] {' + 'aa ' * 330_000 + '}; }'"),
    "bif parents": ("bif", VARIABLES + " + 'probability ( ' + ' '.join(f'v{i}' for i in range(15_000)) + ') { }'"),
    "bif defaults": ("bif", VARIABLES + " + ''.join('probability (' + ' '.join(f'v{j}' for j in range(i, i + 16)) + "
                     "'){default .5 .5;}' for i in range(2000))"),
}  # fmt: skip


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="the peak of memory is read from /proc")
@pytest.mark.parametrize("extension", sorted({extension for extension, _ in CASES.values()}))
def test_a_megabyte(extension):
    cases = {name: case for name, case in CASES.items() if case[0] == extension}
    command = [sys.executable, "-c", MEASURED, json.dumps(cases)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found.keys() == cases.keys()
    for name, (seconds, megabytes, message) in found.items():
        print(f"{name}: {seconds:.2f} s, {megabytes:.0f} MB so far {message}")  # noqa: T201
        assert seconds < 10, name
        assert megabytes < 300, name
