"""`tilewright.patch` on small models of transformers with random weights."""

import copy

import pytest

import tilewright as tw

torch = pytest.importorskip("torch", reason="needs torch")
transformers = pytest.importorskip("transformers", reason="needs transformers")

SMALL = {
    "vocab_size": 97, "hidden_size": 48, "intermediate_size": 72, "num_hidden_layers": 2,
    "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16, "max_position_embeddings": 64,
    "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
}  # fmt: skip
WINDOW = {"sliding_window": 5, "use_sliding_window": True, "max_window_layers": 1}

MODELS = {
    "llama": ("Llama", {}),
    "qwen2": ("Qwen2", {}),
    "qwen2_window": ("Qwen2", WINDOW),
    "qwen3": ("Qwen3", {}),
    "mistral": ("Mistral", {"sliding_window": 5}),
    "mistral_full": ("Mistral", {"sliding_window": None}),
    "gemma": ("Gemma", {}),
    "gemma2": ("Gemma2", {"sliding_window": 5, "query_pre_attn_scalar": 16}),
    "gemma3": ("Gemma3", {"sliding_window": 5, "query_pre_attn_scalar": 16}),
    "gpt2": ("GPT2", {}),
}


def small(name, dtype=torch.float32, **options):
    """A small model; as it has no dropout, results are the same each time."""
    family, settings = MODELS[name]
    if family == "GPT2":
        config = transformers.GPT2Config(vocab_size=97, n_embd=48, n_layer=2, n_head=4, n_positions=64, attn_pdrop=0,
                                         embd_pdrop=0, resid_pdrop=0, **settings, **options)  # fmt: skip
        model = transformers.GPT2LMHeadModel
    else:
        config = getattr(transformers, "Gemma3TextConfig" if family == "Gemma3" else f"{family}Config")
        config = config(**{**SMALL, **settings, **options})
        model = getattr(transformers, f"{family}ForCausalLM")
    torch.manual_seed(1)
    model = model(config).to(dtype)
    for parameter in model.parameters():  # norms' weights are all 1, and biases 0
        parameter.data += 0.05 * torch.randn_like(parameter)
    return model


def ids(batch=2, length=11):
    return torch.randint(3, 97, (batch, length), generator=torch.Generator().manual_seed(length))


def trained(model, **inputs):
    """Logits, loss and gradients of a step."""
    model.zero_grad()
    labels = inputs["input_ids"].where(inputs.get("attention_mask", torch.ones(1)) > 0, -100)
    output = model(**inputs, labels=labels)
    output.loss.backward()
    return output.logits.detach(), output.loss.detach(), [p.grad.clone() for p in model.parameters()]


def assert_same(found, expected, rows=slice(None), tolerance=5e-5):
    pairs = [(found[0][rows], expected[0][rows]), (found[1], expected[1]), *zip(found[2], expected[2], strict=True)]
    for ours, theirs in pairs:
        scale = max(theirs.abs().max().item(), 1e-2)
        torch.testing.assert_close(ours, theirs, atol=tolerance * scale, rtol=tolerance)


@pytest.mark.parametrize("name", MODELS)
def test_results_and_gradients_stay_and_can_be_restored(name):
    model = small(name)
    before, classes = trained(model, input_ids=ids()), [type(m) for m in model.modules()]
    implementation = model.config._attn_implementation
    report = tw.patch(model)
    assert report.replaced
    assert [type(m) for m in model.modules()] != classes and not report.left
    assert_same(trained(model, input_ids=ids()), before)
    tw.unpatch(model)
    assert [type(m) for m in model.modules()] == classes
    assert model.config._attn_implementation == implementation
    for again, first in zip(trained(model, input_ids=ids())[2], before[2], strict=True):
        assert again.equal(first)


@pytest.mark.parametrize("name", ["llama", "gemma", "gpt2"])
def test_half_precision_stays_within_its_rounding(name):
    model = small(name, torch.bfloat16)
    before = trained(model, input_ids=ids())
    exact = trained(copy.deepcopy(model).float(), input_ids=ids())
    tw.patch(model)
    found = trained(model, input_ids=ids())
    ours, theirs = ((got[0].float() - exact[0]).norm() / exact[0].norm() for got in (found, before))
    assert ours < 2 * theirs + 1e-3


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("name", ["llama", "mistral", "gemma2", "gpt2"])
def test_padded_sequences(name, side):
    model = small(name)
    mask = torch.ones(2, 11, dtype=torch.long)
    mask[1, slice(0, 4) if side == "left" else slice(-4, None)] = 0
    before = trained(model, input_ids=ids(), attention_mask=mask)
    tw.patch(model)
    assert_same(trained(model, input_ids=ids(), attention_mask=mask), before, rows=mask.bool())


@pytest.mark.parametrize("name", ["llama", "mistral", "qwen2_window"])
def test_without_a_cache_and_with_packed_sequences(name):
    model = small(name)
    positions = torch.cat([torch.arange(4), torch.arange(7)])[None]
    shifted = torch.stack([torch.arange(11), torch.arange(11) + 3])
    for options in ({}, {"position_ids": positions}, {"position_ids": shifted}):
        before = trained(model, input_ids=ids(), use_cache=False, **options)
        tw.patch(model)
        assert_same(trained(model, input_ids=ids(), use_cache=False, **options), before)
        tw.unpatch(model)


