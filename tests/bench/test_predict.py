"""What is said of predictions, with made-up times; all but the clock on a machine without a GPU."""

import json
import subprocess
import sys

import pytest

from bench import predict, shapes
from bench.contests import Planned
from bench.machine import ROOT
from bench.predict import Shape, summary
from bench.suites import SUITES


@pytest.fixture
def found():
    wrong = [Planned(text, 9.0, dropped="wrong") for text in "ab"]
    first = [Planned("c", 10.0, 10.0), Planned("d", 11.0, 10.0), wrong[0]]
    second = [wrong[1], Planned("e", 10.0, 20.0), Planned("f", 11.0, 16.0)]
    return [Shape({"M": 1, "N": 2, "K": 3}, first), Shape({"M": 4, "N": 5, "K": 6}, second)]


def test_the_chosen_plan_is_the_first_that_is_right(found):
    assert [shape.loss() for shape in found] == [1.0, 1.25]


def test_a_summary_has_errors_and_what_the_choice_loses(found):
    said = summary(found)
    assert (said["shapes"], said["plans"], said["dropped"]) == (2, 4, 2)
    assert said["median_error"] == pytest.approx((0.1 + 5 / 16) / 2)
    assert said["median_error_of_chosen"] == pytest.approx(0.25)
    assert said["chosen_over_best"] == pytest.approx(1.25**0.5)
    assert said["most_chosen_over_best"] == 1.25
    assert said["shapes_near_best"] == 1


def test_a_shape_without_times_is_told_and_not_counted(found):
    for plan in found[1].plans:
        plan.us = None
    assert summary(found)["shapes"] == 1
    assert summary(found[1:]) == {"shapes": 0}
    assert predict.line(found[1]) == "4x5x6  no times: wrong"


def test_a_plan_is_written_with_what_is_known_of_it(found):
    right, _, wrong = found[0].plans
    assert right.json() == {"us": 10.0, "predicted_us": 10.0, "plan": "c"}
    assert wrong.json() == {"dropped": "wrong", "predicted_us": 9.0, "plan": "a"}


def test_its_shapes_are_none_of_the_suites_and_none_that_rates_are_fitted_to():
    suites = (SUITES[name] for name in ("products", "few_rows", "random_products"))
    known = {tuple(case.shape.values()) for suite in suites for case in suite.cases}
    fitted = json.loads((ROOT / "bench" / "results" / "h200" / "planner.json").read_text())
    known |= {tuple(map(case["sizes"].get, "MNK")) for case in fitted["cases"]}
    assert not known & set(shapes.products(seed=predict.SEED))


def test_it_says_what_it_lacks():
    run = subprocess.run(
        [sys.executable, "-m", "bench.predict"],
        cwd=ROOT, text=True, capture_output=True, env={"CUDA_VISIBLE_DEVICES": ""},
    )  # fmt: skip
    assert run.returncode == 1
    assert run.stderr.startswith("bench.predict cannot run here; it needs ")


def test_plans_are_checked_and_timed_in_turns(made_up):
    class Kernel:
        """One of three plans is wrong, one does not compile."""

        text = ""

        def plans(self, *tensors, count):
            return [("right", 3.0), ("wrong", 4.0), ("refused", 5.0)][:count]

        def configured(self, plan):
            kernel = Kernel()
            kernel.text = plan
            return kernel

        def prepare(self, *tensors):
            if self.text == "refused":
                raise ValueError("it spills")

        def __call__(self, a, b, out):
            out.copy_(a @ b.T if self.text == "right" else a @ b.T + 1)

    made_up(Kernel())
    (shape,) = predict.measured([(16, 24, 32)], 3, seconds=60)
    assert [(plan.us, plan.dropped) for plan in shape.plans] == [
        (6.0, None), (None, "it is wrong"), (None, "it spills")]  # fmt: skip
