#include "tests/passes/TileKernels.h"

#include <vector>

namespace tilewright::passes {

/// `text` with each `@NAME@` replaced, in the order given.
static std::string fill(std::string text,
                        const std::vector<std::pair<std::string, std::string>> &names) {
  for (const auto &[name, value] : names) {
    std::string key = "@" + name + "@";
    for (size_t at = text.find(key); at != std::string::npos; at = text.find(key, at))
      text.replace(at, key.size(), value);
  }
  return text;
}

static const char *const kAttention = R"(
func.func @attention(%q: @V@ {tile.name = "q", tile.dims = ["B", "S", "H", "D"]}, %k: @V@
    {tile.name = "k", tile.dims = ["B", "T", "G", "D"]}, %v: @V@ {tile.name = "v", tile.dims =
    ["B", "T", "G", "D"]}, %o: @V@ {tile.name = "o", tile.dims = ["B", "S", "H", "D"]}, %lse:
    !tile.view<?x?x?xf32> {tile.name = "lse", tile.dims = ["B", "H", "S"]}, %scale: f32
    {tile.name = "scale"}) attributes {tile.kernel} {
%c0 = arith.constant 0 : i32
%c1 = arith.constant 1 : i32
%bm = arith.constant @M@ : i32
%bn = arith.constant @N@ : i32
%S = tile.dim %q, 1 : @V@
%T = tile.dim %k, 1 : @V@
%B = tile.dim %q, 0 : @V@
%H = tile.dim %q, 2 : @V@
%G = tile.dim %k, 2 : @V@
%mt = arith.ceildivsi %S, %bm : i32
tile.grid [%mt, %H, %B]
%m = tile.program_id 0
%h = tile.program_id 1
%b = tile.program_id 2
%row0 = arith.muli %m, %bm : i32
%rows = tile.range %row0 : tensor<@M@xi32>
%Q = tile.load %q[%b, %row0, %h, %c0] extents [0, @M@, 0, @D@] : @V@, i32, i32, i32, i32 ->
    tensor<@M@x@D@x@E@>
%acc0 = arith.constant dense<0.0> : @A@
%peak0 = arith.constant dense<-3.40282347E+38> : @R@
%total0 = arith.constant dense<0.0> : @R@
%nt = arith.ceildivsi %T, %bn : i32
%acc, %peak, %total = scf.for %n = %c0 to %nt step %c1 iter_args(%a = %acc0, %p = %peak0, %t =
    %total0) -> (@A@, @R@, @R@) : i32 {
%col0 = arith.muli %n, %bn : i32
%cols = tile.range %col0 : tensor<@N@xi32>
%hg = arith.divsi %H, %G : i32
%g = arith.divsi %h, %hg : i32
%K = tile.load %k[%b, %col0, %g, %c0] extents [0, @N@, 0, @D@] : @V@, i32, i32, i32, i32 -> @K@
%Kt = tile.transpose %K [1, 0] : @K@ -> tensor<@D@x@N@x@E@>
%z = arith.constant dense<0.0> : @S@
%s = tile.dot %Q, %Kt, %z : tensor<@M@x@D@x@E@>, tensor<@D@x@N@x@E@>, @S@
%cols1 = tile.expand_dims %cols, 0 : tensor<@N@xi32> -> tensor<1x@N@xi32>
%Ts = tile.splat %T : i32 -> tensor<1x@N@xi32>
%vis0 = arith.cmpi slt, %cols1, %Ts : tensor<1x@N@xi32>
%vis0b = tile.broadcast %vis0 : tensor<1x@N@xi1> -> @B@
%rows1 = tile.expand_dims %rows, 1 : tensor<@M@xi32> -> tensor<@M@x1xi32>
%TS = arith.subi %T, %S : i32
%TSs = tile.splat %TS : i32 -> tensor<@M@x1xi32>
%rts = arith.addi %rows1, %TSs : tensor<@M@x1xi32>
%cb = tile.broadcast %cols1 : tensor<1x@N@xi32> -> @I@
@MASKS@
%log2e = arith.constant 1.44269504 : f32
%sc = arith.mulf %scale, %log2e : f32
%scs = tile.splat %sc : f32 -> @S@
%ss = arith.mulf %s, %scs : @S@
%ninf = arith.constant dense<0xFF800000> : @S@
%sm = arith.select %visible, %ss, %ninf : @B@, @S@
%smax = tile.reduce max %sm, 1 : @S@ -> @R@
%best = arith.maximumf %p, %smax : @R@
%best1 = tile.expand_dims %best, 1 : @R@ -> tensor<@M@x1xf32>
%bestb = tile.broadcast %best1 : tensor<@M@x1xf32> -> @S@
%d = arith.subf %sm, %bestb : @S@
%e = math.exp2 %d : @S@
%pd = arith.subf %p, %best : @R@
%shrink = math.exp2 %pd : @R@
%t1 = arith.mulf %t, %shrink : @R@
%esum = tile.reduce sum %e, 1 : @S@ -> @R@
%t2 = arith.addf %t1, %esum : @R@
%sh1 = tile.expand_dims %shrink, 1 : @R@ -> tensor<@M@x1xf32>
%shb = tile.broadcast %sh1 : tensor<@M@x1xf32> -> @A@
%a1 = arith.mulf %a, %shb : @A@
%ec = tile.cast %e : @S@ -> tensor<@M@x@N@x@E@>
%V = tile.load %v[%b, %col0, %g, %c0] extents [0, @N@, 0, @D@] : @V@, i32, i32, i32, i32 -> @K@
%z2 = arith.constant dense<0.0> : @A@
%pv = tile.dot %ec, %V, %z2 : tensor<@M@x@N@x@E@>, @K@, @A@
%a2 = arith.addf %a1, %pv : @A@
scf.yield %a2, %best, %t2 : @A@, @R@, @R@
}
%tot1 = tile.expand_dims %total, 1 : @R@ -> tensor<@M@x1xf32>
%totb = tile.broadcast %tot1 : tensor<@M@x1xf32> -> @A@
%q0 = arith.divf %acc, %totb : @A@
%zz = arith.constant dense<0.0> : tensor<@M@x1xf32>
%pos = arith.cmpf ogt, %tot1, %zz : tensor<@M@x1xf32>
%posb = tile.broadcast %pos : tensor<@M@x1xi1> -> tensor<@M@x@D@xi1>
%zo = arith.constant dense<0.0> : @A@
%out = arith.select %posb, %q0, %zo : tensor<@M@x@D@xi1>, @A@
%outc = tile.cast %out : @A@ -> tensor<@M@x@D@x@E@>
tile.store %outc, %o[%b, %row0, %h, %c0] extents [0, @M@, 0, @D@] : tensor<@M@x@D@x@E@>, @V@,
    i32, i32, i32, i32
%lg = math.log2 %total : @R@
%ls = arith.addf %peak, %lg : @R@
%l2 = arith.constant dense<1.44269504> : @R@
%lsd = arith.divf %ls, %l2 : @R@
tile.store %lsd, %lse[%b, %h, %row0] extents [0, 0, @M@] : @R@, !tile.view<?x?x?xf32>, i32, i32,
    i32
return
}
)";

