"""</script><script>stolen = 1</script> <img src=x onerror="stolen = 1"> <!-- ]]> ${stolen}"""
from tilewright import *

N = dims("N")


# </textarea></pre><script>stolen = 1</script>
@kernel
def hostile(x: Tensor[f32, N], y: Tensor[f32, N], *, BN: tune[256] = 256):
    """<script>stolen = 1</script>"""
    i = grid(cdiv(N, BN))
    assert N > 0, "<script>stolen = 1</script> </script> <!-- <img src=x onerror='stolen = 1'>"
    items = block(i, BN)
    y[items] = x[items] * 2  # <svg onload="stolen = 1"> &lt;b&gt; \u003c
