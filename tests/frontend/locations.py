# RUN: tile-lower %s --defaults --locations | FileCheck %s

# Values carry the names of the source, so that later stages can speak of them.
from tilewright import *

N = dims("N")


@kernel
def names(x: Tensor[f32, N]):
    m = grid(cdiv(N, 64))
    rows = block(m, 64)
    total = zeros((64,), f32)
    for j in range(3):
        total += x[rows]
    x[rows] = total


# CHECK-DAG: #[[X:.*]] = loc("{{.*}}locations.py":10:11)
# CHECK-DAG: loc("x"(#[[X]]))
# CHECK-DAG: tile.program_id 0 loc(#[[M:.*]])
# CHECK-DAG: #[[M]] = loc("m"(#[[M2:.*]]))
# CHECK-DAG: #[[M2]] = loc("{{.*}}locations.py":11:9)
# CHECK-DAG: arith.muli {{.*}} loc(#[[ROWS:.*]])
# CHECK-DAG: #[[ROWS]] = loc("rows"
# CHECK-DAG: tile.dim {{.*}} loc(#[[N:.*]])
# CHECK-DAG: #[[N]] = loc("N"
# CHECK-DAG: arith.addf {{.*}} loc(#[[TOTAL:.*]])
# CHECK-DAG: #[[TOTAL]] = loc("total"