static const char *const kCausal = R"(
%rb = tile.broadcast %rts : tensor<@M@x1xi32> -> @I@
%vis1 = arith.cmpi sle, %cb, %rb : @I@
%visA = arith.andi %tail, %vis1 : @B@
)";

static const char *const kWindow = R"(
%w = arith.constant dense<@W@> : tensor<@M@x1xi32>
%rtsw = arith.subi %rts, %w : tensor<@M@x1xi32>
%rbw = tile.broadcast %rtsw : tensor<@M@x1xi32> -> @I@
%vis2 = arith.cmpi sgt, %cb, %rbw : @I@
%visB = arith.andi @PREVIOUS@, %vis2 : @B@
)";

std::string attention(int64_t m, int64_t n, int64_t d, bool causal, int64_t window,
                      const std::string &element) {
  std::string masks = "%tail = arith.andi %vis0b, %vis0b : @B@\n", mask = "%tail";
  if (causal) {
    masks += kCausal;
    mask = "%visA";
  }
  if (window > 0) {
    masks += fill(kWindow, {{"PREVIOUS", mask}, {"W", std::to_string(window)}});
    mask = "%visB";
  }
  masks += "%visible = arith.andi " + mask + ", " + mask + " : @B@\n";
  return fill(kAttention, {{"MASKS", masks},
                           {"V", "!tile.view<?x?x?x@D@x@E@>"},
                           {"A", "tensor<@M@x@D@xf32>"},
                           {"R", "tensor<@M@xf32>"},
                           {"S", "tensor<@M@x@N@xf32>"},
                           {"I", "tensor<@M@x@N@xi32>"},
                           {"B", "tensor<@M@x@N@xi1>"},
                           {"K", "tensor<@N@x@D@x@E@>"},
                           {"M", std::to_string(m)},
                           {"N", std::to_string(n)},
                           {"D", std::to_string(d)},
                           {"E", element}});
}

