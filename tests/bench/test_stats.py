import pytest

from bench.stats import Summary


def test_summary_keeps_median_and_extremes():
    assert Summary.of([3.0, 1.0, 20.0, 2.0]) == Summary(2.5, 1.0, 20.0, 4)


def test_no_times_have_no_summary():
    with pytest.raises(ValueError, match="no times"):
        Summary.of([])
