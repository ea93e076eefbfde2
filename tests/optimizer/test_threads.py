"""Optimizers in threads of their own do not disturb one another."""

import threading
from concurrent.futures import ThreadPoolExecutor

from banditbo import Optimizer


def test_eight_threads_are_as_good_as_one(space, tools):
    def work(seed):
        return tools.run(Optimizer(space, seed=seed), 10, batch=2)

    serial = [work(seed) for seed in range(8)]
    barrier = threading.Barrier(8, timeout=30)

    def together(seed):
        barrier.wait()
        return work(seed)

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(together, range(8))) == serial


def test_one_state_read_in_many_threads(space, tools):
    opt = Optimizer(space, seed=0)
    tools.run(opt, 12)
    text = opt.to_json()
    expected = [opt.propose(20 + i).params for i in range(6)]
    with ThreadPoolExecutor(6) as pool:
        got = pool.map(lambda i: Optimizer.from_json(text).propose(20 + i).params, range(6))
        assert list(got) == expected