static const char *const kMatmul = R"(
func.func @matmul(%a: !tile.view<?x?xf32> {tile.name = "a", tile.dims = ["M", "K"]}, %b:
    !tile.view<?x?xf32> {tile.name = "b", tile.dims = ["K", "N"]}, %c: !tile.view<?x?xf32>
    {tile.name = "c", tile.dims = ["M", "N"]}) attributes {tile.kernel} {
%c0 = arith.constant 0 : i32
%c1 = arith.constant 1 : i32
%bm = arith.constant @M@ : i32
%bn = arith.constant @N@ : i32
%bk = arith.constant @K@ : i32
%M = tile.dim %a, 0 : !tile.view<?x?xf32>
%N = tile.dim %b, 1 : !tile.view<?x?xf32>
%K = tile.dim %a, 1 : !tile.view<?x?xf32>
%gm = arith.ceildivsi %M, %bm : i32
%gn = arith.ceildivsi %N, %bn : i32
tile.grid [%gm, %gn]
%m = tile.program_id 0
%n = tile.program_id 1
%row = arith.muli %m, %bm : i32
%col = arith.muli %n, %bn : i32
%z = arith.constant dense<0.0> : tensor<@M@x@N@xf32>
%kt = arith.ceildivsi %K, %bk : i32
%r = scf.for %k = %c0 to %kt step %c1 iter_args(%acc = %z) -> (tensor<@M@x@N@xf32>) : i32 {
%k0 = arith.muli %k, %bk : i32
%A = tile.load %a[%row, %k0] extents [@M@, @K@] : !tile.view<?x?xf32>, i32, i32 ->
    tensor<@M@x@K@xf32>
%B = tile.load %b[%k0, %col] extents [@K@, @N@] : !tile.view<?x?xf32>, i32, i32 ->
    tensor<@K@x@N@xf32>
%d = tile.dot %A, %B, %acc : tensor<@M@x@K@xf32>, tensor<@K@x@N@xf32>, tensor<@M@x@N@xf32>
scf.yield %d : tensor<@M@x@N@xf32>
}
tile.store %r, %c[%row, %col] extents [@M@, @N@] : tensor<@M@x@N@xf32>, !tile.view<?x?xf32>, i32,
    i32
return
}
)";

std::string matmul(int64_t m, int64_t n, int64_t k) {
  return fill(kMatmul,
              {{"M", std::to_string(m)}, {"N", std::to_string(n)}, {"K", std::to_string(k)}});
}

static const char *const kSoftmax = R"(
func.func @softmax(%x: @V@ {tile.name = "x", tile.dims = ["R", "C"]},
                   %y: @V@ {tile.name = "y", tile.dims = ["R", "C"]}) attributes {tile.kernel} {
%c0 = arith.constant 0 : i32
%R = tile.dim %x, 0 : @V@
tile.grid [%R]
%r = tile.program_id 0
%a = tile.load %x[%r, %c0] extents [0, @C@] : @V@, i32, i32 -> @T@
%m = tile.reduce max %a, 0 : @T@ -> f32
%ms = tile.splat %m : f32 -> @T@
%d = arith.subf %a, %ms : @T@
%e = math.exp %d : @T@
%s = tile.reduce sum %e, 0 : @T@ -> f32
%ss = tile.splat %s : f32 -> @T@
%q = arith.divf %e, %ss : @T@
tile.store %q, %y[%r, %c0] extents [0, @C@] : @T@, @V@, i32, i32
return
}
)";

std::string softmax(int64_t columns) {
  return fill(
      kSoftmax,
      {{"V", "!tile.view<?x@C@xf32>"}, {"T", "tensor<@C@xf32>"}, {"C", std::to_string(columns)}});
}

static const char *const kGather = R"(
func.func @gather(%table: !tile.view<?x11xf32> {tile.name = "table", tile.dims = ["N", "C"]},
                  %indices: !tile.view<?xi32> {tile.name = "indices", tile.dims = ["I"]},
                  %out: !tile.view<?x11xf32> {tile.name = "out", tile.dims = ["N", "C"]})
    attributes {tile.kernel} {
%c0 = arith.constant 0 : i32
%c1 = arith.constant 1 : i32
%e = arith.constant @E@ : i32
%two = arith.constant 2 : i32
tile.grid [%two]
%p = tile.program_id 0
%start = arith.muli %p, %e : i32
%i = tile.load %indices[%start] extents [@E@] : !tile.view<?xi32>, i32 -> tensor<@E@xi32>
%x = tile.load %table[%i, %c1] extents [-1, 9]
    : !tile.view<?x11xf32>, tensor<@E@xi32>, i32 -> tensor<@E@x9xf32>
%s = tile.scan %x, 0 : tensor<@E@x9xf32>
%m = tile.reduce min %s, 0 : tensor<@E@x9xf32> -> tensor<9xf32>
%a = tile.arg_reduce max %s, 1 : tensor<@E@x9xf32> -> tensor<@E@xi32>
%f = tile.cast %a : tensor<@E@xi32> -> tensor<@E@xf32>
%f1 = tile.expand_dims %f, 1 : tensor<@E@xf32> -> tensor<@E@x1xf32>
%f9 = tile.broadcast %f1 : tensor<@E@x1xf32> -> tensor<@E@x9xf32>
%m1 = tile.expand_dims %m, 0 : tensor<9xf32> -> tensor<1x9xf32>
%m9 = tile.broadcast %m1 : tensor<1x9xf32> -> tensor<@E@x9xf32>
%y0 = arith.addf %x, %m9 : tensor<@E@x9xf32>
%y = arith.mulf %y0, %f9 : tensor<@E@x9xf32>
tile.atomic add %y, %out[%i, %c1] extents [-1, 9]
    : tensor<@E@x9xf32>, !tile.view<?x11xf32>, tensor<@E@xi32>, i32
return
}
)";

