// RUN: cuda-print --line-directives %s | FileCheck %s --check-prefix=LINES
// RUN: cd %S/inputs && cuda-print --source-comments %s | FileCheck %s --check-prefix=COMMENTS

// LINES-LABEL: shows_its_source(
// LINES: #line 23 "source.py"
// LINES-NEXT: f32 acc[2];
// LINES-NEXT: #line 2 "source.py"
// LINES-NEXT: acc[0] = 1.0f;
// LINES-NEXT: acc[1] = 1.0f;
// LINES-NEXT: #line 2 "source.py"
// LINES-NEXT: __syncthreads();

// COMMENTS-LABEL: shows_its_source(
// COMMENTS: f32 acc[2];
// COMMENTS-EMPTY:
// COMMENTS-NEXT: // 2: acc = full((2,), 1.0)
// COMMENTS-NEXT: acc[0] = 1.0f;
// COMMENTS-EMPTY:
// COMMENTS-NEXT: // 3: barrier()
func.func @shows_its_source() attributes {cuda.kernel, cuda.threads = 32 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1.0 : f32
  %acc = cuda.regs : !cuda.regs<2 x f32> loc("acc"("source.py":23:1))
  cuda.set %one, %acc[%c0] : f32, !cuda.regs<2 x f32> loc("source.py":2:1)
  cuda.set %one, %acc[%c1] : f32, !cuda.regs<2 x f32> loc("source.py":3:1)
  cuda.barrier loc("source.py":2:5)
  return
}
