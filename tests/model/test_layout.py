import numpy as np
import pytest

from banditbo.model import Observations
from banditbo.model import layout as module
from banditbo.model.layout import Layout, stacks, thin


def observations(arm):
    rng = np.random.default_rng(0)
    arm = np.asarray(arm)
    return Observations(
        arm, rng.random((len(arm), 3)), rng.standard_normal(len(arm)), np.zeros(len(arm))
    )


def test_blocks_are_groups_or_single_arms(tools):
    whole = Layout.of(tools.groups, "correlated")
    assert [b.arms.tolist() for b in whole.blocks] == [[0, 3, 5, 7], [1, 8], [2], [4, 6, 9]]
    assert whole.row.tolist() == [0, 0, 0, 1, 0, 2, 1, 3, 1, 2]
    single = Layout.of(tools.groups, "independent")
    assert [int(single.blocks[single.block[a]].arms[0]) for a in range(10)] == list(range(10))
    for layout in (whole, single):
        assert layout.group.tolist() == [0, 1, 2, 0, 3, 0, 3, 0, 1, 3]
        assert layout.dims.tolist() == [2, 0, 1, 2, 3, 2, 3, 2, 0, 3]
        assert layout.width == 3


@pytest.mark.parametrize("sharing", ["correlated", "independent"])
def test_every_observation_and_arm_is_in_one_place(tools, sharing):
    layout = Layout.of(tools.groups, sharing)
    data = observations(np.random.default_rng(1).choice([0, 1, 2, 3, 4, 6, 7], 90))
    stacked, notes = stacks(layout, data)
    assert notes == []
    index = np.concatenate([s.index[s.there] for s in stacked])
    assert sorted(index) == list(range(90))
    arms = np.concatenate([s.arms[s.arms >= 0] for s in stacked])
    assert sorted(arms) == list(range(10))
    for s in stacked:
        for i, j in zip(*np.nonzero(s.there), strict=True):
            assert s.arms[i, s.row[i, j]] == data.arm[s.index[i, j]]
            np.testing.assert_array_equal(s.x[i, j], data.point[s.index[i, j]])
            np.testing.assert_array_equal(s.codes[i, j], s.arm_codes[i, s.row[i, j]])


def test_more_than_the_limit_is_modelled_arm_by_arm_and_said(tools, monkeypatch):
    monkeypatch.setattr(module, "LIMIT", 20)
    layout = Layout.of(tools.groups, "correlated")
    data = observations([0] * 15 + [3] * 8 + [2] * 30 + [4] * 5)
    stacked, notes = stacks(layout, data)
    assert notes == [
        "23 observations in 4 correlated arms: modelled arm by arm",
        "30 observations of one arm: 20 of them used",
    ]
    total = {
        a: sum(int(np.sum(data.arm[s.index[s.there]] == a)) for s in stacked) for a in range(10)
    }
    assert (total[0], total[3], total[2], total[4]) == (15, 8, 20, 5)
    assert all(s.index.shape[1] <= 20 for s in stacked)


def test_thin_keeps_the_best_half_and_their_order():
    value = np.random.default_rng(0).permutation(100).astype(float)
    members = np.arange(5, 95)
    kept = thin(members, value, 20)
    assert len(kept) == 20
    assert (np.diff(kept) > 0).all()
    best = members[np.argsort(-value[members])[:10]]
    assert set(best) <= set(kept)
    rest = value[np.setdiff1d(kept, best)]
    assert np.ptp(rest) > 60  # from the whole of what is left
