"""The example at a tiny size on the CPU, where the reference interpreter runs our kernels."""

import importlib.util
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")


@pytest.fixture(scope="module")
def gpt2():
    path = Path(__file__).resolve().parents[2] / "examples" / "gpt2.py"
    spec = importlib.util.spec_from_file_location("gpt2_example", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def checkpoint(gpt2, tmp_path_factory):
    folder = str(tmp_path_factory.mktemp("gpt2"))
    config = transformers.GPT2Config(**gpt2.TINY, bos_token_id=0, eos_token_id=0)
    gpt2.write_random_checkpoint(folder, config)
    return folder


@pytest.fixture
def prompt():
    return torch.randint(512, (2, 10), generator=torch.Generator().manual_seed(1))


def test_the_same_greedy_tokens_in_f32(gpt2, checkpoint, prompt, capsys):
    assert gpt2.check_tokens(checkpoint, "cpu", prompt, count=4)
    assert capsys.readouterr().out.count("the same") == 2  # with and without a cache


def test_matching_logits_in_bf16(gpt2, checkpoint, prompt):
    assert gpt2.check_logits(checkpoint, "cpu", prompt)


def test_the_layers_are_swapped(gpt2, checkpoint):
    model = gpt2.load(checkpoint, "cpu", torch.float32, swapped=True)
    kinds = {type(module) for module in model.modules()}
    assert gpt2.GeluMlp in kinds and gpt2.LayerNorm in kinds
    assert torch.nn.LayerNorm not in kinds
    assert model.config._attn_implementation == "tilewright"


def test_another_activation_is_refused(gpt2, checkpoint):
    model = transformers.GPT2LMHeadModel.from_pretrained(checkpoint)
    model.config.activation_function = "relu"
    with pytest.raises(ValueError, match="`relu` is not GELU"):
        gpt2.swap_layers(model)


def test_padding_and_caches_of_fixed_size_are_refused(gpt2, checkpoint, prompt):
    model = gpt2.load(checkpoint, "cpu", torch.float32, swapped=True)
    with pytest.raises(ValueError, match="static KV cache"):
        gpt2.generate(model, prompt, 4, cache_implementation="static")
    padded = torch.ones_like(prompt)
    padded[0, 0] = 0
    with pytest.raises(ValueError, match="padded sequences"):
        model(prompt, attention_mask=padded)