std::string gather(int64_t extent) { return fill(kGather, {{"E", std::to_string(extent)}}); }

static const char *const kParts = R"(
func.func @parts(%x: !tile.view<?x24xf32> {tile.name = "x", tile.dims = ["N", "M"]},
                 %y: !tile.view<?x24xf32> {tile.name = "y", tile.dims = ["N", "M"]},
                 %start: i32 {tile.name = "start"}, %size: i32 {tile.name = "size"})
    attributes {tile.kernel} {
%c0 = arith.constant 0 : i32
%c1 = arith.constant 1 : i32
%e = arith.constant @E@ : i32
%one = arith.constant dense<1.0> : tensor<@E@x24xf32>
%zero = arith.constant dense<0.0> : tensor<@E@x24xf32>
tile.grid []
%p = tile.subview %x, 0 from %start size %size : !tile.view<?x24xf32> -> !tile.view<?x24xf32>
%q = tile.subview %y, 0 from %start size %size : !tile.view<?x24xf32> -> !tile.view<?x24xf32>
%length = tile.dim %p, 0 : !tile.view<?x24xf32>
%steps = arith.ceildivsi %length, %e : i32
scf.for %i = %c0 to %steps step %c1 : i32 {
  %at = arith.muli %i, %e : i32
  %a = tile.load %p[%at, %c0] extents [@E@, 24] : !tile.view<?x24xf32>, i32, i32 -> tensor<@E@x24xf32>
  %r = tile.range %at : tensor<@E@xi32>
  %l = tile.splat %length : i32 -> tensor<@E@xi32>
  %m = arith.cmpi slt, %r, %l : tensor<@E@xi32>
  %m1 = tile.expand_dims %m, 1 : tensor<@E@xi1> -> tensor<@E@x1xi1>
  %mask = tile.broadcast %m1 : tensor<@E@x1xi1> -> tensor<@E@x24xi1>
  %b = arith.addf %a, %one : tensor<@E@x24xf32>
  %c = arith.select %mask, %b, %zero : tensor<@E@x24xi1>, tensor<@E@x24xf32>
  %s = tile.reduce sum %c, 0 : tensor<@E@x24xf32> -> tensor<24xf32>
  %s1 = tile.expand_dims %s, 0 : tensor<24xf32> -> tensor<1x24xf32>
  %sum = tile.broadcast %s1 : tensor<1x24xf32> -> tensor<@E@x24xf32>
  %d = arith.addf %c, %sum : tensor<@E@x24xf32>
  tile.store %d, %q[%at, %c0] extents [@E@, 24] : tensor<@E@x24xf32>, !tile.view<?x24xf32>, i32, i32
}
return
}
)";

std::string parts(int64_t extent) { return fill(kParts, {{"E", std::to_string(extent)}}); }

static const char *const kScale = R"(
func.func @scale(%x: !tile.view<?xf32> {tile.name = "x", tile.dims = ["N"]})
    attributes {tile.kernel} {
%e = arith.constant @E@ : i32
%N = tile.dim %x, 0 : !tile.view<?xf32>
%programs = arith.ceildivsi %N, %e : i32
tile.grid [%programs]
%p = tile.program_id 0
%start = arith.muli %p, %e : i32
%a = tile.load %x[%start] extents [@E@] : !tile.view<?xf32>, i32 -> tensor<@E@xf32>
%b = arith.addf %a, %a : tensor<@E@xf32>
tile.store %b, %x[%start] extents [@E@] : tensor<@E@xf32>, !tile.view<?xf32>, i32
return
}
)";

std::string scale(int64_t extent) { return fill(kScale, {{"E", std::to_string(extent)}}); }

} // namespace tilewright::passes
