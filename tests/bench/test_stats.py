import pytest

from bench.stats import Ratios, Summary


def test_summary_keeps_median_and_extremes():
    assert Summary.of([3.0, 1.0, 20.0, 2.0]) == Summary(2.5, 1.0, 20.0, 4)


def test_no_times_have_no_summary():
    with pytest.raises(ValueError, match="no times"):
        Summary.of([])


def test_ratios_keep_the_least_and_the_geometric_mean():
    found = Ratios.over({"a": 2.0, "b": 0.5, "c": 1.0})
    assert (found.least, found.of, found.count) == (0.5, "b", 3)
    assert found.mean == pytest.approx(1.0)
    with pytest.raises(ValueError, match="no ratios"):
        Ratios.over({})
