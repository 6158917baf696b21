"""Tables, JSON, plots and the page of benchmarks."""

import json
import math

import pytest

from bench import plot, readme, results, table
from bench.suites import SUITES


def test_markdown_has_a_column_for_each_contender_and_the_ratio(result):
    assert table.markdown(result).splitlines() == [
        "| kernel | case | tilewright | cuBLAS | Triton | best peer | ours / best peer |",
        "| --- | --- | ---: | ---: | ---: | --- | ---: |",
        "| matmul | M=8 bf16 | 10.0 (5.00–20.0) | 5.00 (2.50–10.0) |  | cuBLAS | 2.00 |",
        "| matmul_nt | M=8 bf16 | WRONG | — | 2.50 (1.25–5.00) | Triton | — |",
    ]


def test_the_terminal_table_says_who_is_missing_or_wrong_and_why(result):
    lines = table.plain(result).splitlines()
    assert lines[0] == "gemm: matrix products, TFLOP/s"
    assert lines[4:6] == [
        "matmul_nt M=8 bf16: no cuBLAS: out of memory",
        "matmul_nt M=8 bf16: tilewright is WRONG: error 1, worst element 2",
    ]
    assert len({len(line) for line in lines[1:2] + lines[2:3]}) == 1  # aligned


def test_the_tables_end_with_least_and_mean_over_the_best_peer_and_over_each(result):
    slower = json.loads(json.dumps(result["rows"][0]))
    slower |= {"title": "matmul M=16 bf16", "ratio": 0.5}
    slower["contenders"]["cuBLAS"]["time"]["median"] = 0.5
    slower["contenders"]["Triton"] = {"missing": "no Triton"}
    result["rows"].append(slower)
    lines = [
        f"ours / {name}: geometric mean 1.000, least 0.500 (matmul M=16 bf16), 2 of 3 cases"
        for name in ("best peer", "cuBLAS")
    ]
    assert table.summary(result) == lines == table.plain(result).splitlines()[-2:]
    assert table.report(result).splitlines()[-3:] == ["", *(f"- {line}" for line in lines)]


def test_a_suite_of_which_nothing_was_timed_has_no_ratios(result):
    del result["rows"][0]
    assert table.summary(result) == []


def test_json_comes_back_as_it_was_written(result, tmp_path):
    path = results.write(result, tmp_path / "h200")
    (tmp_path / "h200" / "other.json").write_text("{}")
    assert path.name == "gemm.json"
    assert results.read(tmp_path / "h200") == [json.loads(path.read_text())]
    assert results.read(tmp_path / "h200")[0]["rows"] == result["rows"]


def test_a_result_names_machine_method_and_duration(result):
    machine = {"gpu": "NVIDIA H200", "commit": "abc", "versions": {}}
    made = results.make(SUITES["launch"], machine, [], 1.26)
    assert made["commit"] == "abc" and made["seconds"] == 1.3
    assert made["method"].endswith("every result checked before it is timed")


def test_numbers_are_rounded_to_four_digits():
    assert results.rounded({"a": [0.123456, 123456.7], "b": 3}) == {"a": [0.1235, 123457], "b": 3}
    assert results.rounded([math.inf]) == [math.inf] and math.isnan(results.rounded(math.nan))


def test_the_section_replaces_what_is_between_the_markers(result):
    section = readme.section([result], "../bench/results/h200")
    text = readme.insert(f"above\n{readme.BEGIN}\nold\n{readme.END}\nbelow\n", section)
    assert text.startswith(f"above\n{readme.BEGIN}\nNVIDIA H200; torch")
    assert "(commit `abc1234`" in text
    assert text.endswith(f"| Triton | — |\n{readme.END}\nbelow\n")
    assert "[bench/results/h200](../bench/results/h200)" in text
    assert "old" not in text and "python 3" not in text


def test_a_long_table_is_folded(result):
    result["rows"] *= 11
    section = readme.section([result], "bench/results/h200")
    assert "<details><summary>22 cases</summary>\n\n| kernel |" in section
    assert section.endswith("| — |\n\n</details>")


def test_the_page_has_the_markers():
    assert "ours" in readme.insert(readme.PAGE.read_text(), "ours")


def test_a_page_without_markers_is_an_error():
    with pytest.raises(ValueError, match="markers"):
        readme.insert("no markers here", "content")


def test_peaks_are_those_of_the_gpu():
    assert plot.find_peak("NVIDIA H200").half == 989e12
    assert plot.find_peak("NVIDIA H200").bytes == 4.8e12
    assert plot.find_peak("unheard of") is None


def test_points_of_the_roofline_are_ours_and_the_best_peers(result):
    assert plot.points([result], ours=True) == [("gemm", 1000.0, 1e13)]
    assert [rate for _, _, rate in plot.points([result], ours=False)] == [5e12, 2.5e12]


def test_bars_are_the_cases_that_have_a_ratio(result):
    assert plot.bars([result]) == [("gemm", "matmul  M=8 bf16", 2.0)]


def test_plots_are_written_as_png_and_svg(result, tmp_path):
    pytest.importorskip("matplotlib")
    results.write(result, tmp_path)
    paths = plot.draw(tmp_path)
    assert [path.name for path in paths] == [
        "ratios.png",
        "ratios.svg",
        "roofline.png",
        "roofline.svg",
    ]
    assert paths[0].read_bytes().startswith(b"\x89PNG")
    assert "half 989 TFLOP/s" in paths[3].read_text()


def test_a_folder_without_results_is_an_error(tmp_path):
    pytest.importorskip("matplotlib")
    with pytest.raises(FileNotFoundError, match="no results"):
        plot.draw(tmp_path)
