"""The real server on a connection that stays open, as browsers keep it."""

import asyncio
import http.client
import socket
import time

from bestdo import read
from bestdo.study import Study
from bestdo.web.server import _listening
from support import ROOT
from web_support import EDITOR, start


def test_accepted_connections_send_at_once():
    async def accepted():
        found = asyncio.get_running_loop().create_future()

        async def handle(_, writer):
            sock = writer.get_extra_info("socket")
            found.set_result(sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        listening = _listening("127.0.0.1", 0)
        async with await asyncio.start_server(handle, sock=listening):
            _, writer = await asyncio.open_connection(*listening.getsockname())
            nodelay = await found
            writer.close()
        return nodelay

    assert asyncio.run(accepted())


def test_answers_on_a_kept_connection_do_not_wait_for_acknowledgements(tmp_path):
    """Without TCP_NODELAY every answer waits 40 ms for the acknowledgement of its first part; the fastest of 60 is taken."""
    url = f"sqlite:///{tmp_path}/page.db"
    Study.create(read(ROOT / "examples" / "farm.toml").problem, 14, learner="uniform", name="farm", storage=url)
    server = start(url)
    try:
        connection = http.client.HTTPConnection(server.address.removeprefix("http://"), timeout=60)
        taken = []
        for _ in range(60):
            before = time.perf_counter()
            connection.request("GET", "/api/v1/studies/farm/version", headers={"Authorization": f"Bearer {EDITOR}"})
            answer = connection.getresponse()
            assert answer.status == 200
            assert answer.read()
            taken.append(time.perf_counter() - before)
        connection.close()
    finally:
        server.stop()
    assert min(taken[20:]) < 0.035, taken  # the first answers are acknowledged at once in any case