@pytest.mark.parametrize("cache", ["dynamic", "static"])
@pytest.mark.parametrize("name", ["llama", "mistral", "gemma3", "gpt2"])
def test_generates_the_same_words(name, cache):
    if (name, cache) == ("gpt2", "static"):
        cache = "dynamic"  # it has no other
    model = small(name).eval()
    options = {"max_new_tokens": 8, "do_sample": False, "cache_implementation": cache, "disable_compile": True}
    if cache == "dynamic":
        del options["cache_implementation"]
    before = model.generate(ids(1, 7), **options)
    tw.patch(model)
    assert model.generate(ids(1, 7), **options).equal(before)


def test_says_what_it_replaced():
    report = tw.patch(small("llama"))
    assert [name for name, kind, _ in report.replaced if kind == "LlamaRMSNorm"] == [
        "model.layers.0.input_layernorm", "model.layers.0.post_attention_layernorm",
        "model.layers.1.input_layernorm", "model.layers.1.post_attention_layernorm", "model.norm",
    ]  # fmt: skip
    lines = [line.split() for line in str(report).splitlines()]
    assert lines[0] == ["replaced"]
    for line in (["5", "LlamaRMSNorm", "tilewright.ops.rms_norm"], ["2", "LlamaMLP", "tilewright.ops.swiglu"],
                 ["2", "LlamaAttention", "tilewright.ops.rope"],
                 ["2", "LlamaAttention", "tilewright.ops.attention"],
                 ["1", "LlamaForCausalLM", "tilewright.ops.cross_entropy"]):  # fmt: skip
        assert line in lines


def test_says_what_it_left_and_why():
    report = tw.patch(small("llama", hidden_act="relu"))
    assert ("model.layers.0.mlp", "LlamaMLP", "its activation is ReLU") in report.left
    report = tw.patch(small("gpt2", scale_attn_by_inverse_layer_idx=True))
    assert ("transformer.h.1.attn", "GPT2Attention", "attention: its scale is not that of its heads") in report.left
    model = small("llama")
    model.model.norm.forward = model.model.norm.forward
    assert ("model.norm", "LlamaRMSNorm", "its forward was replaced already") in tw.patch(model).left
    assert "left as they were" in str(report)


def test_a_patched_model_can_be_compiled_copied_and_saved():
    model = small("llama")
    state = {name: value.clone() for name, value in model.state_dict().items()}
    expected = trained(model, input_ids=ids())
    tw.patch(model)
    assert all(value.equal(state[name]) for name, value in model.state_dict().items())
    assert_same(trained(copy.deepcopy(model), input_ids=ids()), expected)
    torch.compiler.reset()
    compiled = torch.compile(model, backend="aot_eager")
    assert_same(trained(compiled, input_ids=ids()), expected)


def test_other_models_see_nothing_of_it():
    patched, other = small("llama"), small("llama")
    before = trained(other, input_ids=ids())
    tw.patch(patched)
    after = trained(other, input_ids=ids())
    assert other.config._attn_implementation == "sdpa" and after[1].equal(before[1])


def test_gradient_checkpointing():
    model = small("qwen3").train()
    before = trained(model, input_ids=ids())
    tw.patch(model)
    model.gradient_checkpointing_enable()
    assert_same(trained(model, input_ids=ids()), before)


def test_refuses_what_it_does_not_know_and_a_second_time():
    with pytest.raises(tw.Error, match="nothing in `Linear` can be replaced; it knows the models llama, "):
        tw.patch(torch.nn.Linear(3, 4))
    model = small("llama")
    with pytest.raises(tw.Error, match="the model is not patched"):
        tw.unpatch(model)
    tw.patch(model)
    with pytest.raises(tw.Error, match="patched already"):
        tw.patch(model)


@pytest.mark.parametrize("name", ["llama", "gemma", "gpt2"])
def test_a_fused_loss_needs_no_logits(name):
    model = small(name)
    labels = ids().where(ids() > 20, -100)
    states = []
    for patched in (False, True):
        if patched:
            report = tw.patch(model, fused_loss=True)
            assert ("", type(model).__name__[10:], "tilewright.ops.linear_cross_entropy") in report.replaced
        for options in ({}, {"num_items_in_batch": torch.tensor(7)}):
            model.zero_grad()
            output = model(ids(), labels=labels, **options)
            output.loss.backward()
            assert (output.logits is None) == patched
            states.append((output.loss.detach(), [p.grad.clone() for p in model.parameters()]))
    for found, expected in zip(states[2:], states[:2], strict=True):
        torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-4)
    assert model(ids()).logits.shape == (2, 11, 97)


def test_a_fused_loss_is_refused_where_logits_are_changed():
    with pytest.raises(tw.Error, match="`fused_loss` takes logits as a linear layer without bias gives them"):
        tw.patch(small("gemma2"), fused_loss=True)
    with pytest.raises(tw.Error, match="`fused_loss` is for causal language models .* not `LlamaModel`"):
        tw.patch(small("llama").model, fused_loss=True)
    assert not hasattr(small("llama").model, "_tilewright")
