"""Tests how signals, forks and process exit affect unsent decisions."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
import unittest
from pathlib import Path
from typing import Any

from scripted import Peer, ScriptedGateway, take

SOURCES = str(Path(__file__).resolve().parents[1] / "src")


def hang(_: Peer) -> None:
    time.sleep(30)


class ProcessTest(unittest.TestCase):
    def setUp(self) -> None:
        self.gateway = ScriptedGateway()
        self.addCleanup(self.gateway.close)

    def start(self, program: str, **options: Any) -> subprocess.Popen[str]:
        given = {"api_key": "k", "batch_interval_ms": 600_000, "shutdown_ms": 20_000, **options}
        head = f"""
            import os, signal, sys, threading, time
            import sluice
            client = sluice.init(base_url={self.gateway.url!r}, **{given!r})
            def log(*outputs):
                for output in outputs:
                    sluice.log(input=1, output=output)
        """
        source = f"{textwrap.dedent(head)}\n{textwrap.dedent(program)}"
        environ = {name: text for name, text in os.environ.items() if "SLUICE" not in name}
        process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", source],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**environ, "PYTHONPATH": SOURCES},
        )
        self.addCleanup(process.kill)
        return process

    def run_to_end(self, program: str, **options: Any) -> tuple[int, str, str]:
        process = self.start(program, **options)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    def outputs(self) -> list[str]:
        return sorted(each["output"] for each in self.gateway.decisions())

    def test_a_process_that_ends_by_itself_sends_what_is_left(self) -> None:
        self.assertEqual(self.run_to_end("log('a', 'b'); print('done')"), (0, "done\n", ""))
        self.assertEqual(self.outputs(), ["a", "b"])

    def test_an_exception_and_an_exit_code_are_kept(self) -> None:
        code, _, err = self.run_to_end("log('a'); raise KeyError('mine')")
        self.assertEqual((code, err.splitlines()[-1]), (1, "KeyError: 'mine'"))
        self.assertEqual(self.run_to_end("log('b'); sys.exit(7)"), (7, "", ""))
        self.assertEqual(self.outputs(), ["a", "b"])

    def test_a_hanging_gateway_delays_the_end_by_shutdown_ms_only(self) -> None:
        self.gateway.otherwise = hang
        began = time.monotonic()
        code, _, err = self.run_to_end("log('a', 'b')", shutdown_ms=300)
        self.assertLess(time.monotonic() - began, 15)
        self.assertEqual(code, 0)
        self.assertIn("sluice: 2 decisions were not sent: the process ended\n", err)

    def test_the_main_thread_sends_if_no_thread_can_start(self) -> None:
        program = """
            def fail(self): raise RuntimeError("can't start new thread")
            threading.Thread.start = fail
            log('a', 'b')
        """
        self.assertEqual(self.run_to_end(program), (0, "", ""))
        self.assertEqual(self.outputs(), ["a", "b"])

    def test_a_handled_signal_ends_the_process_as_usual(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            process = self.start(
                "log('a'); print('up', flush=True); time.sleep(30)", handle_signals=True
            )
            assert process.stdout is not None
            process.stdout.readline()
            process.send_signal(number)
            process.communicate(timeout=30)
            self.assertEqual(process.returncode, -number)
        self.assertEqual(self.outputs(), ["a", "a"])

    def test_the_host_handler_and_the_client_both_continue(self) -> None:
        program = """
            client.close()
            signal.signal(signal.SIGTERM, lambda *_: print('host'))
            client = sluice.init(base_url=client.settings.base_url, api_key='k',
                                 batch_interval_ms=600_000, handle_signals=True)
            log('a')
            os.kill(os.getpid(), signal.SIGTERM)
            print(client.stats().sent)
            log('b')
        """
        self.assertEqual(self.run_to_end(program), (0, "host\n1\n", ""))
        self.assertEqual(self.outputs(), ["a", "b"])

    def test_a_signal_while_logging_does_not_deadlock(self) -> None:
        program = """
            def handle(*_):
                log('from the handler')
                sluice.flush()
                sys.exit(3)
            signal.signal(signal.SIGALRM, handle)
            signal.setitimer(signal.ITIMER_REAL, 0.3)
            while True:
                log('x')
        """
        code, _, _ = self.run_to_end(program, queue_max_items=1000)
        self.assertEqual(code, 3)

    def test_several_clients_wait_for_a_hanging_gateway_concurrently(self) -> None:
        self.gateway.otherwise = hang
        program = """
            for _ in range(7):
                client = sluice.init(base_url=client.settings.base_url, api_key='k',
                                     batch_interval_ms=600_000, shutdown_ms=2000,
                                     handle_signals=True)
                log('a')
        """
        for end, code in (
            ("", 0),
            ("os.kill(os.getpid(), signal.SIGTERM); time.sleep(60)", -signal.SIGTERM),
            ("os.kill(os.getpid(), signal.SIGINT); time.sleep(60)", -signal.SIGINT),
        ):
            with self.subTest(end):
                began = time.monotonic()
                ended = self.run_to_end(f"{textwrap.dedent(program)}\n{end}", shutdown_ms=0)
                # Sequential waits would take 14 s.
                self.assertLess(time.monotonic() - began, 12)
                self.assertEqual((ended[0], ended[2].count("1 decision was not sent")), (code, 7))

    def test_a_second_signal_ends_the_process_immediately(self) -> None:
        self.gateway.otherwise = hang
        for number in (signal.SIGTERM, signal.SIGINT):
            process = self.start(
                "log('a'); print('up', flush=True); time.sleep(600)",
                handle_signals=True,
                shutdown_ms=500_000,
            )
            assert process.stdout is not None
            process.stdout.readline()
            seen = len(self.gateway.seen)
            process.send_signal(number)
            while len(self.gateway.seen) == seen:
                time.sleep(0.01)
            process.send_signal(number)
            _, err = process.communicate(timeout=60)
            self.assertEqual(process.returncode, -number)
            self.assertIn("1 decision was not sent: the process ended", err)

    def test_decisions_logged_while_threads_are_unavailable_are_sent_later(self) -> None:
        program = """
            import asyncio
            start = threading.Thread.start
            def fail(self): raise RuntimeError("can't start new thread")
            threading.Thread.start = fail
            log('a')
            print(asyncio.run(client.aflush()).sent)
            log('b', 'c')
            threading.Thread.start = start
            log('d')
            while client.stats().pending:
                time.sleep(0.01)
        """
        ended = self.run_to_end(program, batch_interval_ms=1)
        self.assertEqual(ended, (0, "1\n", ""))

    @unittest.skipUnless(hasattr(os, "fork"), "needs fork")
    def test_a_forked_child_has_its_own_client(self) -> None:
        program = """
            log('parent before')
            child = os.fork()
            if child == 0:
                stats = sluice.stats()
                assert (stats.logged, stats.pending) == (0, 0), stats
                log('child')
                sys.exit(0)
            assert os.waitpid(child, 0)[1] == 0
            log('parent after')
        """
        self.assertEqual(self.run_to_end(program), (0, "", ""))
        self.assertEqual(self.outputs(), ["child", "parent after", "parent before"])

    @unittest.skipUnless(hasattr(os, "fork"), "needs fork")
    def test_a_fork_while_other_threads_log_and_send_does_not_deadlock(self) -> None:
        program = """
            def work():
                while True:
                    log('thread')
            for _ in range(3):
                threading.Thread(target=work, daemon=True).start()
            children = []
            for n in range(20):
                child = os.fork()
                if child == 0:
                    log('child')
                    sluice.flush()
                    stats = sluice.stats()
                    os._exit(0 if (stats.sent, stats.pending) == (1, 0) else 1)
                children.append(child)
                time.sleep(0.01)
            print(sum(os.waitpid(child, 0)[1] for child in children), flush=True)
            os._exit(0)
        """
        code, out, _ = self.run_to_end(program, batch_interval_ms=1, queue_max_items=500)
        self.assertEqual((code, out), (0, "0\n"))
        self.assertEqual(self.outputs().count("child"), 20)

    def test_children_of_multiprocessing(self) -> None:
        for method in ("fork", "spawn"):
            program = f"""
                import multiprocessing
                if __name__ == '__main__':
                    context = multiprocessing.get_context({method!r})
                    log('parent')
                    children = [
                        context.Process(target=sluice.log, kwargs=dict(input=1, output='child'))
                        for _ in range(3)
                    ]
                    for child in children: child.start()
                    for child in children: child.join()
                    print([child.exitcode for child in children])
            """
            if method == "spawn":
                program = program.replace("sluice.log,", "_spawned.work,").replace(
                    "import multiprocessing\n", "import multiprocessing, _spawned\n"
                )
            environ = {"PYTHONPATH": f"{SOURCES}{os.pathsep}{Path(__file__).parent / 'programs'}"}
            with self.subTest(method):
                self.gateway.seen.clear()
                self.run_spawning(program, environ)
                self.assertEqual(self.outputs(), ["child"] * 3 + ["parent"])

    def run_spawning(self, program: str, environ: dict[str, str]) -> None:
        environ = {**environ, "SLUICE_API_KEY": "k", "SLUICE_BASE_URL": self.gateway.url}
        source = textwrap.dedent(program)
        head = "import sluice\nclient = sluice.init()\n"
        head += "def log(output): sluice.log(input=1, output=output)\n"
        result = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", head + source],
            env={**os.environ, **environ},
            capture_output=True,
            text=True,
            timeout=60,
        )
        self.assertEqual((result.stdout, result.stderr), ("[0, 0, 0]\n", ""))

    def test_threads_of_the_client_end_with_the_main_thread(self) -> None:
        self.gateway.otherwise = take
        began = time.monotonic()
        self.assertEqual(self.run_to_end("log('a'); sluice.flush()")[0], 0)
        self.assertLess(time.monotonic() - began, 15)
