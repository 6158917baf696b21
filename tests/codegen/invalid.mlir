// RUN: cuda-print --split-input-file --verify-diagnostics %s

// expected-error @+1 {{is no kernel: it lacks `cuda.kernel` or `cuda.threads`}}
func.func @plain() {
  return
}

// -----

func.func @op_without_spelling(%n: i32) attributes {cuda.kernel, cuda.threads = 32 : i32} {
  // expected-error @+1 {{has no CUDA spelling}}
  "other.op"(%n) : (i32) -> ()
  return
}

// -----

func.func @type_without_spelling(%x: f32) attributes {cuda.kernel, cuda.threads = 32 : i32} {
  // expected-error @+1 {{has no CUDA spelling: no C++ type holds 'f64'}}
  %y = arith.extf %x : f32 to f64
  return
}

// -----

// expected-error @+1 {{has no CUDA spelling: no C++ type holds 'i24'}}
func.func @argument_without_spelling(%x: i24) attributes {cuda.kernel, cuda.threads = 32 : i32} {
  return
}

// -----

func.func @array_without_spelling() attributes {cuda.kernel, cuda.threads = 32 : i32} {
  // expected-error @+1 {{has no CUDA spelling: no C++ type holds 'i24'}}
  %r = cuda.regs : !cuda.regs<2 x i24>
  return
}

// -----

func.func @atomic_of_a_kind_that_gpus_lack(%x: !cuda.ptr<f16>, %v: f16)
    attributes {cuda.kernel, cuda.threads = 32 : i32} {
  %c0 = arith.constant 0 : i32
  // expected-error @+1 {{has no CUDA spelling: `max` of 'f16'}}
  cuda.atomic "max" %v, %x[%c0] : f16, !cuda.ptr<f16>, i32
  return
}

// -----

func.func @packs_integers_as_floats(%n: i32) attributes {cuda.kernel, cuda.threads = 32 : i32} {
  %c0 = arith.constant 0 : i32
  %r = cuda.regs : !cuda.regs<1 x vector<2xbf16>>
  // expected-error @+1 {{has no CUDA spelling for these types}}
  %w = cuda.pack %n, %n : i32, i32 -> vector<2xbf16>
  cuda.set %w, %r[%c0] : vector<2xbf16>, !cuda.regs<1 x vector<2xbf16>>
  return
}

// -----

// expected-error @+1 {{has no CUDA spelling: a kernel has one block}}
func.func @two_blocks(%n: i32) attributes {cuda.kernel, cuda.threads = 32 : i32} {
  "other.jump"()[^next] : () -> ()
^next:
  return
}
