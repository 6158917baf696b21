//===- TmaText.cpp - device functions of TMA copies -------------------------------------------===//
#include "codegen/MadeFunctions.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::codegen;

namespace {
/// One PTX instruction on a box: parameters of the function, and the operands made of them.
struct Copy {
  explicit Copy(int64_t rank) : rank(rank) {}

  /// Adds a parameter; gives its place in the instruction's text.
  std::string add(StringRef type, StringRef name, StringRef constraint, StringRef value = "") {
    parameters.push_back((type + (type.ends_with("&") ? "" : " ") + name).str());
    inputs.push_back(("\"" + constraint + "\"(" + (value.empty() ? name : value) + ")").str());
    return "%" + std::to_string(inputs.size() - 1);
  }

  /// The tensor map and coordinates, outermost first: `[%0, {%2, %1}]`.
  std::string addBox() {
    std::string map = add("const TensorMap &", "map", "l", "&map");
    SmallVector<std::string> places;
    for (int64_t i = 0; i < rank; ++i)
      places.push_back(add("i32", ("x" + Twine(i)).str(), "r"));
    std::reverse(places.begin(), places.end()); // PTX counts from the innermost
    return "[" + map + ", {" + llvm::join(places, ", ") + "}]";
  }

  MadeFunction function(std::string name, StringRef comment, const std::string &instruction) const {
    std::string head =
        "__device__ __forceinline__ void " + name + "(" + llvm::join(parameters, ", ") + ") {\n";
    return {name, ("// " + comment + "\n" + head + "  asm volatile(\"" + instruction +
                   ";\"\n               :\n               : " + llvm::join(inputs, ", ") +
                   "\n               : \"memory\");\n}\n")
                      .str()};
  }

  int64_t rank;
  SmallVector<std::string> parameters, inputs;
};
} // namespace

static std::string rankName(int64_t rank) { return std::to_string(rank) + "d"; }

MadeFunction codegen::tmaLoad(cuda::TmaLoadOp op) {
  Copy copy(op.getCoordinates().size());
  std::string name = "tma_load_" + rankName(copy.rank);
  // The block's own address has a form of its own: with the form for clusters, sm_120 needs a
  // stack.
  std::string ptx = "cp.async.bulk.tensor." + rankName(copy.rank) +
                    (op.getMulticast() ? ".shared::cluster" : ".shared::cta") +
                    ".global.mbarrier::complete_tx::bytes";
  std::string to = copy.add("i32", "to", "r"), box = copy.addBox();
  std::string operands = " [" + to + "], " + box + ", [" + copy.add("i32", "barrier", "r") + "]";
  if (op.getMulticast()) {
    name += "_multicast";
    ptx += ".multicast::cluster";
    operands += ", " + copy.add("i32", "blocks", "h", "u16(blocks)");
  }
  if (op.getHint()) {
    name += "_hint";
    ptx += ".L2::cache_hint";
    operands += ", " + copy.add("u64", "policy", "l");
  }
  return copy.function(name, "Starts the copy of a box to shared memory.", ptx + operands);
}

/// A copy from shared memory; `%4` may be its policy.
template <typename Op>
static MadeFunction writeFunction(Op op, StringRef verb, StringRef ptxVerb, StringRef ptxSuffix,
                                  StringRef comment) {
  Copy copy(op.getCoordinates().size());
  std::string name = "tma_" + verb.str() + "_" + rankName(copy.rank);
  std::string ptx = (ptxVerb + ".async.bulk.tensor." + rankName(copy.rank) + ".global.shared::cta" +
                     ptxSuffix + ".bulk_group")
                        .str();
  std::string box = copy.addBox();
  std::string operands = " " + box + ", [" + copy.add("i32", "from", "r") + "]";
  if (op.getHint()) {
    name += "_hint";
    ptx += ".L2::cache_hint";
    operands += ", " + copy.add("u64", "policy", "l");
  }
  return copy.function(name, comment, ptx + operands);
}

MadeFunction codegen::tmaStore(cuda::TmaStoreOp op) {
  return writeFunction(op, "store", "cp", "", "Starts the copy of a box from shared memory.");
}

MadeFunction codegen::tmaReduceAdd(cuda::TmaReduceAddOp op) {
  return writeFunction(op, "reduce_add", "cp.reduce", ".add",
                       "Starts adding a box in shared memory to a tensor.");
}

MadeFunction codegen::tmaPrefetch(cuda::TmaPrefetchOp op) {
  Copy copy(op.getCoordinates().size());
  std::string name = "tma_prefetch_" + rankName(copy.rank);
  std::string ptx = "cp.async.bulk.prefetch.tensor." + rankName(copy.rank) + ".L2.global";
  std::string operands = " " + copy.addBox();
  if (op.getHint()) {
    name += "_hint";
    ptx += ".L2::cache_hint";
    operands += ", " + copy.add("u64", "policy", "l");
  }
  return copy.function(name, "Starts bringing a box into the L2 cache.", ptx + operands);
}

bool codegen::isMadeName(StringRef name) {
  return name.starts_with("tma_") || name.starts_with("wgmma_");
}
