"""Many processes on one study, one of them killed in mid-trial."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import optuna
import pytest
from optuna.trial import TrialState

from banditbo.optuna import BanditSampler

WORKER = Path(__file__).with_name("worker.py")
sys.path.insert(0, str(WORKER.parent))
from worker import open_storage  # noqa: E402


def run(address: str, processes: int, trials: int, place: Path) -> optuna.Study:
    """Run workers, kill the first in mid-trial; return the study."""
    study = optuna.create_study(study_name="s", storage=open_storage(address))
    victim = place / "victim"
    env = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    command = [sys.executable, "-W", "ignore", str(WORKER), address, str(trials)]
    logs = [(place / f"{i}.txt").open("w+") for i in range(processes)]
    workers = [
        subprocess.Popen(
            command + [str(victim)] * (i == 0), stdout=logs[i], stderr=subprocess.STDOUT, env=env
        )
        for i in range(processes)
    ]
    try:
        deadline = time.monotonic() + 300
        while not victim.exists() and time.monotonic() < deadline:
            time.sleep(0.1)
        assert victim.exists()
        workers[0].kill()
        for worker in workers:
            worker.wait(timeout=1500)
    finally:
        for worker in workers:
            worker.kill()
    said = []
    for log in logs:
        log.seek(0)
        said.append(log.read())
        log.close()
    assert [w.returncode for w in workers[1:]] == [0] * (processes - 1), "\n".join(said)[-3000:]
    assert not any("deadlock" in s or "locked" in s or "Traceback" in s for s in said)
    found = optuna.load_study(study_name="s", storage=open_storage(address))
    states = [t.state for t in found.get_trials(deepcopy=False)]
    assert states.count(TrialState.COMPLETE) >= trials
    assert states.count(TrialState.FAIL) == 0
    assert states.count(TrialState.RUNNING) == 1
    assert len(states) <= trials + processes
    points = [tuple(sorted(t.params.items())) for t in found.trials if t.params]
    assert len(set(points)) == len(points)
    assert found.best_value < 1e-3
    return study


@pytest.mark.storage
def test_sqlite_with_eight_processes(tmp_path: Path) -> None:
    run(f"sqlite:///{tmp_path}/study.db", 8, 160, tmp_path)


@pytest.mark.storage
def test_a_journal_file_with_eight_processes(tmp_path: Path) -> None:
    run(f"journal://{tmp_path}/journal.log", 8, 160, tmp_path)


SERVER = """
import sys, optuna
storage = optuna.storages.RDBStorage(sys.argv[1])
optuna.storages.run_grpc_proxy_server(storage, host="localhost", port=int(sys.argv[2]))
"""


@pytest.mark.storage
def test_a_grpc_proxy_with_four_processes(tmp_path: Path) -> None:
    pytest.importorskip("grpc")
    port = free_port()
    db = f"sqlite:///{tmp_path}/study.db"
    server = subprocess.Popen([sys.executable, "-W", "ignore", "-c", SERVER, db, str(port)])
    try:
        wait_for(port)
        run(f"grpc://localhost:{port}", 4, 60, tmp_path)
    finally:
        server.terminate()
        server.wait()


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("localhost", 0))
        return int(s.getsockname()[1])


def wait_for(port: int) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with socket.socket() as s:
            if s.connect_ex(("localhost", port)) == 0:
                return
        time.sleep(0.2)
    raise TimeoutError(f"nothing listens on port {port}")


def program(name: str) -> str:
    """Find a program of PostgreSQL's, which Debian keeps out of the path."""
    found = shutil.which(name)
    if found is None:
        there = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
        found = str(there[-1]) if there else None
    if found is None:
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    return found


@pytest.fixture
def postgres(tmp_path: Path) -> Iterator[str]:
    """A real server on a temporary directory; it refuses to be root."""
    pytest.importorskip("psycopg2")
    place = tmp_path / "pg"
    place.mkdir()
    user: dict[str, str] = {}
    if os.geteuid() == 0:
        for folder in (*reversed(tmp_path.parents[:3]), tmp_path):
            folder.chmod(folder.stat().st_mode | 0o011)
        shutil.chown(place, "nobody")
        user = {"user": "nobody"}
    data, port = place / "data", free_port()
    subprocess.run(
        [program("initdb"), "-D", str(data), "-U", "optuna", "-A", "trust", "-N"],
        check=True,
        capture_output=True,
        cwd=place,
        **user,  # type: ignore[call-overload]
    )
    settings = ["-c", f"port={port}", "-c", f"unix_socket_directories={place}"]
    settings += ["-c", "max_connections=200", "-c", "listen_addresses=localhost"]
    server = subprocess.Popen(
        [program("postgres"), "-D", str(data), *settings],
        cwd=place,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        **user,  # type: ignore[call-overload]
    )
    try:
        wait_for(port)
        time.sleep(1.0)
        yield f"postgresql+psycopg2://optuna@localhost:{port}/postgres"
    finally:
        server.send_signal(signal.SIGINT)  # a fast shutdown: does not wait for clients
        server.wait()


@pytest.mark.postgres
def test_postgresql_with_32_processes(postgres: str, tmp_path: Path) -> None:
    run(postgres, 32, 640, tmp_path)


@pytest.mark.parametrize("kind", ["sqlite", "journal"])
def test_a_study_in_a_file(kind: str, tmp_path: Path, objective) -> None:  # type: ignore[no-untyped-def]
    path = f"sqlite:///{tmp_path}/s.db" if kind == "sqlite" else f"journal://{tmp_path}/s.log"
    in_file = optuna.create_study(storage=open_storage(path), sampler=BanditSampler(seed=0))
    in_memory = optuna.create_study(sampler=BanditSampler(seed=0))
    for study in (in_file, in_memory):
        study.optimize(objective, n_trials=10)
    assert [t.params for t in in_file.trials] == [t.params for t in in_memory.trials]
    rows = in_file.sampler.arms(in_file)
    assert sum(r["pulls"] for r in rows) == 10
