import numpy as np
import pytest

from banditbo.errors import InvalidValueError
from banditbo.model import MODELS, ModelSetting, model_setting


def test_theta_has_an_entry_for_every_name(setting):
    for d, j in ((0, 0), (1, 1), (3, 2)):
        kinds = setting.layout(d, j)
        mean, precision, bounds = setting.prior(d, j)
        assert len(kinds) == len(mean) == len(precision) == len(bounds)
        assert ((bounds[:, 0] < mean) & (mean < bounds[:, 1])).all()


def test_unpack_puts_every_entry_where_it_belongs():
    setting = ModelSetting()
    theta = np.array(
        [[np.log(0.2), np.log(0.4), np.log(3.0), np.log(0.5), 0.0, 50.0, np.log(0.1)]]
    )
    h = setting.unpack(theta, 2, 2)
    np.testing.assert_allclose(h.lengthscale, [[0.2, 0.4]])
    np.testing.assert_allclose([h.signal[0], h.arm[0], h.noise[0]], [3.0, 0.5, 0.1])
    np.testing.assert_allclose(h.rho, [[0.5, 1.0]])


def test_unpack_what_is_not_learned_is_zero():
    setting = ModelSetting(sharing="shared", arm_effect=False, isotropic=True)
    h = setting.unpack(np.array([[np.log(0.2), 0.0, 0.0]]), 3, 2)
    np.testing.assert_allclose(h.lengthscale, [[0.2, 0.2, 0.2]])
    assert h.arm.tolist() == [0.0]
    assert h.rho.tolist() == [[0.0, 0.0]]


def test_paper_is_the_published_setting():
    paper = MODELS["paper"]
    assert (paper.kernel, paper.sharing, paper.transform) == ("se", "independent", "standard")
    assert (paper.estimate, paper.shorten, paper.isotropic) == ("ml", 0.0, True)
    assert not paper.arm_effect


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kernel", "rbf"),
        ("sharing", "some"),
        ("transform", "log"),
        ("estimate", "mcmc"),
        ("shorten", 1.5),
        ("shorten", -0.1),
        ("shorten", float("nan")),
    ],
)
def test_settings_that_cannot_be_are_refused(name, value):
    with pytest.raises(InvalidValueError, match=f"{name}.*{value}"):
        ModelSetting(**{name: value})


def test_unknown_models_are_refused_with_the_known_ones():
    with pytest.raises(InvalidValueError, match="'bayes' is unknown: use one of auto, correlated"):
        model_setting("bayes")
